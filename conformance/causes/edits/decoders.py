"""Ways to get the decoder wrong."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import dropwhile, groupby, islice, takewhile
from typing import Any, Literal
from unicodedata import normalize

from conformance.causes.edits.fault import AskedIds, DecodingFault, Text, around, of_decoded, of_decoded_ids, with_steps
from conformance.causes.edits.models import piece_table
from conformance.causes.edits.parameters import in_other_order, with_other_options
from conformance.causes.edits.stripped import strippings
from conformance.core.observation import Decoded
from conformance.subjects.transformers_subject import CLEANED_UP
from reftok import Tokenizer
from reftok.rules.byte_level import BYTE_TO_CHARACTER, from_byte_characters, to_byte_characters
from reftok.rules.huggingface.decoders import ByteFallback, ByteLevel, Metaspace, Replace, WordPiece, byte_of_token
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, SPACE_SYMBOL, PieceTable, PieceType
from reftok.rules.stages import Decoder

_REPLACEMENTS = re.compile("\ufffd+")
_ESCAPED = re.compile("[\udc80-\udcff]+")
"""A run of bytes that "surrogateescape" has left alone."""
_ESCAPED_TO_THE_END = re.compile("(?s)[\udc80-\udcff].*")
_ABOVE_UTF_16 = re.compile("[\U00010000-\U0010ffff]")
_SPACES = re.compile("  +")
_DIGITS = re.compile(r"\d+")
_SEQUENCE = re.compile(rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}")
"""A lead byte and its continuation bytes, whether valid UTF-8 or not."""
_LIKE_SPECIAL_TOKENS = (re.compile(r"<\|[^|<>]*\|>"), re.compile(r"<\|[a-z0-9_]+\|>"))
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_TIMESTAMP = re.compile(r"<\|\d+\.\d+\|>")
_MISMAPPED = (0x7F, 0xA0, 0xAD)
"""The bytes beside the ranges of a byte map, which are easily written wrongly."""
_GLYPHS = frozenset(BYTE_TO_CHARACTER.values())
_BEFORE_PUNCTUATION = re.compile(r" ([.,!?]|n't|'m|'s|'ve|'re)")
_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
_FIRST_WRONG = "text ends at the first bytes that are not UTF-8"
_SPACE, _LINE_FEED, _OTHERS = {"Ġ": " "}, {"Ċ": "\n"}, {"ĉ": "\t", "č": "\r"}
_PUT_BACK: tuple[dict[str, str], ...] = ({}, _SPACE, _SPACE | _LINE_FEED, _SPACE | _LINE_FEED | _OTHERS)
"""Characters put back where tokens are joined as they stand in the vocab: none, spaces, line feeds, all white space."""

_CHANGES: tuple[tuple[str, Callable[[str], str]], ...] = (
    # On the decoded text: a U+FFFD that was in the original text is dropped too.
    ("bytes that are not UTF-8 are dropped", lambda text: text.replace("\ufffd", "")),
    ("one U+FFFD for a run of bytes", lambda text: _REPLACEMENTS.sub("\ufffd", text)),
    ("text ends at the first NUL", lambda text: text.partition("\0")[0]),
    ("NULs at the end are lost", lambda text: text.rstrip("\0")),
    ("white space at the ends is stripped", lambda text: text.strip()),
    ("leading spaces are stripped", lambda text: text.lstrip(" ")),
    ("spaces before punctuation are removed", lambda text: _BEFORE_PUNCTUATION.sub(r"\1", text)),
    ("spaces before punctuation are removed", lambda text: _cleaned_up(text)),
    ("bytes are decoded as Latin-1", lambda text: text.encode().decode("latin-1")),
    ("a byte order mark is dropped", lambda text: text.removeprefix("\ufeff")),
    ("byte order marks are dropped", lambda text: text.replace("\ufeff", "")),
    ("white space at the end is stripped", lambda text: text.rstrip()),
    ("a space at the start is stripped", lambda text: text.removeprefix(" ")),
    ("NULs are dropped", lambda text: text.replace("\0", "")),
    ("U+FFFD is given out as ?", lambda text: text.replace("\ufffd", "?")),
    ("characters above U+FFFF are dropped", lambda text: _ABOVE_UTF_16.sub("", text)),
    ("characters above U+FFFF become U+FFFD", lambda text: _ABOVE_UTF_16.sub("\ufffd", text)),
    *((f"text is brought to {form}", partial(normalize, form)) for form in _FORMS),
    ("text is lower-cased", str.lower),
    ("repeated spaces are given out as one", lambda text: _SPACES.sub(" ", text)),
)
"""Rules that change nothing but the decoded text."""


def of_decoders(tokenizer: Tokenizer) -> Iterator[DecodingFault]:
    """Mistakes with special tokens, incomplete characters, spaces and steps, all variants of a rule in a row."""
    found = [*_ungrouped(tokenizer)]
    places = {one.rule: place for place, one in reversed([*enumerate(found)])}
    yield from sorted(found, key=lambda one: places[one.rule])


def _ungrouped(tokenizer: Tokenizer) -> Iterator[DecodingFault]:
    decode: Text = lambda ids, skip: tokenizer.decode(ids, skip_special_tokens=skip)
    marked = _marked(tokenizer, decode)
    rules: list[tuple[str, Text]] = [
        ("bytes that are not UTF-8 are dropped", lambda ids, skip: _ESCAPED.sub("", marked(ids, skip))),
        ("one U+FFFD for a run of bytes", lambda ids, skip: _ESCAPED.sub("\ufffd", marked(ids, skip))),
        (_FIRST_WRONG, lambda ids, skip: _ESCAPED.split(marked(ids, skip))[0]),
        (_FIRST_WRONG, lambda ids, skip: _ESCAPED_TO_THE_END.sub("\ufffd", marked(ids, skip))),
    ]
    yield from _of_mixins(tokenizer)  # first: unlike other faults with these rules, they can be combined
    for rule, text in (*_of_pieces(tokenizer, decode), *rules):
        yield DecodingFault("Decoder", rule, text)
    for rule, before in _of_asked_ids(tokenizer):
        yield of_decoded_ids(rule, tokenizer, before)
    named = dict(_CHANGES)
    for rule, after in (*_CHANGES, *(one for one in strippings() if one[0] not in named)):
        yield of_decoded(rule, tokenizer, after)
    rules = [
        ("unfinished bytes at the end are dropped", partial(_finished, tokenizer)),
        ("each token is decoded alone", lambda ids, skip: "".join(decode([one], skip) for one in ids)),
        ("a space is put between tokens", lambda ids, skip: " ".join(decode([one], skip) for one in ids)),
    ]
    added, special = tokenizer.rules.added_tokens.tokens, tokenizer.rules.added_tokens.special_ids()
    is_byte_level = any(isinstance(step, ByteLevel) for step in tokenizer.rules.decoders or ())
    if is_byte_level:
        for glyphs in _PUT_BACK:
            joined = partial(_glyphs, tokenizer, str.maketrans(glyphs))
            yield DecodingFault("Decoder", "bytes are not mapped: glyphs are given out", joined)
        rules.append(
            (
                "a byte order mark is dropped",
                partial(_apart, tokenizer, added, lambda text: text.removeprefix("\ufeff")),
            )
        )
        one_replacement = lambda data: _SURROGATE.sub(b"\xef\xbf\xbd", data)
        rules.append(("one U+FFFD for a surrogate in UTF-8", partial(_reread, tokenizer, one_replacement)))
        unchecked = lambda data: _SEQUENCE.sub(_character, data)
        rules.append(("overlong forms of UTF-8 are decoded", partial(_reread, tokenizer, unchecked)))
        for byte in _MISMAPPED:
            missing = f"byte 0x{byte:02X} is missing from the byte map"
            yield DecodingFault("PreTokenizer", missing, partial(_without_byte, tokenizer, BYTE_TO_CHARACTER[byte]))
            dropped = lambda data, byte=byte: data.replace(bytes((byte,)), b"")
            yield DecodingFault("PreTokenizer", missing, partial(_reread, tokenizer, dropped))
        rules.append(("one U+FFFD for each byte", partial(_each_byte, tokenizer)))
        rules.append(("each byte is decoded alone", partial(_byte_by_byte, tokenizer)))
    if tokenizer.token_to_id(BYTE_PIECES[0x80]) is not None:
        rules.append(("byte pieces are decoded as Latin-1", partial(_bytes_as_latin_1, tokenizer)))
    if is_byte_level or tokenizer.token_to_id(BYTE_PIECES[0x80]) is not None:
        outside = lambda one: tokenizer.id_to_token(one) is None
        rules.append(("an id outside the vocab ends a run of bytes", partial(parted, tokenizer, outside)))
        skipped = tokenizer.rules.added_tokens.special_ids().__contains__
        rules.append(("a special token that is skipped ends a run of bytes", partial(parted, tokenizer, skipped)))
    if piece_table(tokenizer) is not None:
        yield of_decoded(
            "U+2581 from byte pieces becomes a space", tokenizer, lambda text: text.replace(SPACE_SYMBOL, " ")
        )
    for replaced in (_outside_replaced, _outside_as_token):
        rules.append(("an id outside the vocab is given out as U+FFFD", partial(replaced, tokenizer)))
    for apart in (special, added):
        if apart:
            rules.append(("text between added tokens is decoded separately", partial(_apart, tokenizer, apart, str)))
    if special:
        if any(_TIMESTAMP.fullmatch(token.content) for token in tokenizer.rules.added_tokens.tokens.values()):
            rules.append(
                ("timestamp tokens are removed from the text", lambda ids, skip: _TIMESTAMP.sub("", decode(ids, skip)))
            )
        rule = "text that looks like a special token is removed"
        rules += [(rule, partial(_without_lookalikes, decode, one)) for one in _LIKE_SPECIAL_TOKENS]
    if added and is_byte_level:
        rules.append(
            ("added tokens are given out as they stand, not by their bytes", partial(_as_they_stand, tokenizer))
        )
        rules.append(("characters outside the byte map are dropped", partial(_by_byte_map, tokenizer)))
    if added:
        rules.append(("spaces are put around added tokens", partial(_spaced, tokenizer, added)))
    if special:
        rules.append(("spaces are put around special tokens", partial(_spaced, tokenizer, special)))
    if special or _controls(tokenizer):
        rule = "behind special tokens at the start, the first space is kept"
        rules.append((rule, partial(first_space_kept, tokenizer)))
        rule = "behind special tokens at the start, the first space is stripped"
        rules.append((rule, partial(first_space_stripped, tokenizer)))
    for rule, text in rules:
        yield DecodingFault("Decoder", rule, text)
    if piece_table(tokenizer) is not None:
        yield from (DecodingFault("Decoder", rule, text) for rule, text in _first_spaces_of(decode))
    every = tokenizer.rules.decoders or ()
    if tuple(step.pattern for step in every[-len(CLEANED_UP) :] if isinstance(step, Replace)) == CLEANED_UP:
        yield _of_steps(tokenizer, "spaces before punctuation are kept", every[: -len(CLEANED_UP)])
    for index, step in enumerate(every):
        if isinstance(step, (Replace, Metaspace)):
            yield from _first_only(tokenizer, index, step)
        if isinstance(step, WordPiece):
            yield _without(tokenizer, index, "the first token loses its prefix as well", (_WithoutFirstPrefix(step),))
        if isinstance(step, ByteFallback):
            yield _without(tokenizer, index, "one U+FFFD for each maximal subpart", (_BytesBySubparts(),))
        yield _without(tokenizer, index, f"{type(step).__name__} is missing")
        for rule, other in with_other_options(step):
            yield _without(tokenizer, index, rule, (other,))
    for rule, steps in in_other_order(every):
        yield _of_steps(tokenizer, rule, steps)


def _of_asked_ids(tokenizer: Tokenizer) -> Iterator[tuple[str, AskedIds]]:
    """Faults that change the ids before decoding, or ignore `skip_special_tokens`."""
    unknown, size = tokenizer.rules.model.unk_id, tokenizer.vocab_size
    added, special = tokenizer.rules.added_tokens.tokens, tokenizer.rules.added_tokens.special_ids()

    def is_known(one: int) -> bool:
        return tokenizer.id_to_token(one) is not None

    def byte_of(one: int) -> int | None:
        return byte_of_token(tokenizer.id_to_token(one) or "")

    yield "special tokens are kept", lambda ids, skip: (ids, False)
    yield "special tokens are always skipped", lambda ids, skip: (ids, True)
    yield "skip_special_tokens is taken the other way round", lambda ids, skip: (ids, not skip)
    yield "repeated tokens are given out once", lambda ids, skip: ([one for one, _ in groupby(ids)], skip)
    yield "the first id is left out", lambda ids, skip: (ids[1:], skip)
    yield "the last id is left out", lambda ids, skip: (ids[:-1], skip)
    if tokenizer.token_to_id(BYTE_PIECES[0x80]) is not None:
        yield "bytes are signed: those from 0x80 on are lost", _only(lambda one: (byte_of(one) or 0) < 0x80)
        yield "byte pieces at the end are not given out", partial(_without_last_bytes, byte_of)
    if unknown is not None:
        yield "the unknown token is given out as nothing", _only(lambda one: one != unknown)
        rule = "an id outside the vocab is given out as the unknown token"
        yield rule, _each(lambda one: one if is_known(one) else unknown)
    yield "ids are taken modulo the size of the vocab", _each(lambda one: one % size)
    yield "ids are taken modulo 2^16", _each(lambda one: one % (1 << 16))
    yield "an id outside the vocab is given out as id 0", _each(lambda one: one if is_known(one) else 0)
    yield "text ends at the first id outside the vocab", _while(is_known)
    if set(added) - special:
        skipped: AskedIds = lambda ids, skip: ([one for one in ids if not skip or one not in added], skip)
        yield "added tokens are skipped that are not special", skipped
        yield "added tokens are dropped", _only(lambda one: one not in added)
    ends = frozenset(around(tokenizer)[1])
    for last in filter(None, dict.fromkeys((special, ends))):
        yield "text ends at the first special token", _until(last)
        yield "text ends at the first special token", _through(last)


def _each(change: Callable[[int], int]) -> AskedIds:
    return lambda ids, skip: ([*map(change, ids)], skip)


def _only(is_kept: Callable[[int], bool]) -> AskedIds:
    return lambda ids, skip: ([*filter(is_kept, ids)], skip)


def _while(goes_on: Callable[[int], bool]) -> AskedIds:
    return lambda ids, skip: ([*takewhile(goes_on, ids)], skip)


def _until(ends: Container[int]) -> AskedIds:
    return _while(lambda one: one not in ends)


def _through(ends: Container[int]) -> AskedIds:
    def change(ids: Sequence[int], skip: bool) -> tuple[Sequence[int], bool]:
        end = next((place for place, one in enumerate(ids, 1) if one in ends), len(ids))
        return ids[:end], skip

    return change


def _without_last_bytes(
    byte_of: Callable[[int], int | None], ids: Sequence[int], skip: bool
) -> tuple[Sequence[int], bool]:
    return [*dropwhile(lambda one: byte_of(one) is not None, reversed(ids))][::-1], skip


def _cleaned_up(text: str) -> str:
    r"""The text without the spaces that transformers takes for those of a tokenizer.

    >>> _cleaned_up("x , and the word ' s ' ! do n't")
    "x, and the word's '! don't"
    """
    for spaced in CLEANED_UP:
        text = text.replace(spaced, spaced.strip())
    return text


def _outside_replaced(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    runs = groupby(ids, lambda one: tokenizer.id_to_token(one) is not None)
    return "".join(
        tokenizer.decode(run, skip_special_tokens=skip) if is_known else "\ufffd" * len(run)
        for is_known, run in ((is_known, [*run]) for is_known, run in runs)
    )


def parted(tokenizer: Tokenizer, parts: Callable[[int], bool], ids: Sequence[int], skip: bool) -> str:
    """Decodes ids some of which have no text, but end a run of bytes."""
    added = tokenizer.rules.added_tokens
    kept = [one for one in ids if parts(one) or not (skip and one in added.special_ids())]
    if any(isinstance(step, ByteLevel) for step in tokenizer.rules.decoders or ()):
        runs = ([*run] for _, run in groupby(kept, parts))
        return "".join(tokenizer.decode(run, skip_special_tokens=skip) for run in runs)
    tokens = (None if skip and parts(one) else tokenizer.id_to_token(one) for one in kept)
    return tokenizer.rules.decode_tokens([token or "" for token in tokens])


def _outside_as_token(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    kept = (one for one in ids if not skip or one not in tokenizer.rules.added_tokens.special_ids())
    return tokenizer.rules.decode_tokens([tokenizer.id_to_token(one) or "\ufffd" for one in kept])


def _bytes_as_latin_1(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    """Each byte piece as the character with its number."""
    special = tokenizer.rules.added_tokens.special_ids() if skip else frozenset()
    tokens = (tokenizer.id_to_token(one) or "" for one in ids if one not in special)
    bytes_of = ((token, byte_of_token(token)) for token in tokens)
    return tokenizer.rules.decode_tokens([token if byte is None else chr(byte) for token, byte in bytes_of])


def _apart(
    tokenizer: Tokenizer, added: Container[int], change: Callable[[str], str], ids: Sequence[int], skip: bool
) -> str:
    """Decodes each text between added tokens separately. added: the ids of these tokens; change: of each text."""
    runs = groupby(ids, added.__contains__)
    return "".join(change(tokenizer.decode([*run], skip_special_tokens=skip)) for _, run in runs)


def _without_lookalikes(decode: Text, special: re.Pattern[str], ids: Sequence[int], skip: bool) -> str:
    """Decodes with special tokens, then removes what a pattern for them matches."""
    return special.sub("", decode(ids, False)) if skip else decode(ids, False)


def _without_byte(tokenizer: Tokenizer, glyph: str, ids: Sequence[int], skip: bool) -> str:
    """Decodes tokens that contain `glyph` as text: the character stands for no byte."""
    special = tokenizer.rules.added_tokens.special_ids() if skip else frozenset()
    tokens = (tokenizer.id_to_token(one) or "" for one in ids if one not in special)
    as_text = (to_byte_characters(one.encode("utf-8")) if glyph in one else one for one in tokens)
    return tokenizer.rules.decode_tokens([*as_text])


def _by_byte_map(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    """Decodes all tokens, also added ones, by the byte map, and drops characters that it lacks."""
    text = "".join(filter(_GLYPHS.__contains__, _glyphs(tokenizer, {}, ids, skip)))
    return (from_byte_characters(text) or b"").decode("utf-8", "replace")


def _reread(tokenizer: Tokenizer, change: Callable[[bytes], bytes], ids: Sequence[int], skip: bool) -> str:
    """Changes the bytes of the ids to what another UTF-8 decoder makes of them, and decodes these."""
    data = from_byte_characters(_glyphs(tokenizer, {}, ids, skip))
    return tokenizer.decode(ids, skip_special_tokens=skip) if data is None else change(data).decode("utf-8", "replace")


def _character(found: re.Match[bytes]) -> bytes:
    """The character of a sequence without any check, as UTF-8; U+FFFD if there is no such character."""
    lead, *continuations = found[0]
    code = lead & (0x3F >> len(continuations))
    for byte in continuations:
        code = code << 6 | byte & 0x3F
    return ("\ufffd" if code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)).encode("utf-8")


def _finished(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    """The text without what stands for bytes at the end that the next ones could complete."""
    text = tokenizer.decode(ids, skip_special_tokens=skip)
    if not text.endswith("\ufffd"):
        return text
    tokens = (byte_of_token(tokenizer.id_to_token(one) or "") for one in reversed(ids))
    data = bytes(byte for byte in takewhile(lambda one: one is not None, tokens) if byte is not None)[::-1]
    if data:
        whole = len(data) - _unfinished(data)
        if not is_utf_8(data[:whole]):  # a run is judged as a whole
            return text
        return tokenizer.decode(ids[: len(ids) - len(data) + whole], skip_special_tokens=skip)
    added = tokenizer.rules.added_tokens.tokens  # whose letters stand for no bytes
    behind = [*takewhile(lambda one: one not in added, reversed(ids))][::-1]
    data = from_byte_characters(_glyphs(tokenizer, {}, behind, skip)) or b""
    return text[:-1] if _unfinished(data) else text


def is_utf_8(data: bytes) -> bool:
    """Whether bytes are characters, all of them."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _unfinished(data: bytes) -> int:
    r"""How many bytes at the end begin a character that others could complete.

    >>> _unfinished(b"a\xe2\x98"), _unfinished(b"a\xff"), _unfinished(b"\xc3\xa9")
    (2, 0, 0)
    """
    decoder = getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    return len(decoder.getstate()[0])


