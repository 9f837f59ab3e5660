"""The trainings that trainers are held against each other by: a matrix over the project's corpora, and made ones."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from conformance.core.errors import InputError
from conformance.core.resources import corpora_folder
from conformance.subjects.training_subject import RANKS
from conformance.training.case import TrainingCase
from conformance.training.options import NOT_TRIED, options_of
from conformance.training.ranks import PATTERNS
from reftok.formats.files import file_bytes
from reftok.training.pipelines import PIPELINES, pipeline_of
from reftok.training.train import SENTENCEPIECE_TRAINERS
from reftok.training.training import TRAINERS as HF_TRAINERS

TRAINERS = ("hf-bpe", "wordpiece", "wordlevel", "hf-unigram", *SENTENCEPIECE_TRAINERS)
"""Those that an official library has."""

BYTES = {"pipeline": "byte-level"}
_SPECIAL = ["<s>", "</s>", "<unk>"]
_LOOSE = {"hard_vocab_limit": False}

Configuration: TypeAlias = tuple[str, str, Mapping[str, Any]]
"""A trainer, the language of the project's that it learns from, and its options."""

_LANGUAGE = "en-Latn"

MATRIX: Sequence[Configuration] = (
    ("hf-bpe", "en-Latn", {**BYTES, "vocab_size": 400}),
    ("hf-bpe", "de-Latn", {**BYTES, "vocab_size": 500, "min_frequency": 3, "special_tokens": _SPECIAL}),
    ("hf-bpe", "ja-Jpan", {"pipeline": "whitespace", "vocab_size": 500}),
    ("hf-bpe", "fi-Latn", {"pipeline": "metaspace", "vocab_size": 300, "max_token_length": 5}),
    ("hf-bpe", "hi-Deva", {**BYTES, "vocab_size": 450, "max_token_length": 8}),
    ("hf-bpe", "ru-Cyrl", {"pipeline": "whitespace", "vocab_size": 300, "special_tokens": ["о", "<s>"]}),
    ("hf-bpe", "zh-Hans", {"pipeline": "none", "vocab_size": 700}),
    ("hf-bpe", "ko-Kore", {"pipeline": "whitespace", "vocab_size": 500, "min_frequency": 2}),
    ("hf-bpe", "en-Latn", {"pipeline": "whitespace", "vocab_size": 9000, "initial_alphabet": ["é", "zoo"]}),
    ("hf-bpe", "ar-Arab", {"pipeline": "bert", "vocab_size": 250, "end_of_word_suffix": "</w>"}),
    ("hf-bpe", "fr-Latn", {"pipeline": "whitespace", "vocab_size": 350, "continuing_subword_prefix": "##"}),
    ("hf-bpe", "ja-Jpan", {"pipeline": "whitespace", "vocab_size": 300, "limit_alphabet": 100}),
    ("wordpiece", "en-Latn", {"vocab_size": 400, "special_tokens": ["[UNK]", "[CLS]", "[SEP]"]}),
    ("wordpiece", "es-Latn", {"vocab_size": 300, "min_frequency": 4, "special_tokens": ["[UNK]"]}),
    ("wordpiece", "el-Grek", {"vocab_size": 300, "initial_alphabet": ["a", "b"], "limit_alphabet": 40}),
    ("wordlevel", "en-Latn", {"vocab_size": 150, "special_tokens": ["<unk>", "the"]}),
    ("wordlevel", "pt-Latn", {"min_frequency": 2}),
    ("wordlevel", "tr-Latn", {"vocab_size": 100, "special_tokens": _SPECIAL}),
    ("hf-unigram", "en-Latn", {"vocab_size": 200, "special_tokens": ["<unk>"], "unk_token": "<unk>"}),
    ("hf-unigram", "uk-Cyrl", {"vocab_size": 250, "max_piece_length": 5}),
    ("sentencepiece-bpe", "en-Latn", {"vocab_size": 400}),
    ("sentencepiece-bpe", "ja-Jpan", {"vocab_size": 600, "character_coverage": 0.98, **_LOOSE}),
    ("sentencepiece-bpe", "de-Latn", {"vocab_size": 500, "byte_fallback": True, "split_digits": True}),
    ("sentencepiece-bpe", "fi-Latn", {"vocab_size": 4000, **_LOOSE}),
    ("sentencepiece-bpe", "ru-Cyrl", {"vocab_size": 300, "treat_whitespace_as_suffix": True}),
    ("sentencepiece-bpe", "fr-Latn", {"vocab_size": 300, "split_by_whitespace": False}),
    ("sentencepiece-bpe", "hi-Deva", {"vocab_size": 300, "normalization_rule_name": "nfkc", "unk_id": 2, "eos_id": 0}),
    ("sentencepiece-bpe", "ko-Kore", {"vocab_size": 500, "user_defined_symbols": ["<sep>"], "pad_id": 3, **_LOOSE}),
    ("sentencepiece-bpe", "th-Thai", {"vocab_size": 250, "max_sentencepiece_length": 4}),
    ("sentencepiece-bpe", "zh-Hans", {"vocab_size": 700, "byte_fallback": True, "auto_character_coverage": True}),
    ("sentencepiece-bpe", "ar-Arab", {"vocab_size": 200, "add_dummy_prefix": False, "required_chars": "xyz"}),
    ("unigram", "en-Latn", {"vocab_size": 200}),
    ("unigram", "fi-Latn", {"vocab_size": 150, "num_threads": 1}),
    ("unigram", "ru-Cyrl", {"vocab_size": 200, "num_threads": 3, "num_sub_iterations": 1}),
    ("unigram", "ja-Jpan", {"vocab_size": 600, **_LOOSE}),
    ("unigram", "es-Latn", {"vocab_size": 200, "shrinking_factor": 0.6, "character_coverage": 1.0}),
    ("word", "en-Latn", {"vocab_size": 150}),
    ("word", "tr-Latn", {"vocab_size": 100, "use_all_vocab": True, "user_defined_symbols": ["<sep>"]}),
    ("char", "zh-Hans", {"vocab_size": 200}),
    ("char", "vi-Latn", {"vocab_size": 60, "character_coverage": 0.98}),
)
"""Trainer, language and options; those of a name in `pipeline` are of reftok.training.pipelines."""


