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

from itertools import pairwise

from reftok.fast.memo import Memo
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.unicode.characters import script

UNKNOWN_CHARACTER = "▅"
"""U+2585, what a character becomes that has no piece."""

BOUNDARY = "\x1f"
"""U+001F, what a special piece in the text becomes, and the delimiter of pre-tokenization."""

DIGITS = frozenset("0123456789０１２３４５６７８９")
_NEVER = frozenset({UNKNOWN_CHARACTER, BOUNDARY, "\0", " "})

# What stands for a character in a shape; other scripts have letters of their own.
_FORBIDDEN, _DIGIT, _COMMON, _INHERITED = "!0.~"
_FIRST_SCRIPT = 0x100


class PieceShapes:
    """The rules above under some options.

    A piece is valid by its shape: a letter for each character, which says its script. There are few shapes, so each is
    checked once.
    """

    def __init__(self, options: TrainerOptions) -> None:
        self.longest = options.max_sentencepiece_length
        self._options = options
        self._letters = _Letters()
        self._is_valid = Memo(self._is_valid_shape)

    def is_valid(self, piece: str) -> bool:
        """Whether a text may be a piece."""
        return 0 < len(piece) <= self.longest and self._is_valid[piece.translate(self._letters)]

    def _is_valid_shape(self, shape: str) -> bool:
        options = self._options
        if _FORBIDDEN in shape:
            return False
        if options.split_digits and len(shape) > 1 and _DIGIT in shape:
            return False
        if SPACE_SYMBOL in shape and not self._has_valid_spaces(shape):
            return False
        if not options.split_by_unicode_script:
            return True
        scripts = shape.replace(SPACE_SYMBOL, "").replace(_INHERITED, "")
        if options.split_by_number:
            scripts = scripts.replace(_DIGIT, _COMMON)
        return all(left == right or _DIGIT in (left, right) for left, right in pairwise(scripts))

    def _has_valid_spaces(self, shape: str) -> bool:
        """Whether every `▁` stands where it may."""
        options = self._options
        if options.allow_whitespace_only_pieces and shape == SPACE_SYMBOL * len(shape):
            return True
        if options.split_by_whitespace:
            return SPACE_SYMBOL not in (shape[:-1] if options.treat_whitespace_as_suffix else shape[1:])
        return len(shape) == 1 or shape[0 if options.treat_whitespace_as_suffix else -1] != SPACE_SYMBOL


class _Letters(dict[int, str]):
    """The letter of each character by its code point, for `str.translate`."""

    def __init__(self) -> None:
        super().__init__()
        self._scripts = {"Common": _COMMON, "Inherited": _INHERITED}

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        if character in _NEVER:
            letter = _FORBIDDEN
        elif character == SPACE_SYMBOL:
            letter = SPACE_SYMBOL
        elif character in DIGITS:
            letter = _DIGIT
        else:
            name = script(character) or "Common"
            letter = self._scripts.setdefault(name, chr(_FIRST_SCRIPT + len(self._scripts)))
        self[code_point] = letter
        return letter
