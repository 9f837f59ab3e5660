"""The components of tokenizer.json: a table of readers for each stage.

Most components are read by their dataclass: its fields are the keys of the file, and the type of a field says what the
value has to be. Source: tokenizers 0.23, the `Deserialize` implementation of each component.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Items
from itertools import chain
from typing import Any, TypeAlias, TypeVar, get_args, get_type_hints

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.fields import Fields, is_id
from reftok.limits import MOST_BYTE_LEVELS, MOST_INSERTED_TOKENS, MOST_PATTERN_PARTS
from reftok.regex_dialects.oniguruma.analysis import written_out
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.encodings import joined
from reftok.rules.huggingface import decoders, normalizers, post_processors, pre_tokenizers
from reftok.rules.huggingface.bpe import BPE, BPEOptions
from reftok.rules.huggingface.padding import BatchLongest, Padding
from reftok.rules.huggingface.post_processors import Sequence, SpecialToken, TemplateProcessing
from reftok.rules.huggingface.truncation import Truncation
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.huggingface.wordlevel import WordLevel
from reftok.rules.huggingface.wordpiece import WordPiece
from reftok.rules.stages import Decoder, Model, Normalizer, PostProcessor, PreTokenizer
from reftok.rules.types import PrependScheme
from reftok.unicode.charsmap import Charsmap

Check: TypeAlias = Callable[[Fields, str], Any]
"""The value of a key, checked."""

Component = TypeVar("Component")
Reader: TypeAlias = Callable[[Fields], Any]

_SIZES = 1 << 64
_SpecialTokens = dict[str, tuple[tuple[int, ...], tuple[str, ...]]]


def reader(
    component: type[Component],
    checks: Mapping[str, Check] | None = None,
    ignored: tuple[str, ...] = (),
    **defaults: Any,
) -> Callable[[Fields], Component]:
    """The reader of a component whose arguments are keys of the file; other keys are refused.

    checks: of the arguments with another check than that of their type.
    ignored: keys for booleans without effect.
    defaults: the values of keys that need not be there.

    >>> reader(pre_tokenizers.FixedLength, length=5)(Fields({}, "", ""))
    FixedLength(length=5)
    """
    hints = get_type_hints(component.__init__)
    hints.pop("return", None)
    of_types = {name: _CHECKS.get(kind) or _choice(get_args(kind)) for name, kind in hints.items()}
    all_checks = {**dict.fromkeys(ignored, Fields.boolean), **of_types, **(checks or {})}

    def read(fields: Fields) -> Component:
        values = {
            key: defaults[key] if key in defaults and not fields.has(key) else check(fields, key)
            for key, check in all_checks.items()
        }
        fields.done()
        return component(**{key: value for key, value in values.items() if key not in ignored})

    return read


def _choice(choices: tuple[str, ...]) -> Check:
    return lambda fields, key: fields.choice(key, choices)


def _size(fields: Fields, key: str) -> int:
    return fields.integer(key, _SIZES)


def _or_null(check: Check) -> Check:
    return lambda fields, key: fields.optional(key, check, None)


def _character(fields: Fields, key: str) -> str:
    character = fields.text(key)
    if len(character) != 1:
        raise fields.wrong(key, f"is not one character: {character!r:.60}")
    return character


def _pattern(fields: Fields, key: str) -> str | Pattern:
    """`{"String": …}`, taken literally, or `{"Regex": …}`."""
    pattern = fields.object(key)
    if pattern.has("String"):
        literal = pattern.text("String")
        pattern.done()
        return literal
    expression = pattern.pattern("Regex", compile_oniguruma)
    pattern.done()
    return expression


def _token(fields: Fields, key: str) -> tuple[str, int]:
    token = fields.items(key)
    if len(token) != 2 or not isinstance(token[0], str) or not is_id(token[1]):
        raise fields.wrong(key, "is not a token and its id")
    return token[0], token[1]


_CHECKS: Mapping[Any, Check] = {
    bool: Fields.boolean,
    bool | None: _or_null(Fields.boolean),
    int: _size,
    str: Fields.text,
    str | Pattern: _pattern,
    tuple[str, int]: _token,
}
"""By the type of a field; one of another type is a Literal, and takes one of its strings."""


def _by_name(*components: type[Any]) -> dict[str, Reader]:
    return {component.__name__: reader(component) for component in components}


def _read_chain(fields: Fields, children: str, readers: Mapping[str, Reader]) -> tuple[Any, ...]:
    """The components of a stage, sequences flattened.

    children: the key under which a Sequence holds its components. readers: by `type`.
    """
    kind = fields.text("type")
    if kind == "Sequence":
        components: list[Any] = []
        parts = 0
        for child in fields.objects(children):
            steps = _read_chain(child, children, readers)
            components += steps
            parts += sum(map(_surplus_parts, steps))
            if parts > MOST_PATTERN_PARTS:
                problem = f"the patterns have more than {MOST_PATTERN_PARTS:,} parts with their counts written out"
                raise UnsupportedFeature(fields.source, fields.place, problem)
    elif kind in readers:
        components = [readers[kind](fields)]
    else:
        raise fields.unsupported("type", kind)
    fields.done()
    return tuple(components)


def _surplus_parts(component: object) -> int:
    """How many parts more than characters a pattern has with its counts written out, if there is one."""
    pattern = getattr(component, "pattern", None)
    if not isinstance(pattern, Pattern) or pattern.tree is None:
        return 0
    return max(0, written_out(pattern.tree) - len(pattern.source))


def read_normalizers(fields: Fields) -> tuple[Normalizer, ...]:
    """The normalizers, sequences flattened."""
    return _read_chain(fields, "normalizers", NORMALIZERS)


def _read_precompiled(fields: Fields) -> normalizers.Precompiled:
    try:
        blob = base64.b64decode(fields.text("precompiled_charsmap"), validate=True)
    except ValueError as error:
        raise fields.wrong("precompiled_charsmap", f"is not base64: {error}") from None
    return normalizers.Precompiled(Charsmap(blob, fields.source))


def _refusing(check: Check, refused: object, problem: str) -> Check:
    """The check, with one value more that is refused."""

    def checked(fields: Fields, key: str) -> Any:
        value = check(fields, key)
        if value == refused:
            raise fields.unsupported(key, problem)
        return value

    return checked


_PREFIX = _refusing(Fields.text, "", "nothing, with which the library loses its alignment,")
_REPLACED = _refusing(_pattern, "", "a match of nothing, with which the library loses its alignment,")

NORMALIZERS: Mapping[str, Reader] = {
    **_by_name(normalizers.NFC, normalizers.NFD, normalizers.NFKC, normalizers.NFKD, normalizers.StripAccents),
    **_by_name(normalizers.Nmt, normalizers.Lowercase, normalizers.ByteLevel),
    **_by_name(normalizers.Strip, normalizers.BertNormalizer),
    "StripNormalizer": reader(normalizers.Strip),
    "Bert": reader(normalizers.BertNormalizer),
    "Prepend": reader(normalizers.Prepend, {"prepend": _PREFIX}),
    "Replace": reader(normalizers.Replace, {"pattern": _REPLACED}),
    "Precompiled": _read_precompiled,
}
"""By `type`. The library writes `Strip` and `BertNormalizer`; it reads `StripNormalizer` and `Bert` as well."""


def read_pre_tokenizers(fields: Fields) -> tuple[PreTokenizer, ...]:
    """The pre-tokenizers, sequences flattened."""
    steps: tuple[PreTokenizer, ...] = _read_chain(fields, "pretokenizers", PRE_TOKENIZERS)
    if sum(isinstance(step, pre_tokenizers.ByteLevel) for step in steps) > MOST_BYTE_LEVELS:
        problem = f"more than {MOST_BYTE_LEVELS} ByteLevel, each of which makes bytes of bytes, are not supported"
        raise UnsupportedFeature(fields.source, fields.place, problem)
    return steps


def _read_metaspace(fields: Fields) -> tuple[str, PrependScheme, bool]:
    """The options that the pre-tokenizer and the decoder share; `str_rep` is of old files and unused."""
    fields.optional("str_rep", Fields.text, None)
    replacement = _character(fields, "replacement")
    scheme: PrependScheme = fields.choice("prepend_scheme", get_args(PrependScheme), "always")
    if not fields.optional("add_prefix_space", Fields.boolean, True) and scheme != "never":
        raise fields.wrong("add_prefix_space", f"does not match the prepend_scheme {scheme}")
    return replacement, scheme, fields.optional("split", Fields.boolean, True)


_PART_LENGTH = _refusing(_size, 0, "0, with which the library panics,")

PRE_TOKENIZERS: Mapping[str, Reader] = {
    **_by_name(pre_tokenizers.WhitespaceSplit, pre_tokenizers.Whitespace, pre_tokenizers.BertPreTokenizer),
    **_by_name(pre_tokenizers.UnicodeScripts, pre_tokenizers.Split, pre_tokenizers.Digits),
    "ByteLevel": reader(pre_tokenizers.ByteLevel, ignored=("trim_offsets",), use_regex=True),
    "Metaspace": lambda fields: pre_tokenizers.Metaspace(*_read_metaspace(fields)),
    "Punctuation": reader(pre_tokenizers.Punctuation, behavior="Isolated"),
    "CharDelimiterSplit": reader(pre_tokenizers.CharDelimiterSplit, {"delimiter": _character}),
    "FixedLength": reader(pre_tokenizers.FixedLength, {"length": _PART_LENGTH}, length=5),
}


def read_decoders(fields: Fields) -> tuple[Decoder, ...]:
    """The decoders, sequences flattened.

    Files older than the key `type` are told apart by their other keys, as in the library.
    """
    named = _with_type({key: fields.any(key) for key in fields})
    return _read_chain(Fields(named, fields.source, fields.place), "decoders", DECODERS)


_KEYS_OF_OLD_FILES = {
    "suffix": "BPEDecoder",
    "prefix": "WordPiece",
    "pad_token": "CTC",
    "pattern": "Replace",
    "start": "Strip",
}


def _with_type(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    children = value.get("decoders")
    if isinstance(children, list):
        value = {**value, "decoders": [_with_type(child) for child in children]}
    kinds = [kind for key, kind in _KEYS_OF_OLD_FILES.items() if key in value]
    return {"type": kinds[0], **value} if kinds and "type" not in value else value


_OPTIONS_OF_BYTE_LEVEL = ("add_prefix_space", "trim_offsets", "use_regex")

DECODERS: Mapping[str, Reader] = {
    **_by_name(decoders.BPEDecoder, decoders.WordPiece, decoders.CTC, decoders.ByteFallback),
    **_by_name(decoders.Fuse, decoders.Replace),
    "ByteLevel": reader(decoders.ByteLevel, ignored=_OPTIONS_OF_BYTE_LEVEL, use_regex=True),
    "Metaspace": lambda fields: decoders.Metaspace(*_read_metaspace(fields)[:2]),
    "Strip": reader(decoders.Strip, {"content": _character}),
}


def read_post_processors(fields: Fields) -> tuple[PostProcessor, ...]:
    """The post-processors, sequences flattened.

    Refused where the library panics at every text: a template gets more than two parts of the one before it.
    """
    processors: tuple[PostProcessor, ...] = _read_chain(fields, "processors", POST_PROCESSORS)
    for is_pair in (False, True):
        if sum(step.added_tokens(is_pair) for step in processors) > MOST_INSERTED_TOKENS:
            raise ModelFormatError(fields.source, fields.place, f"inserts more than {MOST_INSERTED_TOKENS} ids")
    parts = [joined(())]
    for step in processors:
        try:
            parts = step.process(parts, add_special_tokens=True)
        except UnsupportedFeature as error:
            raise UnsupportedFeature(fields.source, fields.place, error.problem) from None
    return processors


def _read_template(fields: Fields) -> TemplateProcessing:
    """A post-processor of the type TemplateProcessing; the options of ByteLevel, as Command R+ has them, are unused."""
    for key in _OPTIONS_OF_BYTE_LEVEL:
        fields.any(key, None)
    special = _read_special_tokens(fields.object("special_tokens"))
    single, pair = (tuple(_read_piece(piece, special) for piece in fields.objects(key)) for key in ("single", "pair"))
    if any(isinstance(piece, Sequence) and piece.id == "B" for piece in single):
        raise fields.wrong("single", "asks for a second text (Sequence B)")
    template = TemplateProcessing(single, pair)
    for key in ("single", "pair"):
        if template.added_tokens(key == "pair") > MOST_INSERTED_TOKENS:
            raise fields.wrong(key, f"inserts more than {MOST_INSERTED_TOKENS} ids")
    return template


def _read_special_tokens(fields: Fields) -> _SpecialTokens:
    special: _SpecialTokens = {}
    for name in fields:
        entry = fields.object(name)
        entry.text("id")
        ids, tokens = entry.items("ids"), entry.items("tokens")
        if not all(map(is_id, ids)):
            raise entry.wrong("ids", "holds a value that is not an id")
        if not all(isinstance(token, str) for token in tokens):
            raise entry.wrong("tokens", "holds a value that is not a string")
        if len(ids) != len(tokens):
            raise entry.wrong("tokens", "has another length than ids")
        entry.done()
        special[name] = tuple(ids), tuple(tokens)
    return special


def _read_piece(fields: Fields, special: _SpecialTokens) -> SpecialToken | Sequence:
    if fields.has("Sequence"):
        sequence = fields.object("Sequence")
        piece: SpecialToken | Sequence = Sequence(sequence.choice("id", ("A", "B")), sequence.integer("type_id"))
        sequence.done()
    else:
        token = fields.object("SpecialToken")
        name = token.text("id")
        if name not in special:
            raise token.wrong("id", f"{name!r} is not in special_tokens")
        piece = SpecialToken(*special[name], token.integer("type_id"))
        token.done()
    fields.done()
    return piece


POST_PROCESSORS: Mapping[str, Reader] = {
    **_by_name(post_processors.BertProcessing, post_processors.RobertaProcessing),
    "ByteLevel": reader(post_processors.ByteLevel, ignored=("use_regex",), use_regex=True),
    "TemplateProcessing": _read_template,
}


def _strategy(fields: Fields, key: str) -> BatchLongest | int:
    if isinstance(fields.any(key), str):
        strategy: BatchLongest = fields.choice(key, ("BatchLongest",))
        return strategy
    fixed = fields.object(key)
    length = _length(fixed, "Fixed")
    fixed.done()
    return length


def _length(fields: Fields, key: str) -> int:
    length = fields.integer(key, _SIZES)
    if length > MOST_INSERTED_TOKENS:
        raise fields.wrong(key, f"pads to more than {MOST_INSERTED_TOKENS} tokens")
    return length


read_truncation = reader(Truncation, direction="Right")
_IDS: Mapping[str, Check] = {"pad_id": Fields.integer, "pad_type_id": Fields.integer}
read_padding = reader(Padding, {"strategy": _strategy, "pad_to_multiple_of": _or_null(_length), **_IDS})


def read_model(fields: Fields) -> Model:
    """The model; files older than the key `type` are told apart by their other keys, as in the library."""
    kind = fields.text("type") if fields.has("type") else _kind_of_old_file(fields)
    if kind not in MODELS:
        raise fields.unsupported("type", kind)
    model = MODELS[kind](fields)
    fields.done()
    return model


def _kind_of_old_file(fields: Fields) -> str:
    """The first model, in the order of the library, that has all of its keys."""
    if isinstance(fields.any("vocab", None), list):
        return "Unigram"
    if fields.has("merges"):
        return "BPE"
    if all(map(fields.has, ("unk_token", "continuing_subword_prefix", "max_input_chars_per_word"))):
        return "WordPiece"
    return "WordLevel" if fields.has("unk_token") else fields.text("type")


def _read_bpe(fields: Fields) -> BPE:
    if fields.any("dropout", None) is not None and fields.number("dropout"):
        raise fields.unsupported("dropout", "a rate above 0, which makes ids random,")
    options = BPEOptions(
        unk_token=fields.optional("unk_token", Fields.text, None),
        continuing_subword_prefix=fields.optional("continuing_subword_prefix", Fields.text, ""),
        end_of_word_suffix=fields.optional("end_of_word_suffix", Fields.text, ""),
        fuse_unk=fields.optional("fuse_unk", Fields.boolean, False),
        byte_fallback=fields.optional("byte_fallback", Fields.boolean, False),
        ignore_merges=fields.optional("ignore_merges", Fields.boolean, False),
    )
    vocab = fields.vocab("vocab")
    merges = _read_merges(fields)
    return BPE(vocab, merges, options, fields.source)


def _read_merges(fields: Fields) -> Items[Items[str]]:
    """All pairs, or, in older files, all lines of two tokens; lines that start with `#version` are skipped."""
    entries = fields.items("merges")
    are_lines = {*map(type, entries)} == {str}
    merges = [entry.split(" ") for entry in entries if not entry.startswith("#version")] if are_lines else entries
    are_pairs = {*map(type, merges)} <= {list, tuple} and {*map(len, merges)} <= {2}
    if are_pairs and {*map(type, chain.from_iterable(merges))} <= {str}:
        return merges
    for index, entry in enumerate(entries):
        match entry.split(" ") if are_lines else entry:
            case [str(), str()]:
                continue
            case [str(first), *_] if are_lines and first.startswith("#version"):
                continue
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
    unk_id = fields.optional("unk_id", _size, None)
    return Unigram(pieces, unk_id, fields.boolean("byte_fallback", False), fields.source)


_OF_WORDS: Mapping[str, Check] = {"vocab": Fields.vocab, "source": lambda fields, key: fields.source}

MODELS: dict[str, Callable[[Fields], Model]] = {
    "BPE": _read_bpe,
    "WordPiece": reader(WordPiece, _OF_WORDS),
    "WordLevel": reader(WordLevel, _OF_WORDS),
    "Unigram": _read_unigram,
}
