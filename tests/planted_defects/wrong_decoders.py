"""Ports that read ids back as another text."""

from __future__ import annotations

import codecs
import re
from itertools import groupby

from lossy_decode import bytes_of
from official import Official
from reference import Reference, table_of

from reftok.rules.sentencepiece.pieces import PieceType


class TokenByToken(Official):
    """Each token is decoded alone: characters of several tokens are lost."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return "".join(super(TokenByToken, self).decode([one], skip_special_tokens) for one in ids)


class Trimmed(Official):
    """White space at the ends of the text is stripped."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(ids, skip_special_tokens).strip()


class CleanedUp(Official):
    """Spaces before punctuation are removed: clean_up_tokenization_spaces, which no model of this kind wants."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        text = super().decode(ids, skip_special_tokens)
        return re.sub(r" ([.,!?]|n't|'m|'s|'ve|'re)", r"\1", text)


class SpecialKept(Official):
    """Special tokens are never skipped."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(ids, False)


class SpecialDropped(Official):
    """Special tokens are always skipped."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(ids, True)


class OneReplacement(Official):
    """A run of bytes that are not UTF-8 becomes one U+FFFD, not one for each."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return re.sub("\ufffd+", "\ufffd", super().decode(ids, skip_special_tokens))


class GlyphsShown(Official):
    """Tokens are joined as they stand in the vocab, the space alone is put back."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        special = {number for number, token in self.tokenizer.get_added_tokens_decoder().items() if token.special}
        tokens = [self.tokenizer.id_to_token(one) for one in ids if not (skip_special_tokens and one in special)]
        return "".join(token or "" for token in tokens).replace("Ġ", " ").replace("Ċ", "\n")


class LatinBytes(Official):
    """Bytes are decoded as Latin-1."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(ids, skip_special_tokens).encode("utf-8").decode("latin-1")


class BytesShown(Reference):
    """Byte pieces are written as they are named: <0xE4>."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        pieces = table_of(self.tokenizer).pieces
        parts: list[str] = []
        run: list[int] = []
        for one in ids:
            if 0 <= one < len(pieces) and pieces[one].type is PieceType.BYTE:
                parts += [super().decode(run, skip_special_tokens), pieces[one].piece]
                run = []
            else:
                run.append(one)
        return "".join([*parts, super().decode(run, skip_special_tokens)])


class LeadingSpaceKept(Reference):
    """The space that the dummy prefix made stays."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        text = super().decode(ids, skip_special_tokens)
        first = next((token for one in ids if (token := self.tokenizer.id_to_token(one))), "")
        return " " + text if first.startswith("▁") else text


class AllLeadingSpacesStripped(Reference):
    """All spaces at the start go, not only that of the dummy prefix."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(ids, skip_special_tokens).lstrip(" ")


class UnknownIsNothing(Reference):
    """The unknown piece is written as nothing."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        unknown = table_of(self.tokenizer).unk_id
        return super().decode([one for one in ids if one != unknown], skip_special_tokens)


class ByteOrderMarkDropped(Official):
    """JavaScript: a TextDecoder drops a byte order mark at the start of the text."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(ids, skip_special_tokens).removeprefix("\ufeff")


class ByteOrderMarksDropped(Official):
    """What stands between two special tokens is decoded by a TextDecoder of its own, which drops a byte order mark."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        added = self.tokenizer.get_added_tokens_decoder()
        parts = ([*part] for _, part in groupby(ids, added.__contains__))
        return "".join(
            super(ByteOrderMarksDropped, self).decode(part, skip_special_tokens).removeprefix("\ufeff")
            for part in parts
        )


class PieceByteOrderMarkDropped(Reference):
    """A byte order mark at the start of the text is dropped, in a model of pieces."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(ids, skip_special_tokens).removeprefix("\ufeff")


class UnfinishedDropped(Official):
    """An incremental decoder is never told that the text ends: the bytes of an unfinished character are lost."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        added = self.tokenizer.get_added_tokens_decoder().values()
        skipped = {token.content for token in added if token.special and skip_special_tokens}
        tokens = [token for one in ids if (token := self.tokenizer.id_to_token(one)) is not None]
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return "".join(decoder.decode(bytes_of(token)) for token in tokens if token not in skipped)


class UnfinishedBytesDropped(Official):
    """Byte tokens are collected until they are a character: at the end of the text nobody asks for what is left."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        end = next((at for at in range(len(ids), 0, -1) if not self._is_byte(ids[at - 1])), 0)
        data = bytes(int(self.tokenizer.id_to_token(one)[3:5], 16) for one in ids[end:])
        try:
            data.decode()
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":
                return super().decode(ids[: end + error.start], skip_special_tokens)
        return super().decode(ids, skip_special_tokens)


class OutsideIsUnknown(Official):
    """An id outside the vocab is given out as the unknown token."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        unknown = self.tokenizer.token_to_id("<unk>")
        known = [one if self.tokenizer.id_to_token(one) is not None else unknown for one in ids]
        return super().decode(known, skip_special_tokens)


class OutsideIsFirst(Official):
    """An id outside the vocab is that of the first entry, the 0 that a table gives for what it does not have."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(
            [one if self.tokenizer.id_to_token(one) is not None else 0 for one in ids], skip_special_tokens
        )


class OutsideIsReplaced(Official):
    """An id outside the vocab is given out as U+FFFD."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        parts = groupby(ids, lambda one: self.tokenizer.id_to_token(one) is not None)
        return "".join(
            super(OutsideIsReplaced, self).decode([*part], skip_special_tokens) if known else "\ufffd" * len([*part])
            for known, part in parts
        )


class SignedBytesDropped(Official):
    """The bytes of tokens are signed: one beyond 0x7F does not parse, and is left out."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        kept = [one for one in ids if not (self._is_byte(one) and int(self.tokenizer.id_to_token(one)[3:5], 16) > 0x7F)]
        return super().decode(kept, skip_special_tokens)
