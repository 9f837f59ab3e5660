"""The ids of words, each worked out once, and their spans, if somebody asks for offsets.

A model of a class that is not known here, derived ones too, is asked itself, and what it gives for a pre-token is
remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import accumulate, chain, compress, pairwise
from operator import or_
from typing import Generic, TypeAlias, TypeVar

from reftok.fast.memo import Memo
from reftok.fast.merges import FEW, LongWords, merge_all, merge_ids, merge_texts
from reftok.fast.split_points import MergeSplitPoints, SplitPoints
from reftok.fast.viterbi import LONGEST_PIECE, Pieces, spans_of_path
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.llama_cpp.bpe import LlamaBPE
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.merging import Merging
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, NO_ID
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE
from reftok.rules.types import Span
from reftok.rules.viterbi import with_runs_joined

AnyModel = TypeVar("AnyModel", bound=Model)
AnyPieceModel = TypeVar("AnyPieceModel", bound=PieceModel)

Ids: TypeAlias = tuple[int, ...]
Spans: TypeAlias = tuple[Span, ...]

Word: TypeAlias = tuple[Sequence[int], Sequence[Span]]
"""The ids of a word, and the spans of its tokens in it."""

_MOST_SPANS = 1 << 14
_MOST_SHARED = 8
"""Tokens of a word whose spans are shared: with more of them it is seldom that two words have the same."""
_LARGEST_SUM = 1e300
"""Scores that add up to less never become infinite in float64."""

_known_spans: dict[Spans, Spans] = {}


def shared(spans: Spans) -> Spans:
    """The spans as one object for all words that have the same: there are few different ones, and many words."""
    if len(spans) <= _MOST_SHARED and len(_known_spans) < _MOST_SPANS:
        return _known_spans.setdefault(spans, spans)
    return _known_spans.get(spans, spans)


def spans_of_lengths(lengths: Iterable[int]) -> Spans:
    """The spans of tokens that cover a word without gaps.

    >>> spans_of_lengths([2, 1])
    ((0, 2), (2, 3))
    """
    return tuple(pairwise(accumulate(lengths, initial=0)))


class WordModel(Generic[AnyModel]):
    """A model that remembers its words.

    model: the model of the rules, asked for words without a fast path; if it merges, a copy with faster merges.
    ids: a word, as the model takes it, to its ids.
    words: the same word to its ids and the spans of its tokens, in code points of the word.
    raw_ids, raw_words: the same for a word that ByteLevel has not written in the characters of its bytes yet; spans are
        in code points of that.

    >>> from reftok.rules.huggingface.wordlevel import WordLevel
    >>> model = WordModel(WordLevel({"yes": 1, "no": 2}, "no"))
    >>> model.ids["maybe"], model.words["maybe"]
    ((2,), ((2,), ((0, 5),)))
    """

    def __init__(self, model: AnyModel) -> None:
        self.model = with_quick_merges(model)
        self.ids: Memo[Ids] = Memo(self.new_ids)
        self.raw_ids: Memo[Ids] = Memo(lambda word: self.new_ids(in_byte_characters(word)))

    @cached_property
    def words(self) -> Memo[Word]:
        return Memo(self._new_word)

    @cached_property
    def raw_words(self) -> Memo[Word]:
        return Memo(self._new_raw_word)

    @cached_property
    def token_of(self) -> Callable[[int], str]:
        """The entry of the vocab that has an id."""
        entries = {token_id: token for token, token_id in self.model.vocab.items()}
        if self.model.unk_id is not None:  # a Unigram model may repeat its piece under another id
            entries.setdefault(self.model.unk_id, self.model.id_to_token(self.model.unk_id) or "")
        return entries.__getitem__

    @cached_property
    def _irregular(self) -> frozenset[int | None]:
        """The ids that may stand for other text than their own: the unknown one, and those of bytes."""
        vocab = self.model.vocab
        return frozenset({self.model.unk_id, *map(vocab.get, BYTE_PIECES)})

    def new_ids(self, word: str) -> Ids:
        """The ids of a word that is not remembered."""
        return tuple([token.id for token in self.model.tokenize(word)])

    def new_spans(self, word: str, ids: Ids) -> Spans:
        """The spans of a word with these ids: by their lengths if the tokens spell the word, else by the rules."""
        tokens = [*map(self.token_of, ids)]
        if self._irregular.isdisjoint(ids) and "".join(tokens) == word:
            return spans_of_lengths(map(len, tokens))
        return self.spans_by_rule(word)

    def spans_by_rule(self, word: str) -> Spans:
        """The spans of the tokens that the rule gives."""
        return tuple([token.span_normalized for token in self.model.tokenize(word)])

    def _new_word(self, word: str) -> Word:
        ids = self.ids[word]
        return ids, shared(self.new_spans(word, ids))

    def _new_raw_word(self, word: str) -> Word:
        encoded, ids = in_byte_characters(word), self.raw_ids[word]
        spans = self.new_spans(encoded, ids)
        if len(encoded) > len(word):
            character_at = [i for i, character in enumerate(word) for _ in character.encode("utf-8", "surrogatepass")]
            spans = tuple([(character_at[start], character_at[end - 1] + 1) for start, end in spans])
        return ids, shared(spans)

    @cached_property
    def split_points(self) -> SplitPoints:
        """Finds positions that no token spans; the text on either side of one is segmented separately."""
        return SplitPoints(self.model.vocab)

    def cut(self, text: str) -> list[str]:
        """The words of a pre-token that may be long: parts that the model segments apart from each other."""
        return [text]

    def ids_of_text(self, text: str) -> Sequence[int]:
        """The ids of a pre-token that may be long."""
        return [*chain.from_iterable(map(self.ids.__getitem__, self.cut(text)))]

    def word_of_text(self, text: str) -> Word:
        """The ids and spans of a pre-token that may be long."""
        parts = self.cut(text)
        words = [*map(self.words.__getitem__, parts)]
        starts = accumulate(map(len, parts), initial=0)
        spans = [(start + first, start + end) for start, (_, places) in zip(starts, words, strict=False)
                 for first, end in places]  # fmt: skip
        return [token_id for ids, _ in words for token_id in ids], spans


def in_byte_characters(word: str) -> str:
    """The word as ByteLevel writes it; surrogates, which only llama.cpp reads, are encoded like any code point."""
    return to_byte_characters(word.encode("utf-8", "surrogatepass"))


def with_quick_merges(model: AnyModel) -> AnyModel:
    """A copy of a model that merges, with the merges of merges.py instead of the rule's; any other model itself."""
    if getattr(type(model), "merge_symbols", None) is not Merging.merge_symbols:
        return model
    quick = copy(model)
    vars(quick)["merge_symbols"] = merge_all
    return quick


