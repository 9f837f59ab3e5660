"""Special tokens: they are cut out of the text before anything else.

Source: llama.cpp src/llama-vocab.cpp (`tokenizer_st_partition`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reftok.errors import UnsupportedFeature
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.llama_cpp.vocab import CUT_OUT, SPECIAL, Attribute, LlamaVocab
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import Token

SPACES = " \t\n\v\f\r"
"""`isspace` of C."""

_SPACES = frozenset(SPACES)


class LlamaSpecialTokens(AddedVocabulary):
    """The tokens of the vocab that are cut out of raw text: control, unknown and user-defined tokens.

    source: the file's name, for messages.
    Raises UnsupportedFeature for such a token that is not UTF-8.

    Quirks: the whole text is searched for one token after the other, the longest in bytes first, so that matching is
    not leftmost-longest. The order of equally long tokens is undefined (`std::sort`), which matters only if two of them
    overlap; here it is that of the ids. White space beside some tokens of some models is dropped.

    >>> ids = {"ab": 0, "bcd": 1}
    >>> user_defined = [Attribute.USER_DEFINED] * 2
    >>> vocab = LlamaVocab(list(ids), ids, user_defined, "spaces escaped", None, None, add_bos=False, add_eos=False)
    >>> [part.normalized.text for part in LlamaSpecialTokens(vocab).split_raw([Part(NormalizedString("abcd"))])]
    ['a', 'bcd']
    """

    def __init__(self, vocab: LlamaVocab, source: str = "") -> None:
        super().__init__()
        self.vocab = vocab
        cut_out = [token_id for token_id, attribute in enumerate(vocab.attributes) if attribute & CUT_OUT]
        sizes = {token_id: len(vocab.tokens[token_id].encode("utf-8", "surrogateescape")) for token_id in cut_out}
        # `sorted` keeps the order of equals, which is that of the ids.
        self.longest_first = sorted(cut_out, key=lambda token_id: -sizes[token_id])
        for token_id in cut_out:
            if any("\ud800" <= character <= "\udfff" for character in vocab.tokens[token_id]):
                place = f"tokenizer.ggml.tokens[{token_id}]"
                raise UnsupportedFeature(source, place, "a special token that is not UTF-8 is not supported")

    def split_raw(self, parts: Sequence[Part], encode_special_tokens: bool = False) -> list[Part]:
        """Cut the special tokens out.

        encode_special_tokens: treat control and unknown tokens as ordinary text (`parse_special` is off).
        """
        for token_id in self.longest_first:
            text = self.vocab.tokens[token_id]
            if encode_special_tokens and self.vocab.attributes[token_id] & SPECIAL:
                continue
            if any(part.tokens is None and text in part.normalized.text for part in parts):
                parts = [piece for part in parts for piece in self._cut_out(part, token_id, text)]
        return list(parts)

    def _cut_out(self, part: Part, token_id: int, text: str) -> Iterator[Part]:
        if part.tokens is not None:
            yield part
            return
        normalized, attribute = part.normalized, self.vocab.attributes[token_id]
        start = 0
        while (found := normalized.text.find(text, start)) >= 0:
            gap = normalized.text[start:found]
            end = start + len(gap.rstrip(SPACES)) if attribute & Attribute.LSTRIP else found
            yield from _raw(normalized, start, end)
            start = found + len(text)
            yield Part(normalized.slice(found, start), (Token(token_id, text, (0, len(text))),))
            # White space after the token is skipped, so that it is in no part.
            while attribute & Attribute.RSTRIP and normalized.text[start : start + 1] in _SPACES:
                start += 1
        yield from _raw(normalized, start, len(normalized))


def _raw(normalized: NormalizedString, start: int, end: int) -> Iterator[Part]:
    if start < end:
        yield Part(normalized.slice(start, end))
