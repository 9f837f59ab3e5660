"""Vectors of streams: for each mistake of a stream that is known, the shortest inputs that show it.

A naive stream makes the mistake; where it gives something wrong, the checks of streams name its rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain

from msgspec import UNSET

from conformance.causes.encoder_streams import EACH_CHUNK_ALONE, attribute_stream_encoding
from conformance.checks.hold_back import FREELY_HELD
from conformance.checks.stream_decode import decoding_difference
from conformance.core.observation import Decoded, Encoded
from conformance.core.streaming import Chunks, FedStream, Feeding, Streamed
from conformance.engine.decode_stream import DecodeStreams
from conformance.inputs.vector_file import StreamDecodeVector, StreamEncodeVector
from conformance.subjects.base import Subject
from conformance.vectors.notes import flag_of
from reftok import ReftokError, Tokenizer
from reftok.rules.byte_level import BYTE_TO_CHARACTER
from reftok.unicode.graphemes import graphemes

LONGEST = 40
"""Of what is cut for a stream, in characters or ids: a mistake shows in a few."""
TRIED = 400
MOST_SPECIAL = 3
_LONG = "many words of a text " * 12
_REPLACEMENT = "\ufffd"
_FLUSH, _LATE, _HELD = (
    "the end is never given out",
    "more text is held back than the rule needs",
    "text is held after finish",
)
_RESET, _SHARED = "what was fed before a reset is not forgotten", "two streams share their state"
_INCOMPLETE = "a U+FFFD is given out for a character that is not complete"
_SPACES = "white space at the ends differs from the full decode"
_EMPTY, _TWICE = "an empty chunk changes what is given", "text is given out twice"
_CALLBACK = (
    "an early stop is ignored",
    "a callback that returns None stops the calls",
    "the callback never hears the end",
    "the callback is called for other ids",
    "is_final is not set with the last id alone",
)


def encode_streams(tokenizer: Tokenizer, oracle: Subject, texts: Sequence[str], each: int) -> list[StreamEncodeVector]:
    """Chunks of texts, at most so many of each rule. The ids are the official library's of the whole."""
    made: dict[tuple[object, ...], StreamEncodeVector] = {}
    count: dict[str, int] = defaultdict(int)
    chosen = [*("of   the café", " of the ", "e\u0301a", "a\n \n b", "é😀中"), *_short(texts)]
    for text in dict.fromkeys(chosen):
        for chunks in _cuts(text):
            for flag in _encoding_flags(tokenizer, text, chunks):
                if count[flag] < each and (vector := _encoded(tokenizer, oracle, text, chunks, flag)) is not None:
                    count[flag] += 1
                    made.setdefault((chunks,), vector)
    for text in ("a", "Hello, world!", "é 中 😀"):
        for use, flag in _uses_of_encoders(text):
            vector = _encoded(tokenizer, oracle, text, tuple(text), flag, **use)
            if vector is not None:
                made.setdefault((text, flag, tuple(map(str, use))), vector)
    for text, chunks in ((text, ("", *text[:1], "", text[1:], "")) for text in ("a", "a b")):
        if (vector := _encoded(tokenizer, oracle, text, chunks, flag_of("", _EMPTY))) is not None:
            made.setdefault((chunks,), vector)
    long = _encoded(tokenizer, oracle, _LONG, tuple(_LONG), flag_of("", _LATE))
    if long is not None:
        due = _due_ids(tokenizer, _LONG)
        made[(_LONG,)] = StreamEncodeVector(
            tc_id=0, flags=(*long.flags, flag_of("", _HELD)), result="valid", chunks=long.chunks, ids=long.ids, due=due
        )
    return [*made.values()]


