"""A stream of ids against the whole list, decoded at once by the plain rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from reftok.errors import ModelFormatError
from reftok.tokenizer import Tokenizer


def decoded(tokenizer: Tokenizer, ids: Sequence[int], skips: bool = True) -> str | None:
    """The text of the ids by the plain rules; None if they refuse it as too long."""
    try:
        return tokenizer.rules.decode(ids, skips)
    except ModelFormatError:
        return None


def given_texts(tokenizer: Tokenizer, ids: Sequence[int], skips: bool = True) -> list[str] | None:
    """What a stream gives for each id and at its end; None if it refuses, as `decode` of the ids so far must too."""
    decoder, given = tokenizer.stream_decoder(skips), list[str]()
    try:
        for token_id in ids:
            given.append(decoder.feed(token_id))
            assert len(decoder.pending_bytes) <= decoder.held
        given.append(decoder.finish())
    except ModelFormatError:
        assert decoded(tokenizer, ids[: len(given) + 1], skips) is None
        return None
    assert (decoder.held, decoder.pending_bytes, decoder.token_count) == (0, b"", len(ids))
    return given


def assert_streams(
    tokenizer: Tokenizer, ids: Sequence[int], continuations: Sequence[Sequence[int]] = ((),), skips: bool = True
) -> list[str]:
    """The texts are together that of the whole, and at each id what was given holds whatever follows.

    The stream is asked twice, since the second finds what the first has left in the memo.
    """
    given, expected = given_texts(tokenizer, ids, skips), decoded(tokenizer, ids, skips)
    assert given_texts(tokenizer, ids, skips) == given
    assert (None if given is None else "".join(given)) == expected
    for size in range(len(given or [])):
        early = "".join((given or [])[:size])
        for continuation in continuations:
            whole = decoded(tokenizer, [*ids[:size], *continuation], skips)
            assert whole is None or whole.startswith(early), (size, continuation)
    return given or []


def certain_text(tokenizer: Tokenizer, ids: Sequence[int], continuations: Sequence[Sequence[int]]) -> str:
    """What the text of the ids begins with, whichever of the continuations follows."""
    texts = [tokenizer.rules.decode([*ids, *continuation]) for continuation in continuations]
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    return "".join(column[0] for column in columns)