def _spaced(tokenizer: Tokenizer, apart: Container[int], ids: Sequence[int], skip: bool) -> str:
    """Some tokens apart from the text, as slow tokenizers of transformers join them. apart: their ids."""
    special = tokenizer.rules.added_tokens.special_ids()
    kept = [one for one in ids if not skip or one not in special]
    runs = groupby(enumerate(kept), lambda pair: pair[0] if pair[1] in apart else -1)
    return " ".join(tokenizer.decode([one for _, one in run], skip_special_tokens=False) for _, run in runs)


def first_space_kept(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    """The text of ids that begin with a special token as if other text came before it."""
    if not ids or ids[0] not in tokenizer.rules.added_tokens.special_ids() | _controls(tokenizer):
        return tokenizer.decode(ids, skip_special_tokens=skip)
    return behind_text(tokenizer, ids, skip)


def first_space_stripped(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    """Decodes the special tokens at the start, and then the other ids as a text of their own."""
    special = tokenizer.rules.added_tokens.special_ids() | _controls(tokenizer)
    first = next((place for place, one in enumerate(ids) if one not in special), len(ids))
    return "".join(tokenizer.decode(some, skip_special_tokens=skip) for some in (ids[:first], ids[first:]))


def behind_text(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    """The text of ids as if other text came before it."""
    before = tokenizer.encode_ids("a", add_special_tokens=False)
    whole = tokenizer.decode([*before, *ids], skip_special_tokens=skip)
    return whole.removeprefix(tokenizer.decode(before, skip_special_tokens=skip))


def _controls(tokenizer: Tokenizer) -> frozenset[int]:
    table = piece_table(tokenizer)
    pieces = () if table is None else table.pieces
    return frozenset(index for index, piece in enumerate(pieces) if piece.type is PieceType.CONTROL)


def _as_they_stand(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    added = tokenizer.rules.added_tokens
    kept = [one for one in ids if not skip or one not in added.special_ids()]
    text = ""
    for is_added, run in groupby(kept, added.tokens.__contains__):
        some = [*run]
        text += "".join(added.tokens[one].content for one in some) if is_added else tokenizer.decode(some)
    return text


def of_skipped_tokens(
    tokenizer: Tokenizer, answers: Iterable[tuple[Sequence[int], Decoded, Decoded]]
) -> Iterator[DecodingFault]:
    """The added tokens that are skipped, or not, against their flag, as far as these answers show.

    Tokens that differ in their numbers alone, such as `<extra_id_0>`, go together.
    answers: ids, each with the right text and the text that the subject gave.
    """
    tokens, special = tokenizer.rules.added_tokens.tokens, tokenizer.rules.added_tokens.special_ids()
    shapes: dict[bool, set[str]] = {True: set(), False: set()}
    for ids, right, observed in answers:
        for one in {*ids} & tokens.keys():
            content = tokens[one].content
            if (content in right.text) != (content in observed.text):
                shapes[content in observed.text].add(_DIGITS.sub("0", content))
    for is_kept, found in shapes.items():
        wrong = {one for one, token in tokens.items() if _DIGITS.sub("0", token.content) in found}
        wrong = wrong & special if is_kept else wrong - special
        if wrong:
            name = f"“{tokens[min(wrong)].content}” is" if len(wrong) == 1 else "some tokens are"
            rule = f"{name} {'not skipped though special' if is_kept else 'skipped though not special'}"
            skipped = special - wrong if is_kept else special | wrong
            yield of_decoded_ids(rule, tokenizer, partial(_skipping, skipped), learnt="skipped")


def _skipping(skipped: Container[int], ids: Sequence[int], skip: bool) -> tuple[Sequence[int], bool]:
    return [one for one in ids if not skip or one not in skipped], False


class _BytesBySubparts:
    """ByteFallback that keeps the valid characters of a run of bytes that is not UTF-8 as a whole."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        decoded: list[str] = []
        for is_byte, run in groupby(tokens, lambda token: byte_of_token(token) is not None):
            group = [*run]
            decoded += [_by_subparts(group)] if is_byte else group
        return decoded


def _of_pieces(tokenizer: Tokenizer, decode: Text) -> Iterator[tuple[str, Text]]:
    table = piece_table(tokenizer)
    if table is None:
        return
    byte_ids = _byte_ids(table)
    by_runs = partial(_by_runs, table, decode)

    def prefixed(ids: Sequence[int], skip: bool) -> str:
        first = next((token for one in ids if (token := table.id_to_token(one))), "")
        return " " + decode(ids, skip) if first.startswith("▁") else decode(ids, skip)

    control = _controls(tokenizer)
    if byte_ids:
        yield "byte pieces are given out by name", partial(_by_lone_runs, table, decode)
        yield "one U+FFFD for each maximal subpart", partial(by_runs, _by_subparts)
        yield (
            "bytes join across control pieces",
            lambda ids, skip: decode([one for one in ids if one not in control], skip),
        )
    yield "the space of the dummy prefix is kept", prefixed


class _KeepsFirstSpace(SentencePieceDecoder):
    """Never strips a space at the start."""

    def text_of(self, token: str, is_start: bool) -> tuple[str, bool]:
        return super().text_of(token, False)


class _StripsOneSpace(SentencePieceDecoder):
    """Strips one leading space, as if remove_extra_whitespaces were off, instead of all."""

    def text_of(self, token: str, is_start: bool) -> tuple[str, bool]:
        text, is_start = super().text_of(token, is_start)
        return text, is_start and not token.startswith(SPACE_SYMBOL)


class _ControlsByName(SentencePieceDecoder):
    """Shows control pieces by name; the next piece still loses its first space."""

    def _surface(self, token: str) -> str:
        return token if token in self._control else super()._surface(token)


class _ControlsAsText(SentencePieceDecoder):
    def text_of(self, token: str, is_start: bool) -> tuple[str, bool]:
        return (token, False) if token in self._control else super().text_of(token, is_start)


class _UnknownByName(SentencePieceDecoder):
    def _surface(self, token: str) -> str:
        return token if token == self._unk_piece else super()._surface(token)


class _UnknownAsNothing(SentencePieceDecoder):
    def _surface(self, token: str) -> str:
        return "" if token == self._unk_piece else super()._surface(token)


class _BytesByName(SentencePieceDecoder):
    def byte_of(self, token: str) -> int | None:
        return None


class _BytesAlone(_BytesByName):
    def _surface(self, token: str) -> str:
        byte = SentencePieceDecoder.byte_of(self, token)
        return super()._surface(token) if byte is None else bytes([byte]).decode(errors="replace")


class _WrongBytesDropped(SentencePieceDecoder):
    """Drops invalid bytes before the first space is stripped."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        kept: list[str] = []
        for is_bytes, run in groupby(tokens, self._byte_pieces.__contains__):
            group = [*run]
            kept += _right_bytes(group) if is_bytes else group
        return super().decode_chain(kept)


def _right_bytes(pieces: Sequence[str]) -> list[str]:
    """The byte pieces that form valid UTF-8."""
    places, kept = iter(pieces), list[str]()
    for character in _bytes(pieces).decode("utf-8", "surrogateescape"):
        of_character = [*islice(places, len(character.encode("utf-8", "surrogateescape")))]
        kept += [] if "\udc80" <= character <= "\udcff" else of_character
    return kept


_MIXINS: tuple[tuple[str, PieceType, type[SentencePieceDecoder]], ...] = (
    ("byte pieces are given out by name", PieceType.BYTE, _BytesByName),
    ("each byte is decoded alone", PieceType.BYTE, _BytesAlone),
    ("bytes that are not UTF-8 are dropped", PieceType.BYTE, _WrongBytesDropped),
    ("control pieces are given out by name", PieceType.CONTROL, _ControlsAsText),
    ("control pieces are given out by name", PieceType.CONTROL, _ControlsByName),
    ("the unknown token is given out by name", PieceType.UNKNOWN, _UnknownByName),
    ("the unknown token is given out as nothing", PieceType.UNKNOWN, _UnknownAsNothing),
    ("the space of the dummy prefix is kept", PieceType.NORMAL, _KeepsFirstSpace),
    ("only the first leading space is stripped", PieceType.NORMAL, _StripsOneSpace),
)
"""Rules, the type of pieces that shows them, and the overridden methods of SentencePieceDecoder."""


def _of_mixins(tokenizer: Tokenizer) -> Iterator[DecodingFault]:
    table = piece_table(tokenizer)
    types = set() if table is None else {piece.type for piece in table.pieces}
    for rule, type_of_pieces, mixin in _MIXINS:
        if type_of_pieces in types:
            yield DecodingFault("Decoder", rule, with_mixins(tokenizer, (mixin,)), mixin=mixin)


def with_mixins(tokenizer: Tokenizer, mixins: tuple[type[Any], ...]) -> Text:
    """Decodes with these methods overridden."""
    steps = tuple(
        _with_mixins(step, mixins) if isinstance(step, SentencePieceDecoder) else step
        for step in tokenizer.rules.decoders or ()
    )
    return partial(_decoded_by, replace(tokenizer.rules, decoders=steps))


@lru_cache(maxsize=64)
def _with_mixins(step: SentencePieceDecoder, mixins: tuple[type[Any], ...]) -> SentencePieceDecoder:
    # Base classes of other mixins are left out: with both, Python finds no consistent method order.
    bases = (*(one for one in mixins if not any(issubclass(other, one) for other in mixins if other is not one)),)
    changed: type[SentencePieceDecoder] = type("ChangedDecoder", bases, {})
    settings = step.unk_surface, step.strips_first_space, step.strips_all_spaces, step.denormalizer
    return changed(step.table, *settings)


def _decoded_by(rules: Pipeline, ids: Sequence[int], skip: bool) -> str:
    return rules.decode(ids, skip_special_tokens=skip)


def _byte_ids(table: PieceTable) -> set[int]:
    return {index for index, piece in enumerate(table.pieces) if piece.type is PieceType.BYTE}


def _by_runs(
    table: PieceTable, decode: Text, of_bytes: Callable[[list[str]], str], ids: Sequence[int], skip: bool
) -> str:
    """The text of runs of byte pieces, each given otherwise, and of what is between them."""
    text, before = "", list[int]()
    for is_bytes, run in _runs(table, ids):
        if is_bytes:
            text += of_bytes([table.pieces[one].piece for one in run])
        else:
            text += decode([*before, *run], skip).removeprefix(decode(before, skip))
        before = run
    return text


def _by_lone_runs(table: PieceTable, decode: Text, ids: Sequence[int], skip: bool) -> str:
    """The names of byte pieces, and between them each run of others decoded as if it were all."""
    text = ""
    for is_bytes, run in _runs(table, ids):
        text += "".join(table.pieces[one].piece for one in run) if is_bytes else decode(run, skip)
    return text


def _runs(table: PieceTable, ids: Sequence[int]) -> Iterator[tuple[bool, list[int]]]:
    """The runs of byte pieces and of others, each with whether it is one of byte pieces."""
    for is_bytes, run in groupby(ids, _byte_ids(table).__contains__):
        yield is_bytes, [*run]


def _marked(tokenizer: Tokenizer, decode: Text) -> Text:
    """The decoding with the bytes that are not of a character as "surrogateescape" has them, not as U+FFFD.

    Where it cannot be told which U+FFFD stands for bytes, every one does.
    """
    table = piece_table(tokenizer)
    if any(isinstance(step, ByteLevel) for step in tokenizer.rules.decoders or ()):
        escaped: Text = partial(_escaped, tokenizer)
    elif table is not None and _byte_ids(table):
        escaped = partial(_by_runs, table, decode, lambda pieces: _bytes(pieces).decode(errors="surrogateescape"))
    else:
        return lambda ids, skip: decode(ids, skip).replace("\ufffd", "\udcff")

    def marked(ids: Sequence[int], skip: bool) -> str:
        right, found = decode(ids, skip), escaped(ids, skip)
        is_same = _REPLACEMENTS.sub("\ufffd", _ESCAPED.sub("\ufffd", found)) == _REPLACEMENTS.sub("\ufffd", right)
        return found if is_same else right.replace("\ufffd", "\udcff")

    return marked


def _bytes(pieces: Sequence[str]) -> bytes:
    return bytes(int(piece[3:5], 16) for piece in pieces)


def _by_subparts(pieces: Sequence[str]) -> str:
    """The text of pieces like <0x41>."""
    return _bytes(pieces).decode(errors="replace")


def _each_byte(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    """The bytes of all tokens together, each that is not of a character replaced by itself."""
    return _ESCAPED.sub(lambda found: "\ufffd" * len(found[0]), _escaped(tokenizer, ids, skip))


def _byte_by_byte(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    """Decodes each byte by itself, so that every byte above 0x7F becomes U+FFFD; added tokens are decoded as usual."""
    text = ""
    for is_added, run in groupby(ids, tokenizer.rules.added_tokens.tokens.__contains__):
        if is_added:
            text += tokenizer.decode([*run], skip_special_tokens=skip)
        else:
            data = _escaped(tokenizer, [*run], skip).encode(errors="surrogateescape")
            text += data.decode("ascii", "replace")
    return text


def _escaped(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    glyphs = _glyphs(tokenizer, {}, ids, skip)
    data = b"".join(from_byte_characters(glyph) or glyph.encode() for glyph in glyphs)
    return data.decode(errors="surrogateescape")


def _glyphs(tokenizer: Tokenizer, put_back: dict[int, str], ids: Sequence[int], skip: bool) -> str:
    special = tokenizer.rules.added_tokens.special_ids() if skip else frozenset()
    tokens = (tokenizer.id_to_token(one) or "" for one in ids if one not in special)
    return "".join(tokens).translate(put_back)


@dataclass(frozen=True, slots=True)
class _WithoutFirstPrefix:
    """WordPiece that takes the prefix off the first token too."""

    step: WordPiece

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return self.step.decode_chain([*(one.removeprefix(self.step.prefix) for one in tokens[:1]), *tokens[1:]])


@dataclass(frozen=True, slots=True)
class _FirstOnly:
    """A decoder in whose place the first match alone is replaced: of each token, or of all together."""

    step: Replace | Metaspace
    is_of_text: bool

    def decode_chain(self, tokens: list[str]) -> list[str]:
        old, new, first = self._replaced
        head, rest = tokens[:1], tokens[1:]
        if not self.is_of_text:
            return [*(one.replace(old, first, 1) for one in head), *(one.replace(old, new, 1) for one in rest)]
        return ["".join(tokens).replace(old, first if old in "".join(head) else new, 1)]

    @property
    def _replaced(self) -> tuple[str, str, str]:
        """What is replaced, by what, and by what in the first token."""
        step = self.step
        if isinstance(step, Metaspace):
            return step.replacement, " ", " " if step.prepend_scheme == "never" else ""
        return str(step.pattern), step.content, step.content


def _first_only(tokenizer: Tokenizer, index: int, step: Replace | Metaspace) -> Iterator[DecodingFault]:
    if isinstance(step, Replace) and not isinstance(step.pattern, str):
        return
    for of_what, is_of_text in (("of each token", False), ("of the text", True)):
        instead = (_FirstOnly(step, is_of_text),)
        yield _without(tokenizer, index, f"only the first space {of_what} is given out", instead)


def _first_spaces_of(decode: Text) -> Iterator[tuple[str, Text]]:
    """The same of a sentencepiece model: the first may be that of the dummy prefix, which is taken off then."""
    rule = "only the first space of the text is given out"
    yield rule, lambda ids, skip: decode(ids, skip).replace(" ", "▁").replace("▁", " ", 1)
    yield rule, lambda ids, skip: decode(ids, skip).replace(" ", "▁")


def _without(tokenizer: Tokenizer, index: int, rule: str, instead: Sequence[Decoder] = ()) -> DecodingFault:
    return _of_steps(tokenizer, rule, with_steps(tokenizer.rules.decoders or (), index, instead))


def _of_steps(tokenizer: Tokenizer, rule: str, steps: Sequence[Decoder]) -> DecodingFault:
    changed = replace(tokenizer.rules, decoders=tuple(steps))
    return DecodingFault(
        "Decoder",
        rule,
        lambda ids, skip: changed.decode(ids, skip_special_tokens=skip),
        lambda ids, skip: changed.trace_decode(ids, skip_special_tokens=skip),
    )
