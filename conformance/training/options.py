"""The options of the official trainers: of each the values that are tried, from which all made trainings draw.

Source: tokenizers 0.23.3, the signatures of tokenizers.trainers; sentencepiece 0.2.3, `TrainerSpec` and
`NormalizerSpec` of sentencepiece_model.proto. A test holds the table against the installed libraries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.subjects.training_subject import RANKS
from conformance.training.case import TrainingCase
from conformance.training.ranks import PATTERNS

BPE, WORDPIECE, WORDLEVEL, UNIGRAM = HF = ("hf-bpe", "wordpiece", "wordlevel", "hf-unigram")
SPM_BPE, SPM_UNIGRAM, WORD, CHAR = PIECES = ("sentencepiece-bpe", "unigram", "word", "char")


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the library's trainers.

    name, kind: as the library has them. values: worth trying, beside the default. trainers: that have it.
    """

    name: str
    kind: str
    values: Sequence[Any]
    trainers: tuple[str, ...]


_LOWERCASE = {"type": "Lowercase"}
_PIPELINES = (
    "whitespace",
    "metaspace",
    "none",
    "byte-level",
    "bert",
    {"normalizer": {"type": "NFKC"}, "pre_tokenizer": {"type": "Whitespace"}},
    {
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, _LOWERCASE]},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
    },
    {"normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": "bb"}},
    {"pre_tokenizer": {"type": "Digits", "individual_digits": True}},
    {"pre_tokenizer": {"type": "Punctuation", "behavior": "Isolated"}},
    {"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "b+"}, "behavior": "MergedWithNext", "invert": False}},
    {"pre_tokenizer": {"type": "UnicodeScripts"}},
)

OPTIONS: Sequence[Option] = (
    Option("pipeline", "tokenizer.json", _PIPELINES, HF),
    Option("vocab_size", "int", (0, 7, 20, 40), HF),
    Option("vocab_size", "int32", (12, 30, 60), PIECES),
    Option("vocab_size", "int", (256, 257, 260, 300), (RANKS,)),
    Option("pattern", "str", PATTERNS, (RANKS,)),
    Option("min_frequency", "int", (0, 1, 2, 3, 4), (BPE, WORDPIECE, WORDLEVEL)),
    Option("special_tokens", "list", (["<s>"], ["a", "<s>"], ["[UNK]", "ab", "</s>"]), HF),
    Option("limit_alphabet", "int", (2, 4), (BPE, WORDPIECE)),
    Option("initial_alphabet", "list", (["z"], ["zo", "é"]), (BPE, WORDPIECE, UNIGRAM)),
    Option("continuing_subword_prefix", "str", ("##", "_"), (BPE, WORDPIECE)),
    Option("end_of_word_suffix", "str", ("</w>",), (BPE, WORDPIECE)),
    Option("max_token_length", "int", (2, 3, 4, 6), (BPE,)),
    Option("shrinking_factor", "float", (0.5, 0.9), (UNIGRAM,)),
    Option("unk_token", "str", ("<unk>", "a"), (UNIGRAM,)),
    Option("max_piece_length", "int", (2, 4), (UNIGRAM,)),
    Option("n_sub_iterations", "int", (1, 3), (UNIGRAM,)),
    Option("character_coverage", "float", (1.0, 0.98), PIECES),
    Option("auto_character_coverage", "bool", (True,), (SPM_BPE,)),
    Option("byte_fallback", "bool", (True,), PIECES),
    Option("required_chars", "string", ("xyz", "漢"), PIECES),
    Option("user_defined_symbols", "strings", (["ab"], ["<sep>", "b"]), PIECES),
    Option("control_symbols", "strings", (["<cls>"], ["ab"]), PIECES),
    Option("unk_id", "int32", (3,), PIECES),
    Option("bos_id", "int32", (-1, 5), PIECES),
    Option("eos_id", "int32", (-1, 6), PIECES),
    Option("pad_id", "int32", (3,), PIECES),
    Option("unk_piece", "string", ("[UNK]",), PIECES),
    Option("bos_piece", "string", ("[CLS]", "ab"), PIECES),
    Option("eos_piece", "string", ("[SEP]",), PIECES),
    Option("pad_piece", "string", ("[PAD]",), PIECES),
    Option("unk_surface", "string", ("?",), PIECES),
    Option("split_by_unicode_script", "bool", (False,), PIECES),
    Option("split_by_number", "bool", (False,), PIECES),
    Option("split_by_whitespace", "bool", (False,), PIECES),
    Option("split_digits", "bool", (True,), PIECES),
    Option("treat_whitespace_as_suffix", "bool", (True,), PIECES),
    Option("allow_whitespace_only_pieces", "bool", (True,), PIECES),
    Option("pretokenization_delimiter", "string", ("b", "|"), (SPM_BPE, SPM_UNIGRAM)),
    Option("max_sentencepiece_length", "int32", (1, 2, 3, 5), PIECES),
    Option("max_sentence_length", "int32", (10, 20), PIECES),
    Option("use_all_vocab", "bool", (True,), (WORD, CHAR)),
    Option("hard_vocab_limit", "bool", (False,), PIECES),
    Option("vocabulary_output_piece_score", "bool", (False,), PIECES),
    Option("num_threads", "int32", (1, 2, 3), (SPM_UNIGRAM,)),
    Option("num_sub_iterations", "int32", (1, 3), (SPM_UNIGRAM,)),
    Option("shrinking_factor", "float", (0.5, 0.9), (SPM_UNIGRAM,)),
    Option("seed_sentencepiece_size", "int32", (20, 50), (SPM_UNIGRAM,)),
    Option("input_format", "string", ("text",), PIECES),
    Option("shuffle_input_sentence", "bool", (False,), PIECES),
    Option("normalization_rule_name", "string", ("identity", "nfkc", "nfkc_cf", "nmt_nfkc_cf"), PIECES),
    Option("add_dummy_prefix", "bool", (False,), PIECES),
    Option("remove_extra_whitespaces", "bool", (False,), PIECES),
)

