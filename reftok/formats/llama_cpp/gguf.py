"""The vocabulary in a GGUF file, with the defaults and the corrections of llama.cpp.

Source: llama.cpp src/llama-vocab.cpp (`llama_vocab::impl::load`), as in llama-cpp-python 0.3.36. The tokenizers `llama`
(SPM), `gpt2`, `gemma4` and `whitespace` (BPE), `t5` (UGM) and `bert` (WPM) are supported; rwkv, plamo2, hybriddna and
none are refused. Quirk: a string ends at its first NUL; a token that begins with one is empty, and an empty token gets
a name. Keys that do not begin with `tokenizer.ggml.` are none of our business; one that does, and that llama.cpp does
not know either, is refused.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

from reftok.chat.templates import DEFAULT, ChatTemplates
from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.llama_cpp.attributes import Origin, attributes, of_types
from reftok.formats.llama_cpp.build import begin_and_end, llama_rules, spm_rules
from reftok.formats.llama_cpp.gguf_metadata import Value, read_metadata
from reftok.formats.llama_cpp.pre_types import PRE_TYPES
from reftok.rules.huggingface.normalizers import Replace
from reftok.rules.huggingface.pre_tokenizers import WhitespaceSplit
from reftok.rules.llama_cpp.bpe import LlamaBPE, LlamaBPEOptions
from reftok.rules.llama_cpp.pre_tokenizers import ByteCharacters
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.ugm import LlamaUGM
from reftok.rules.llama_cpp.ugm_normalizer import UGMNormalizer
from reftok.rules.llama_cpp.vocab import Attribute, LlamaVocab, Spelling
from reftok.rules.llama_cpp.wpm import BertText, BertWords, LlamaWPM, SimpleLowercase
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.unicode.charsmap import Charsmap

_PREFIX = "tokenizer.ggml."
_GENERAL = ("general.name", "general.architecture")
_CHAT_TEMPLATE = "tokenizer.chat_template"
_IDS = ("bos", "eos", "eot", "eom", "unknown", "seperator", "padding", "mask")
_FILL_IN_IDS = {
    "prefix": "fim_pre", "suffix": "fim_suf", "middle": "fim_mid", "fim_pre": "fim_pre", "fim_suf": "fim_suf",
    "fim_mid": "fim_mid", "fim_pad": "fim_pad", "fim_rep": "fim_rep", "fim_sep": "fim_sep",
}  # fmt: skip
"""Ids of tokens for filling in the middle, by their old names and by their new ones."""

_KNOWN = frozenset({
    "model", "pre", "tokens", "token_type", "token_type_count", "scores", "merges", "cls_token_id", "suppress_tokens",
    "add_bos_token", "add_eos_token", "add_sep_token", "add_space_prefix", "remove_extra_whitespaces",
    "precompiled_charsmap", "normalizer.lowercase", "normalizer.strip_accents",
    *(f"{name}_token_id" for name in (*_IDS, *_FILL_IN_IDS)),
})  # fmt: skip
"""Keys behind `tokenizer.ggml.` that llama.cpp knows; some of them change nothing about text and ids."""

_UNKNOWN_AND_PADDING = {"llama": (0, None), "t5": (2, 0), "bert": (100, 0)}
"""The ids of the unknown token and of padding by model, where the file says nothing."""


def read_gguf(path: Path) -> Pipeline:
    """The rules of a GGUF file. Only the metadata is read, and only what concerns the tokenizer is kept.

    Raises ModelFormatError for a file that is not sound, and where llama.cpp would end the process, UnsupportedFeature
    for a tokenizer, a pre-tokenizer or a key that is not known.
    """
    kept = {*_GENERAL, _CHAT_TEMPLATE}
    fields = GGUFFields(read_metadata(path, lambda key: key in kept or key.startswith(_PREFIX)), str(path))
    model = fields.text("model")
    if model not in _MODELS:
        problem = ": the file has no vocabulary" if model in ("none", "no_vocab") else " is not supported"
        raise UnsupportedFeature(fields.source, f"{_PREFIX}model", f"{model!r:.60}{problem}")
    rules = _MODELS[model](fields)
    size = len(fields.tokens())
    unk_id, pad_id = _UNKNOWN_AND_PADDING.get(model, (None, None))
    named = {"unk": fields.token_id("unknown", unk_id, size), "pad": fields.token_id("padding", pad_id, size)}
    named["eot"] = fields.token_id("eot", rules.named_ids["eot"], size)
    return replace(rules, named_ids={**rules.named_ids, **named}, chat_templates=fields.chat_templates())


def _spm(fields: GGUFFields) -> Pipeline:
    vocab = _vocab(fields, 1, 2, add_bos=True)
    add_space_prefix = fields.flag("add_space_prefix", True)
    return spm_rules(vocab, fields.scores(len(vocab.tokens)), add_space_prefix, fields.source)


def _bpe(fields: GGUFFields, pre: str, default_id: int | None) -> Pipeline:
    if pre not in PRE_TYPES:
        raise UnsupportedFeature(fields.source, f"{_PREFIX}pre", f"{pre!r:.60} is not supported")
    pre_type = PRE_TYPES[pre]
    merges = fields.merges(pre)
    spelling: Spelling = "byte characters" if pre_type.is_byte_level else "spaces escaped"
    bos_id = default_id if pre_type.has_default_bos else None
    always = pre_type.always_adds_bos
    vocab = _vocab(fields, bos_id, default_id, pre_type.add_bos, spelling=spelling, always_adds_bos=always)
    fields.scores(len(vocab.tokens))
    options = LlamaBPEOptions(pre_type.ignore_merges, pre_type.is_byte_level, pre_type.takes_newlines_whole)
    return llama_rules(
        vocab,
        LlamaBPE(vocab.ids, merges, options),
        (ReadCodePoints(),) if pre_type.is_byte_level else (Replace(" ", SPACE_SYMBOL), ReadCodePoints()),
        (*pre_type.steps, ByteCharacters()) if pre_type.is_byte_level else pre_type.steps,
        fields.flag("add_space_prefix", False),
        pre_type.clean_spaces,
        fields.source,
    )


def _whitespace(fields: GGUFFields) -> Pipeline:
    """The tokenizer of jina-embeddings-v2-base-zh: BPE on the characters of words, without the white space.

    Quirk: a token is decoded as if it were in byte characters, see `reftok.rules.llama_cpp.vocab`.
    """
    # With a pattern of another pre-type a character outside the vocab would be lost, and no converter writes one.
    if (pre := fields.text("pre", "")) != "whitespace":
        problem = f"{pre!r:.60} is not supported with the model whitespace"
        raise UnsupportedFeature(fields.source, f"{_PREFIX}pre", problem)
    vocab = _vocab(fields, 11, 11, add_bos=False, spelling="byte characters")
    fields.scores(len(vocab.tokens))
    is_lower = fields.flag("normalizer.lowercase", False)
    return llama_rules(
        vocab,
        LlamaBPE(vocab.ids, fields.merges(pre), LlamaBPEOptions(is_byte_level=False)),
        (ReadCodePoints(), SimpleLowercase()) if is_lower else (ReadCodePoints(),),
        (WhitespaceSplit(),),
        fields.flag("add_space_prefix", False),
        clean_spaces=True,
        source=fields.source,
    )


def _ugm(fields: GGUFFields) -> Pipeline:
    vocab = _vocab(fields, None, 1, add_bos=False, add_eos=True)
    scores = fields.scores(len(vocab.tokens))
    unk_id = _required_id(fields, "unknown", 2, vocab)
    types = of_types(fields.token_types(len(vocab.tokens)), len(vocab.tokens))
    matched = Attribute.NORMAL | Attribute.USER_DEFINED | Attribute.UNUSED
    model = LlamaUGM(
        vocab.ids,
        scores,
        [index for index, attribute in enumerate(types) if attribute & matched],
        {index for index, attribute in enumerate(vocab.attributes) if attribute & Attribute.USER_DEFINED},
        min((scores[index] for index, attribute in enumerate(types) if attribute & Attribute.NORMAL), default=None),
        unk_id,
    )
    charsmap = fields.signed_or_unsigned_bytes("precompiled_charsmap")
    normalizer = UGMNormalizer(
        fields.flag("add_space_prefix", False),
        fields.flag("remove_extra_whitespaces", False),
        None if charsmap is None else Charsmap(charsmap, fields.source),
        [vocab.tokens[index] for index, attribute in enumerate(types) if attribute & Attribute.USER_DEFINED],
    )
    return llama_rules(vocab, model, (normalizer,), (), normalizer.add_space_prefix, source=fields.source)


def _wpm(fields: GGUFFields) -> Pipeline:
    """The two special tokens go around a text whatever `add_bos_token` and its like say."""
    vocab = _vocab(fields, 101, None, add_bos=True)
    fields.scores(len(vocab.tokens))
    lowercase = fields.flag("normalizer.lowercase", True)
    text = BertText(lowercase, fields.flag("normalizer.strip_accents", lowercase))
    begin, end = _required_id(fields, "bos", 101, vocab), _required_id(fields, "seperator", 102, vocab)
    model = LlamaWPM(vocab.ids, _required_id(fields, "unknown", 100, vocab))
    add_space_prefix = fields.flag("add_space_prefix", False)
    normalizers = (ReadCodePoints(), text)
    built = llama_rules(vocab, model, normalizers, (BertWords(),), add_space_prefix, True, fields.source)
    return replace(built, post_processors=(begin_and_end(vocab, begin, end),))


def _required_id(fields: GGUFFields, name: str, default: int, vocab: LlamaVocab) -> int:
    token_id = fields.token_id(name, default, len(vocab.tokens))
    if token_id is None:
        raise fields.wrong(f"{name}_token_id", "is not in the vocab: llama.cpp ends the process, or gives the id -1")
    return token_id


def _vocab(
    fields: GGUFFields,
    default_bos_id: int | None,
    default_eos_id: int | None,
    add_bos: bool,
    add_eos: bool = False,
    spelling: Spelling = "spaces escaped",
    always_adds_bos: bool = False,
) -> LlamaVocab:
    """The vocab; the arguments say what llama.cpp takes where the file says nothing."""
    tokens = fields.tokens()
    ids = _ids(fields, tokens)
    size = len(tokens)
    for name in _IDS:
        fields.token_id(name, None, size)
    bos_id = fields.token_id("bos", default_bos_id, size)
    eos_id = fields.token_id("eos", default_eos_id, size)
    ends = {eos_id, fields.token_id("eot", None, size), fields.token_id("eom", None, size)}
    origin = Origin(
        fields.source,
        *fields.general(),
        fields.text("pre", ""),
        frozenset(kind for name, kind in _FILL_IN_IDS.items() if fields.token_id(name, None, size) is not None),
        frozenset(token_id for token_id in ends if token_id is not None),
    )
    return LlamaVocab(
        tokens,
        ids,
        attributes(ids, fields.token_types(size), origin),
        spelling,
        bos_id,
        eos_id,
        fields.flag("add_bos_token", add_bos) or always_adds_bos,
        fields.flag("add_eos_token", add_eos),
    )


def _ids(fields: GGUFFields, tokens: Sequence[str]) -> Mapping[str, int]:
    ids = {token: index for index, token in enumerate(tokens)}
    if len(ids) < len(tokens):
        twice = next(token for index, token in enumerate(tokens) if ids[token] != index)
        raise fields.wrong("tokens", f"{twice!r:.60} is there twice; llama.cpp ends the process")
    return ids


_MODELS: Mapping[str, Callable[[GGUFFields], Pipeline]] = {
    "llama": _spm,
    "gpt2": lambda fields: _bpe(fields, fields.text("pre", ""), default_id=11),
    "gemma4": lambda fields: _bpe(fields, "gemma4", default_id=None),
    "whitespace": _whitespace,
    "t5": _ugm,
    "bert": _wpm,
}


class GGUFFields:
    """The keys of the metadata of a file, each with the type that llama.cpp asks for.

    Raises UnsupportedFeature for a `tokenizer.ggml.` key that is not known.
    """

    def __init__(self, metadata: Mapping[str, Value], source: str) -> None:
        self.source = source
        self._values = metadata
        for key in metadata:
            name = key.removeprefix(_PREFIX)
            if key not in (*_GENERAL, _CHAT_TEMPLATE) and name not in _KNOWN:
                raise UnsupportedFeature(source, key, "this key is not known")

    def wrong(self, name: str, problem: str) -> ModelFormatError:
        """The error for a value that makes no sense."""
        return ModelFormatError(self.source, _PREFIX + name, problem)

    def general(self) -> tuple[str, str]:
        """The name and the architecture of the model."""
        name, architecture = (_until_nul(self._scalar(key, "string", "")) for key in _GENERAL)
        return name, architecture

    def chat_templates(self) -> ChatTemplates | None:
        """The chat template of the file; None if there is none."""
        source: str | None = self._scalar(_CHAT_TEMPLATE, "string", None)
        return None if source is None else ChatTemplates({DEFAULT: source}, {DEFAULT: self.source})

    def text(self, name: str, default: str | None = None) -> str:
        """A string; without a default it must be there."""
        found: str | None = self._scalar(_PREFIX + name, "string", default)
        if found is None:
            raise self.wrong(name, "is missing")
        return _until_nul(found)

    def flag(self, name: str, default: bool) -> bool:
        """A bool."""
        found: bool = self._scalar(_PREFIX + name, "bool", default)
        return found

    def token_id(self, name: str, default: int | None, size: int) -> int | None:
        """The id of a special token; the default where the file has none in the vocab, None where that is not in it."""
        default = default if default is not None and default < size else None
        found: int | None = self._scalar(f"{_PREFIX}{name}_token_id", "uint32", None)
        return default if found is None or found >= size else found

    def tokens(self) -> list[str]:
        """The tokens; an empty one gets a name."""
        tokens = self._array("tokens", ("string",))
        if tokens is None:
            raise self.wrong("tokens", "is missing")
        return [_until_nul(token) or f"[EMPTY_{index}]" for index, token in enumerate(tokens)]

    def scores(self, size: int) -> Sequence[float]:
        """The scores; 0 for every token where there are none."""
        scores = self._array("scores", ("float32", "int32"), size)
        if scores is None:
            return array("f", bytes(4 * size))
        rounded = array("f", scores[:size])
        if any(map(isnan, rounded)):
            raise self.wrong("scores", "has what is not a number: llama.cpp's order of merges is by chance then")
        return rounded

    def signed_or_unsigned_bytes(self, name: str) -> bytes | None:
        """An array of 8-bit numbers as bytes, None where there is none."""
        numbers = self._array(name, ("int8", "uint8"))
        return None if numbers is None else bytes(number & 0xFF for number in numbers)

    def token_types(self, size: int) -> Sequence[int] | None:
        """The type of each token, None where there are none."""
        return self._array("token_type", ("int32",), size)

    def merges(self, pre: str) -> dict[tuple[str, str], int]:
        """Each pair to its rank, the first of equal ones; a merge without a space is a pair of empty strings."""
        merges = self._array("merges", ("string",))
        if merges is None:
            if pre != "kimi-k2":
                raise self.wrong("merges", "is missing")
            return {}
        ranks: dict[tuple[str, str], int] = {}
        for rank, merge in enumerate(map(_until_nul, merges)):
            space = merge.find(" ", 1)
            pair = ("", "") if space < 0 else (merge[:space], merge[space + 1 :])
            ranks.setdefault(pair, rank)
        return ranks

    def _scalar(self, key: str, kind: str, default: Any) -> Any:
        value = self._values.get(key)
        if value is None:
            return default
        if value.is_array or value.kind != kind:
            found = f"an array of {value.kind}" if value.is_array else value.kind
            raise ModelFormatError(self.source, key, f"is not {kind} but {found}")
        return value.content

    def _array(self, name: str, kinds: Sequence[str], size: int = 0) -> Sequence[Any] | None:
        value = self._values.get(_PREFIX + name)
        if value is None:
            return None
        if not value.is_array or value.kind not in kinds:
            raise self.wrong(name, f"is not an array of {' or '.join(kinds)}")
        if len(value.content) < size:
            raise self.wrong(name, f"has {len(value.content)} elements for {size} tokens")
        found: Sequence[Any] = value.content
        return found


def _until_nul(text: str) -> str:
    """A string as C sees it."""
    return text.partition("\0")[0]
