"""Decoders while more ids may follow: one pure function per decoder, which gives out the part that is final.

    ready, held = strip_of_text(decoder, held, fragment, is_end)

`ready` can no longer change; `held` is what the decoder holds back and what it has to remember. A function takes a list
of whole tokens until some decoder joins all tokens (Fuse, ByteLevel); behind that one, functions take the single token
in fragments of text. The rules are those of `reftok.rules`, which are called here on whatever is final.
"""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

from reftok.rules.byte_level import from_byte_characters
from reftok.rules.huggingface import decoders as rules
from reftok.rules.llama_cpp.stages import Detokenizer
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder, decode_bytes
from reftok.rules.stages import Decoder
from reftok.streams.cuts import normalizers
from reftok.streams.cuts.patterns import Rewrite
from reftok.unicode.characters import REPLACEMENT_CHARACTER

_SAME_IN_BOTH_READINGS = "".join(map(chr, range(0x21, 0x7F)))
"""Visible ASCII, which ByteLevel maps to itself."""
_LOOKED_AT_EACH_TIME = 1000
"""A longer text is looked at again only when it has doubled, so that a long run costs linear time in all."""

Part = TypeVar("Part", str, bytes, tuple[str, ...])


class Held(NamedTuple):
    """What a function keeps between two ids; immutable and hashable.

    state: in a form of its own for each function.
    size: how much is held back, in code points, or in bytes if they are not text yet.
    data: those bytes, in parts.
    """

    state: Any = ()
    size: int = 0
    data: tuple[bytes, ...] = ()


NOTHING_REWRITTEN = Held(((), 0, ""))
Tokens: TypeAlias = tuple[list[str], Held]
Text: TypeAlias = tuple[str, Held]


def appended(parts: tuple[Part, ...], part: Part) -> tuple[Part, ...]:
    """The parts with one more at the end. It is joined with the parts before it that are no longer, like a carry.

    So n parts cost n log n steps to append; one growing string would cost n².

    >>> appended(("abcd", "e"), "f"), appended(("abcd", "ef"), "g")
    (('abcd', 'ef'), ('abcd', 'ef', 'g'))
    """
    kept = list(parts)
    while kept and len(kept[-1]) <= len(part):
        part = kept.pop() + part
    kept.append(part)
    return tuple(kept)


# --- from ids


def vocab_tokens(pipeline: Pipeline, skips_special: bool, held: Held, ids: list[int], is_end: bool) -> Tokens:
    """Ids to tokens, as `Pipeline.decode` does it. Raises InvalidIds for an id that the library refuses."""
    found = [pipeline.decodable_token(token_id, skips_special) for token_id in ids]
    return [token for token in found if token is not None], held


def llama_pieces(detokenizer: Detokenizer, skips_special: bool, held: Held, ids: list[int], is_end: bool) -> Tokens:
    """Detokenizer, from ids to bytes, each as the Latin-1 character of its number. Holds an EOS: a last one is removed.

    state: whether no id has come yet. Raises InvalidIds for an id outside the vocab.
    """
    if not ids:
        return [], held
    for token_id in ids:
        detokenizer.refuse_unknown(token_id)
    vocab = detokenizer.vocab
    pieces = [vocab.piece(token_id, not skips_special) for token_id in ids]
    if held.state and skips_special and vocab.add_bos and ids[0] == vocab.bos_id:
        del pieces[0]
    elif held.state and detokenizer.removes_space:
        pieces[0] = pieces[0].removeprefix(b" ")
    may_go = bool(pieces) and skips_special and vocab.add_eos and ids[-1] == vocab.eos_id
    eos = (pieces.pop(),) if may_go else ()
    return [piece.decode("latin-1") for piece in (*held.data, *pieces)], Held(False, sum(map(len, eos)), eos)


# --- of whole tokens


def buffer_all(pipeline: Pipeline, held: Held, tokens: list[str], is_end: bool) -> Text:
    """All decoders of a pipeline that has an unknown one. Holds everything. state: the tokens, in parts."""
    parts = appended(held.state, tuple(tokens))
    if is_end:
        return pipeline.decode_tokens([token for part in parts for token in part]), Held()
    return "", Held(parts, held.size + sum(map(len, tokens)))


