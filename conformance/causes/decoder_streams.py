"""The mistakes of a streaming decoder: what it does to each id or to each part, as many streams together tell it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations
from typing import NamedTuple, TypeAlias

from conformance.causes.attribution import Attribution
from conformance.causes.edits import predicted
from conformance.causes.edits.changed_models import is_byte_level
from conformance.causes.edits.decoders import behind_text, first_space_kept, first_space_stripped, is_utf_8, parted
from conformance.core.streaming import FedStream, Streamed
from conformance.engine.decode_stream import NOT_AWAITED
from reftok import Tokenizer
from reftok.rules.byte_level import from_byte_characters
from reftok.rules.huggingface.decoders import Metaspace, Strip, byte_of_token
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.sentencepiece.pieces import BYTE_PIECES

Ids: TypeAlias = Sequence[int]
Change: TypeAlias = Callable[[Sequence[str]], Iterable[str]]

LEAST_WRONG, LEAST_EXPLAINED = 3, 0.95
"""The number of wrong streams that a mistake must explain, and the share of the wrong ones and of all streams."""

_LENGTHS = ((0xF0, 4), (0xE0, 3), (0xC0, 2))
"""The first bytes of characters, and how many bytes these have."""
_OF_PARTS: tuple[tuple[str, Change], ...] = (
    ("spaces at the end of each part are stripped", lambda parts: (one.rstrip(" ") for one in parts)),
    ("spaces at the start of each part are stripped", lambda parts: (one.lstrip(" ") for one in parts)),
    ("spaces at the ends of each part are stripped", lambda parts: (one.strip(" ") for one in parts)),
    ("white space at the end of each part is stripped", lambda parts: map(str.rstrip, parts)),
    ("white space at the start of each part is stripped", lambda parts: map(str.lstrip, parts)),
    ("white space at the ends of each part is stripped", lambda parts: map(str.strip, parts)),
    ("parts of white space alone are dropped", lambda parts: (one for one in parts if one.strip())),
    ("a part that equals the one before is dropped", lambda parts: _without_repeated(parts)),
    ("the first part is lost", lambda parts: parts[1:]),
    ("the last part is lost", lambda parts: parts[:-1]),
)
"""The rules, and what is done to the parts of text that come out; of these, none is empty."""


def attribute_stream_decoding(
    tokenizer: Tokenizer, entries: Iterable[FedStream], own: Iterable[FedStream]
) -> Attribution:
    """Finds the mistake behind some streams: one mistake, or two together, must explain nearly every stream.

    entries: streams of one subject, right ones among them. own: the streams to attribute, a part of the entries.
    Returns an empty attribution if no mistakes explain the streams, or if too few streams are wrong.
    """
    plain = [entry for entry in entries if entry.feeding.is_plain and isinstance(entry.streaming, Streamed)]
    right = [(entry.whole, _right(tokenizer, entry)) for entry in plain]
    wrong = {place for place, entry in enumerate(plain) if _text(entry) not in right[place]}
    if len(wrong) < LEAST_WRONG:
        return Attribution()
    own = [*own]
    asked = {place for place in wrong if plain[place] in own}
    candidates: list[_Candidate] = []
    for rule, streamed in mistakes(tokenizer):
        texts = [predicted(partial(streamed, *_fed(entry))) for entry in plain]
        scope = {place for place, text in enumerate(texts) if text not in right[place]}
        candidate = _Candidate(rule, scope, {place for place in scope if texts[place] == _text(plain[place])})
        if len(candidate.explained) >= LEAST_WRONG:
            if _explain_nearly_all((candidate,), wrong, len(plain)):
                return _attributed((candidate,), asked)
            candidates.append(candidate)
    for pair in combinations(candidates, 2):
        if _explain_nearly_all(pair, wrong, len(plain)):
            return _attributed(pair, asked)
    return Attribution()


class _Candidate(NamedTuple):
    """A mistake, with the indexes of the streams that it changes, and of those that it explains."""

    rule: str
    scope: set[int]
    explained: set[int]


def _explain_nearly_all(together: Sequence[_Candidate], wrong: set[int], count: int) -> bool:
    """Whether these mistakes explain nearly all wrong streams and change few right ones. count: of all streams."""
    changed = Counter(chain.from_iterable(one.scope for one in together))
    explained = {place for one in together for place in one.explained}
    # The text of a stream that two mistakes change is not predicted: it counts for neither side.
    unexplained = {place for place in wrong - explained if changed[place] < 2}
    most = 1 - LEAST_EXPLAINED
    return len(unexplained) <= most * len(wrong) and len(unexplained) + len(changed.keys() - wrong) <= most * count


def _attributed(together: Sequence[_Candidate], asked: set[int]) -> Attribution:
    """The first of these mistakes that explains one of the streams that are asked about."""
    rule = next((one.rule for one in together if one.explained & asked), "")
    return Attribution("Decoder", rule) if rule else Attribution()


def mistakes(tokenizer: Tokenizer) -> Iterator[tuple[str, Callable[[Ids, bool], str]]]:
    """The rules, each with the text that a stream with this mistake gives for ids, special tokens skipped or not."""
    yield "each id is decoded on its own", partial(_alone, tokenizer)
    rule = "each id is decoded on its own, and U+FFFD is dropped"
    yield rule, lambda ids, skips: _alone(tokenizer, ids, skips).replace("\ufffd", "")
    for rule, change in _OF_PARTS:
        yield rule, partial(_with_parts, change, tokenizer)
    if any(isinstance(step, Strip | Metaspace | SentencePieceDecoder) for step in tokenizer.rules.decoders or ()):
        yield "the first token keeps its space", partial(behind_text, tokenizer)
        yield "a special token that is skipped counts as the first token", partial(first_space_kept, tokenizer)
        rule = "behind special tokens at the start, the first space is stripped"
        yield rule, partial(first_space_stripped, tokenizer)
        yield "text after a line feed is decoded separately", partial(_line_by_line, tokenizer)
    outside = lambda one: tokenizer.id_to_token(one) is None
    yield "an id outside the vocab ends a run of bytes", partial(parted, tokenizer, outside)
    yield "special tokens are always skipped", lambda ids, _: tokenizer.decode(ids, skip_special_tokens=True)
    yield "special tokens are kept", lambda ids, _: tokenizer.decode(ids, skip_special_tokens=False)
    yield "a special token flushes what is held, though it is skipped", partial(_flushed, tokenizer)
    yield "an added token is given out before buffered bytes", partial(_overtaken, tokenizer)
    if tokenizer.token_to_id(BYTE_PIECES[0x80]) is not None:
        for count in range(2, 5):
            rule = f"the bytes of a run of byte tokens are given out by {count}"
            yield rule, partial(_by_bytes, tokenizer, partial(_has_length, count))
        yield NOT_AWAITED, partial(_by_bytes, tokenizer, is_utf_8)
        yield "text given out is assumed not to change", partial(_by_length, tokenizer)
    if is_byte_level(tokenizer):
        rule = "the bytes behind the first of a character are counted, not looked at"
        yield rule, partial(_counted, tokenizer)


def _alone(tokenizer: Tokenizer, ids: Ids, skips: bool) -> str:
    return "".join(tokenizer.decode([one], skip_special_tokens=skips) for one in ids)


def _with_parts(change: Change, tokenizer: Tokenizer, ids: Ids, skips: bool) -> str:
    return "".join(change(_parts(tokenizer, ids, skips)))


def _parts(tokenizer: Tokenizer, ids: Ids, skips: bool) -> list[str]:
    """The parts of the text that are not empty, as soon as each can come out."""
    stream = tokenizer.stream_decoder(skip_special_tokens=skips)
    return [part for part in (*map(stream.feed, ids), stream.finish()) if part]


def _without_repeated(parts: Sequence[str]) -> Iterable[str]:
    return (part for part, before in zip(parts, ("", *parts), strict=False) if part != before)


def _flushed(tokenizer: Tokenizer, ids: Ids, skips: bool) -> str:
    special = tokenizer.rules.added_tokens.special_ids()
    text, start = "", 0
    for place in (*(place for place, one in enumerate(ids) if one in special), len(ids)):
        text += "".join(_parts(tokenizer, ids[start:place], skips))
        text += "".join(_parts(tokenizer, ids[place : place + 1], skips))
        start = place + 1
    return text


def _overtaken(tokenizer: Tokenizer, ids: Ids, skips: bool) -> str:
    """Gives out added tokens at once, even if bytes before them are still buffered."""
    added = tokenizer.rules.added_tokens
    stream = tokenizer.stream_decoder(skip_special_tokens=skips)
    text = ""
    for one in ids:
        if one not in added.tokens:
            text += stream.feed(one)
        elif not (skips and one in added.special_ids()):
            text += added.tokens[one].content
    return text + stream.finish()


def _line_by_line(tokenizer: Tokenizer, ids: Ids, skips: bool) -> str:
    """Decodes the ids of each line, up to its line feed, as a text of their own."""
    text, start = "", 0
    for place, one in enumerate(ids, 1):
        if place == len(ids) or tokenizer.decode([one]).endswith("\n"):
            text += tokenizer.decode(ids[start:place], skip_special_tokens=skips)
            start = place
    return text


def _by_bytes(tokenizer: Tokenizer, ends: Callable[[bytes], bool], ids: Ids, skips: bool) -> str:
    """Decodes byte pieces in groups, even if that splits a character. ends: whether a group ends after these bytes."""
    text, start, run = "", 0, b""
    for place, one in enumerate(ids, 1):
        byte = byte_of_token(tokenizer.id_to_token(one) or "")
        run = b"" if byte is None else run + bytes([byte])
        if (run and ends(run)) or place == len(ids):
            part = tokenizer.decode(ids[start:place], skip_special_tokens=skips)
            text += behind_text(tokenizer, ids[start:place], skips) if start else part
            start, run = place, b""
    return text


def _by_length(tokenizer: Tokenizer, ids: Ids, skips: bool) -> str:
    """Decodes all ids so far each time, and gives out what lies beyond the length of the last text."""
    given, length = "", 0
    for count in range(1, 1 + len(ids)):
        text = tokenizer.decode(ids[:count], skip_special_tokens=skips)
        if count == len(ids) or not text.endswith("\ufffd"):
            given += text[length:]
            length = len(text)
    return given


def _has_length(count: int, data: bytes) -> bool:
    return len(data) == count


def _counted(tokenizer: Tokenizer, ids: Ids, skips: bool) -> str:
    """Characters of as many bytes as the first of them says, whatever the others are."""
    tokens = (tokenizer.rules.decodable_token(one, skips) or "" for one in ids)
    data = b"".join(from_byte_characters(token) or token.encode() for token in tokens)
    text, start = "", 0
    while start < len(data):
        end = start + next((length for least, length in _LENGTHS if data[start] >= least), 1)
        try:
            text += data[start:end].decode()
        except UnicodeDecodeError:
            text += "\ufffd" if end <= len(data) else data[start:].decode(errors="replace")
        start = end
    return text


def _fed(entry: FedStream) -> tuple[Ids, bool]:
    ids = [chunk for chunk in entry.feeding.chunks if isinstance(chunk, int)]
    return ids, entry.feeding.skip_special_tokens


def _right(tokenizer: Tokenizer, entry: FedStream) -> str | None:
    """The right text. A stream may give it although the subject decodes the same ids wrongly at once."""
    ids, skips = _fed(entry)
    return predicted(lambda: tokenizer.decode(ids, skip_special_tokens=skips))


def _text(entry: FedStream) -> str:
    assert isinstance(entry.streaming, Streamed)
    return "".join(map(str, entry.streaming.given))
