"""Options have the library's names, defaults and limits, and what they do not accept is said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.errors import InvalidOption
from reftok.training.sentencepiece.options import trainer_options

from .official_trainer import check_training, official_model

SENTENCES = ["a b c ab bc"] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocabsize": 10}, "vocabsize: is no option of sentencepiece's trainer; is vocab_size meant?"),
        ({"accept_language": "en"}, "accept_language: is deprecated, and sentencepiece ignores it: leave it out"),
        ({"vocab_size": 0}, "vocab_size: 0 is not within 1 and 2147483647"),
        ({"vocab_size": "many"}, "vocab_size: 'many' is not a whole number"),
        ({"vocab_size": 2**31}, "vocab_size: 2147483648 is not within -2147483648 and 2147483647"),
        ({"model_type": "bytes"}, "model_type: 'bytes' is not one of unigram, bpe, word, char"),
        ({"byte_fallback": "maybe"}, "byte_fallback: 'maybe' is neither true nor false"),
        ({"character_coverage": 0.5}, "character_coverage: 0.5 is not within 0.98 and 1.0"),
        ({"character_coverage": "nan"}, "character_coverage: nan is not within 0.98 and 1.0"),
        ({"num_threads": 1025}, "num_threads: 1025 is not within 1 and 1024"),
        ({"input_sentence_size": 100}, "input_sentence_size: 100 is too few: 0 for all, or 101 or more"),
        ({"input_format": "csv"}, "input_format: 'csv' is neither text nor tsv"),
        ({"bos_piece": ""}, "bos_piece: is empty"),
        ({"escape_whitespaces": False}, "escape_whitespaces: a model cannot be trained without it: leave it true"),
        ({"control_symbols": ["", "a"]}, "control_symbols: one of them is empty"),
        ({"use_all_vocab": True}, "use_all_vocab: is for the model types word and char, not for unigram"),
        (
            {"model_type": "word", "pretokenization_delimiter": "|"},
            "pretokenization_delimiter: is for the model types unigram and bpe, not for word",
        ),
        (
            {"model_type": "bpe", "auto_character_coverage": True},
            "auto_character_coverage: needs byte_fallback: set it to true",
        ),
        (
            {"model_type": "bpe", "seed_sentencepieces_file": "x"},
            "seed_sentencepieces_file: is for the model type unigram, not for bpe",
        ),
    ],
)
def test_what_an_option_does_not_accept_is_said_and_refused_by_the_library(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidOption) as refusal:
        trainer_options(**options)
    assert str(refusal.value) == message
    if "accept_language" not in options:
        with pytest.raises((RuntimeError, ValueError)):
            official_model(SENTENCES, **{"vocab_size": 8, **options})


@pytest.mark.parametrize(
    "options",
    [
        {"unk_id": 1},
        {"unk_id": -1},
        {"unk_id": -1, "byte_fallback": True, "vocab_size": 300, "hard_vocab_limit": False},
        {"pad_id": 30},
        {"pad_id": 12, "vocab_size": 14},
        {"bos_piece": "<unk>"},
        {"bos_piece": "</s>"},
        {"bos_piece": "</s>", "vocab_size": 400},
        {"control_symbols": ["<unk>"]},
        {"user_defined_symbols": ["x", "x"]},
        {"user_defined_symbols": ["<s>"], "control_symbols": ["</s>"], "hard_vocab_limit": False},
        {"user_defined_symbols": ["<0x00>"], "byte_fallback": True, "vocab_size": 300},
        {"required_chars": "<", "user_defined_symbols": "<", "hard_vocab_limit": False},
        {"model_type": "word", "user_defined_symbols": ["x", "▁y"], "vocab_size": 15, "hard_vocab_limit": False},
        {"model_type": "word", "user_defined_symbols": ["x", "▁x"], "vocab_size": 15},
        {"normalization_rule_name": "nfc"},
        {"byte_fallback": "yes", "vocab_size": " 300 ", "hard_vocab_limit": "F"},
        {"byte_fallback": "", "vocab_size": 300, "hard_vocab_limit": 0},
        {"user_defined_symbols": 'x,"y,z","q""q"rest,', "hard_vocab_limit": False},
        {"unk_surface": "", "unk_piece": "?", "hard_vocab_limit": False, "model_type": "CHAR"},
        {"num_threads": 1, "seed_sentencepiece_size": -1, "vocabulary_output_piece_score": False},
        {"character_coverage": 0.98 - 1e-9},
    ],
)
def test_both_take_or_refuse_these_options(options: dict[str, Any]) -> None:
    check_training(SENTENCES, {"model_type": "bpe", "vocab_size": 12, **options})


@pytest.mark.parametrize(
    "options", [{"required_chars": "x\0y"}, {"unk_surface": "a\0"}, {"pretokenization_delimiter": "\0"}]
)
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_a_nul_in_a_text_that_is_no_piece_is_taken_as_the_library_takes_it(kind: str, options: dict[str, Any]) -> None:
    check_training([*SENTENCES, "a\0b"], {"model_type": kind, "vocab_size": 20, "hard_vocab_limit": False, **options})


@given(st.lists(st.text('a,"é \n', min_size=1, max_size=5), max_size=4))
def test_a_list_is_read_as_the_library_writes_it(items: list[str]) -> None:
    written = ",".join('"' + item.replace('"', '""') + '"' for item in items)
    assert trainer_options(user_defined_symbols=written).user_defined_symbols == tuple(items)
