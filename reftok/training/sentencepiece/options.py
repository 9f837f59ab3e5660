"""The options of sentencepiece's trainer, under the library's own names and with its defaults.

Source: sentencepiece 0.2.3, sentencepiece_model.proto (`TrainerSpec`, `NormalizerSpec`), spec_parser.h,
sentencepiece_trainer.cc (`MergeSpecsFromArgs`), trainer_interface.cc (`VerifySpec`), sentencepiece/__init__.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import partial
from math import isnan
from typing import Any, TypeAlias

from reftok.errors import InvalidOption
from reftok.rules.viterbi import to_float32

MODEL_TYPES: Mapping[str, int] = {"unigram": 1, "bpe": 2, "word": 3, "char": 4}
"""The model types and their numbers in the file."""

Kind: TypeAlias = str
"""What a field of the file is: "int32", "uint64", "float", "bool", "string", "strings", "bytes" or "model_type"."""

_DEPRECATED = frozenset(
    {
        "accept_language",
        "self_test_sample_size",
        "mining_sentence_size",
        "training_sentence_size",
        "differential_privacy_noise_level",
        "differential_privacy_clipping_threshold",
    }
)
_MAY_HAVE_NUL = frozenset({"required_chars", "pretokenization_delimiter", "unk_surface"})
"""All other texts are pieces, which the library keeps in a trie that takes no NUL, and names of files."""
_BOOLS = {"true": True, "t": True, "yes": True, "y": True, "1": True, "": True}
_BOOLS |= {"false": False, "f": False, "no": False, "n": False, "0": False}
_NUMBER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_RANGES: Mapping[str, tuple[float, float]] = {
    "vocab_size": (1, 2**31 - 1),
    "character_coverage": (0.98, 1.0),
    "max_sentencepiece_length": (1, 512),
    "num_sub_iterations": (1, 10),
    "num_threads": (1, 1024),
    "shrinking_factor": (0.5, 0.95),
    "max_sentence_length": (10, 1073741824),
}


def _option(spec: str, number: int, kind: Kind, default: object) -> Any:
    """An option with its default, and the spec, number and kind of its field in the file."""
    return field(default=default, metadata={"spec": spec, "field": (number, kind)})


_trainer = partial(_option, "trainer")
_normalizer = partial(_option, "normalizer")
_denormalizer = partial(_option, "denormalizer")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerOptions:
    """The options of one training. `trainer_options` makes them of what a user gives, and checks them.

    The corpus
        input: the files to read; input_format: "text", a sentence a line, or "tsv", a sentence, a tab and a count;
        max_sentence_length: longer sentences are left out, in bytes before normalization; input_sentence_size: so many
        sentences are taken, 0 for all, drawn by chance where shuffle_input_sentence is set, else the first ones.

    The vocabulary
        vocab_size: pieces, special ones included; hard_vocab_limit: fewer are an error; model_type: "unigram", "bpe",
        "word" or "char"; use_all_vocab: every word or character is a piece, whatever vocab_size says;
        character_coverage: the share of the text whose characters have pieces of their own, the others are unknown;
        required_chars: characters that have one in any case; auto_character_coverage: BPE weighs characters against
        merges; byte_fallback: 256 pieces for bytes.

    Special pieces
        unk_id, bos_id, eos_id, pad_id: -1 for none; unk_piece, bos_piece, eos_piece, pad_piece: what they are called;
        unk_surface: what the unknown is decoded to; control_symbols, user_defined_symbols: more of them.

    The shape of pieces
        max_sentencepiece_length: in characters; split_by_unicode_script, split_by_number, split_by_whitespace,
        split_digits, treat_whitespace_as_suffix, allow_whitespace_only_pieces: see `shape.py`;
        pretokenization_delimiter: no piece reaches across this text.

    Unigram
        seed_sentencepiece_size: so many pieces at the start, 0 for the larger of 100,000 and eight times vocab_size;
        seed_sentencepieces_file: those of a file instead, a piece, a tab and a count a line; shrinking_factor: the
        share of the pieces that a round of pruning leaves; num_sub_iterations: rounds of EM before each; num_threads:
        decides in which order float32 sums are made, and so the last bits of the scores and at times the pieces.

    Normalization
        normalization_rule_name: "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf" or "identity"; normalization_rule_tsv: a
        file of rules instead; precompiled_charsmap: rules as they stand in models; add_dummy_prefix,
        remove_extra_whitespaces, escape_whitespaces; denormalization_rule_tsv: rules for decoding.

    Of no effect on the pieces: model_prefix; vocabulary_output_piece_score, whether the `.vocab` has scores.

    given: the names of the options that the user gave: a model holds these, with their values, and no others.

    >>> TrainerOptions(vocab_size=500).model_type
    'unigram'
    """

    input: tuple[str, ...] = _trainer(1, "strings", ())
    input_format: str = _trainer(7, "string", "")
    model_prefix: str = _trainer(2, "string", "")
    model_type: str = _trainer(3, "model_type", "unigram")
    vocab_size: int = _trainer(4, "int32", 8000)
    character_coverage: float = _trainer(10, "float", 0.9995)
    input_sentence_size: int = _trainer(11, "uint64", 0)
    shuffle_input_sentence: bool = _trainer(19, "bool", True)
    seed_sentencepiece_size: int = _trainer(14, "int32", 1_000_000)
    shrinking_factor: float = _trainer(15, "float", 0.75)
    max_sentence_length: int = _trainer(18, "int32", 4192)
    num_threads: int = _trainer(16, "int32", 16)
    num_sub_iterations: int = _trainer(17, "int32", 2)
    max_sentencepiece_length: int = _trainer(20, "int32", 16)
    split_by_unicode_script: bool = _trainer(21, "bool", True)
    split_by_number: bool = _trainer(23, "bool", True)
    split_by_whitespace: bool = _trainer(22, "bool", True)
    treat_whitespace_as_suffix: bool = _trainer(24, "bool", False)
    allow_whitespace_only_pieces: bool = _trainer(26, "bool", False)
    split_digits: bool = _trainer(25, "bool", False)
    pretokenization_delimiter: str = _trainer(53, "string", "")
    control_symbols: tuple[str, ...] = _trainer(30, "strings", ())
    user_defined_symbols: tuple[str, ...] = _trainer(31, "strings", ())
    required_chars: str = _trainer(36, "string", "")
    byte_fallback: bool = _trainer(35, "bool", False)
    vocabulary_output_piece_score: bool = _trainer(32, "bool", True)
    hard_vocab_limit: bool = _trainer(33, "bool", True)
    use_all_vocab: bool = _trainer(34, "bool", False)
    unk_id: int = _trainer(40, "int32", 0)
    bos_id: int = _trainer(41, "int32", 1)
    eos_id: int = _trainer(42, "int32", 2)
    pad_id: int = _trainer(43, "int32", -1)
    unk_piece: str = _trainer(45, "string", "<unk>")
    bos_piece: str = _trainer(46, "string", "<s>")
    eos_piece: str = _trainer(47, "string", "</s>")
    pad_piece: str = _trainer(48, "string", "<pad>")
    unk_surface: str = _trainer(44, "string", " \u2047 ")
    seed_sentencepieces_file: str = _trainer(54, "string", "")
    auto_character_coverage: bool = _trainer(55, "bool", False)
    normalization_rule_name: str = _normalizer(1, "string", "")
    normalization_rule_tsv: str = _normalizer(6, "string", "")
    precompiled_charsmap: bytes = _normalizer(2, "bytes", b"")
    add_dummy_prefix: bool = _normalizer(3, "bool", True)
    remove_extra_whitespaces: bool = _normalizer(4, "bool", True)
    escape_whitespaces: bool = _normalizer(5, "bool", True)
    denormalization_rule_tsv: str = _denormalizer(6, "string", "")
    given: frozenset[str] = frozenset()

    def is_written(self, name: str) -> bool:
        """Whether the model has a field for this option: it was given, or is not the default."""
        return name in self.given or getattr(self, name) != DEFAULTS[name]


DEFAULTS: Mapping[str, Any] = {option.name: option.default for option in fields(TrainerOptions)}
"""The default of each option."""


def _fields_of(spec: str) -> Mapping[str, tuple[int, Kind]]:
    known = [option for option in fields(TrainerOptions) if option.metadata.get("spec") == spec]
    return {option.name: option.metadata["field"] for option in known}


TRAINER_FIELDS = _fields_of("trainer")
"""The fields of TrainerSpec: the number and the kind of each."""

NORMALIZER_FIELDS = _fields_of("normalizer")
"""The fields of NormalizerSpec; the name of the rules is the field `name`."""

KINDS = {
    name: kind
    for known in (TRAINER_FIELDS, NORMALIZER_FIELDS, _fields_of("denormalizer"))
    for name, (_, kind) in known.items()
}
"""The kind of each option."""


def trainer_options(**values: object) -> TrainerOptions:
    """The options that a user gives, checked.

    values: by name. As in the library, a number or a bool may be a text that says it, and a list of texts a text with
    commas between (and quotation marks around one that has a comma).
    Raises InvalidOption for a name that is not known, a value that the option does not accept, and options that do not
    go together.

    Quirk: an empty text is true for a bool, as in the library.

    >>> trainer_options(vocab_size="500", user_defined_symbols="<a>,<b>").user_defined_symbols
    ('<a>', '<b>')
    """
    for name in values:
        if name not in KINDS:
            raise InvalidOption(name, _unknown(name))
    read = {name: _read(name, value) for name, value in values.items()}
    options = TrainerOptions(**read, given=frozenset(read))
    check_options(options)
    return options


def _unknown(name: str) -> str:
    if name in _DEPRECATED:
        return "is deprecated, and sentencepiece ignores it: leave it out"
    near = get_close_matches(name, KINDS, 1)
    return f"is no option of sentencepiece's trainer{f'; is {near[0]} meant?' if near else ''}"


def _read(name: str, value: object) -> Any:
    """The value as its kind: what the library would make of it."""
    kind = KINDS[name]
    if kind == "strings":
        return _strings(name, value)
    if kind == "bytes":
        if not isinstance(value, bytes):
            raise InvalidOption(name, f"{value!r} is not bytes")
        return value
    if kind == "string":
        if not isinstance(value, str):
            raise InvalidOption(name, f"{value!r} is not a text")
        return _checked_text(name, value)
    if kind == "bool":
        found = _BOOLS.get(str(value).lower()) if isinstance(value, bool | int | str) else None
        if found is None:
            raise InvalidOption(name, f"{value!r} is neither true nor false")
        return found
    if kind == "model_type":
        if not isinstance(value, str) or value.lower() not in MODEL_TYPES:
            raise InvalidOption(name, f"{value!r} is not one of {', '.join(MODEL_TYPES)}")
        return value.lower()
    return _float(name, value) if kind == "float" else _integer(name, value, kind)


def _integer(name: str, value: object, kind: Kind) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str) or not _NUMBER.fullmatch(str(value)):
        raise InvalidOption(name, f"{value!r} is not a whole number")
    number = int(value)
    least, most = (0, 2**64 - 1) if kind == "uint64" else (-(2**31), 2**31 - 1)
    if not least <= number <= most:
        raise InvalidOption(name, f"{number} is not within {least} and {most}")
    return number


def _float(name: str, value: object) -> float:
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            return float(value)
        except (ValueError, OverflowError):
            pass
    raise InvalidOption(name, f"{value!r} is not a number")


def _strings(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = _comma_separated(value)
    if not isinstance(value, Sequence) or not all(isinstance(item, str) for item in value):
        raise InvalidOption(name, f"{value!r} is not a list of texts")
    if "" in value:
        raise InvalidOption(name, "one of them is empty")
    return tuple(_checked_text(name, item) for item in value)


def _checked_text(name: str, text: str) -> str:
    if "\0" in text and name not in _MAY_HAVE_NUL:
        raise InvalidOption(name, f"{text!r} has a NUL character")
    if not text.isprintable() and any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidOption(name, f"{text!r} has a lone surrogate")
    return text


def _comma_separated(text: str) -> list[str]:
    """The parts of a text with commas between, some of them quoted.

    Quirk: what follows a closing quotation mark, up to the comma, is dropped; a comma at the end adds nothing.

    >>> _comma_separated('a,"b,""c",d,')
    ['a', 'b,"c', 'd']
    """
    parts: list[str] = []
    position = 0
    while position < len(text):
        if text[position] == '"':
            quoted = re.compile(r'"((?:[^"]|"")*)"?', re.DOTALL).match(text, position)
            assert quoted is not None
            parts.append(quoted[1].replace('""', '"'))
            end = text.find(",", quoted.end())
        else:
            end = text.find(",", position)
            parts.append(text[position : end if end >= 0 else None])
        position = end + 1 if end >= 0 else len(text)
    return parts


def check_options(options: TrainerOptions) -> None:
    """Raise InvalidOption for values out of range, and for options that do not go together."""
    for name, (least, most) in _RANGES.items():
        value = getattr(options, name)
        value = to_float32(value) if isinstance(value, float) else value
        if isnan(value) or not least <= value <= most:
            raise InvalidOption(name, f"{getattr(options, name)} is not within {least} and {most}")
    if 0 < options.input_sentence_size <= 100:
        raise InvalidOption(
            "input_sentence_size", f"{options.input_sentence_size} is too few: 0 for all, or 101 or more"
        )
    if options.input_format not in ("", "text", "tsv"):
        raise InvalidOption("input_format", f"{options.input_format!r} is neither text nor tsv")
    if not options.escape_whitespaces:
        raise InvalidOption("escape_whitespaces", "a model cannot be trained without it: leave it true")
    for name in ("unk_piece", "bos_piece", "eos_piece", "pad_piece"):
        if not getattr(options, name):
            raise InvalidOption(name, "is empty")
    _check_model_type(options)
    if options.normalization_rule_tsv and options.precompiled_charsmap:
        raise InvalidOption("normalization_rule_tsv", "precompiled_charsmap has rules already: give one of the two")


def _check_model_type(options: TrainerOptions) -> None:
    kind = options.model_type
    if options.use_all_vocab and kind in ("unigram", "bpe"):
        raise InvalidOption("use_all_vocab", f"is for the model types word and char, not for {kind}")
    if options.seed_sentencepieces_file and kind != "unigram":
        raise InvalidOption("seed_sentencepieces_file", f"is for the model type unigram, not for {kind}")
    if options.pretokenization_delimiter and kind in ("word", "char"):
        raise InvalidOption("pretokenization_delimiter", f"is for the model types unigram and bpe, not for {kind}")
    if options.auto_character_coverage:
        if kind != "bpe":
            raise InvalidOption("auto_character_coverage", f"is for the model type bpe, not for {kind}")
        if not options.byte_fallback:
            raise InvalidOption("auto_character_coverage", "needs byte_fallback: set it to true")
        if options.required_chars:
            raise InvalidOption("auto_character_coverage", "does not go together with required_chars: leave one out")
