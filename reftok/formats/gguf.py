"""The vocabulary in a GGUF file, with the defaults and the corrections of llama.cpp.

Source: llama.cpp src/llama-vocab.cpp (`llama_vocab::impl::load`), as in llama-cpp-python 0.3.36. The tokenizers `llama`
(SPM), `gpt2` and `gemma4` (BPE), `t5` (UGM) and `bert` (WPM) are supported; rwkv, plamo2, hybriddna, whitespace and
none are refused. Quirk: a string ends at its first NUL; a token that begins with one is empty, and an empty token gets
a name. Keys that do not begin with `tokenizer.ggml.` are none of our business; one that does, and that llama.cpp does
not know either, is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reftok.errors import UnsupportedFeature
from reftok.formats.gguf_fields import FILL_IN_IDS, GENERAL, IDS, PREFIX, GGUFFields
from reftok.formats.gguf_metadata import MAGIC, read_metadata
from reftok.formats.gguf_pre_types import PRE_TYPES
from reftok.formats.llama_build import LlamaSettings, build_bpe, build_spm, build_ugm, build_wpm
from reftok.spec.charsmap import Charsmap
from reftok.spec.llama.attributes import Attribute, Origin, attributes, of_types
from reftok.spec.llama.bert import BertText
from reftok.spec.llama.ugm import LlamaUGM
from reftok.spec.llama.ugm_normalizer import UGMNormalizer
from reftok.spec.llama.vocab import LlamaVocab, Spelling
from reftok.tokenizer import Tokenizer

_UNKNOWN_AND_PADDING = {"llama": (0, None), "t5": (2, 0), "bert": (100, 0)}
"""The ids of the unknown token and of padding by model, where the file says nothing."""


def read_gguf(path: Path) -> Tokenizer:
    """The tokenizer of a GGUF file. Only the metadata is read, and of it only what concerns the tokenizer is kept.

    Raises ModelFormatError for a file that is not sound, and where llama.cpp would end the process, UnsupportedFeature
    for a tokenizer, a pre-tokenizer or a key that is not known.
    """
    fields = GGUFFields(read_metadata(path, lambda key: key in GENERAL or key.startswith(PREFIX)), str(path))
    model = fields.text("model")
    tokenizer = _tokenizer(fields, model)
    size = len(fields.tokens())
    unk_id, pad_id = _UNKNOWN_AND_PADDING.get(model, (None, None))
    named = {"unk": fields.token_id("unknown", unk_id, size), "pad": fields.token_id("padding", pad_id, size)}
    named["eot"] = fields.token_id("eot", tokenizer.named_ids["eot"], size)
    return replace(tokenizer, named_ids={**tokenizer.named_ids, **named})


def _tokenizer(fields: GGUFFields, model: str) -> Tokenizer:
    match model:
        case "llama":
            return _spm(fields)
        case "gpt2":
            return _bpe(fields, fields.text("pre", ""), default_id=11)
        case "gemma4":
            return _bpe(fields, "gemma4", default_id=None)
        case "t5":
            return _ugm(fields)
        case "bert":
            return _wpm(fields)
        case "none" | "no_vocab":
            raise UnsupportedFeature(fields.source, f"{PREFIX}model", f"{model}: the file has no vocabulary")
        case _:
            raise UnsupportedFeature(fields.source, f"{PREFIX}model", f"{model!r:.60} is not supported")


def is_gguf(path: Path) -> bool:
    """Whether the file begins as a GGUF file does; a file that cannot be read does not."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class _Defaults:
    """The defaults of llama.cpp where the file says nothing."""

    bos_id: int | None
    eos_id: int | None
    add_bos: bool
    add_eos: bool = False
    spelling: Spelling = "spaces escaped"


def _spm(fields: GGUFFields) -> Tokenizer:
    vocab = _vocab(fields, _Defaults(1, 2, add_bos=True))
    settings = LlamaSettings(vocab, fields.flag("add_space_prefix", True), source=fields.source)
    return build_spm(settings, fields.scores(len(vocab.tokens)))


