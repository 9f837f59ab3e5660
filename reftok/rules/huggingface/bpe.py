"""Byte-pair encoding by merges, the model `BPE` of tokenizer.json.

A word becomes symbols (`BPE.symbols`), the symbols merge (`merge_all` in rules/merging.py), and what is left are the
tokens. After ByteLevel the text already is in the characters of its bytes (rules/byte_level.py).

Source: tokenizers 0.23 models/bpe/model.rs (`merge_word`) and models/bpe/word.rs (`merge_all`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.rules.merging import Merging
from reftok.rules.types import Token
from reftok.rules.vocab_model import VocabModel

Merges = Mapping[tuple[int, int], tuple[int, int]]
"""A pair of ids to the rank of its merge and the id that it becomes."""

Symbol = tuple[int, int]
"""An id, and the number of bytes of the word that it stands for."""


@dataclass(frozen=True, slots=True)
class BPEOptions:
    """The options of the model, named as in the file; an empty string is the same as none."""

    unk_token: str | None = None
    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    fuse_unk: bool = False
    byte_fallback: bool = False
    ignore_merges: bool = False


class BPE(Merging, VocabModel):
    """Merges of the lowest rank first, the leftmost of equals first.

    vocab: token to id.
    merges: pairs of tokens; the first pair has rank 0, and if a pair occurs twice, the last one counts.
    source: the file's name, for messages.
    Raises ModelFormatError for a merge whose parts or result are not in the vocab, UnsupportedFeature for byte
    fallback together with a subword prefix or a word suffix (the library falls back to the bytes of these too, and its
    offsets lie outside the text then), and for a merge whose right part is an unknown token as long as the prefix.

    Quirks: with `ignore_merges` a word of the vocab is one token, whatever the merges say. Byte fallback is all or
    nothing for a character. An unknown token is held until the next known character or the end, so that the byte
    tokens of characters between stand before it. Without `unk_token` an unknown character vanishes, and the offsets of
    all tokens after it in the word are shifted.

    >>> model = BPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4}, [("b", "c"), ("a", "b")])
    >>> [token.value for token in model.tokenize("abc")]
    ['a', 'bc']
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Sequence[Sequence[str]],
        options: BPEOptions = BPEOptions(),
        source: str = "",
    ) -> None:
        if options.byte_fallback and (options.continuing_subword_prefix or options.end_of_word_suffix):
            raise UnsupportedFeature(source, "model.byte_fallback", "is not supported with a prefix or suffix of words")
        super().__init__(vocab, None if options.unk_token is None else vocab.get(options.unk_token))
        self.options = options
        self.source = source
        prefix, suffix, unk_token = options.continuing_subword_prefix, options.end_of_word_suffix, options.unk_token
        # A merge that takes the prefix off an unknown token of the same length gives its left token once more. Pairs of
        # two ranks can then become one id at one place, and the library, which compares ids, takes the older rank.
        loses_all_text = prefix and unk_token and len(unk_token.encode()) == len(prefix.encode())
        if loses_all_text and any(right == unk_token for _, right in merges):
            problem = f"{unk_token!r:.60} loses all its text to the subword prefix, which is not supported"
            raise UnsupportedFeature(source, "model.merges", problem)
        self.ids_of_merges = ids_of_merges(vocab, merges, prefix, source)
        # The ids of single characters: first those within a word, then those at its end, which have the suffix.
        self.ids_at_start = _character_ids(vocab, "", ""), _character_ids(vocab, "", suffix)
        self.ids_after_start = _character_ids(vocab, prefix, ""), _character_ids(vocab, prefix, suffix)

    @cached_property
    def merges(self) -> Merges:
        """The merges by the pairs of their ids."""
        return ranked(*self.ids_of_merges)

    @property
    def byte_fallback(self) -> bool:
        """Whether an unknown character becomes the tokens of its bytes."""
        return self.options.byte_fallback

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token."""
        if self.takes_whole(text):
            return [Token(self.vocab[text], text, (0, len(text)))]
        symbols = self.symbols(text)
        merged = self.merge_symbols([token_id for token_id, _ in symbols], self.merge_of)
        # The library counts bytes of the symbols, so offsets follow from those: see the quirk of vanishing characters.
        starts = [0, *accumulate(length for _, length in symbols)]
        bounds = pairwise([*(starts[index] for index, _ in merged), starts[-1]])
        character_at = [index for index, character in enumerate(text) for _ in character.encode("utf-8")]
        return [
            Token(token_id, self.tokens[token_id], (character_at[start], character_at[end - 1] + 1))
            for (_, token_id), (start, end) in zip(merged, bounds, strict=True)
        ]

    def takes_whole(self, text: str) -> bool:
        """Whether a pre-token is one token without a look at the merges."""
        return self.options.ignore_merges and bool(text) and text in self.vocab

    def merge_of(self, left: int, right: int) -> tuple[int, int] | None:
        """The rank of the merge of two neighbours and the id that they become; None if they do not merge."""
        return self.merges.get((left, right))

    def symbols(self, text: str) -> list[Symbol]:
        """The word before any merge: for each character its token, its bytes, or the unknown token."""
        options = self.options
        symbols: list[Symbol] = []
        unknown: Symbol | None = None  # held until the next known character: see the quirks
        for index, character in enumerate(text):
            ids = self.ids_after_start if index else self.ids_at_start
            token_id = ids[index == len(text) - 1].get(character)
            length = len(character.encode("utf-8"))
            if token_id is not None:
                if unknown is not None:
                    symbols.append(unknown)
                    unknown = None
                symbols.append((token_id, length))
            elif (fallback := self.byte_ids(character)) is not None:
                symbols += [(byte_id, 1) for byte_id in fallback]
            elif options.unk_token is not None:
                if unknown is not None and not options.fuse_unk:
                    symbols.append(unknown)
                    unknown = None
                unknown = self.needed_unk_id(), length + (unknown[1] if unknown is not None else 0)
        return symbols if unknown is None else [*symbols, unknown]

    def byte_ids(self, character: str) -> list[int] | None:
        """The ids of the bytes of a character; None if it does not fall back to them."""
        if not self.options.byte_fallback:
            return None
        ids = [self.vocab.get(f"<0x{byte:02X}>") for byte in character.encode("utf-8")]
        return None if None in ids else [token_id for token_id in ids if token_id is not None]

    def needed_unk_id(self) -> int:
        """The id of the unknown token. Raises ModelFormatError if it is not in the vocab."""
        if self.unk_id is None:
            raise ModelFormatError(
                self.source, "model.unk_token", f"{self.options.unk_token!r:.60} is not in the vocab"
            )
        return self.unk_id


def _character_ids(vocab: Mapping[str, int], prefix: str, suffix: str) -> Mapping[str, int]:
    """Character to id, for the entries that are one character between a prefix and a suffix."""
    if not prefix and not suffix:
        return vocab
    length = len(prefix) + 1 + len(suffix)
    return {
        token[len(prefix)]: token_id
        for token, token_id in vocab.items()
        if len(token) == length and token.startswith(prefix) and token.endswith(suffix)
    }


def ranked(lefts: Sequence[int], rights: Sequence[int], wholes: Sequence[int]) -> Merges:
    """The merges by pairs of ids. lefts, rights, wholes: as `merge_ids` gives them."""
    return dict(zip(zip(lefts, rights, strict=True), enumerate(wholes), strict=True))


def ids_of_merges(
    vocab: Mapping[str, int], merges: Sequence[Sequence[str]], prefix: str, source: str
) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """The ids of the left tokens of the merges, of their right tokens and of their results.

    The result is the left token followed by the right one without its subword prefix. Quirk: as many bytes as the
    prefix has are taken off, whatever they are.
    Raises ModelFormatError for a token that is not in the vocab.
    """
    lefts: list[int] = []
    rights: list[int] = []
    wholes: list[int] = []
    prefix_bytes = len(prefix.encode("utf-8"))
    try:
        for left, right in merges:
            lefts.append(vocab[left])
            rights.append(vocab[right])
            wholes.append(vocab[left + (_without_bytes(right, prefix_bytes) if prefix else right)])
    except KeyError as missing:
        place = f"model.merges[{len(wholes)}]"
        raise ModelFormatError(source, place, f"{missing.args[0]!r:.60} is not in the vocab") from None
    except UnicodeDecodeError:
        problem = f"{right!r:.60} does not begin with the subword prefix {prefix!r:.60}"
        raise ModelFormatError(source, f"model.merges[{len(wholes)}]", problem) from None
    return lefts, rights, wholes


def _without_bytes(token: str, length_bytes: int) -> str:
    """The token without its first bytes. Raises UnicodeDecodeError if it has fewer, or a character across the cut."""
    data = token.encode("utf-8")
    if length_bytes > len(data):
        raise UnicodeDecodeError("utf-8", data, 0, len(data), "shorter than the prefix")
    return data[length_bytes:].decode("utf-8")
