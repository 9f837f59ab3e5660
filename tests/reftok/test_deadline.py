"""All patterns of a tokenizer share one deadline for a text, whichever method is called with it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from types import SimpleNamespace

import pytest

import reftok.regex_dialects.executor as executor_module
from reftok.errors import InvalidText
from reftok.tokenizer import Tokenizer

from .official import Json, added, own, refusal, tokenizer_json, wordlevel

MODEL = wordlevel(["<unk>", "ab", "abab"])
WORDS: Json = {"type": "WhitespaceSplit"}
WAYS: dict[str, Callable[[Tokenizer, str], object]] = {
    "encode_ids": lambda tokenizer, text: tokenizer.encode_ids(text),
    "encode": lambda tokenizer, text: tokenizer.encode(text),
    "encode, plain rules": lambda tokenizer, text: tokenizer.rules.encode(text),
    "trace": lambda tokenizer, text: tokenizer.trace(text),
    "stream": lambda tokenizer, text: list(tokenizer.encode_iterable([*text])),
}
WAYS_BACK: dict[str, Callable[[Tokenizer, list[int]], object]] = {
    "decode": lambda tokenizer, ids: tokenizer.decode(ids),
    "decode, plain rules": lambda tokenizer, ids: tokenizer.rules.decode(ids),
    "trace": lambda tokenizer, ids: tokenizer.trace_decode(ids),
    "stream": lambda tokenizer, ids: (decoder := tokenizer.stream_decoder()).feed_all(ids) + decoder.finish(),
}


def regex_split(pattern: str) -> Json:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def regex_replace(pattern: str) -> Json:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": "ab"}


STAGES: list[dict[str, Json]] = [
    {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [WORDS, regex_split("(ab)+")]}},
    {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [WORDS, *[regex_split("(ab)+")] * 60]}},
    {"normalizer": regex_replace("(ab)+")},
]


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at the clock finds that half a second has passed, where a text may take five."""
    clock = SimpleNamespace(thread_time=(0.5 * tick for tick in count()).__next__)
    monkeypatch.setattr(executor_module, "time", clock)


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("stages", STAGES, ids=["split", "many splits", "replace"])
def test_pieces_that_each_take_little_do_not_take_without_end_together(stages: dict[str, Json], way: str) -> None:
    tokenizer = own(tokenizer_json(MODEL, **stages))
    with pytest.raises(InvalidText, match=r"the pattern '\(\?:ab\)\+' takes too long"):
        WAYS[way](tokenizer, "ab " * 100)


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize("way", WAYS)
def test_the_next_text_has_all_of_the_time_again(way: str) -> None:
    tokenizer = own(tokenizer_json(MODEL, **STAGES[0]))
    for _ in range(9):
        WAYS[way](tokenizer, "ab")


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize("way", WAYS_BACK)
@pytest.mark.parametrize("before", [[], [{"type": "Fuse"}]], ids=["tokens", "one token"])
def test_tokens_that_each_take_little_do_not_take_without_end_together(before: list[Json], way: str) -> None:
    decoder: Json = {"type": "Sequence", "decoders": [*before, regex_replace("(ab)+")]}
    tokenizer = own(tokenizer_json(wordlevel(["<unk>", "ab", "ab-"]), decoder=decoder))
    WAYS_BACK[way](tokenizer, [1])
    with pytest.raises(InvalidText, match=r"the pattern '\(\?:ab\)\+' takes too long"):
        WAYS_BACK[way](tokenizer, [2] * 100)


@pytest.mark.usefixtures("slow_clock")
def test_the_contents_of_added_tokens_do_not_take_without_end_together_at_load() -> None:
    for size in (3, 100):
        tokens = [added(f"ab{number}", normalized=True) for number in range(size)]
        config = tokenizer_json(MODEL, tokens, normalizer=regex_replace("(ab)+"))
        problem = refusal(lambda config=config: own(config))
        assert ("added_tokens: 'ab" in problem and "takes too long" in problem) is (size > 3), problem


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize("way", WAYS)
def test_a_text_of_words_is_not_timed_with_the_pattern_of_a_published_model(way: str) -> None:
    tokenizer = own(tokenizer_json(MODEL, pre_tokenizer=regex_split(r"\s*[\r\n]+|\s+(?!\S)|\s+|\S+")))
    WAYS[way](tokenizer, "ab abab\n" * 2000)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("pattern", "text"), [("a+a+b", "a" * 3000), (r"\s*[\r\n]+", " " * 40_000), ("é*[bc]", "é" * 40_000)]
)
def test_a_run_that_takes_its_square_or_its_cube_is_an_error_and_no_hang(
    pattern: str, text: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor_module, "PATTERN_SECONDS", 0.1)
    monkeypatch.setattr(executor_module, "PATTERN_CHARACTERS_PER_SECOND", 1e9)
    tokenizer = own(tokenizer_json(MODEL, pre_tokenizer=regex_split(pattern)))
    with pytest.raises(InvalidText, match="takes too long"):
        WAYS[way](tokenizer, text)


def test_a_chain_of_decoders_that_ask_where_they_are_shares_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    r"""Fault: a hundred decoders Replace of \\G, each of which seeks its matches one by one, took half a minute."""
    monkeypatch.setattr(executor_module, "PATTERN_SECONDS", 0.1)
    monkeypatch.setattr(executor_module, "PATTERN_CHARACTERS_PER_SECOND", 1e9)
    replace = {"type": "Replace", "pattern": {"Regex": r"\G"}, "content": " "}
    tokenizer = own(tokenizer_json(MODEL, decoder={"type": "Sequence", "decoders": [replace] * 100}))
    with pytest.raises(InvalidText, match="takes too long"):
        tokenizer.decode([0] * 20_000)


def many(count: int, way: str) -> Json:
    kind, step = ("pretokenizers", regex_split("a+b")) if way in WAYS else ("decoders", regex_replace("a+b"))
    return {"type": "Sequence", kind: [*[WORDS] * (way in WAYS), *[step] * count]}


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize("way", WAYS)
def test_patterns_that_each_take_little_do_not_take_without_end_together(way: str) -> None:
    """Fault: no clock was looked at for patterns that take their square at worst, however many a file had."""
    text = "abab " * 600
    few, tokenizer = (own(tokenizer_json(MODEL, pre_tokenizer=many(count, way))) for count in (4, 30))
    WAYS[way](few, text)
    with pytest.raises(InvalidText, match=r"the pattern 'a\+b' takes too long"):
        WAYS[way](tokenizer, text)


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize("way", WAYS_BACK)
def test_decoders_that_each_take_little_do_not_take_without_end_together(way: str) -> None:
    model = wordlevel([f"{number:040}ab" for number in range(120)])
    few, tokenizer = (own(tokenizer_json(model, decoder=many(count, "decode"))) for count in (4, 30))
    WAYS_BACK[way](few, [*range(120)])
    with pytest.raises(InvalidText, match=r"the pattern 'a\+b' takes too long"):
        WAYS_BACK[way](tokenizer, [*range(120)])