def read_configurations(path: Path) -> list[Configuration]:
    """A user's own configurations: a TOML file with a table [[training]] for each, of `trainer` and its options.

    Raises InputError for a file that cannot be read, and for a trainer or an option that is not known.
    """
    try:
        tables = tomllib.loads(file_text(path))["training"]
        found = [(str(table.pop("trainer")), _LANGUAGE, table) for table in tables]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        problem = f"{path}: is not a TOML file with tables [[training]], each with a trainer: {error!s:.200}"
        raise InputError(problem) from None
    for trainer, _, options in found:
        known = {option.name for option in options_of(trainer)} | NOT_TRIED.keys()
        if trainer not in (*TRAINERS, RANKS):
            raise InputError(f"{path}: {trainer!r:.60} is no trainer; there are {', '.join((*TRAINERS, RANKS))}")
        if unknown := sorted(options.keys() - known):
            raise InputError(f"{path}: {trainer} has no option {unknown[0]!r:.60}")
        named = options.get("pipeline", "none")
        if isinstance(named, str) and named not in PIPELINES:
            raise InputError(f"{path}: {named!r:.60} is no pipeline; there are {', '.join(PIPELINES)}")
    if not found:
        raise InputError(f"{path}: has no table [[training]]")
    return found


def configured_cases(configurations: Sequence[Configuration], corpora: Sequence[Path]) -> Iterator[TrainingCase]:
    """The cases of a user's own configurations. corpora: in place of the project's English."""
    for trainer, language, options in configurations:
        for path in corpora or [_language_file(language)]:
            yield _case(path.stem, trainer, lines_of(path), options)


def matrix_cases(trainers: Sequence[str], corpora: Sequence[Path]) -> Iterator[TrainingCase]:
    """The cases of the matrix. corpora: in place of its languages, each with every configuration."""
    yield from configured_cases([one for one in MATRIX if one[0] in trainers], corpora)


def matrix_files(trainers: Sequence[str]) -> list[Path]:
    """The files of the languages that the matrix has for these trainers."""
    return sorted({_language_file(language) for trainer, language, _ in MATRIX if trainer in trainers})


def configured_files(configurations: Sequence[Configuration]) -> list[Path]:
    """The files of the languages that the configurations have."""
    return sorted({_language_file(language) for _, language, _ in configurations})


def _language_file(language: str) -> Path:
    return corpora_folder() / "languages" / f"{language}.txt"


def lines_of(path: Path) -> list[str]:
    """The lines of a file that are not empty; raises InputError for one that cannot be read."""
    return [line for line in file_text(path).split("\n") if line]


