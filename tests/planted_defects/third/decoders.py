"""Mistakes in decoding, offsets and streams."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import normalize

from reftok.rules.byte_level import from_byte_characters
from tests.planted_defects.official import Official, Spans


class Behind(Official):
    """The text is changed after decoding."""

    def given(self, text: str) -> str:
        return text

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return self.given(super().decode(ids, skip_special_tokens))


class FirstCharacterLost(Behind):
    """The first character is removed as if it were the prefix space, which is already gone."""

    def given(self, text: str) -> str:
        return text[1:]


class UnknownByName(Behind):
    """The unknown piece is decoded as its name instead of its surface."""

    def given(self, text: str) -> str:
        return text.replace(" \u2047 ", "<unk>")


class ReplacementAtTheEndDropped(Behind):
    """An incomplete character at the end is never output."""

    def given(self, text: str) -> str:
        return text.rstrip("\ufffd")


class SpaceOfThePrefixKept(Official):
    """The space of the dummy prefix is kept."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        text = super().decode(ids, skip_special_tokens)
        pieces = [one for one in map(self.tokenizer.IdToPiece, filter(self._is_in, ids)) if one not in ("<s>", "</s>")]
        return " " + text if pieces and pieces[0].startswith("▁") else text

    def _is_in(self, one: int) -> bool:
        return 0 <= one < self.tokenizer.GetPieceSize()


class LastLineEndLost(Behind):
    """The last line end is lost, as with readLine."""

    def given(self, text: str) -> str:
        return text.removesuffix("\n")


class CompatibilityForms(Behind):
    """Text is brought to NFKC before it is shown."""

    def given(self, text: str) -> str:
        return normalize("NFKC", text)


class TabsAreSpaces(Behind):
    """Tabs are shown as spaces."""

    def given(self, text: str) -> str:
        return text.replace("\t", " ")


class ControlsDropped(Behind):
    """Control characters are removed for the terminal."""

    def given(self, text: str) -> str:
        return re.sub("[\0-\x08\x0b-\x1f\x7f]", "", text)


class LinesTrimmed(Behind):
    """Spaces at the ends of lines are stripped."""

    def given(self, text: str) -> str:
        return "\n".join(line.rstrip(" ") for line in text.split("\n"))


class FirstTokenWithoutSpace(Official):
    """The first space is stripped, although the model has no dummy prefix."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(ids, skip_special_tokens).removeprefix(" ")


class OneByteAlone(Official):
    """Bytes are decoded one by one, so that each one above 0x7F becomes U+FFFD."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        added = self.tokenizer.get_added_tokens_decoder()
        text = ""
        for one in ids:
            if one in added:
                text += super().decode([one], skip_special_tokens)
            else:
                data = from_byte_characters(self.tokenizer.id_to_token(one) or "") or b""
                text += "".join(chr(byte) if byte < 0x80 else "\ufffd" for byte in data)
        return text


class SkipsUnknown(Official):
    """The unknown token is skipped together with the special tokens."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        kept = [one for one in ids if one != self.tokenizer.unk_id()]
        return super().decode(kept, skip_special_tokens)


class OneHigherBehindEmoji(Official):
    """Offsets count UTF-16 units."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)
        places = [0]
        for one in text:
            places.append(places[-1] + 1 + (one > "\uffff"))
        return ids, tokens, [(places[start], places[end]) for start, end in offsets]


class OffsetsOfTokenLengths(Official):
    """Offsets are sums of the lengths of the vocab entries."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, _ = super().encode_with_offsets(text, add_special_tokens)
        spans, end = Spans(), 0
        for token in tokens:
            spans.append((end, end + len(token)))
            end += len(token)
        return ids, tokens, spans


class OffsetsOfBytesEmpty(Official):
    """Only the first token of a character has its span; the others have an empty one."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)
        spans = Spans()
        for place, span in enumerate(offsets):
            spans.append((span[1], span[1]) if place and span == offsets[place - 1] else span)
        return ids, tokens, spans


class SpecialTokensAtTheEnd(Official):
    """The special tokens have the offset of the end of the text."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)
        special = len(ids) - len(super().encode_with_offsets(text, False)[0])
        return ids, tokens, [*[(len(text), len(text))] * special, *offsets[special:]]


class WordByWord(Official):
    """The stream waits for a space and outputs whole words."""

    def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> Iterator[str]:
        held = ""
        for part in super().stream_decode(ids, skip_special_tokens):
            held += part
            if " " in held:
                word, _, held = held.rpartition(" ")
                yield word + " "
        yield held


class EachPartStripped(Official):
    """The stream strips the end of each part."""

    def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> Iterator[str]:
        for part in super().stream_decode(ids, skip_special_tokens):
            yield part.rstrip(" ")


class NothingTwice(Official):
    """The stream drops a part that equals the one before."""

    def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> Iterator[str]:
        before = ""
        for part in super().stream_decode(ids, skip_special_tokens):
            if part != before:
                yield part
            before = part