def join_with_spaces(held: Held, tokens: list[str], is_end: bool) -> Tokens:
    """A pipeline without decoders. Holds nothing. state: ("",) once a token has come."""
    return [" ".join([*held.state, *tokens])], Held(("",)) if tokens else held


def fuse(held: Held, tokens: list[str], is_end: bool) -> Text:
    """Fuse. Holds nothing."""
    return "".join(tokens), held


def decode_behind(
    decoder: Decoder, mark: Callable[[list[str]], Sequence[str]], held: Held, tokens: list[str], is_end: bool
) -> Tokens:
    """A decoder for which a token depends on nothing but what is before it. Holds nothing.

    mark: the tokens that stand for all that are before the next ones. state: those.

    >>> decode_behind(rules.Metaspace("▁", "always"), lambda tokens: [""], Held(("",)), ["▁a"], False)
    ([' a'], Held(state=('',), size=0, data=()))
    """
    if not held.state:
        return decoder.decode_chain(tokens), Held(tuple(mark(tokens))) if tokens else held
    given = decoder.decode_chain([*held.state])
    texts = decoder.decode_chain([*held.state, *tokens])[len(given) :]
    return texts, Held(tuple(mark(tokens))) if tokens else held


def bpe_decoder(decoder: rules.BPEDecoder, is_fused_next: bool, held: Held, tokens: list[str], is_end: bool) -> Tokens:
    """BPEDecoder. Holds the last token if it has a suffix, which becomes '' at the end of the text and a space before.

    is_fused_next: whether the next decoder takes a token in parts. Then it is held from its first suffix on.
    state: the held text, () or a tuple of one.
    """
    listed = [*held.state, *tokens]
    texts = decoder.decode_chain(listed)
    if is_end or not listed or decoder.suffix not in listed[-1]:
        return texts, Held()
    before = listed[-1].partition(decoder.suffix)[0] if is_fused_next and decoder.suffix else ""
    rest = listed[-1].removeprefix(before)
    return [*texts[:-1], *[before] * is_fused_next], Held((rest,), len(rest))


def byte_fallback(held: Held, tokens: list[str], is_end: bool) -> Tokens:
    """ByteFallback. Holds a run of byte tokens until it ends, or until it can no longer be UTF-8.

    From then on every byte of the run is a U+FFFD, including later ones.
    state: the incomplete character at the end of the run, and whether the run is not UTF-8. data: the run.
    """
    (tail, is_broken), run, size, texts = held.state, held.data, held.size, list[str]()
    for token in tokens:
        byte = rules.byte_of_token(token)
        if byte is None:
            texts += [*rules.decoded_run(bytearray().join(run)), token]
            run, size, tail, is_broken = (), 0, b"", False
            continue
        run, size, tail = appended(run, bytes([byte])), size + 1, tail + bytes([byte])  # tail: to check each byte once
        try:
            tail = tail[utf_8_decode(tail, "strict", False)[1] :]
        except UnicodeDecodeError:
            is_broken = True
        if is_broken:
            texts += [REPLACEMENT_CHARACTER] * size
            run, size, tail = (), 0, b""
    last = rules.decoded_run(bytearray().join(run)) if is_end else []
    return [*texts, *last], Held((tail, is_broken), size, run)


def sentencepiece(decoder: SentencePieceDecoder, held: Held, tokens: list[str], is_end: bool) -> Tokens:
    """SentencePieceDecoder. Holds the bytes of an incomplete character, and what the denormalizer holds.

    state: whether the next piece is at the start of the text; what the denormalizer holds.
    """
    (is_start, state), run, texts = held.state, b"".join(held.data), list[str]()
    for token in tokens:
        byte = decoder.byte_of(token)
        if byte is None:
            text, is_start = decoder.text_of(token, is_start)
            texts += [*decode_bytes(run), text]
            run = b""
        else:
            run, is_start = run + bytes([byte]), False
            size = utf_8_decode(run, "surrogateescape", False)[1]
            texts += decode_bytes(run[:size])
            run = run[size:]
    texts += decode_bytes(run) if is_end else []
    if decoder.denormalizer is not None:
        text, state = normalizers.sentencepiece(decoder.denormalizer, state, "".join(texts), is_end)
        texts = [text]
    size = 0 if is_end else state.held + len(run)
    return texts, Held((is_start, state), size, (run,) if run and not is_end else ())


