"""The ids of the three models that merge the symbols of a pre-token by rank, fast."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TypeVar

from reftok.engine.bpe.byte_symbols import byte_symbols
from reftok.engine.bpe.heap_merges import merge_all
from reftok.engine.bpe.word_merges import FEW, WINDOW, WordMerges, merge_ids, merge_texts
from reftok.engine.caches import Results
from reftok.engine.fast_model import FastModel
from reftok.engine.split_points import MergeSplitPoints, PairSplitPoints
from reftok.fast.reached_tokens import ReachedTokens, are_in_order
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.llama_cpp.bpe import LlamaBPE
from reftok.rules.tiktoken.rank_bpe import RankBPE

_WITHIN_CHARACTER = frozenset(to_byte_characters(bytes(range(0x80, 0xC0))))
PAYS_FROM = 1 << 14
"""From so many bytes on, in words with other characters than ASCII, it pays to find the characters that merge alone."""

RankedModel = TypeVar("RankedModel", bound=BPE | RankBPE | LlamaBPE)


class FastMerging(FastModel[RankedModel]):
    """A model that merges neighbours, and may take a word that is in the vocab as it is.

    takes_whole_words: whether it may do so.
    has_other_ends: whether the first or the last character of a word can be another symbol than within.
    tokens: id to token.
    inner_ids: what stands between two safe split points, to its ids.
    ids_of_raw: a word that is not yet written in the characters of its bytes, to its ids.
    characters_begun, begins_within: of a token in these characters, how many characters of the text begin in it, and
        whether it begins within one.
    """

    takes_whole_words = True
    has_other_ends = False

    def __init__(self, model: RankedModel) -> None:
        super().__init__(model)
        self.tokens = model.tokens
        self.inner_ids: Results[Sequence[int]] = Results(self._inner_ids)
        self.ids_of_raw: Results[Sequence[int]] = Results(self._ids_of_raw)
        self.characters_begun: Results[int] = Results(_characters_begun)
        self.begins_within: Results[bool] = Results(_begins_within)

    def ids_of(self, text: str) -> Sequence[int]:
        if self.takes_whole_words and self.model.takes_whole(text):
            return (self.model.vocab[text],)
        return self.merged_ids(text)

    def _inner_ids(self, text: str) -> Sequence[int]:
        return self.merged_ids(text, begins=False, ends=False)

    def _ids_of_raw(self, word: str) -> Sequence[int]:
        return self.ids_of(to_byte_characters(word.encode()))

    @abstractmethod
    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        """The ids of a word that is not taken as it is, or of a part of one between two safe split points.

        begins, ends: whether the word does here.
        """

    @cached_property
    @abstractmethod
    def split_points(self) -> PairSplitPoints:
        """Where a word can be cut, the places behind its first and before its last character left out."""

    @cached_property
    def _sorted_vocab(self) -> list[str]:
        return sorted(self.model.vocab)

    def may_be_whole(self, beginning: str) -> bool:
        """Whether a word that begins so may be taken as it is."""
        if not self.takes_whole_words:
            return False
        vocab = self._sorted_vocab
        first = bisect_left(vocab, beginning)
        return first < len(vocab) and vocab[first].startswith(beginning)


class FastBPE(FastMerging[BPE]):
    """A word of characters that are in the vocab goes by windows; another one is written in symbols first.

    >>> model = BPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4}, [("b", "c"), ("a", "b")])
    >>> FastBPE(model).ids("abc")
    [0, 3]
    """

    def __init__(self, model: BPE) -> None:
        super().__init__(model)
        options = model.options
        prefix, unknown = options.continuing_subword_prefix, options.unk_token or ""
        self.takes_whole_words = options.ignore_merges
        self.has_other_ends = bool(prefix or options.end_of_word_suffix)
        # Two pairs at one place must not make the same token, as the heap would then take the rank of the first. The
        # second has more text, but where an unknown token loses all of it to the prefix, or tokens share an id.
        self._has_one_text_each = len(model.tokens) == len(model.vocab)
        self._fits_list = self._has_one_text_each and (not prefix or len(unknown.encode()) != len(prefix.encode()))
        self._words = WordMerges(self._merged_few, self._merged_all, model.tokens.__getitem__)
        self._ids_of_symbol: Results[Sequence[int]] = Results(self._merged_bytes)
        # Where the ids are in the order of the merges they are ranks, and need not be looked up by these.
        wholes = model.merge_ids[2]
        self._is_in_order = self._has_one_text_each and bool(wholes) and are_in_order(*model.merge_ids)
        self._wholes: Sequence[int] = range(wholes[-1] + 1) if self._is_in_order else wholes
        self._may_begin_with_characters = self._is_in_order and "\n" not in model.vocab
        self._merged_size = 0
        self._reached = ReachedTokens(model.tokens, self._ranks) if self._is_in_order else None

    @cached_property
    def merges_unknown(self) -> bool:
        """Whether the unknown token is part of a merge, so that another token may stand for other text than its own."""
        lefts, rights, _ = self.model.merge_ids
        return self.model.unk_id in lefts or self.model.unk_id in rights

    @cached_property
    def _ranks(self) -> Mapping[tuple[int, int], int]:
        """The ranks of the merges, by the pairs of their ids."""
        lefts, rights, wholes = self.model.merge_ids
        ranks = wholes if self._is_in_order else range(len(wholes))
        return dict(zip(zip(lefts, rights, strict=True), ranks, strict=True))

    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        if self._has_one_text_each and text and not self.has_other_ends:
            if self._reached is not None and len(text) <= WINDOW:
                token_id = self.model.vocab.get(text)
                if token_id is not None and self._reached[token_id]:
                    return (token_id,)
            try:
                return self._words.tokens(text)
            except KeyError:
                pass
        ids = [token_id for token_id, _ in _symbols(self.model, text, begins, ends)]
        if self._fits_list and len(ids) <= FEW:
            return merge_ids(ids, self._ranks, self._wholes)
        return [token_id for _, token_id in merge_all(ids, self._merge_of)]

    @cached_property
    def _byte_symbols(self) -> Callable[[str], list[str]]:
        return byte_symbols(self.model.vocab).findall

    def _merged_few(self, text: str) -> Sequence[int]:
        if not self._may_begin_with_characters or _WITHIN_CHARACTER.isdisjoint(text):
            return self._merged_bytes(text)
        if self._merged_size < PAYS_FROM:
            self._merged_size += len(text)
            return self._merged_bytes(text)
        ids = [*chain.from_iterable(map(self._ids_of_symbol.__getitem__, self._byte_symbols(text)))]
        return merge_ids(ids, self._ranks, self._wholes)

    def _merged_bytes(self, text: str) -> Sequence[int]:
        return merge_ids([*map(self.model.vocab.__getitem__, text)], self._ranks, self._wholes)

    def _merged_all(self, text: str) -> Sequence[int]:
        return [token_id for _, token_id in merge_all([*map(self.model.vocab.__getitem__, text)], self._merge_of)]

    def _merge_of(self, left: int, right: int) -> tuple[int, int] | None:
        rank = self._ranks.get((left, right))
        return None if rank is None else (rank, self._wholes[rank])

    @cached_property
    def split_points(self) -> MergeSplitPoints:
        return MergeSplitPoints(self.model)


def _symbols(model: BPE, text: str, begins: bool, ends: bool) -> list[tuple[int, int]]:
    """As `BPE.symbols`, for a part of a word. begins, ends: whether the word does with it."""
    if begins and ends:
        return model.symbols(text)
    options, vocab = model.options, model.vocab
    symbols: list[tuple[int, int]] = []
    unknown: tuple[int, int] | None = None
    for index, character in enumerate(text):
        prefix = options.continuing_subword_prefix if index or not begins else ""
        suffix = options.end_of_word_suffix if ends and index == len(text) - 1 else ""
        token_id = vocab.get(prefix + character + suffix)
        length = len(character.encode("utf-8"))
        if token_id is not None:
            symbols += [] if unknown is None else [unknown]
            unknown = None
            symbols.append((token_id, length))
        elif (fallback := model.byte_ids(character)) is not None:
            symbols += [(byte_id, 1) for byte_id in fallback]
        elif options.unk_token is not None:
            if unknown is not None and not options.fuse_unk:
                symbols.append(unknown)
                unknown = None
            unknown = model.needed_unk_id(), length + (unknown[1] if unknown is not None else 0)
    return symbols if unknown is None else [*symbols, unknown]


class FastRankBPE(FastMerging[RankBPE]):
    """tiktoken's, in lists and windows."""

    def __init__(self, model: RankBPE) -> None:
        super().__init__(model)
        self._words = WordMerges(self._merged_few, self._merged_all, str)

    def _merged_few(self, text: str) -> list[str]:
        return merge_texts([*text], self.model.vocab)

    def _merged_all(self, text: str) -> list[str]:
        return [symbol for _, symbol in merge_all(text, self.model.merge_of)]

    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        return [*map(self.model.vocab.__getitem__, self._words.tokens(text))]

    @cached_property
    def split_points(self) -> PairSplitPoints:
        return PairSplitPoints(self.model.vocab)


class FastLlamaBPE(FastMerging[LlamaBPE]):
    """llama.cpp's, remembered."""

    def __init__(self, model: LlamaBPE) -> None:
        super().__init__(model)
        self.takes_whole_words = model.options.ignore_merges or model.options.takes_newlines_whole

    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        merged = merge_all(text, self.model.merge_of)
        return [token_id for _, symbol in merged for token_id in self.model.ids_of_symbol(symbol)]

    @cached_property
    def split_points(self) -> PairSplitPoints:
        return PairSplitPoints(map("".join, self.model.ranks))


def _characters_begun(token: str) -> int:
    return sum(character not in _WITHIN_CHARACTER for character in token)


def _begins_within(token: str) -> bool:
    return token[:1] in _WITHIN_CHARACTER
