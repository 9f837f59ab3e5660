"""The stages of llama.cpp that stand between the special tokens and the model, and those behind it.

Source: llama.cpp src/llama-vocab.cpp (`llama_vocab::impl::tokenize`, `detokenize`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reftok.errors import InvalidIds
from reftok.spec.encodings import inserted, joined
from reftok.spec.llama.vocab import LlamaVocab
from reftok.spec.sentencepiece.pieces import SPACE_SYMBOL
from reftok.spec.text import NormalizedString
from reftok.spec.types import Encoding, Span
from reftok.unicode.llama import checked_code_point, code_points


@dataclass(frozen=True, slots=True)
class SpacePrefix:
    """A space before the text.

    Quirk: llama.cpp prepends it to a text at the start or behind a special token, which is every text there is.

    >>> SpacePrefix().normalize(NormalizedString("a")).text
    ' a'
    """

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return normalized.prepend(" ")


@dataclass(frozen=True, slots=True)
class EscapeSpaces:
    """Every space as `▁`; no other white space.

    >>> EscapeSpaces().normalize(NormalizedString("a b")).text
    'a▁b'
    """

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = normalized.text.replace(" ", SPACE_SYMBOL)
        return NormalizedString(text, normalized.original_start, normalized.alignments)


@dataclass(frozen=True, slots=True)
class ReadCodePoints:
    r"""Bytes that are not UTF-8 as U+FFFD, or as the code point that an unchecked decoder computes: C0 80 is U+0000.

    Source: `unicode_cpts_from_utf8`. Text that came as str is left as it is.

    >>> ReadCodePoints().normalize(NormalizedString("a\udcff\udcc0\udc80")).text
    'a\ufffd\x00'
    """

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = normalized.text
        if text.isascii() or not any("\udc80" <= character <= "\udcff" for character in text):
            return normalized
        characters: list[str] = []
        alignments: list[Span] = []
        start = 0
        for code, size in code_points(text.encode("utf-8", "surrogateescape")):
            end = start + (size if "\udc80" <= text[start] <= "\udcff" else 1)
            characters.append(checked_code_point(code))
            alignments.append(normalized.original_span(start, end))
            start = end
        return NormalizedString("".join(characters), normalized.original_start, alignments)


@dataclass(frozen=True, slots=True)
class BeginAndEnd:
    """BOS before the text and EOS behind it, as the file says.

    Quirk: a BOS or EOS that the text itself has is not looked at; llama.cpp only warns that there are two.

    >>> encoding = Encoding([7], ["a"], [(0, 1)], [0], [0], [0])
    >>> BeginAndEnd(((1, "<s>"),), ()).process([encoding], add_special_tokens=True)[0].ids
    [1, 7]
    """

    begin: tuple[tuple[int, str], ...]
    end: tuple[tuple[int, str], ...]

    def added_tokens(self, is_pair: bool) -> int:
        return len(self.begin) + len(self.end)

    def process(self, parts: Sequence[Encoding], add_special_tokens: bool) -> list[Encoding]:
        if not add_special_tokens:
            return list(parts)
        return [joined([_special(self.begin), *parts, _special(self.end)])]


def _special(tokens: Sequence[tuple[int, str]]) -> Encoding:
    return inserted([token_id for token_id, _ in tokens], [token for _, token in tokens], 0)


@dataclass(frozen=True, slots=True)
class Detokenizer:
    """Ids to bytes, as `llama_detokenize`.

    removes_space: the first piece loses one space.
    cleans_spaces: spaces before some punctuation go.
    Quirk: the first piece keeps its space where a BOS before it is removed, and also where the first token is one
    without any bytes.
    """

    vocab: LlamaVocab
    removes_space: bool
    cleans_spaces: bool

    def decode(self, ids: Iterable[int], remove_special: bool, unparse_special: bool) -> bytes:
        """The bytes of the ids.

        remove_special: BOS at the start and EOS at the end go, where the file has them added.
        unparse_special: control and unknown tokens have bytes.
        Raises InvalidIds for an id outside the vocab; llama.cpp ends the process.
        """
        vocab, rest = self.vocab, list(ids)
        for token_id in rest:
            self.refuse_unknown(token_id)
        removes_space = self.removes_space
        if remove_special and vocab.add_bos and rest and rest[0] == vocab.bos_id:
            removes_space = False
            rest = rest[1:]
        if remove_special and vocab.add_eos and rest and rest[-1] == vocab.eos_id:
            rest = rest[:-1]
        pieces = [vocab.piece(token_id, unparse_special) for token_id in rest]
        if removes_space and pieces:
            pieces[0] = pieces[0].removeprefix(b" ")
        decoded = b"".join(pieces)
        return clean_spaces(decoded) if self.cleans_spaces else decoded

    def refuse_unknown(self, token_id: int) -> None:
        """Raise InvalidIds for an id outside the vocab."""
        if not 0 <= token_id < len(self.vocab.tokens):
            raise InvalidIds(f"id {token_id} is not in the vocab; llama.cpp ends the process")


def clean_spaces(text: bytes) -> bytes:
    """The text without the space before `?`, `!`, `.` and `,`, around a lone apostrophe, and before 's, 'm, 're, 've.

    Source: `clean_up_tokenization_spaces` of HuggingFace transformers, as llama.cpp has it: 't, 'd and 'll keep theirs.

    >>> clean_spaces(b"I 'm here , you 'll see ' it ' !")
    b"I'm here, you 'll see'it '!"
    """
    return _before_contractions(_around_apostrophes(_before_marks(text)))


def _before_marks(text: bytes) -> bytes:
    kept = bytearray(text[:1])
    for before, byte in pairwise(text):
        if before == 0x20 and byte in b"?!.,":
            kept.pop()
        kept.append(byte)
    return bytes(kept)


def _around_apostrophes(text: bytes) -> bytes:
    kept = bytearray(text[:1])
    buffer = bytearray(text)
    position = 1
    while position < len(buffer):
        byte = buffer[position]
        if buffer[position - 1 : position + 2] == b" ' ":
            kept.pop()
            position += 1
            buffer[position] = 0
        kept.append(byte)
        position += 1
    return bytes(kept)


def _before_contractions(text: bytes) -> bytes:
    kept = bytearray(text[:1])
    for position in range(1, len(text)):
        if text[position - 1] == 0x20 and text.startswith((b"'s", b"'m", b"'re", b"'ve"), position):
            kept.pop()
        kept.append(text[position])
    return bytes(kept)
