"""tokenizer.json, the format of HuggingFace `tokenizers`: JSON → Tokenizer.

Strict: a key, type or value that is not known here is refused by name, though the library skips unknown keys.
Source: tokenizers 0.23 tokenizer/serialization.rs and the `Deserialize` implementation of each component.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any

from reftok import decoders, normalizers, pretokenizers
from reftok.added_tokens import AddedVocabulary
from reftok.charsmap import Charsmap
from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.fields import Fields
from reftok.formats.post_processor_json import read_byte_level, read_template
from reftok.formats.strict_json import parse_json
from reftok.models.bpe import BPE, BPEOptions
from reftok.models.unigram import Unigram
from reftok.patterns import compile_oniguruma, may_match_nothing
from reftok.postprocessors import TemplateProcessing
from reftok.stages import Decoder, Model, Normalizer, PostProcessor, PreTokenizer
from reftok.text import NormalizedString
from reftok.tokenizer import Tokenizer
from reftok.types import AddedToken

_BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
_LONGEST_ADDED_TOKEN = 1_000_000


def read_tokenizer_json(data: bytes, source: str = "tokenizer.json") -> Tokenizer:
    """The tokenizer that the file describes.

    source: the file's name, for messages.
    Raises ModelFormatError where the file is not sound, UnsupportedFeature where it asks for something unknown.
    """
    root = Fields(parse_json(data, source), source, "")
    if root.text("version", "1.0") != "1.0":
        raise UnsupportedFeature(source, "version", "only 1.0 is known")
    model = read_model(root.object("model"))
    stages_normalizers = read_normalizers(root.optional_object("normalizer"))
    for key in ("truncation", "padding"):
        if root.any(key, None) is not None:
            raise UnsupportedFeature(source, key, "is not supported; set it to null")

    normalize = _normalizing(stages_normalizers, source)
    added_tokens = [read_added_token(fields) for fields in root.objects("added_tokens", ())]
    decoder = root.optional_object("decoder")
    tokenizer = Tokenizer(
        library="tokenizers",
        model=model,
        added_tokens=AddedVocabulary(added_tokens, model.vocab, normalize, model_size=_size(model), source=source),
        normalizers=stages_normalizers,
        pre_tokenizers=read_pre_tokenizers(root.optional_object("pre_tokenizer")),
        post_processors=read_post_processors(root.optional_object("post_processor")),
        decoders=None if decoder is None else read_decoders(decoder),
    )
    root.done()
    return tokenizer


def _normalizing(steps: Sequence[Normalizer], source: str) -> Callable[[str], str]:
    """What the normalizers make of an added token."""

    def normalize(text: str) -> str:
        normalized = NormalizedString(text)
        for step in steps:
            normalized = step.normalize(normalized)
            if len(normalized) > _LONGEST_ADDED_TOKEN:
                raise ModelFormatError(source, "added_tokens", f"{text!r:.60} is too long when normalized")
        return normalized.text

    return normalize


def _size(model: Model) -> int:
    return len(model.pieces) if isinstance(model, Unigram) else len(model.vocab)


def read_added_token(fields: Fields) -> AddedToken:
    """One entry of `added_tokens`. Its id is read and not used: the library assigns ids itself."""
    fields.integer("id")
    token = AddedToken(
        content=fields.text("content"),
        single_word=fields.boolean("single_word"),
        lstrip=fields.boolean("lstrip"),
        rstrip=fields.boolean("rstrip"),
        normalized=fields.boolean("normalized"),
        special=fields.boolean("special"),
    )
    fields.done()
    return token


def read_model(fields: Fields) -> Model:
    """The model; files older than the key `type` are told apart by their other keys, as in the library."""
    kind = fields.text("type", "BPE" if fields.has("merges") else "Unigram")
    if kind == "BPE":
        return _read_bpe(fields)
    if kind == "Unigram":
        return _read_unigram(fields)
    raise fields.unsupported("type", kind)


def _read_bpe(fields: Fields) -> BPE:
    if fields.any("dropout", None) is not None and fields.number("dropout"):
        raise fields.unsupported("dropout", "a rate above 0, which makes ids random,")
    options = BPEOptions(
        unk_token=fields.optional_text("unk_token"),
        continuing_subword_prefix=fields.optional_text("continuing_subword_prefix") or "",
        end_of_word_suffix=fields.optional_text("end_of_word_suffix") or "",
        fuse_unk=fields.optional_boolean("fuse_unk"),
        byte_fallback=fields.optional_boolean("byte_fallback"),
        ignore_merges=fields.optional_boolean("ignore_merges"),
    )
    vocab = fields.vocab("vocab")
    merges = _read_merges(fields)
    fields.done()
    return BPE(vocab, merges, options, fields.source)


def _read_merges(fields: Fields) -> list[tuple[str, str]]:
    """All pairs, or, in older files, all lines of two tokens; lines that start with `#version` are skipped."""
    entries = fields.items("merges")
    as_lines = bool(entries) and isinstance(entries[0], str)
    merges: list[tuple[str, str]] = []
    for index, entry in enumerate(entries):
        if as_lines and isinstance(entry, str) and entry.startswith("#version"):
            continue
        match entry.split(" ") if as_lines and isinstance(entry, str) else entry:
            case [str() as left, str() as right] if isinstance(entry, str) is as_lines:
                merges.append((left, right))
            case _:
                raise fields.wrong(f"merges[{index}]", f"is not a pair of tokens: {entry!r:.60}")
    return merges


def _read_unigram(fields: Fields) -> Unigram:
    pieces: list[tuple[str, float]] = []
    for index, entry in enumerate(fields.items("vocab")):
        match entry:
            case [str() as piece, (int() | float()) as score] if not isinstance(score, bool):
                pieces.append((piece, float(score)))
            case _:
                raise fields.wrong(f"vocab[{index}]", f"is not a pair of piece and score: {entry!r:.60}")
    unk_id = fields.integer("unk_id", 1 << 64) if fields.any("unk_id", None) is not None else None
    byte_fallback = fields.boolean("byte_fallback", False)
    fields.done()
    return Unigram(pieces, unk_id, byte_fallback, fields.source)


def read_normalizers(fields: Fields | None) -> tuple[Normalizer, ...]:
    """The normalizers, sequences flattened."""
    return _read_chain(fields, "normalizers", _NORMALIZERS)


def read_pre_tokenizers(fields: Fields | None) -> tuple[PreTokenizer, ...]:
    """The pre-tokenizers, sequences flattened."""
    return _read_chain(fields, "pretokenizers", _PRE_TOKENIZERS)


def read_post_processors(fields: Fields | None) -> tuple[PostProcessor, ...]:
    """The post-processors, sequences flattened. The library stops with an error at a second template."""
    chain = _read_chain(fields, "processors", _POST_PROCESSORS)
    if fields is not None and sum(isinstance(step, TemplateProcessing) for step in chain) > 1:
        raise UnsupportedFeature(fields.source, fields.place, "more than one TemplateProcessing is not supported")
    return chain


def read_decoders(fields: Fields) -> tuple[Decoder, ...]:
    """The decoders, sequences flattened."""
    return _read_chain(fields, "decoders", _DECODERS)


def _read_chain(
    fields: Fields | None, children: str, readers: dict[str, Callable[[Fields], Any]], depth: int = 0
) -> tuple[Any, ...]:
    if fields is None:
        return ()
    kind = fields.text("type")
    if kind == "Sequence" and depth < 64:
        chain = [
            component
            for child in fields.objects(children)
            for component in _read_chain(child, children, readers, depth + 1)
        ]
    elif kind in readers:
        chain = [readers[kind](fields)]
    else:
        raise fields.unsupported("type", kind)
    fields.done()
    return tuple(chain)


def _pattern(fields: Fields, key: str = "pattern") -> Any:
    """`{"String": …}`, taken literally, or `{"Regex": …}`."""
    pattern = fields.object(key)
    if pattern.has("String"):
        literal = pattern.text("String")
        pattern.done()
        return literal
    expression = pattern.text("Regex")
    pattern.done()
    try:
        return compile_oniguruma(expression)
    except UnsupportedFeature as error:
        raise UnsupportedFeature(fields.source, f"{fields.place}.{key}: {error.place}", error.problem) from None


def _charsmap(fields: Fields) -> Charsmap:
    try:
        blob = base64.b64decode(fields.text("precompiled_charsmap"), validate=True)
    except binascii.Error as error:
        raise fields.wrong("precompiled_charsmap", f"is not base64: {error}") from None
    return Charsmap(blob, fields.source)


def _metaspace(fields: Fields) -> tuple[str, pretokenizers.PrependScheme, bool]:
    """The options that the pre-tokenizer and the decoder share; `str_rep` is of old files and unused."""
    fields.optional_text("str_rep")
    replacement = fields.text("replacement")
    if len(replacement) != 1:
        raise fields.wrong("replacement", f"is not one character: {replacement!r:.60}")
    scheme = fields.choice("prepend_scheme", ("first", "never", "always"), "always")
    if not fields.optional_boolean("add_prefix_space", True) and scheme != "never":
        raise fields.wrong("add_prefix_space", f"does not match the prepend_scheme {scheme}")
    return replacement, scheme, fields.optional_boolean("split", True)


def _read_pre_byte_level(fields: Fields) -> pretokenizers.ByteLevel:
    fields.boolean("trim_offsets")
    return pretokenizers.ByteLevel(fields.boolean("add_prefix_space"), fields.boolean("use_regex", True))


def _read_decoder_byte_level(fields: Fields) -> decoders.ByteLevel:
    for key in ("add_prefix_space", "trim_offsets"):
        fields.boolean(key)
    fields.boolean("use_regex", True)
    return decoders.ByteLevel()


def _read_prepend(fields: Fields) -> normalizers.Prepend:
    prefix = fields.text("prepend")
    if not prefix:
        raise fields.unsupported("prepend", "nothing, with which the library loses its alignment,")
    return normalizers.Prepend(prefix)


def _read_replace_normalizer(fields: Fields) -> normalizers.Replace:
    """With an empty match the library loses its alignment, or panics in a later stage."""
    pattern = _pattern(fields)
    is_text = isinstance(pattern, str)
    if not pattern if is_text else may_match_nothing(fields.object("pattern").text("Regex")):
        raise fields.unsupported("pattern", "a match of nothing, with which the library loses its alignment,")
    return normalizers.Replace(pattern, fields.text("content"))


def _read_split(fields: Fields) -> pretokenizers.Split:
    behavior: Any = fields.choice("behavior", _BEHAVIORS)
    return pretokenizers.Split(_pattern(fields), behavior, fields.boolean("invert"))


def _read_strip_decoder(fields: Fields) -> decoders.Strip:
    content = fields.text("content")
    if len(content) != 1:
        raise fields.wrong("content", f"is not one character: {content!r:.60}")
    return decoders.Strip(content, fields.integer("start", 1 << 64), fields.integer("stop", 1 << 64))


_NORMALIZERS: dict[str, Callable[[Fields], Normalizer]] = {
    "NFC": lambda fields: normalizers.NFC(),
    "NFD": lambda fields: normalizers.NFD(),
    "NFKC": lambda fields: normalizers.NFKC(),
    "NFKD": lambda fields: normalizers.NFKD(),
    "Prepend": _read_prepend,
    "Replace": _read_replace_normalizer,
    "Strip": lambda fields: normalizers.Strip(fields.boolean("strip_left"), fields.boolean("strip_right")),
    "Precompiled": lambda fields: normalizers.Precompiled(_charsmap(fields)),
}

_PRE_TOKENIZERS: dict[str, Callable[[Fields], PreTokenizer]] = {
    "ByteLevel": _read_pre_byte_level,
    "Split": _read_split,
    "Metaspace": lambda fields: pretokenizers.Metaspace(*_metaspace(fields)),
    "WhitespaceSplit": lambda fields: pretokenizers.WhitespaceSplit(),
}

_POST_PROCESSORS: dict[str, Callable[[Fields], PostProcessor]] = {
    "ByteLevel": read_byte_level,
    "TemplateProcessing": read_template,
}

_DECODERS: dict[str, Callable[[Fields], Decoder]] = {
    "ByteLevel": _read_decoder_byte_level,
    "ByteFallback": lambda fields: decoders.ByteFallback(),
    "Metaspace": lambda fields: decoders.Metaspace(*_metaspace(fields)[:2]),
    "Fuse": lambda fields: decoders.Fuse(),
    "Strip": _read_strip_decoder,
    "Replace": lambda fields: decoders.Replace(_pattern(fields), fields.text("content")),
}
