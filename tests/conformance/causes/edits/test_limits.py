"""What a limit does is learnt from one answer, and foretells others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice

import pytest

from conformance.causes.edits import Fault
from conformance.causes.edits.limits import (
    Words,
    cut_ids,
    cut_text,
    dropped_text,
    last_ids,
    length_in_a_byte,
    text_by_buffers,
    text_in_pieces,
    text_to_line_breaks,
    text_to_white_space,
    torn_text,
    words_of_text_cut,
    words_of_text_dropped,
)
from conformance.causes.edits.models import without_dummy_prefix
from conformance.causes.edits.samples import of_sample
from conformance.core.rule_table import usual_cause
from reftok import Tokenizer
from tests.models import load

SENTENCE = "The quick naïve fox wouldn't jump over 12 lazy dogs – それは 𝒻un 🤷. "
WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenhersteller"


def text_of(length: int) -> str:
    return "".join(islice(cycle(SENTENCE), length))


def rules(tokenizer: Tokenizer, text: str, wrong: Sequence[int]) -> list[str]:
    """The rules that are learnt, all of which are documented and give the answer."""
    found = [*of_sample(tokenizer, text, tokenizer.encode_ids(text), wrong)]
    assert [fault.rule for fault in found if not usual_cause(fault.stage, fault.rule)] == []
    assert [fault.rule for fault in found if list(fault.ids(text)) != list(wrong)] == []
    return [fault.rule for fault in found]


@pytest.mark.parametrize("model", ["bpe-qwen", "bpe-llama3", "spm-unigram", "spm-bpe-hf"])
@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        (lambda tokenizer: cut_text(tokenizer, "characters", 64), "the text is cut at 64 characters"),
        (lambda tokenizer: cut_text(tokenizer, "bytes", 100), "the text is cut at 100 bytes"),
        (lambda tokenizer: cut_text(tokenizer, "UTF-16 units", 127), "the text is cut at 127 UTF-16 units"),
        (lambda tokenizer: torn_text(tokenizer, 58), "the text is cut at 58 bytes"),
        (lambda tokenizer: text_by_buffers(tokenizer, 64), "the text is decoded in buffers of 64 bytes"),
        (lambda tokenizer: dropped_text(tokenizer, "characters", 128), "texts of more than 128 characters are dropped"),
        (
            lambda tokenizer: text_in_pieces(tokenizer, "characters", 50),
            "the text is encoded in pieces of 50 characters",
        ),
        (
            lambda tokenizer: text_in_pieces(tokenizer, "bytes", 63, without_dummy_prefix(tokenizer)),
            "the text is encoded in pieces of 63 bytes",
        ),
        (lambda tokenizer: cut_ids(tokenizer, 20, True), "the text is cut at 20 tokens"),
        (lambda tokenizer: last_ids(tokenizer, 20, False), "the last 20 tokens of the text are kept"),
    ],
)
def test_a_limit_of_the_text_is_learnt(model: str, fault: Callable[[Tokenizer], Fault], rule: str) -> None:
    tokenizer = load(model)
    wrong = fault(tokenizer)
    text = text_of(180)
    assert wrong.rule == rule
    assert list(wrong.ids(text)) != tokenizer.encode_ids(text)
    assert rule in rules(tokenizer, text, wrong.ids(text))
    assert list(wrong.ids(text[:20])) == tokenizer.encode_ids(text[:20])


@pytest.mark.parametrize(
    "fault",
    [
        partial(text_to_line_breaks, limit=64),
        partial(text_to_white_space, limit=64, is_before=True),
        partial(text_to_white_space, limit=64, is_before=False),
    ],
)
def test_pieces_that_end_at_white_space_are_learnt(fault: Callable[[Tokenizer], Fault]) -> None:
    """Fault: a text that was cut at the first line break after 256 characters was "in pieces of 1000 characters"."""
    tokenizer = load("bpe-qwen")
    wrong, text = fault(tokenizer), ("ab  cd  e\n\n" * 20)[1:200]
    assert list(wrong.ids(text)) != tokenizer.encode_ids(text)
    assert wrong.rule in rules(tokenizer, text, wrong.ids(text))
    assert list(wrong.ids(text[:60])) == tokenizer.encode_ids(text[:60])


def test_room_for_an_id_of_each_character_and_some_more_is_learnt() -> None:
    tokenizer = load("spm-bpe-hf")
    text = "\u0800\u0801\u0802"
    ids = tokenizer.encode_ids(text)
    assert len(ids) > len(text) + 2
    assert "there is room for one id for each character and 2 more" in rules(tokenizer, text, ids[: len(text) + 2])


@pytest.mark.parametrize("unit", ["characters", "bytes", "UTF-16 units"])
def test_a_length_that_is_kept_in_a_byte_is_learnt(unit: str) -> None:
    tokenizer = load("bpe-qwen")
    wrong, text = length_in_a_byte(tokenizer, unit), text_of(290)
    assert list(wrong.ids(text)) != tokenizer.encode_ids(text)
    assert wrong.rule in rules(tokenizer, text, wrong.ids(text))
    assert list(wrong.ids("a" * 255)) == tokenizer.encode_ids("a" * 255)
    assert list(wrong.ids("a" * 256)) == []
    assert list(wrong.ids("é" * 200)) == tokenizer.encode_ids("é" * (200 if unit != "bytes" else 72))


@pytest.mark.parametrize("unit", ["characters", "bytes", "UTF-16 units"])
@pytest.mark.parametrize("make", [words_of_text_cut, words_of_text_dropped])
@pytest.mark.parametrize("model", ["bpe-qwen", "spm-unigram"])
def test_a_limit_of_what_stands_between_white_space_is_learnt(
    model: str, make: Callable[[Tokenizer, str, int], Fault], unit: str
) -> None:
    tokenizer = load(model)
    wrong, text = make(tokenizer, unit, 32), f"short {WORD * 2} and ä{WORD}"
    assert wrong.rule in rules(tokenizer, text, wrong.ids(text))
    assert list(wrong.ids("word " * 30)) == tokenizer.encode_ids("word " * 30)


@pytest.mark.parametrize("model", ["bpe-qwen", "spm-unigram", "spm-bpe-hf"])
@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        (lambda words: words.cut_off("characters", 32), "words are cut at 32 characters"),
        (lambda words: words.cut_off("bytes", 48), "words are cut at 48 bytes"),
        (lambda words: words.in_pieces("characters", 20), "words are encoded in pieces of 20 characters"),
        (lambda words: words.in_pieces("bytes", 17), "words are encoded in pieces of 17 bytes"),
        (lambda words: words.tokens_cut_off(8), "words are cut at 8 tokens"),
        (
            lambda words: words.beyond("words of more than {} {} are dropped", "bytes", 32, lambda word: []),
            "words of more than 32 bytes are dropped",
        ),
    ],
)
def test_a_limit_of_words_is_learnt(model: str, fault: Callable[[Words], Fault], rule: str) -> None:
    tokenizer = load(model)
    wrong = fault(Words(tokenizer))
    text = f"Der {WORD} und die {WORD[:15]}"
    assert wrong.rule == rule
    assert list(wrong.ids(text)) != tokenizer.encode_ids(text)
    assert rule in rules(tokenizer, text, wrong.ids(text))
    assert list(wrong.ids("Der und die")) == tokenizer.encode_ids("Der und die")


@pytest.mark.parametrize("model", ["spm-bpe", "spm-unigram", "spm-bpe-hf"])
@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        (lambda words: words.cut_off("characters", 32), "normalized texts are cut at 32 characters"),
        (lambda words: words.in_pieces("bytes", 26), "normalized texts are encoded in pieces of 26 bytes"),
        (lambda words: words.tokens_cut_off(8), "normalized texts are cut at 8 tokens"),
        (
            lambda words: words.beyond([*words.otherwise()][1][0], "bytes", 32, [*words.otherwise()][1][1]),
            "normalized texts of more than 32 bytes are unknown",
        ),
    ],
)
def test_a_limit_of_all_that_the_model_is_given_is_learnt(
    model: str, fault: Callable[[Words], Fault], rule: str
) -> None:
    """A text of many short words, so that no limit of words explains it; two spaces, which some normalizers join."""
    tokenizer = load(model)
    wrong = fault(Words(tokenizer, are_whole=True))
    text = "Der  kleine Hase und die  Maus am großen See"
    assert wrong.rule == rule
    assert list(wrong.ids(text)) != tokenizer.encode_ids(text)
    assert rule in rules(tokenizer, text, wrong.ids(text))
    assert list(wrong.ids("Der und die")) == tokenizer.encode_ids("Der und die")


@pytest.mark.parametrize(
    ("model", "are_whole"),
    [("bpe-qwen", False), ("spm-bpe", False), ("spm-bpe", True), ("spm-bpe-hf", False), ("spm-bpe-hf", True)],
)
def test_a_number_of_symbols_that_are_merged_is_learnt(model: str, are_whole: bool) -> None:
    tokenizer = load(model)
    words = Words(tokenizer, are_whole)
    wrong = words.not_all_merged(20)
    text = f"Der {WORD} und die Maus"
    assert list(wrong.ids(text)) != tokenizer.encode_ids(text)
    assert wrong.rule in rules(tokenizer, text, wrong.ids(text))
    assert list(wrong.ids("Der und die")) == tokenizer.encode_ids("Der und die")


@pytest.mark.parametrize("model", ["spm-unigram", "spm-char"])
def test_a_model_without_merges_has_no_limit_of_them(model: str) -> None:
    assert not Words(load(model)).has_merges
    assert not [rule for rule in rules(load(model), "aaaa bbbb", [7]) if "are not merged" in rule]


@pytest.mark.parametrize("model", ["bpe-qwen", "spm-bpe-hf", "spm-bpe"])
def test_another_order_of_merges_in_long_words_is_learnt(model: str) -> None:
    words = Words(load(model))
    text = "ababab aaaaaaaaa " + "aaa" * 11
    right = load(model).encode_ids(text)
    for rule, other in words.otherwise():
        wrong = words.beyond(rule, "characters", 16, other)
        if list(wrong.ids(text)) != right:
            assert wrong.rule in rules(load(model), text, wrong.ids(text))
            assert list(wrong.ids("ababab aaaaaaaaa")) == load(model).encode_ids("ababab aaaaaaaaa")


def test_nothing_is_learnt_from_the_answer_of_something_else() -> None:
    right = load("bpe-qwen").encode_ids("Hello world")
    assert rules(load("bpe-qwen"), "Hello world", [*right[:2], 7, 8, 7, *right[2:]]) == []