def merged_pieces(ranks: Mapping[str, int]) -> Callable[[str], Sequence[str]]:
    """What a word merges to, as texts; two neighbours merge if their text together has a rank.

    >>> merged_pieces({"ab": 1, "bc": 0})("abcab")
    ('a', 'bc', 'ab')
    """

    def merge_of(left: str, right: str) -> tuple[int, str] | None:
        rank = ranks.get(left + right)
        return None if rank is None else (rank, left + right)

    def merged(word: str) -> tuple[str, ...]:
        if len(word) <= FEW:
            return tuple(merge_texts([*word], ranks))
        return tuple([piece for _, piece in merge_all(word, merge_of)])

    long_words = LongWords(merged, str)
    return lambda word: merged(word) if len(word) <= FEW else long_words.tokens(word)


class BPEWords(WordModel[BPE]):
    """Merges by rank, in lists of ids.

    >>> model = BPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4}, [("b", "c"), ("a", "b")])
    >>> BPEWords(model).ids["abc"]
    (0, 3)
    """

    def __init__(self, model: BPE) -> None:
        super().__init__(model)
        options = model.options
        self._has_affixes = bool(options.continuing_subword_prefix or options.end_of_word_suffix)
        self._wholes: Sequence[int] = model.ids_of_merges[2]
        self._ids_are_unique = len(model.tokens) == len(model.vocab)

    @cached_property
    def _ranks(self) -> Mapping[tuple[int, int], int]:
        # Cheaper than `BPE.merges`, which makes a tuple for each merge.
        lefts, rights, wholes = self.model.ids_of_merges
        return dict(zip(zip(lefts, rights, strict=True), range(len(wholes)), strict=True))

    def new_ids(self, word: str) -> Ids:
        vocab = self.model.vocab
        if self._has_affixes:
            return super().new_ids(word)
        if self.model.takes_whole(word):
            return (vocab[word],)
        try:
            ids = [*map(vocab.__getitem__, word)]
        except KeyError:  # a character is not in the vocab: it falls back to bytes or is unknown
            return self._merged_ids([token_id for token_id, _ in self.model.symbols(word)])
        if len(ids) > FEW and self._ids_are_unique:
            return tuple(self._long_words.tokens(word))
        return self._merged_ids(ids)

    @cached_property
    def _long_words(self) -> LongWords[int]:
        return LongWords(self._merged, self.model.tokens.__getitem__)

    def _merged(self, word: str) -> Ids:
        return self._merged_ids([*map(self.model.vocab.__getitem__, word)])

    def _merged_ids(self, ids: list[int]) -> Ids:
        if len(ids) <= FEW:
            return tuple(merge_ids(ids, self._ranks, self._wholes))
        return tuple([token_id for _, token_id in merge_all(ids, self._merge_of)])

    def new_spans(self, word: str, ids: Ids) -> Spans:
        # With affixes the tokens may spell a word that they are not spread over: `##a` of which only `a` is known.
        return self.spans_by_rule(word) if self._has_affixes else super().new_spans(word, ids)

    def _merge_of(self, left: int, right: int) -> tuple[int, int] | None:
        rank = self._ranks.get((left, right))
        return None if rank is None else (rank, self._wholes[rank])

    @cached_property
    def split_points(self) -> MergeSplitPoints:
        return MergeSplitPoints(self.model)

    def cut(self, text: str) -> list[str]:
        # A part of a text must not be taken whole though the text was not.
        if self._has_affixes or self.model.options.ignore_merges:
            return [text]
        if self.model.unk_id is None and not self.model.vocab.keys() >= set(text):
            return [text]  # a character that vanishes shifts the offsets of the whole pre-token
        return self.split_points.words(text)

    def word_of_text(self, text: str) -> Word:
        if self.model.unk_id is not None:
            return super().word_of_text(text)
        # An unknown character vanishes, and moves the spans of all tokens behind it, those of other words too.
        ids = tuple(self.ids_of_text(text))
        return ids, self.new_spans(text, ids)