def _bpe(fields: GGUFFields, pre: str, default_id: int | None) -> Tokenizer:
    if pre not in PRE_TYPES:
        raise UnsupportedFeature(fields.source, f"{PREFIX}pre", f"{pre!r:.60} is not supported")
    pre_type = PRE_TYPES[pre]
    merges = fields.merges(pre)
    spelling: Spelling = "byte characters" if pre_type.is_byte_level else "spaces escaped"
    bos_id = default_id if pre_type.has_default_bos else None
    defaults = _Defaults(bos_id, default_id, pre_type.add_bos, spelling=spelling)
    vocab = _vocab(fields, defaults, always_adds_bos=pre_type.is_gemma4)
    fields.scores(len(vocab.tokens))
    settings = LlamaSettings(vocab, fields.flag("add_space_prefix", False), pre_type.clean_spaces, fields.source)
    return build_bpe(settings, merges, pre_type)


def _ugm(fields: GGUFFields) -> Tokenizer:
    vocab = _vocab(fields, _Defaults(None, 1, add_bos=False, add_eos=True))
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
    return build_ugm(LlamaSettings(vocab, normalizer.add_space_prefix, source=fields.source), model, normalizer)


def _wpm(fields: GGUFFields) -> Tokenizer:
    vocab = _vocab(fields, _Defaults(101, None, add_bos=True))
    fields.scores(len(vocab.tokens))
    lowercase = fields.flag("normalizer.lowercase", True)
    text = BertText(lowercase, fields.flag("normalizer.strip_accents", lowercase))
    begin_and_end = _required_id(fields, "bos", 101, vocab), _required_id(fields, "seperator", 102, vocab)
    settings = LlamaSettings(vocab, fields.flag("add_space_prefix", False), clean_spaces=True, source=fields.source)
    return build_wpm(settings, _required_id(fields, "unknown", 100, vocab), begin_and_end, text)


def _required_id(fields: GGUFFields, name: str, default: int, vocab: LlamaVocab) -> int:
    token_id = fields.token_id(name, default, len(vocab.tokens))
    if token_id is None:
        raise fields.wrong(f"{name}_token_id", "is not in the vocab: llama.cpp ends the process, or gives the id -1")
    return token_id


def _vocab(fields: GGUFFields, defaults: _Defaults, always_adds_bos: bool = False) -> LlamaVocab:
    tokens = fields.tokens()
    ids = _ids(fields, tokens)
    size = len(tokens)
    for name in IDS:
        fields.token_id(name, None, size)
    bos_id = fields.token_id("bos", defaults.bos_id, size)
    eos_id = fields.token_id("eos", defaults.eos_id, size)
    ends = {eos_id, fields.token_id("eot", None, size), fields.token_id("eom", None, size)}
    origin = Origin(
        fields.source,
        *fields.general(),
        fields.text("pre", ""),
        frozenset(kind for name, kind in FILL_IN_IDS.items() if fields.token_id(name, None, size) is not None),
        frozenset(token_id for token_id in ends if token_id is not None),
    )
    return LlamaVocab(
        tokens,
        ids,
        attributes(ids, fields.token_types(size), origin),
        defaults.spelling,
        bos_id,
        eos_id,
        fields.flag("add_bos_token", defaults.add_bos) or always_adds_bos,
        fields.flag("add_eos_token", defaults.add_eos),
    )


def _ids(fields: GGUFFields, tokens: Sequence[str]) -> Mapping[str, int]:
    ids = {token: index for index, token in enumerate(tokens)}
    if len(ids) < len(tokens):
        twice = next(token for index, token in enumerate(tokens) if ids[token] != index)
        raise fields.wrong("tokens", f"{twice!r:.60} is there twice; llama.cpp ends the process")
    return ids
