"""Ports that read ids back as another text."""

from __future__ import annotations

import re

from official import Official
from reference import Reference, table_of

from reftok.spec.sentencepiece.pieces import PieceType


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