NOT_TRIED: Mapping[str, str] = {
    "show_progress": "says nothing about the result",
    "progress_format": "says nothing about the result",
    "input": "a training is given texts",
    "model_prefix": "a training is given a place to write",
    "model_type": "the name of the trainer",
    "accept_language": "has no effect since 2018",
    "self_test_sample_size": "samples are drawn by chance",
    "input_sentence_size": "sentences are drawn by chance",
    "mining_sentence_size": "has no effect",
    "training_sentence_size": "has no effect",
    "train_extremely_large_corpus": "changes the width of numbers only",
    "enable_differential_privacy": "adds noise by chance",
    "differential_privacy_noise_level": "adds noise by chance",
    "differential_privacy_clipping_threshold": "goes with the noise",
    "seed_sentencepieces_file": "is a file on the disk",
    "normalization_rule_tsv": "is a file on the disk",
    "name": "the field of normalization_rule_name",
    "precompiled_charsmap": "is compiled from the rules",
    "escape_whitespaces": "False is refused by both",
}
"""Options that are not drawn, with the reason."""


def options_of(trainer: str) -> list[Option]:
    """The options that a trainer has."""
    return [option for option in OPTIONS if trainer in option.trainers]


def coverage(cases: Iterable[TrainingCase]) -> str:
    """How many of the values of the trainers' options the cases have, and which options no case has.

    >>> coverage([TrainingCase("", "word", ("a",), {"split_digits": True})]).partition(";")[0]
    '1 of 47 values of 1 of 31 options'
    """
    asked: dict[str, dict[str, set[str]]] = {}
    for case in cases:
        of_one = asked.setdefault(case.trainer, {})
        for name, value in case.options.items():
            of_one.setdefault(name, set()).add(repr(value))
    known = [(trainer, option) for trainer in asked for option in options_of(trainer)]
    given = [(option.name, asked[trainer].get(option.name, set())) for trainer, option in known]
    # A pipeline that is named has become a tokenizer.json, and sizes are drawn between the values too.
    seen = sum(min(len(option.values), len(values)) for (_, option), (_, values) in zip(known, given, strict=True))
    missing = dict.fromkeys(name for name, values in given if not values)
    said = f"{seen} of {sum(len(option.values) for _, option in known)} values of "
    said += f"{sum(bool(values) for _, values in given)} of {len(given)} options"
    return said + (f"; not asked: {', '.join(missing)}" if missing else "")
