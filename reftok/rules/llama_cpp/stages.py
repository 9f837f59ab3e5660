"""The reading of bytes and the detokenizer of llama.cpp.

Source: llama.cpp src/llama-vocab.cpp (`llama_vocab::impl::tokenize`, `detokenize`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reftok.errors import InvalidIds
from reftok.rules.llama_cpp.characters import checked_code_point, code_points
from reftok.rules.llama_cpp.vocab import LlamaVocab
from reftok.rules.text import NormalizedString
from reftok.rules.types import Span

_SPACE_BEFORE_MARK = re.compile(rb" (?=[?!.,])")
_SPACE_BEFORE_CONTRACTION = re.compile(rb" (?='(?:s|m|re|ve))")


@dataclass(frozen=True, slots=True)
class ReadCodePoints:
    r"""Bytes that are not UTF-8 become U+FFFD, or the code point that an unchecked decoder computes: C0 80 is U+0000.

    Source: `unicode_cpts_from_utf8`. Text given as str has no such bytes and does not change.

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
class Detokenizer:
    """Ids to bytes, as `llama_detokenize`.

    removes_space: the first piece loses one space.
    cleans_spaces: spaces before some punctuation are removed.
    Quirk: the first piece keeps its space if a BOS before it is removed, and if the first token has no bytes.
    """

    vocab: LlamaVocab
    removes_space: bool
    cleans_spaces: bool

    def decode(self, ids: Iterable[int], remove_special: bool, unparse_special: bool) -> bytes:
        """The bytes of the ids.

        remove_special: leave out BOS at the start and EOS at the end, if the file adds them to texts.
        unparse_special: show control and unknown tokens.
        Raises InvalidIds for an id outside the vocab; llama.cpp ends the process.
        """
        vocab, rest = self.vocab, list(ids)
        for token_id in rest:
            self.refuse_unknown(token_id)
        removes_space = self.removes_space
        if remove_special and vocab.add_bos and rest and rest[0] == vocab.bos_id:
            removes_space = False  # the quirk: the flag is used up by the BOS
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

    Source: `clean_up_tokenization_spaces` of transformers as llama.cpp has copied it: 't, 'd and 'll keep their space.

    >>> clean_spaces(b"I 'm here , you 'll see ' it ' !")
    b"I'm here, you 'll see'it '!"
    """
    text = _SPACE_BEFORE_MARK.sub(b"", text).replace(b" ' ", b"'")
    return _SPACE_BEFORE_CONTRACTION.sub(b"", text)
