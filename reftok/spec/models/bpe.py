"""Byte-pair encoding by merges, the model `BPE` of tokenizer.json.

Source: tokenizers 0.23 models/bpe/model.rs (`merge_word`) and models/bpe/word.rs (`merge_all`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import islice, pairwise
from math import inf
from operator import add, itemgetter

from reftok.engine.bpe.merging_model import MergingModel
from reftok.engine.bpe.ordered_merges import OrderedMerges, are_in_order
from reftok.engine.split_points.symbols import SymbolCuts
from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.spec.byte_level import to_byte_characters
from reftok.spec.sentencepiece.pieces import BYTE_PIECES
from reftok.spec.steps import Merge, Merging, Steps, WholeWord
from reftok.spec.types import Token

Merges = Mapping[tuple[int, int], tuple[int, int]]
"""A pair of ids to the rank of its merge and the id that it becomes."""

Symbol = tuple[int, int]
"""An id and how many bytes of the word it stands for."""

Made = tuple[int, int, int, int]
"""A merge that was made: its rank, the positions of both symbols, and the id that they became."""

Candidate = tuple[int, int, int]
"""The rank of a merge, the position of its left symbol, and the id that the pair becomes."""

_FEW_SYMBOLS = 24
_NO_MERGE = (inf, 0)


@dataclass(frozen=True, slots=True)
class BPEOptions:
    """The options of the model, named as in the file; an empty string is the same as none."""

    unk_token: str | None = None
    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    fuse_unk: bool = False
    byte_fallback: bool = False
    ignore_merges: bool = False


class BPE(MergingModel):
    """Merges of the lowest rank first, the leftmost of equals first.

    vocab: token to id.
    merges: pairs of tokens, the first has rank 0; of equal pairs the last counts.
    source: the file's name, for messages.
    Raises ModelFormatError for a merge whose parts or result are not in the vocab, UnsupportedFeature for byte
    fallback together with a subword prefix or a word suffix: the library falls back to the bytes of these too, and
    its offsets lie outside the text then.

    Quirks: `ignore_merges` takes a word that is in the vocab as it is. Byte fallback is all or nothing for a
    character, and does not write out an unknown token that is waiting to be fused: it comes after the bytes.
    Without `unk_token` an unknown character vanishes, and the offsets of all tokens after it in the word shift.

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
        super().__init__(vocab)
        self.options = options
        self.source = source
        prefix, suffix = options.continuing_subword_prefix, options.end_of_word_suffix
        self._merged = merged_ids(vocab, merges, prefix, source)
        is_plain = not (prefix or suffix) and len(self._tokens) == len(vocab)
        self._in_order: OrderedMerges | None = None
        if is_plain and are_in_order(*self._merged):
            self._in_order = OrderedMerges(vocab, self._tokens, *self._merged)
        self._ids_at_start = _character_ids(vocab, "", ""), _character_ids(vocab, "", suffix)
        self._ids_after_start = _character_ids(vocab, prefix, ""), _character_ids(vocab, prefix, suffix)
        self.takes_whole_words = options.ignore_merges
        self.has_other_ends = bool(prefix or suffix)

    @cached_property
    def merges(self) -> Merges:
        """The merges by the pairs of their ids."""
        return _ranked(*self._merged)

    @cached_property
    def _has_one_split_each(self) -> bool:
        return len({whole for _, whole in self.merges.values()}) == len(self.merges)

    def with_merges(self, merges: Merges) -> BPE:
        """The same model with other merges: what a faulty implementation would do, to compare with."""
        changed = copy(self)
        vars(changed).update(merges=merges, _in_order=None)
        vars(changed).pop("_has_one_split_each", None)
        changed._forget()
        return changed

    def _tokenize(self, text: str) -> tuple[Token, ...]:
        if self.options.ignore_merges and text and text in self.vocab:
            return (Token(self.vocab[text], text, (0, len(text))),)
        merged = merge_all(self.symbols(text), self.merges)
        character_at = _character_of_each_byte(text)
        tokens: list[Token] = []
        start = 0
        for token_id, length in merged:
            end = start + length
            span = character_at[start], character_at[end - 1] + 1
            tokens.append(Token(token_id, self._tokens[token_id], span))
            start = end
        return tuple(tokens)

    def _token_ids(self, text: str) -> Sequence[int]:
        if self.options.ignore_merges and text and text in self.vocab:
            return (self.vocab[text],)
        return self.merged_ids(text)

    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        if self._in_order is not None and text:
            found = self._in_order.ids(text)
            if found is not None:
                return found
        symbols = self.symbols(text, begins, ends)
        if len(symbols) <= _FEW_SYMBOLS and self._has_one_split_each:
            return merge_few([token_id for token_id, _ in symbols], self.merges)
        return [token_id for token_id, _ in merge_all(symbols, self.merges)]

    def _ids_of_raw(self, word: str) -> Sequence[int]:
        if self._in_order is None or not word:
            return super()._ids_of_raw(word)
        if self.options.ignore_merges:
            token_id = self.vocab.get(to_byte_characters(word.encode()))
            if token_id is not None:
                return (token_id,)
        found = self._in_order.ids_of_raw(word)
        return super()._ids_of_raw(word) if found is None else found

    def explain(self, text: str) -> Steps:
        """The merges that `tokenize` makes, one by one."""
        if self.options.ignore_merges and text and text in self.vocab:
            return WholeWord(text)
        symbols = self.symbols(text)
        tokens = [self._tokens[token_id] for token_id, _ in symbols]
        made: list[Made] = []
        merge_all(symbols, self.merges, made)
        merges: list[Merge] = []
        current = list(tokens)
        for rank, left, right, new_id in made:
            merges.append(Merge(rank, current[left], current[right], self._tokens[new_id], (left, right)))
            current[left] = self._tokens[new_id]
        return Merging(text, tuple(tokens), "rank", tuple(merges))

    def symbols(self, text: str, begins: bool = True, ends: bool = True) -> list[Symbol]:
        """The word before any merge: one symbol a character, or its bytes, or the unknown token.

        begins, ends: whether the word does here; False for a part of a word.
        """
        options = self.options
        symbols: list[Symbol] = []
        unknown: Symbol | None = None
        last = len(text) - 1 if ends else -1
        for index, character in enumerate(text):
            ids = self._ids_after_start if index or not begins else self._ids_at_start
            token_id = ids[index == last].get(character)
            length = len(character.encode("utf-8"))
            if token_id is not None:
                if unknown is not None:
                    symbols.append(unknown)
                    unknown = None
                symbols.append((token_id, length))
                continue
            fallback = self._byte_tokens(character) if options.byte_fallback else None
            if fallback is not None:
                symbols += [(byte_id, 1) for byte_id in fallback]
            elif options.unk_token is not None:
                if unknown is not None and options.fuse_unk:
                    unknown = unknown[0], unknown[1] + length
                    continue
                if unknown is not None:
                    symbols.append(unknown)
                unknown = self._unk_id(), length
        if unknown is not None:
            symbols.append(unknown)
        return symbols

    def _byte_tokens(self, character: str) -> list[int] | None:
        ids = [self.vocab.get(f"<0x{byte:02X}>") for byte in character.encode("utf-8")]
        return None if None in ids else [token_id for token_id in ids if token_id is not None]

    def _find_cuts(self) -> SymbolCuts:
        return SymbolCuts(self)

    def initial_ids(self) -> set[int]:
        """Every id that may stand in a word before any merge."""
        by_character = (*self._ids_at_start, *self._ids_after_start)
        ids = {token_id for found in by_character for key, token_id in found.items() if len(key) == 1}
        ids |= {self.vocab[piece] for piece in BYTE_PIECES if piece in self.vocab}
        return ids if self.unknown_id is None else {*ids, self.unknown_id}

    def inner_id(self, character: str) -> int | None:
        """The symbol of a character that is neither the first nor the last of a word, None where there is none."""
        return self._ids_after_start[0].get(character)

    def fallback_ids(self, character: str) -> list[int] | None:
        """The symbols of the bytes of a character, None where they are not used."""
        return self._byte_tokens(character) if self.options.byte_fallback else None

    @property
    def unknown_id(self) -> int | None:
        """The id of the unknown token, None where there is none."""
        return None if self.options.unk_token is None else self.vocab.get(self.options.unk_token)

    @property
    def has_every_byte(self) -> bool:
        """Whether every character has a symbol or falls back to bytes."""
        return self.options.byte_fallback and all(piece in self.vocab for piece in BYTE_PIECES)

    def _unk_id(self) -> int:
        unk_token = self.options.unk_token
        if unk_token is None or unk_token not in self.vocab:
            raise ModelFormatError(self.source, "model.unk_token", f"{unk_token!r:.60} is not in the vocab")
        return self.vocab[unk_token]


