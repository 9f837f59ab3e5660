"""What an input exercises is what the reference's trace shows."""

from __future__ import annotations

from random import Random

import pytest

from conformance.fuzzing.coverage import Coverage, Key
from conformance.fuzzing.watching import (
    ALTERNATIVES,
    DECODERS,
    ENTRIES,
    FALLBACK,
    FLAGS,
    MERGES,
    RULES,
    SEAMS,
    STAGES,
    TRANSITIONS,
    Watcher,
    transition_name,
)
from conformance.generators import generators
from conformance.generators.base import NothingToDo
from conformance.generators.knowledge import model_knowledge
from reftok import Tokenizer, load
from tests.conformance.generators.tiny import MERGES as TINY_MERGES
from tests.conformance.generators.tiny import byte_level, knowledge_of, pieces


def watcher_of(name: str) -> tuple[Watcher, Tokenizer]:
    tokenizer = {"byte-level": byte_level, "pieces": pieces}[name]()
    return Watcher(tokenizer, knowledge_of(name)), tokenizer


def seen(kind: str, *texts: str, model: str = "byte-level") -> set[Key]:
    """What a glance and a look at each text find of one kind."""
    watcher, tokenizer = watcher_of(model)
    coverage = Coverage()
    for text in texts:
        watcher.glance(coverage, text, tokenizer.encode_ids(text))
        watcher.look(coverage, text)
    return coverage.of(kind)


def test_the_merges_behind_a_token_are_seen() -> None:
    assert TINY_MERGES.index(("a", "b")) in seen(MERGES, "ab")
    assert seen(MERGES, "xyz") == set()
    assert seen(MERGES, "abc") == {TINY_MERGES.index(("a", "b")), TINY_MERGES.index(("ab", "c"))}


def test_a_glance_sees_the_merges_behind_a_token_that_one_merge_makes() -> None:
    watcher, tokenizer = watcher_of("byte-level")
    coverage = Coverage()
    watcher.glance(coverage, "ab", tokenizer.encode_ids("ab"))
    assert coverage.of(MERGES) == {TINY_MERGES.index(("a", "b"))}


def test_a_glance_does_not_guess_which_of_two_merges_made_a_token() -> None:
    watcher, tokenizer = watcher_of("byte-level")
    coverage = Coverage()
    watcher.glance(coverage, "abc", tokenizer.encode_ids("abc"))
    assert coverage.of(MERGES) == set()


def test_entries_of_the_vocab_are_seen_by_their_ids() -> None:
    assert seen(ENTRIES, "ab") == {byte_level().token_to_id("ab")}


def test_transitions_are_seen_between_neighbours() -> None:
    assert {transition_name(key) for key in seen(TRANSITIONS, "Aa1")} == {"Lu Ll", "Ll Nd"}


def test_a_second_glance_finds_nothing_new() -> None:
    watcher, tokenizer = watcher_of("byte-level")
    coverage = Coverage()
    ids = tokenizer.encode_ids("ab c")
    assert watcher.glance(coverage, "ab c", ids)
    assert not watcher.glance(coverage, "ab c", ids)
    assert watcher.look(coverage, "ab c")
    assert not watcher.look(coverage, "ab c")


def test_alternatives_of_the_pattern_and_their_seams_are_seen() -> None:
    assert seen(ALTERNATIVES, "it's 1") == {"alternative_2", "alternative_1", "alternative_6", "alternative_3"}
    assert "alternative_2, alternative_1" in seen(SEAMS, "it's")


def test_flags_of_added_tokens_are_seen_with_their_neighbours() -> None:
    assert seen(FLAGS, "a<l> ") == {"lstrip; after a word", "lstrip; before white space"}
    assert seen(FLAGS, "<w>.") == {"single_word; after nothing", "single_word; before something else"}


@pytest.mark.parametrize(("text", "outcome"), [("e\u0301", "changed"), ("e", "left as it was")])
def test_stages_are_seen_to_change_a_text_or_not(text: str, outcome: str) -> None:
    assert f"2 Normalizer NFC: {outcome}" in seen(STAGES, text)


def test_an_empty_text_changes_nothing() -> None:
    assert not [key for key in seen(STAGES, "") if str(key).endswith(": changed")]


def test_byte_fallback_is_seen_by_the_size_of_the_character() -> None:
    found = seen(FALLBACK, "aé😀", model="pieces")
    assert found == {
        "a character of 2 bytes became its bytes",
        "a character of 4 bytes became its bytes",
        "bytes became text",
    }


def test_decoding_is_seen_to_give_replacement_characters_and_to_skip_special_tokens() -> None:
    watcher, tokenizer = watcher_of("byte-level")
    coverage = Coverage()
    watcher.look(coverage, (tokenizer.token_to_id("Ã") or 0, tokenizer.token_to_id("<s>") or 0, 99_999))
    assert {"U+FFFD comes out", "a special token is skipped", "an id outside the vocab"} <= coverage.of(DECODERS)


def test_rules_of_the_charsmap_are_seen() -> None:
    tokenizer = load("spm-unigram")
    coverage = Coverage()
    Watcher(tokenizer, model_knowledge(tokenizer)).look(coverage, "ﬁa\u3000")
    assert coverage.of(RULES) == {"ﬁ", "\u3000"}


@pytest.mark.parametrize("name", ["byte-level", "pieces"])
def test_nothing_is_reached_that_the_universe_does_not_have(name: str) -> None:
    watcher, tokenizer = watcher_of(name)
    coverage, chance = Coverage(), Random(0)
    found = [g for g in generators(knowledge_of(name), ("a line",)) if not isinstance(g, NothingToDo)]
    for number in range(400):
        drawn = found[number % len(found)].draw(chance)
        if isinstance(drawn, str):
            watcher.glance(coverage, drawn, tokenizer.encode_ids(drawn))
            watcher.look(coverage, drawn)
    for kind, keys in watcher.universe.items():
        if kind != DECODERS:
            assert coverage.of(kind) <= set(keys), kind
