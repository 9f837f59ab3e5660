from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reftok.engine.patterns.automaton as automaton_module
from reftok.engine.patterns.automaton import Automaton
from reftok.engine.patterns.paths import Undecided, paths
from reftok.errors import UnsupportedFeature
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.types import Span

from ...regex_dialects.oniguruma.test_random_patterns import PATTERNS
from ...rules.test_patterns import patterns as plain_patterns

TEXTS = st.text(st.sampled_from("aabbcsskfi'1 \n\rßſéŉﬃʼn\u0295\U0001e6c0"), min_size=1, max_size=10)


def automaton(pattern: str) -> Automaton:
    return Automaton(paths(parse(pattern)))


def decided(pattern: str) -> Automaton:
    """The automaton of a random pattern, of those that have one."""
    try:
        compile_oniguruma(pattern)
        return automaton(pattern)
    except (UnsupportedFeature, Undecided):
        assume(False)
        raise


def match_at(pattern: Pattern, text: str, start: int) -> Span | None:
    compiled, prepared = pattern.for_text(text)
    match = compiled.match(prepared, start)
    return match and match.span()


@settings(max_examples=200, deadline=None)
@given(PATTERNS | plain_patterns, TEXTS, st.lists(TEXTS, max_size=4))
def test_where_the_paths_have_died_no_continuation_changes_the_match(
    pattern: str, text: str, continuations: list[str]
) -> None:
    followed = decided(pattern)
    compiled = compile_oniguruma(pattern)
    for start in range(len(text)):
        state = followed.after(text, start)
        if state.alive:
            continue
        match = match_at(compiled, text, start)
        assert state.may_match or match is None
        for continuation in [*continuations, "a", "s", "\n", " "]:
            assert match_at(compiled, text + continuation, start) == match


@settings(max_examples=200, deadline=None)
@given(PATTERNS | plain_patterns, st.text(st.sampled_from("aab1 c'"), min_size=1, max_size=40))
def test_where_all_nodes_at_once_die_every_start_before_has_died(pattern: str, text: str) -> None:
    followed = decided(pattern)
    settled = followed.settled(text, -1)
    assert not any(followed.after(text, start).alive for start in range(settled + 1))


def test_the_starts_of_a_long_text_are_settled_from_its_end() -> None:
    words = automaton(r"\p{L}+|\s+(?!\S)|\s+|'ll")
    text = "some words in a row, it'll do" * 4
    assert words.settled(text, 0) == len(text) - 4
    assert words.settled(text, len(text) - 4) == -1
    assert words.settled("a" * 100, 0) == -1


@pytest.mark.parametrize(
    ("pattern", "text", "alive"),
    [
        ("ab", "a", True),
        ("ab", "ab", False),
        ("ab|abc", "ab", False),
        ("abc|ab", "ab", True),
        ("(?>ab|c)|abc", "ab", True),
        ("(?>ab|abc)", "ab", True),
        ("a*+b", "aa", True),
        ("a{2,3}", "aaa", False),
        ("a{2,3}", "aa", True),
        ("a{,1000}", "a" * 1001, True),
        ("a(?=bc)", "ab", True),
        ("a(?!bc)", "abd", False),
        ("a(?<=[ab]a)", "a", False),
        (r"a\z", "a", True),
        (r"a\Z", "a\n", True),
        (r"a\Z", "a\n\n", False),
        ("a$", "ab", False),
        ("^a", "a", False),
        (r"(a)?(?(1)bc|d)", "ab", True),
        ("(?i)ß", "s", True),
        ("(?i)[ß]", "s", True),
        ("(?i)K", "\u212a", False),
        ("[^a]b", "a", False),
        (r"\R", "\r", True),
        ("a+?", "a", False),
        ("(?=a(?!b))a", "a", True),
        ("(?:a?)*", "a", True),
    ],
)
def test_a_start_is_alive_while_the_next_character_may_count(pattern: str, text: str, alive: bool) -> None:
    assert automaton(pattern).after(text, 0).alive == alive


def test_nested_repetitions_stay_small() -> None:
    nested = "a"
    for _ in range(40):
        nested = f"(?:{nested}b?){{1,3}}"
    assert len(paths(parse(nested)).classes) < 2048


def test_every_optional_lookahead_does_not_double_the_paths() -> None:
    found = paths(parse("".join(f"(?:(?!{character})|)" for character in "abcdefghijklmnopqrst") + "x"))
    assert len(found.first) < 3000


def test_an_automaton_forgets_its_states_and_goes_on_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automaton_module, "MOST_STEPS", 3)
    words = automaton(r"'(?:ll|s)|\p{L}+| ?\d{1,3}|\s+(?!\S)|\s+")
    reference = "a'll 1234  b's\n"
    held = words.start["'"]
    for _ in range(3):
        assert [words.after(reference[:end], 0).alive for end in (1, 2)] == [True, False]
        assert [words.after(f" {digits}", 0).alive for digits in ("12", "123")] == [True, False]
    assert held["l"].alive
    assert not held["l"]["l"].alive
    assert sum(map(len, [words.start, *words._states.values()])) <= 4
