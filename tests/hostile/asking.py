"""Everything that can be asked of a tokenizer, asked of the one of a damaged file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import reftok
from reftok.errors import ReftokError
from reftok.explain.explanation import explain
from reftok.tokenizer import Tokenizer

from .files import Hostile

TEXTS = [
    "",
    "a",
    "ab abc  a1\n<s>é\u0301中 [UNK]x",
    "a" * 60,
    "aaa bab " * 20,
    " " * 200 + "a",
    "a" + "\u0301\u0323" * 100,
    "\u0f73\u0f75" * 60,
    "ab" * 300,
    "\U0001f600\u200d\ufe0f\0\ufffd\u2028\r\n\t",
    "the quick brown fox jumps over 12 lazy dogs, isn't it? " * 4,
]
CHARACTERS = [*"ab c\n1.'▁Ġé中<s>\u0301\u0323\u200d\ufeff\0\U0001f600", "[UNK]", "</s>", "the", "  ", "\r\n"]
MOST_IDS = 100

REFUSED_AT_LOAD, REFUSED, ANSWERED = "refused at load", "refused a text", "answered"


def ask(folder: Path, hostile: Hostile, random: Random) -> str:
    """What became of a file: how it was refused, or that it answered.

    Raises AssertionError where two ways give other ids; every other error but ReftokError is one of reftok as well.
    """
    for name, data in hostile.files.items():
        (folder / name).write_bytes(data)
    try:
        tokenizer = reftok.load(folder / hostile.name, hostile.encoding)
    except ReftokError as error:
        if str(folder) not in str(error):
            raise AssertionError(f"the error names no file: {error}") from error
        return REFUSED_AT_LOAD
    finally:
        for name in hostile.files:
            (folder / name).unlink()
    return ANSWERED if _ask_text(tokenizer, _text(random), random) else REFUSED


def _text(random: Random) -> str:
    if random.random() < 0.5:
        return random.choice(TEXTS)
    return "".join(random.choice(CHARACTERS) for _ in range(random.randint(1, 40)))


def _ask_text(tokenizer: Tokenizer, text: str, random: Random) -> bool:
    """Whether it was answered in all ways."""
    cut = random.randint(0, len(text))
    chunks = [*text[:cut]] if cut < 30 else [text[:cut]]
    ids = _answer(lambda: tokenizer.encode_ids(text))
    others: list[Callable[[], Any]] = [
        lambda: list(tokenizer.encode(text).ids),
        lambda: list(tokenizer.rules.encode(text).ids),
        lambda: list(tokenizer.encode_iterable([*chunks, text[cut:]])),
    ]
    found = [ids, *map(_answer, others)]
    answers = [answer for answer in found if answer is not None]
    assert all(answer == answers[0] for answer in answers), f"ids differ for {text[:80]!r}: {[*map(str, found)]!s:.400}"
    if tokenizer.library == "tokenizers":
        _answer(lambda: tokenizer.encode(text, "b a"))
        _answer(lambda: tokenizer.encode_batch([text, "a"]))
    _answer(lambda: explain(tokenizer.rules, text))
    decoded = _ask_ids(tokenizer, (ids or [0, 1, 5, 2, 99, 300])[:MOST_IDS])
    return decoded and len(answers) == len(found)


def _ask_ids(tokenizer: Tokenizer, ids: list[int]) -> bool:
    def streamed() -> str:
        decoder = tokenizer.stream_decoder()
        return "".join([*map(decoder.feed, ids), decoder.finish()])

    found = [
        _answer(lambda: tokenizer.decode(ids)),
        _answer(lambda: tokenizer.rules.decode(ids)),
        _answer(streamed),
        _answer(lambda: tokenizer.trace_decode(ids).text),
    ]
    answers = {answer for answer in found if answer is not None}
    assert len(answers) < 2, f"texts differ for {ids[:40]}: {[*map(str, found)]!s:.400}"
    return None not in found[:-1]


def _answer(action: Callable[[], Any]) -> Any:
    """What an action gives, None where it is refused by name."""
    try:
        return action()
    except ReftokError:
        return None