class RankBPEWords(WordModel[RankBPE]):
    """Merges by the rank of the result, in lists of texts."""

    def __init__(self, model: RankBPE) -> None:
        super().__init__(model)
        self._pieces = merged_pieces(model.vocab)

    def new_ids(self, word: str) -> Ids:
        vocab = self.model.vocab
        return (vocab[word],) if word in vocab else tuple(map(vocab.__getitem__, self._pieces(word)))


class LlamaBPEWords(WordModel[LlamaBPE]):
    """Merges of llama.cpp, whose symbols need not be tokens."""

    def new_spans(self, word: str, ids: Ids) -> Spans:
        # A symbol that is no token gives several ids, each of which has the span of the symbol.
        return self.spans_by_rule(word)

    @cached_property
    def split_points(self) -> SplitPoints:
        return SplitPoints(map("".join, self.model.ranks))

    def cut(self, text: str) -> list[str]:
        # A part of a text must not be taken whole though the text was not: line feeds of Gemma 4 are.
        return [text] if self.model.options.ignore_merges or "\n" in text else self.split_points.words(text)


class UnigramWords(WordModel[Unigram]):
    """The best path, in float64: a pre-token is never cut, since its sums begin at its start.

    >>> model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.0)], unk_id=0)
    >>> UnigramWords(model).ids["abxyb"]
    (3, 0, 2)
    """

    def __init__(self, model: Unigram) -> None:
        super().__init__(model)
        # The sum of all, since `max` would overlook a NaN.
        self._largest = sum(map(abs, (model.unknown_score, *(score for _, score in model.pieces))))

    @cached_property
    def _pieces(self) -> Pieces | None:
        if max(map(len, self.model.vocab), default=0) > LONGEST_PIECE:
            return None
        pieces = self.model.pieces
        scores = {piece: pieces[token_id][1] for piece, token_id in self.model.vocab.items() if piece}
        return Pieces(scores, self.model.unknown_score)

    def new_ids(self, word: str) -> Ids:
        model = self.model
        if self._pieces is None or not len(word) * self._largest < _LARGEST_SUM:
            return super().new_ids(word)
        starts = self._pieces.paths(word).starts
        if model.unk_id is None and any(word[start:end] not in model.vocab for end, start in enumerate(starts) if end):
            model.needed_unk_id()
        spans = [*spans_of_path(starts)]
        unk_id = NO_ID if model.unk_id is None else model.unk_id
        ids = [model.vocab.get(word[start:end], unk_id) for start, end in spans]
        if unk_id not in ids:
            return tuple(ids)
        joined = with_runs_joined([(*span, token_id) for span, token_id in zip(spans, ids, strict=True)], unk_id)
        return tuple([token_id for start, end, _ in joined for token_id in model.ids_of_piece(word[start:end])])


