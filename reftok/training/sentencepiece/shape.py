"""What a piece may look like, so that it can come into a vocabulary.

Source: sentencepiece 0.2.3, trainer_interface.cc (`IsValidSentencePiece`), unicode_script_map.h (Unicode 9.0).

- It has max_sentencepiece_length characters at most, and none of U+2585 (the unknown), U+0000, U+001F (where a special
  piece stood) and the space.
- `▁` stands only at its start. With treat_whitespace_as_suffix only at its end; without split_by_whitespace also
  within, but not as the last (with the suffix: not as the first) of several characters; with
  allow_whitespace_only_pieces there may be nothing but `▁`.
- With split_by_unicode_script its characters are of one script. Hiragana, Katakana and U+30FC count as Han, inherited
  characters as the script before them, what Unicode 9.0 did not have as Common; `▁` is passed over. Without
  split_by_number a digit goes with every script, and the script before it is forgotten.
- With split_digits a digit stands alone. Digits are 0 to 9 and U+FF10 to U+FF19.

>>> shapes = PieceShapes(TrainerOptions())
>>> [shapes.is_valid(piece) for piece in ("▁the", "the▁", "かな漢字", "F1")]
[True, False, True, False]
"""

from __future__ import annotations

from typing import TypeAlias

from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.unicode.characters import script

UNKNOWN_CHARACTER = "▅"
"""U+2585, what a character becomes that has no piece."""

BOUNDARY = "\x1f"
"""U+001F, what a special piece in the text becomes, and the delimiter of pre-tokenization."""

DIGITS = frozenset("0123456789０１２３４５６７８９")
_NEVER = frozenset({UNKNOWN_CHARACTER, BOUNDARY, "\0", " "})
_ANY = "any"
_INHERITED = "Inherited"

Ends: TypeAlias = tuple[str | None, str | None]
"""The scripts that a piece begins and ends with, as its neighbours see them; None where it has none of its own."""


class PieceShapes:
    """The rules above under some options.

    A piece made of two that are valid is valid if their ends go together: so a merge is checked without a look at all
    its characters.
    """

    def __init__(self, options: TrainerOptions) -> None:
        self.longest = options.max_sentencepiece_length
        self.one_script = options.split_by_unicode_script
        self.one_digit = options.split_digits
        self._options = options
        self._scripts: dict[str, str] = {}

    def is_valid(self, piece: str) -> bool:
        """Whether a text may be a piece."""
        if not 0 < len(piece) <= self.longest or not _NEVER.isdisjoint(piece):
            return False
        if self.one_digit and len(piece) > 1 and not DIGITS.isdisjoint(piece):
            return False
        if SPACE_SYMBOL in piece and not self.has_valid_spaces(piece):
            return False
        return not self.one_script or self._scripts_agree(piece)

    def can_pair(self, character: str) -> bool:
        """Whether any piece of several characters has this one."""
        return character not in _NEVER and not (self.one_digit and character in DIGITS)

    def has_valid_spaces(self, piece: str) -> bool:
        """Whether every `▁` stands where it may."""
        options = self._options
        if options.allow_whitespace_only_pieces and piece == SPACE_SYMBOL * len(piece):
            return True
        if options.split_by_whitespace:
            return SPACE_SYMBOL not in (piece[:-1] if options.treat_whitespace_as_suffix else piece[1:])
        return len(piece) == 1 or piece[0 if options.treat_whitespace_as_suffix else -1] != SPACE_SYMBOL

    def ends(self, character: str) -> Ends:
        """The ends of one character."""
        found = self.script(character)
        return (None, None) if found in (_INHERITED, SPACE_SYMBOL) else (found, found)

    def joined(self, left: Ends, right: Ends) -> Ends | None:
        """The ends of two pieces together, None where the scripts do not agree."""
        first, last = right
        if first is None or last is None:
            return left
        before = left[1]
        if before is None:
            return right if left[0] is None else left
        if self.one_script and first != before and first != _ANY and before != _ANY:
            return None
        return left[0], last

    def script(self, character: str) -> str:
        """The script of a character, as far as pieces go."""
        found = self._scripts.get(character)
        if found is None:
            if character == SPACE_SYMBOL:
                found = SPACE_SYMBOL
            elif character in DIGITS and not self._options.split_by_number:
                found = _ANY
            else:
                found = script(character) or "Common"
            self._scripts[character] = found
        return found

    def _scripts_agree(self, piece: str) -> bool:
        scripts = [*map(self.script, piece)]
        if len({*scripts}) == 1:
            return True
        before = _ANY
        for found in scripts:
            if found in (_INHERITED, SPACE_SYMBOL):
                continue
            if found != before and found != _ANY and before != _ANY:
                return False
            before = found
        return True
