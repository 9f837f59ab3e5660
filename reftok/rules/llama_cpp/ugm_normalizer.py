"""The normalizer of UGM, the model `t5` of GGUF files.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_ugm_session::normalize`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate

from reftok.rules.llama_cpp.characters import code_points
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.text import NormalizedString
from reftok.rules.types import Span
from reftok.unicode.characters import REPLACEMENT_CHARACTER
from reftok.unicode.charsmap import Charsmap

_SPACE = SPACE_SYMBOL.encode("utf-8")
_REPLACEMENT = REPLACEMENT_CHARACTER.encode("utf-8")


class UGMNormalizer:
    """At each place a prefix of a user-defined token as it is, else the longest rule of the charsmap, else a character.

    add_space_prefix: put a space before the first word.
    remove_extra_whitespaces: one space before each word, also without one in the text, and none at the end.
    charsmap: the rules; None if there are none.
    user_defined: tokens that no rule changes.

    Quirks: any prefix of a user-defined token is kept, however short, even if it ends inside a character. No rule
    matches across a NUL. Only U+0020 is a space. With `remove_extra_whitespaces` the first word has a space whatever
    `add_space_prefix` says; without it, that space is put after the leading spaces of the text.

    >>> UGMNormalizer(True, True).normalize(NormalizedString(" a  b ")).text
    '▁a▁b'
    >>> UGMNormalizer(True, False).normalize(NormalizedString(" a  b ")).text
    '▁▁a▁▁b▁'
    """

    def __init__(
        self,
        add_space_prefix: bool,
        remove_extra_whitespaces: bool,
        charsmap: Charsmap | None = None,
        user_defined: Iterable[str] = (),
    ) -> None:
        self.add_space_prefix = add_space_prefix
        self.remove_extra_whitespaces = remove_extra_whitespaces
        self.charsmap = charsmap
        encoded = [token.encode("utf-8", "surrogateescape") for token in user_defined]
        self._starts = frozenset(token[:length] for token in encoded for length in range(1, len(token) + 1))

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        """The normalized text; a character has the span of the text that it was made of."""
        text = normalized.text
        data = text.encode("utf-8", "surrogateescape")
        character_at = [i for i, character in enumerate(text) for _ in character.encode("utf-8", "surrogateescape")]
        parts: list[bytes] = []
        origins: list[Span] = []
        for part, start, end in self._spaced(data):
            parts.append(part)
            span = normalized.original_span(character_at[start], character_at[end - 1] + 1)
            origins += [span] * len(part)
        rewritten = b"".join(parts).decode("utf-8", "surrogateescape")
        sizes = (len(character.encode("utf-8", "surrogateescape")) for character in rewritten)
        firsts = [0, *accumulate(sizes)][:-1]  # a character has the span of its first byte
        return NormalizedString(rewritten, normalized.original_start, [origins[first] for first in firsts])

    def _spaced(self, data: bytes) -> Iterator[tuple[bytes, int, int]]:
        """The output byte by byte, with spaces escaped, added and removed; each with the span of input bytes."""
        is_in_word = False
        needs_prefix = self.add_space_prefix
        for part, start, end in self._prefixes(data):
            for byte in part:
                if byte != 0x20:
                    if not is_in_word and (needs_prefix or self.remove_extra_whitespaces):
                        yield _SPACE, start, end
                        needs_prefix = False
                    is_in_word = True
                    yield bytes([byte]), start, end
                else:
                    is_in_word = False
                    if not self.remove_extra_whitespaces:
                        yield _SPACE, start, end

    def _prefixes(self, data: bytes) -> Iterator[tuple[bytes, int, int]]:
        start = 0
        for run in data.split(b"\0"):  # llama.cpp ends every look-up at a NUL
            position = 0
            while position < len(run):
                part, size = self._prefix(run, position)
                yield part, start + position, start + position + size
                position += size
            start += len(run) + 1
            if start <= len(data):
                yield b"\0", start - 1, start

    def _prefix(self, data: bytes, position: int) -> tuple[bytes, int]:
        """The replacement at a place, and the number of bytes that it replaces."""
        size = 0
        while position + size < len(data) and data[position : position + size + 1] in self._starts:
            size += 1
        if size:
            return data[position : position + size], size
        rules = [] if self.charsmap is None else self.charsmap.prefixes(data, position)
        if rules:
            size, replacement = rules[-1]
            return replacement.encode("utf-8"), size
        # Not every byte sequence is checked: see `code_points`. What it accepts is copied, wrong or not.
        code, size = next(code_points(data[position : position + 4]))
        if size == 1 and code == ord(REPLACEMENT_CHARACTER):
            return _REPLACEMENT, 1
        return data[position : position + size], size
