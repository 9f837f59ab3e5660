"""A stream of ids against the whole list, decoded at once, and that against the plain rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from reftok.errors import ModelFormatError
from reftok.rules.pipeline import Pipeline
from reftok.tokenizer import Tokenizer


def decoded(tokenizer: Tokenizer, ids: Sequence[int], skip_special_tokens: bool = True) -> str | None:
    """The text of the ids by the plain rules, None where it is refused as too long; `decode` does the same."""
    expected = _decoded(tokenizer.rules, ids, skip_special_tokens)
    assert _decoded(tokenizer, ids, skip_special_tokens) == expected
    return expected


def _decoded(asked: Tokenizer | Pipeline, ids: Sequence[int], skip_special_tokens: bool) -> str | None:
    try:
        return asked.decode(ids, skip_special_tokens)
    except ModelFormatError:
        return None


def given_texts(tokenizer: Tokenizer, ids: Sequence[int], skip_special_tokens: bool = True) -> list[str] | None:
    """What a new stream gives for each id and at its end; None where it refuses, as `decode` of the ids so far does."""
    decoder = tokenizer.stream_decoder(skip_special_tokens)
    given: list[str] = []
    try:
        for token_id in ids:
            given.append(decoder.feed(token_id))
        given.append(decoder.finish())
    except ModelFormatError:
        assert decoded(tokenizer, ids[: len(given) + 1], skip_special_tokens) is None
        return None
    assert decoder.held == 0
    assert decoder.pending_bytes == b""
    assert decoder.token_count == len(ids)
    return given


def assert_streams(
    tokenizer: Tokenizer,
    ids: Sequence[int],
    continuations: Sequence[Sequence[int]] = ((),),
    skip_special_tokens: bool = True,
) -> list[str]:
    """The texts are together that of the whole, and at each id what was given holds whatever follows.

    The stream is asked twice, since the second one knows what the first has found out.
    """
    expected = decoded(tokenizer, ids, skip_special_tokens)
    given = given_texts(tokenizer, ids, skip_special_tokens)
    assert given_texts(tokenizer, ids, skip_special_tokens) == given
    if given is None:
        return []
    assert "".join(given) == expected
    for size in range(len(ids) + 1):
        early = "".join(given[:size])
        for continuation in continuations:
            whole = decoded(tokenizer, [*ids[:size], *continuation], skip_special_tokens)
            assert whole is None or whole.startswith(early), (size, continuation)
    return given


def certain_text(tokenizer: Tokenizer, ids: Sequence[int], continuations: Sequence[Sequence[int]]) -> str:
    """What the text of the ids begins with, whichever of the continuations follows."""
    texts = [tokenizer.decode([*ids, *continuation]) for continuation in continuations]
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    return "".join(column[0] for column in columns)