def _character_ids(vocab: Mapping[str, int], prefix: str, suffix: str) -> Mapping[str, int]:
    """The entries of one character between a prefix and a suffix, by that character."""
    if not prefix and not suffix:
        return vocab
    length = len(prefix) + 1 + len(suffix)
    return {
        token[len(prefix)]: token_id
        for token, token_id in vocab.items()
        if len(token) == length and token.startswith(prefix) and token.endswith(suffix)
    }


def merge_ranks(
    vocab: Mapping[str, int], merges: Sequence[Sequence[str]], prefix: str = "", source: str = ""
) -> Merges:
    """The merges by id. The result of a merge is the left token and the right one without its subword prefix.

    Quirk: as many bytes as the prefix has are taken off, whatever they are.
    """
    return _ranked(*merged_ids(vocab, merges, prefix, source))


def _ranked(lefts: Sequence[int], rights: Sequence[int], wholes: Sequence[int]) -> Merges:
    return dict(zip(zip(lefts, rights, strict=True), enumerate(wholes), strict=True))


def merged_ids(
    vocab: Mapping[str, int], merges: Sequence[Sequence[str]], prefix: str, source: str
) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """The ids of the left tokens of the merges, of the right ones, and of what they become.

    Raises ModelFormatError for a token that is not in the vocab.
    """
    if not prefix:
        with suppress(KeyError):
            left_tokens, right_tokens = [*map(itemgetter(0), merges)], [*map(itemgetter(1), merges)]
            tokens = [*map(add, left_tokens, right_tokens)]
            return _ids(vocab, left_tokens), _ids(vocab, right_tokens), _ids_in_order(vocab, tokens)
    lefts: list[int] = []
    rights: list[int] = []
    wholes: list[int] = []
    prefix_length_bytes = len(prefix.encode("utf-8"))
    for rank, (left, right) in enumerate(merges):
        place = f"model.merges[{rank}]"
        try:
            lefts.append(vocab[left])
            rights.append(vocab[right])
            wholes.append(vocab[left + _without_bytes(right, prefix_length_bytes)])
        except KeyError as missing:
            raise ModelFormatError(source, place, f"{missing.args[0]!r:.60} is not in the vocab") from None
        except UnicodeDecodeError:
            problem = f"{right!r:.60} does not begin with the subword prefix {prefix!r:.60}"
            raise ModelFormatError(source, place, problem) from None
    return lefts, rights, wholes