class PieceWords(WordModel[AnyPieceModel]):
    """A model of sentencepiece: words stand between safe split points, and runs of unknown characters are joined."""

    @cached_property
    def token_of(self) -> Callable[[int], str]:
        return [entry.piece for entry in self.model.table.pieces].__getitem__

    @cached_property
    def _byte_ids(self) -> frozenset[int]:
        return frozenset(self.model.table.byte_ids)

    def spans_of_pieces(self, text: str, ids: Sequence[int]) -> Spans:
        """The spans of pieces, unknown characters and the bytes of such, as they follow each other in a text."""
        table = self.model.table
        lengths = [*map(len, map(self.token_of, ids))]
        if self._irregular.isdisjoint(ids):
            return spans_of_lengths(lengths)
        spans: list[Span] = []
        start = left = 0
        for token_id, length in zip(ids, lengths, strict=True):
            if token_id not in self._byte_ids:
                end = start + (1 if token_id == table.unk_id else length)
            else:
                # Of the bytes of a character the last one has its span: see `PieceTable.tokens`.
                left = (left or len(text[start].encode("utf-8"))) - 1
                end = start if left else start + 1
            spans.append((start, end))
            start = end
        return tuple(spans)

    def ids_of_text(self, text: str) -> Sequence[int]:
        # Within a word the rules have joined them; across words it is done here.
        ids = super().ids_of_text(text)
        return ids if self.model.table.byte_fallback else without_repeats(ids, self.model.table.unk_id)

    def word_of_text(self, text: str) -> Word:
        return self.with_unknown_joined(*super().word_of_text(text))

    def with_unknown_joined(self, ids: Sequence[int], spans: Sequence[Span]) -> Word:
        """The ids and spans with each run of unknown tokens as one, unless bytes fall back."""
        table = self.model.table
        if table.byte_fallback or table.unk_id not in ids:
            return ids, spans
        tokens: list[tuple[int, Span]] = []
        for token_id, span in zip(ids, spans, strict=True):
            if tokens and token_id == table.unk_id == tokens[-1][0]:
                tokens[-1] = token_id, (tokens[-1][1][0], span[1])
            else:
                tokens.append((token_id, span))
        return [token_id for token_id, _ in tokens], [span for _, span in tokens]


def without_repeats(ids: Sequence[int], unk_id: int) -> Sequence[int]:
    """The ids with each run of the unknown one as one.

    >>> without_repeats([1, 0, 0, 1], 0)
    [1, 0, 1]
    """
    if unk_id not in ids:
        return ids
    is_other = unk_id.__ne__
    # Keep an id unless it and the id before it are both unknown; NO_ID stands before the first.
    return [*compress(ids, map(or_, map(is_other, ids), map(is_other, chain((NO_ID,), ids))))]


class SentencePieceBPEWords(PieceWords[SentencePieceBPE]):
    """Merges by score, in lists of texts.

    What an unused piece is split into depends on the whole text: a model that has such pieces takes it as one word.
    """

    def __init__(self, model: SentencePieceBPE) -> None:
        super().__init__(model)
        self._pieces = merged_pieces(model.ranks)

    @cached_property
    def split_points(self) -> SplitPoints:
        return SplitPoints(self.model.ranks)

    def cut(self, text: str) -> list[str]:
        return [text] if self.model.unused else self.split_points.words(text)

    def new_spans(self, word: str, ids: Ids) -> Spans:
        # Where bytes do not fall back a run of unknown characters is one token, of which the ids do not tell the size.
        if self.model.unused or not self.model.table.byte_fallback:
            return super().new_spans(word, ids)
        return self.spans_of_pieces(word, ids)

    def new_ids(self, word: str) -> Ids:
        model = self.model
        if model.unused:
            return super().new_ids(word)
        if len(parts := self.split_points.parts(word)) > 1:
            return tuple(without_repeats([*chain.from_iterable(map(self.ids.__getitem__, parts))], model.table.unk_id))
        if model.table.matcher.symbols:
            pieces: Sequence[str] = [symbol for _, symbol in merge_all(model.symbols(word), model.merge_of)]
        else:
            pieces = self._pieces(word)
        ids = [token_id for token_id in map(model.table.text_ids.get, pieces) if token_id is not None]
        if len(ids) == len(pieces):
            return tuple(ids)
        return tuple([token.id for token in model.table.tokens([(one, model.table.usable_id(one)) for one in pieces])])


class LlamaSPMWords(WordModel[LlamaSPM]):
    """Merges by score of llama.cpp. A text with bytes that are not UTF-8 is left to the rules as a whole."""

    def __init__(self, model: LlamaSPM) -> None:
        super().__init__(model)
        self._pieces = merged_pieces(dict(zip(model.vocab, model.ranks.values(), strict=True)))

    def cut(self, text: str) -> list[str]:
        return [text] if has_surrogate(text) else self.split_points.words(text)

    def new_ids(self, word: str) -> Ids:
        if has_surrogate(word):
            return super().new_ids(word)
        if len(parts := self.split_points.parts(word)) > 1:
            return tuple(chain.from_iterable(map(self.ids.__getitem__, parts)))
        # A piece that is no token is a single character.
        return tuple([token_id for piece in self._pieces(word) for token_id in self._ids_of_piece(piece)])

    def _ids_of_piece(self, piece: str) -> Ids:
        token_id = self.model.vocab.get(piece)
        return self.model.byte_ids(piece.encode()) if token_id is None else (token_id,)


def has_surrogate(text: str) -> bool:
    """Whether a text has bytes that are not UTF-8, which are written as lone surrogates."""
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