def _short(texts: Sequence[str]) -> list[str]:
    short = sorted((text for text in texts if 1 < len(text) <= LONGEST), key=len)
    return short[:: 1 + len(short) // TRIED]


def _cuts(text: str) -> Iterator[Chunks]:
    """A text in one chunk, in two, by character and by grapheme cluster; its bytes in one, and each alone."""
    data = text.encode("utf-8")
    yield (text,)
    yield (data,)
    yield from ((text[:place], text[place:]) for place in range(1, len(text)))
    yield tuple(text)
    yield tuple(graphemes(text))
    if not text.isascii():
        yield tuple(data[place : place + 1] for place in range(len(data)))


def _encoding_flags(tokenizer: Tokenizer, text: str, chunks: Chunks) -> list[str]:
    """The rules of a stream that encodes each chunk alone; of one chunk, of one that tidies it."""
    try:
        whole = tuple(tokenizer.encode_ids(text))
        given = [_alone(tokenizer, chunk, number == 0) for number, chunk in enumerate(chunks)]
        if len(chunks) == 1:
            is_told = tuple(tokenizer.encode_ids(text.strip())) != whole
            is_told = not text.isascii() if isinstance(chunks[0], bytes) else is_told
            given = [()] if is_told else [whole]
        if tuple(chain.from_iterable(given)) == whole:
            return []
        fed = FedStream(Feeding("encoder", chunks), Streamed((*given, ())), whole, whole)
        found = attribute_stream_encoding(tokenizer, text, fed)
    except ReftokError:
        return []
    alone = [flag_of(*_pair(EACH_CHUNK_ALONE))] if len(chunks) > 1 else []
    return [flag_of(found.stage, found.rule), *alone] if found.rule else alone


def _pair(attribution: object) -> tuple[str, str]:
    return getattr(attribution, "stage", ""), getattr(attribution, "rule", "")


def _alone(tokenizer: Tokenizer, chunk: object, is_first: bool) -> tuple[int, ...]:
    text = chunk.decode("utf-8", "replace") if isinstance(chunk, bytes) else str(chunk)
    return tuple(tokenizer.encode_ids(text, add_special_tokens=is_first))


def _encoded(
    tokenizer: Tokenizer, oracle: Subject, text: str, chunks: Chunks, flag: str, **use: object
) -> StreamEncodeVector | None:
    """The vector, where the official library, the reference and its stream give the same ids."""
    answer = oracle.encode(text)
    if not isinstance(answer, Encoded) or list(answer.ids) != list(tokenizer.encode_ids(text)):
        return None
    stream = tokenizer.stream_encoder()
    are_bytes = any(isinstance(chunk, bytes) for chunk in chunks)
    if are_bytes:
        given = [*(stream.feed_bytes(chunk) for chunk in chunks if isinstance(chunk, bytes)), stream.finish()]
    else:
        given = [*(stream.feed(chunk) for chunk in chunks if isinstance(chunk, str)), stream.finish()]
    if [*chain.from_iterable(given)] != list(answer.ids):
        return None
    hexes = tuple(chunk.hex() for chunk in chunks if isinstance(chunk, bytes))
    texts = tuple(chunk for chunk in chunks if isinstance(chunk, str))
    return StreamEncodeVector(
        tc_id=0,
        flags=tuple(dict.fromkeys((flag, flag_of("", _FLUSH)))),
        result="valid",
        chunks=UNSET if are_bytes else texts,
        chunks_hex=hexes if are_bytes else UNSET,
        ids=answer.ids,
        **use,  # type: ignore[arg-type]
    )


def _uses_of_encoders(text: str) -> Iterator[tuple[dict[str, object], str]]:
    half = tuple(text[: 1 + len(text) // 2])
    yield {"forgotten_chunks": half}, flag_of("", _RESET)
    yield {"forgotten_chunks": (text[::-1],), "is_finished": True}, flag_of("", _RESET)
    yield {"is_beside": True}, flag_of("", _SHARED)


def _due_ids(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    """How many ids must have come out after each character, and after the end."""
    stream = tokenizer.stream_encoder()
    counts = [*accumulate(len(stream.feed(character)) for character in text)]
    total = counts[-1] + len(stream.finish())
    return (*(counts[place - FREELY_HELD] if place >= FREELY_HELD else 0 for place in range(len(counts))), total)


# --- decoders


def decode_streams(
    tokenizer: Tokenizer, oracle: Subject, every: Sequence[tuple[int, ...]], each: int
) -> list[tuple[bool, StreamDecodeVector]]:
    """Ids for streams, at most so many of each rule, and whether special tokens are skipped.

    The text is the official library's of all ids at once.
    """
    made: dict[tuple[object, ...], tuple[bool, StreamDecodeVector]] = {}
    count: dict[tuple[str, str], int] = defaultdict(int)
    known = [ids for ids in every if 0 < len(ids) <= LONGEST]
    supposed = DecodeStreams(tokenizer)
    words = tuple(tokenizer.encode_ids("Hello, the world is a word", add_special_tokens=False))
    for ids in dict.fromkeys([words, *sorted(known, key=len)[:TRIED]]):
        texts = _texts(tokenizer, oracle, ids)
        if texts is None:
            continue
        for skips in (False, True):
            for name, naive in _NAIVE.items():
                whole = texts[skips]
                given = _given(naive, tokenizer, ids, skips, whole)
                if given is None or "".join(given) == whole:
                    continue
                feeding = Feeding("decoder", ids, skips)
                streamed = Streamed(given)
                cause = supposed.cause(feeding, streamed, whole)
                found = decoding_difference(FedStream(feeding, streamed, whole, texts[True], None, cause))
                if found is None or count[found.rule, name] >= each:
                    continue
                count[found.rule, name] += 1
                stage = "Decoder" if cause else ""
                flags = (flag_of(stage, found.rule), flag_of("", _TWICE))
                made.setdefault((ids, skips), (skips, _decoded(ids, whole, flags)))
    special = next((token_id for token_id, token in tokenizer.rules.added_tokens.tokens.items() if token.special), None)
    partial = next((ids for ids in known if _ends_open(_texts(tokenizer, oracle, ids))), None)
    lists = [words, *([(*words, special, *words)] if special is not None else []), *([partial] if partial else [])]
    for ids in filter(None, lists):
        texts = _texts(tokenizer, oracle, ids)
        if texts is not None:
            made.update(_uses_of_decoders(ids, texts))
    for ids, rule in _traps(tokenizer):
        texts = _texts(tokenizer, oracle, ids)
        if texts is not None:
            for skips in (False, True):
                made.setdefault((ids, skips), (skips, _decoded(ids, texts[skips], (flag_of("", rule),))))
    long = tuple(tokenizer.encode_ids(_LONG, add_special_tokens=False))
    texts = _texts(tokenizer, oracle, long)
    if texts is not None:
        vector = _decoded(long, texts[False], (flag_of("", _LATE), flag_of("", _HELD)), due=_due_text(tokenizer, long))
        made[(long, False)] = False, vector
    return [*made.values()]


def _traps(tokenizer: Tokenizer) -> Iterator[tuple[tuple[int, ...], str]]:
    """Ids that streams take wrongly which keep little in mind, each with the rule of such a stream.

    A character of four bytes that are an id each, and what stands within it or before a first word and may be skipped.
    """
    vocab = tokenizer.rules.model.vocab
    names = [(f"<0x{byte:02X}>", BYTE_TO_CHARACTER[byte]) for byte in "😀".encode()]
    found = [vocab.get(name, vocab.get(character)) for name, character in names]
    data = tuple(token_id for token_id in found if token_id is not None)
    word = tuple(tokenizer.encode_ids("a word", add_special_tokens=False))
    every = sorted({*vocab.values(), *tokenizer.rules.added_tokens.tokens})
    special = [token_id for token_id in every if tokenizer.rules.is_special(token_id)][:MOST_SPECIAL]
    if len(data) == len(names):
        yield (*data, *word), _INCOMPLETE
        yield from (((*data[:2], token_id, *data[2:]), _INCOMPLETE) for token_id in special)
    yield from (((token_id, *word), _SPACES) for token_id in special)


def _ends_open(texts: tuple[str, str] | None) -> bool:
    return texts is not None and texts[0].endswith(_REPLACEMENT) and len(texts[0]) > 1


def _texts(tokenizer: Tokenizer, oracle: Subject, ids: tuple[int, ...]) -> tuple[str, str] | None:
    """The text with special tokens kept, and skipped, where the reference and its stream say the same."""
    answer = oracle.decode(ids)
    if not isinstance(answer, Decoded):
        return None
    texts = answer.kept, answer.text
    try:
        for skips in (False, True):
            stream = tokenizer.stream_decoder(skip_special_tokens=skips and answer.with_special is not None)
            if "".join([*map(stream.feed, ids), stream.finish()]) != texts[skips]:
                return None
    except ReftokError:
        return None
    return texts


def _decoded(ids: tuple[int, ...], text: str, flags: tuple[str, ...], **use: object) -> StreamDecodeVector:
    flags = tuple(dict.fromkeys(flags))
    return StreamDecodeVector(tc_id=0, flags=flags, result="valid", ids=ids, text=text, **use)  # type: ignore[arg-type]


_Naive = Callable[[Tokenizer, tuple[int, ...], bool, str], Sequence[str]]


def _each_alone(tokenizer: Tokenizer, ids: tuple[int, ...], skips: bool, whole: str) -> Sequence[str]:
    return [*(tokenizer.decode([token_id], skip_special_tokens=skips) for token_id in ids), ""]


def _by_length(tokenizer: Tokenizer, ids: tuple[int, ...], skips: bool, whole: str) -> Sequence[str]:
    given, texts = 0, list[str]()
    for size in range(1, 1 + len(ids)):
        text = tokenizer.decode(ids[:size], skip_special_tokens=skips)
        texts.append(text[given:])
        given = max(given, len(text))
    return [*texts, ""]


def _without_bytes(tokenizer: Tokenizer, ids: tuple[int, ...], skips: bool, whole: str) -> Sequence[str]:
    return [whole.replace(_REPLACEMENT, ""), *[""] * len(ids)]


def _without_end(tokenizer: Tokenizer, ids: tuple[int, ...], skips: bool, whole: str) -> Sequence[str]:
    return [whole.rstrip(_REPLACEMENT), *[""] * len(ids)]


def _stripped(tokenizer: Tokenizer, ids: tuple[int, ...], skips: bool, whole: str) -> Sequence[str]:
    return [whole.strip(), *[""] * len(ids)]


_NAIVE: dict[str, _Naive] = {
    "each alone": _each_alone,
    "by length": _by_length,
    "without bytes": _without_bytes,
    "without end": _without_end,
    "stripped": _stripped,
}


def _given(
    naive: _Naive, tokenizer: Tokenizer, ids: tuple[int, ...], skips: bool, whole: str
) -> tuple[str, ...] | None:
    try:
        return tuple(naive(tokenizer, ids, skips, whole))
    except ReftokError:
        return None


def _uses_of_decoders(
    ids: tuple[int, ...], texts: tuple[str, str]
) -> dict[tuple[object, ...], tuple[bool, StreamDecodeVector]]:
    kept, skipped = texts
    reset, shared = (flag_of("", _RESET),), (flag_of("", _SHARED),)
    callback = tuple(flag_of("", rule) for rule in _CALLBACK)
    ended = (callback[2], callback[3], callback[4], callback[1])
    return {
        (ids, "reset"): (False, _decoded(ids, kept, reset, forgotten_ids=ids[: 1 + len(ids) // 2])),
        (ids, "end"): (False, _decoded(ids, kept, reset, forgotten_ids=ids[::-1], is_finished=True)),
        (ids, "beside"): (False, _decoded(ids, kept, shared, beside_text=skipped)),
        (ids, "stop"): (True, _decoded(ids, skipped, callback[:1], stop=1)),
        (ids, "never"): (True, _decoded(ids, skipped, ended, stop=1 + len(ids))),
    }


def _due_text(tokenizer: Tokenizer, ids: tuple[int, ...]) -> tuple[int, ...]:
    stream = tokenizer.stream_decoder(skip_special_tokens=False)
    counts = [*accumulate(len(stream.feed(token_id)) for token_id in ids)]
    return (*(max(0, count - FREELY_HELD) for count in counts), counts[-1] + len(stream.finish()))