def file_text(path: Path) -> str:
    """A file as it is, line ends too; raises InputError for one that cannot be read."""
    try:
        return file_bytes(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _case(corpus: str, trainer: str, texts: Sequence[str], options: Mapping[str, Any]) -> TrainingCase:
    said = ", ".join(f"{name} {value}" for name, value in options.items())
    return TrainingCase(f"{trainer} on {corpus}: {said}", trainer, tuple(texts), with_pipeline(trainer, options))


def with_pipeline(trainer: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the tokenizer.json of a pipeline that is named; the usual one of the trainer by default."""
    if trainer not in HF_TRAINERS:
        return dict(options)
    usual = {"hf-bpe": "byte-level", "wordpiece": "bert", "wordlevel": "whitespace", "hf-unigram": "metaspace"}
    named = options.get("pipeline", usual[trainer])
    pipeline = pipeline_of(PIPELINES[named] if isinstance(named, str) else named, HF_TRAINERS[trainer][1])
    made = {**options, "pipeline": pipeline}
    # The official trainer has no alphabet of its own, and so neither side is to have one.
    return {"initial_alphabet": [], **made} if trainer == "hf-bpe" else made


# --- made ones

_ALPHABETS = ("a", "ab", "abc", "abcde", "aé漢", "かき漢ーa0", "abcxyz 01.", "añß\u0301b", "hugspnem ")
_OWN_WORDS = ("a", "ab")
_HAZARDS = (
    "a▁b ▁",
    "a\tb\t",
    "ab\r",
    "a\rb",
    "a\0b",
    "▅a",
    "",
    " ",
    "ab " * 1397 + "a",
    "ab " * 1397 + "ab",
    "é" * 2097,
)
"""Texts on which trainers fail: the white space of pieces, control characters, nothing, lines around 4,192 bytes."""
_LONGEST, _LONGEST_OF_UNIGRAM = "a" * 100_000, "a" * 10_000
"""A single word: its seeds are as many as it is long, and take the reference's hf-unigram a quarter of a minute."""
_MOST_DRAWN = 5


def option_cases(trainers: Sequence[str]) -> Iterator[TrainingCase]:
    """Each value of each option of the trainers alone, and each text on which trainers fail."""
    for trainer in trainers:
        usual = _usual(trainer)
        for option in options_of(trainer):
            for value in option.values:
                options = with_pipeline(trainer, {**usual, option.name: value})
                case = made_case(trainer, f"{option.name} {value}", options)
                yield replace(case, name=f"{trainer}: {option.name} {value!s:.60}")
        for number, text in enumerate((*_HAZARDS, _LONGEST_OF_UNIGRAM if trainer == "hf-unigram" else _LONGEST)):
            texts = ("ab abc ab", text, "abc")
            yield TrainingCase(f"{trainer}: text {number}", trainer, texts, with_pipeline(trainer, usual))
        yield TrainingCase(f"{trainer}: no text", trainer, (), with_pipeline(trainer, usual))


def _usual(trainer: str) -> dict[str, Any]:
    if trainer == RANKS:
        return {"vocab_size": 300, "pattern": PATTERNS[0]}
    return {"vocab_size": 30, **({} if trainer in HF_TRAINERS else _LOOSE)}


def made_cases(trainers: Sequence[str], count: int, seed: int) -> Iterator[TrainingCase]:
    """So many cases of small corpora and options, always the same ones of a seed, one trainer after another."""
    for number in range(count):
        trainer = trainers[number % len(trainers)]
        yield made_case(trainer, f"{seed}:{number}")


def made_case(
    trainer: str, seed: str, options: Mapping[str, Any] | None = None, own: Sequence[str] = ()
) -> TrainingCase:
    """A case of a trainer. options: given, not made. own: words that its corpus may have beside the made ones."""
    chance = random.Random(f"{trainer}:{seed}")
    texts = _texts(chance, own or chance.choice(((), (), _OWN_WORDS)))
    chosen = _options(chance, trainer) if options is None else options
    made = chosen if options is not None else with_pipeline(trainer, chosen)
    return TrainingCase(f"{trainer}, made by {seed}", trainer, texts, made)


def _texts(chance: random.Random, own: Sequence[str]) -> tuple[str, ...]:
    alphabet = chance.choice(_ALPHABETS)
    words = ["".join(chance.choices(alphabet, k=chance.randint(1, 9))) for _ in range(chance.randint(2, 12))]
    words += own
    texts = [" ".join(chance.choices(words, k=chance.randint(1, 6))) for _ in range(chance.randint(1, 10))]
    rare = ["qz"] if chance.random() < 0.3 else []
    rare += [chance.choice(_HAZARDS)] if chance.random() < 0.2 else []
    return (*texts * chance.choice([1, 1, 2, 8]), *rare)


def _options(chance: random.Random, trainer: str) -> dict[str, Any]:
    """A size and some of the options, each with one of its values."""
    known = [option for option in options_of(trainer) if option.name not in ("vocab_size", "pipeline")]
    drawn = chance.sample(known, chance.randint(0, min(_MOST_DRAWN, len(known))))
    options = {option.name: chance.choice(option.values) for option in drawn}
    if trainer == RANKS:
        return {**_usual(trainer), **options, "vocab_size": 256 + chance.randint(0, 40)}
    if trainer in SENTENCEPIECE_TRAINERS:
        return {"vocab_size": chance.randint(12, 60), **_LOOSE, **options}
    (pipelines,) = (option.values for option in options_of(trainer) if option.name == "pipeline")
    least = 14 if trainer == "hf-unigram" else 5
    return {"vocab_size": chance.randint(least, 40), "pipeline": chance.choice(pipelines), **options}