def _ids(vocab: Mapping[str, int], tokens: Sequence[str]) -> list[int]:
    return [*map(vocab.__getitem__, tokens)]


def _ids_in_order(vocab: Mapping[str, int], tokens: list[str]) -> list[int]:
    """The ids of tokens that are likely to stand next to each other in the vocab; it takes long to look up so many."""
    start = next((place for place, token in enumerate(vocab) if tokens and token == tokens[0]), 0)
    end = start + len(tokens)
    if [*islice(vocab, start, end)] == tokens:
        return [*islice(vocab.values(), start, end)]
    return _ids(vocab, tokens)


def _without_bytes(token: str, length_bytes: int) -> str:
    """Raises UnicodeDecodeError for a token that has fewer bytes, or a character across the cut."""
    if not length_bytes:
        return token
    data = token.encode("utf-8")
    if length_bytes > len(data):
        raise UnicodeDecodeError("utf-8", data, 0, len(data), "shorter than the prefix")
    return data[length_bytes:].decode("utf-8")


def merge_all(symbols: list[Symbol], merges: Merges, made: list[Made] | None = None) -> list[Symbol]:
    """Merge until no pair of neighbours has a merge; the lowest rank first, the leftmost of equals first.

    The symbols are a doubly linked list, the candidates a heap. A candidate that is no longer there is recognised by
    the id that it would have made, as in the library. made: takes down each merge.

    >>> merge_all([(0, 1), (0, 1), (0, 1)], {(0, 0): (0, 1)})
    [(1, 2), (0, 1)]
    """
    ids = [token_id for token_id, _ in symbols]
    lengths = [length for _, length in symbols]
    previous = list(range(-1, len(symbols) - 1))
    following = [*range(1, len(symbols)), -1]
    queue = _candidates(ids, merges)
    heapify(queue)
    while queue:
        rank, position, new_id = heappop(queue)
        right = following[position]
        if lengths[position] == 0 or right == -1:
            continue
        found = merges.get((ids[position], ids[right]))
        if found is None or found[1] != new_id:
            continue
        if made is not None:
            made.append((rank, position, right, new_id))
        ids[position] = new_id
        lengths[position] += lengths[right]
        lengths[right] = 0
        after = following[position] = following[right]
        if after != -1:
            previous[after] = position
            found = merges.get((new_id, ids[after]))
            if found is not None:
                heappush(queue, (found[0], position, found[1]))
        before = previous[position]
        if before != -1:
            found = merges.get((ids[before], new_id))
            if found is not None:
                heappush(queue, (found[0], before, found[1]))
    return [(token_id, length) for token_id, length in zip(ids, lengths, strict=True) if length]


def merge_few(ids: list[int], merges: Merges) -> list[int]:
    """The fast twin of `merge_all` for a few symbols and merges of which no two make the same id; changes `ids`.

    >>> merge_few([0, 0, 0], {(0, 0): (0, 1)})
    [1, 0]
    """
    found: list[tuple[float, int]] = [merges.get(pair, _NO_MERGE) for pair in pairwise(ids)]
    while found:
        lowest = min(found)
        if lowest is _NO_MERGE:
            break
        left = found.index(lowest)
        ids[left] = lowest[1]
        del ids[left + 1], found[left]
        if left:
            found[left - 1] = merges.get((ids[left - 1], ids[left]), _NO_MERGE)
        if left < len(found):
            found[left] = merges.get((ids[left], ids[left + 1]), _NO_MERGE)
    return ids


def _candidates(ids: Sequence[int], merges: Merges) -> list[Candidate]:
    """Every pair of neighbours that has a merge."""
    found = [(position, merges.get(pair)) for position, pair in enumerate(pairwise(ids))]
    return [(merge[0], position, merge[1]) for position, merge in found if merge is not None]


def _character_of_each_byte(text: str) -> Sequence[int]:
    """For each byte of the UTF-8 form the index of its character."""
    if text.isascii():
        return range(len(text))
    return [index for index, character in enumerate(text) for _ in character.encode("utf-8")]