def byte_level(held: Held, tokens: list[str], is_end: bool) -> Text:
    r"""ByteLevel. Holds the bytes of an incomplete character, three at most.

    >>> byte_level(Held(), ["ä½"], False)
    ('', Held(state=(), size=2, data=(b'\xe4\xbd',)))
    """
    return _utf_8(held, b"".join([from_byte_characters(token) or token.encode() for token in tokens]), is_end)


# --- of one token, in fragments


def utf_8(held: Held, fragment: str, is_end: bool) -> Text:
    """Bytes, each as the Latin-1 character of its number, to text. Holds those of an incomplete character."""
    return _utf_8(held, fragment.encode("latin-1"), is_end)


def _utf_8(held: Held, data: bytes, is_end: bool) -> Text:
    data = b"".join((*held.data, data))
    text, size = utf_8_decode(data, "replace", is_end)
    rest = data[size:]
    return text, Held((), len(rest), (rest,)) if rest else Held()


def byte_level_of_text(decoder: rules.ByteLevel, held: Held, fragment: str, is_end: bool) -> Text:
    """ByteLevel. Holds everything behind the visible ASCII characters at the start.

    A single character outside the byte map makes the whole token stand for itself.
    state: the held text, in parts; None once such a character has come.
    """
    if held.state is None:
        return fragment, held
    parts: tuple[str, ...] = appended(held.state, fragment)
    if from_byte_characters(fragment) is None:
        return "".join(parts), Held(None)
    if is_end:
        return decoder.decode_chain(["".join(parts)])[0], held
    if held.size:
        return "", Held(parts, held.size + len(fragment))
    rest = fragment.lstrip(_SAME_IN_BOTH_READINGS)
    return fragment[: len(fragment) - len(rest)], Held((rest,) if rest else (), len(rest))


def byte_fallback_of_text(decoder: rules.ByteFallback, held: Held, fragment: str, is_end: bool) -> Text:
    """ByteFallback. Holds what may begin a byte token. state: that text; None once the token is known to be text."""
    if held.state is None:
        return fragment, held
    token = held.state + fragment
    if is_end:
        return "".join(decoder.decode_chain([token])), held
    if not rules.BYTE_TOKEN.fullmatch(token, partial=True):
        return token, Held(None)
    byte = rules.byte_of_token(token)
    return "", Held(token, len(token), () if byte is None else (bytes([byte]),))


def strip_of_text(decoder: rules.Strip, held: Held, fragment: str, is_end: bool) -> Text:
    """Strip. Holds what may be removed at the end. state: how many characters may be removed at the start."""
    most, content = held.state, decoder.content
    if not most and not decoder.stop:
        return fragment, held
    count = min(len(fragment) - len(fragment.lstrip(content)), most)
    text = content * held.size + fragment[count:]
    kept = text.rstrip(content)
    size = min(len(text) - len(kept), decoder.stop)
    return text[: len(text) - size], Held(0 if fragment[count:] else most - count, size)


def rewritten(rewrite: Rewrite, held: Held, fragment: str, is_end: bool) -> Text:
    """Replace. Holds text that may still be rewritten in another way.

    state: that text, in parts; its size when it was last looked at; and what stands before it, as far as that counts.

    >>> from reftok.streams.cuts.patterns import replacing
    >>> rewritten(replacing(" n't", "n't"), NOTHING_REWRITTEN, "does n", False)
    ('does', Held(state=((' n',), 2, ''), size=2, data=()))
    """
    parts, looked_at, before = held.state
    parts = appended(parts, fragment) if fragment else parts
    size = held.size + len(fragment)
    if not is_end and (rewrite.why_uncut or _LOOKED_AT_EACH_TIME < size < 2 * looked_at):
        return "", Held((parts, looked_at, before), size)
    text = "".join(parts)
    ready, end = rewrite.rewrite(text, before, is_end) if text or before else ("", 0)
    before = (before + text[:end])[-rewrite.context :] if rewrite.context else ""
    rest = text[end:]
    return ready, Held(((rest,) if rest else (), len(rest), before), len(rest))
