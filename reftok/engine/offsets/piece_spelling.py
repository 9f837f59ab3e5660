"""The spelling of ids of a sentencepiece model: their tokens, and how much of the normalized text each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from reftok.unicode.ranges import as_ranges

_LONGEST_PIECE = 249
_LEADING_BYTES = {2: 250, 3: 251, 4: 252}
_CONTINUING_BYTE = 253
_CHARACTERS = [
    (bytes([code, *[_CONTINUING_BYTE] * (size - 1)]), bytes([*[0] * (size - 1), 1]))
    for size, code in _LEADING_BYTES.items()
]
"""The codes of the bytes of a character, and their lengths: the last one has the whole character."""


class Spelling:
    """Tells the tokens and their lengths from ids that were found for a text.

    pieces: by id.
    text_pieces: those that match text.
    byte_ids: of the byte pieces, by the byte; () where bytes do not fall back.
    unk_id: of the unknown piece.

    >>> spelling = Spelling(["<unk>", "a", "ab"], ["a", "ab"], (), 0)
    >>> spelling.tokens([2, 0, 1], "abxya"), spelling.tokens([0], "ab")
    (['ab', 'xy', 'a'], None)
    """

    def __init__(self, pieces: Sequence[str], text_pieces: Iterable[str], byte_ids: Sequence[int], unk_id: int) -> None:
        self._pieces = pieces
        self._unk_id = unk_id
        self._known = frozenset(chain.from_iterable(text_pieces))
        self._unknown_runs: re.Pattern[str] | None = None
        codes = [len(piece) if len(piece) <= _LONGEST_PIECE else 0 for piece in pieces]
        for byte, token_id in enumerate(byte_ids):
            codes[token_id] = _code(byte)
        self._codes = bytes(codes)
        self._falls_to_bytes = bool(byte_ids)

    def tokens(self, ids: Sequence[int], text: str) -> list[str] | None:
        """The tokens of a text with these ids; None where they are not known from the ids.

        What is surely unknown are the characters that are in no piece. Where they are not all, the lengths of the
        tokens do not add up to that of the text.
        """
        tokens = [*map(self._pieces.__getitem__, ids)]
        if self._falls_to_bytes or self._unk_id not in ids:
            return tokens
        runs = self._pattern_of_unknown().findall(text)
        places = [place for place, token_id in enumerate(ids) if token_id == self._unk_id]
        if len(runs) != len(places):
            return None
        for place, run in zip(places, runs, strict=True):
            tokens[place] = run
        return tokens

    def has_unknown(self, text: str) -> bool:
        """Whether there is a character that is in no piece; others may be unknown as well."""
        return self._pattern_of_unknown().search(text) is not None

    def _pattern_of_unknown(self) -> re.Pattern[str]:
        if self._unknown_runs is None:
            ranges = as_ranges(map(ord, self._known))
            members = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
            self._unknown_runs = re.compile(f"[^{members}]+" if members else "(?s:.+)")
        return self._unknown_runs

    def lengths(self, ids: Sequence[int], tokens: Sequence[str]) -> Sequence[int]:
        """How many characters of the text each token stands for; of a character's bytes the last one has it.

        >>> byte_ids = range(3, 259)
        >>> spelling = Spelling(["<unk>", "a", "ab", *["<0x..>"] * 256], ["a", "ab"], byte_ids, 0)
        >>> list(spelling.lengths([2, 3 + 0xC3, 3 + 0xA9, 1], ["ab", "<0xC3>", "<0xA9>", "a"]))
        [2, 0, 1, 1]
        """
        if not self._falls_to_bytes:
            return [*map(len, tokens)]
        codes = bytes(map(self._codes.__getitem__, ids))
        for character, lengths in _CHARACTERS:
            codes = codes.replace(character, lengths)
        return codes


def _code(byte: int) -> int:
    if byte < 0x80:
        return 1
    if byte < 0xC0:
        return _CONTINUING_BYTE
    return _LEADING_BYTES[min(2 + (byte >= 0xE0) + (byte >= 0xF0), 4)]
