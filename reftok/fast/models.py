"""The ids of words, each worked out once, and their spans, if somebody asks for offsets.

A model of a class that is not known here, derived ones too, is asked itself, and what it gives for a pre-token is
remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, pairwise
from operator import or_
from typing import Generic, TypeAlias, TypeVar

from reftok.fast.memo import Memo
from reftok.fast.merges import FEW, merge_all, merge_ids, merge_texts
from reftok.fast.reached_tokens import ReachedTokens, are_in_order
from reftok.fast.split_points import MergeSplitPoints, SplitPoints
from reftok.fast.viterbi import LONGEST_PIECE, Pieces, bounds
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.llama_cpp.bpe import LlamaBPE
from reftok.rules.llama_cpp.spm import LlamaSPM
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

_MOST_SPANS = 1 << 14
_LARGEST_SUM = 1e300
"""Scores that add up to less never become infinite in float64."""

_known_spans: dict[Spans, Spans] = {}


def shared(spans: Spans) -> Spans:
    """The spans as one object for all words that have the same: there are few different ones, and many words."""
    if len(_known_spans) < _MOST_SPANS:
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

    model: of the rules.
    ids: a word, as the model takes it, to its ids.
    spans: the same word to the spans of its tokens, in code points of the word.
    raw_ids, raw_spans: the same for a word that ByteLevel has not written in the characters of its bytes yet; spans are
        in code points of that.

    >>> from reftok.rules.huggingface.wordlevel import WordLevel
    >>> model = WordModel(WordLevel({"yes": 1, "no": 2}, "no"))
    >>> model.ids["maybe"], model.spans["maybe"]
    ((2,), ((0, 5),))
    """

    is_known = True
    """Whether the tokens are entries of the vocab; those of a class that is not known may be others."""

    def __init__(self, model: AnyModel) -> None:
        self.model = model
        self.ids: Memo[Ids] = Memo(self.new_ids)
        self.raw_ids: Memo[Ids] = Memo(lambda word: self.new_ids(in_byte_characters(word)))

    @cached_property
    def spans(self) -> Memo[Spans]:
        return Memo(lambda word: shared(self.new_spans(word, self.ids[word])))

    @cached_property
    def raw_spans(self) -> Memo[Spans]:
        return Memo(lambda word: shared(self._new_raw_spans(word)))

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
        return tuple([token.span_normalized for token in self.model.tokenize(word)])

    def _new_raw_spans(self, word: str) -> Spans:
        encoded = in_byte_characters(word)
        spans = self.new_spans(encoded, self.raw_ids[word])
        if len(encoded) == len(word):
            return spans
        character_at = [i for i, character in enumerate(word) for _ in character.encode("utf-8", "surrogatepass")]
        return tuple([(character_at[start], character_at[end - 1] + 1) for start, end in spans])

    def cut(self, text: str) -> list[str]:
        """The words of a pre-token that may be long: parts that the model segments apart from each other."""
        return [text]

    def ids_of_text(self, text: str) -> Sequence[int]:
        """The ids of a pre-token that may be long."""
        return [*chain.from_iterable(map(self.ids.__getitem__, self.cut(text)))]

    def tokens_of_text(self, text: str) -> tuple[Sequence[int], Sequence[Span]]:
        """The ids and spans of a pre-token that may be long."""
        words = self.cut(text)
        ids = [*chain.from_iterable(map(self.ids.__getitem__, words))]
        starts = accumulate(map(len, words), initial=0)
        spans = zip(starts, map(self.spans.__getitem__, words), strict=False)
        return ids, [(start + first, start + end) for start, places in spans for first, end in places]


def in_byte_characters(word: str) -> str:
    """The word as ByteLevel writes it; surrogates, which only llama.cpp reads, are encoded like any code point."""
    return to_byte_characters(word.encode("utf-8", "surrogatepass"))


class BPEWords(WordModel[BPE]):
    """Merges by rank, in lists of ids.

    >>> model = BPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4}, [("b", "c"), ("a", "b")])
    >>> BPEWords(model).ids["abc"]
    (0, 3)
    """

    def __init__(self, model: BPE) -> None:
        super().__init__(model)
        options = model.options
        # Where two tokens share an id, two merges at one place can make the same id, and then the rule takes the rank
        # that it saw first: only the general form does that.
        has_one_text_each = len(model.tokens) == len(model.vocab)
        has_affixes = bool(options.continuing_subword_prefix or options.end_of_word_suffix)
        self._is_plain = has_one_text_each and not has_affixes
        self._takes_whole = options.ignore_merges
        self._wholes: Sequence[int] = model.merge_ids[2]
        self._reached: ReachedTokens | None = None
        if self._is_plain and self._wholes and are_in_order(*model.merge_ids):
            # Then the id that a merge makes is as good as its rank, and a token tells how it came about.
            self._wholes = range(self._wholes[-1] + 1)
            self._reached = ReachedTokens(model.tokens, self._ranks)

    @cached_property
    def _ranks(self) -> Mapping[tuple[int, int], int]:
        lefts, rights, wholes = self.model.merge_ids
        ranks = wholes if isinstance(self._wholes, range) else range(len(wholes))
        return dict(zip(zip(lefts, rights, strict=True), ranks, strict=True))

    def new_ids(self, word: str) -> Ids:
        model = self.model
        if self._takes_whole and model.takes_whole(word):
            return (model.vocab[word],)
        if not self._is_plain:
            return self._by_symbols(word)
        if self._reached is not None and (token_id := model.vocab.get(word)) is not None and self._reached[token_id]:
            return (token_id,)
        try:
            ids = [*map(model.vocab.__getitem__, word)]
        except KeyError:  # a character that is not in the vocab
            return self._by_symbols(word)
        if len(ids) <= FEW:
            return tuple(merge_ids(ids, self._ranks, self._wholes))
        return tuple([token_id for _, token_id in merge_all(ids, self._merge_of)])

    def _by_symbols(self, word: str) -> Ids:
        """A word with unknown characters, or of a model with subword prefixes or word suffixes."""
        symbols = [token_id for token_id, _ in self.model.symbols(word)]
        return tuple([token_id for _, token_id in merge_all(symbols, self.model.merge_of)])

    def _merge_of(self, left: int, right: int) -> tuple[int, int] | None:
        rank = self._ranks.get((left, right))
        return None if rank is None else (rank, self._wholes[rank])

    @cached_property
    def _split_points(self) -> MergeSplitPoints:
        return MergeSplitPoints(self.model)

    def cut(self, text: str) -> list[str]:
        if not self._is_plain or (self._takes_whole and self.model.takes_whole(text)):
            return [text]
        if self.model.unk_id is None and not self.model.vocab.keys() >= set(text):
            return [text]  # a character that vanishes shifts the offsets of the whole pre-token
        return self._split_points.words(text)


class RankBPEWords(WordModel[RankBPE]):
    """Merges by the rank of the result, in lists of texts."""

    def new_ids(self, word: str) -> Ids:
        vocab = self.model.vocab
        if word in vocab:
            return (vocab[word],)
        if len(word) <= FEW:
            return tuple(map(vocab.__getitem__, merge_texts([*word], vocab)))
        return tuple([vocab[symbol] for _, symbol in merge_all(word, self.model.merge_of)])

    @cached_property
    def _split_points(self) -> SplitPoints:
        return SplitPoints(self.model.vocab)

    def cut(self, text: str) -> list[str]:
        return [text] if self.model.takes_whole(text) else self._split_points.words(text)


class LlamaBPEWords(WordModel[LlamaBPE]):
    """Merges of llama.cpp, whose symbols need not be tokens."""

    def new_ids(self, word: str) -> Ids:
        model = self.model
        if model.takes_whole(word):
            return (model.vocab[word],)
        merged = merge_all(word, model.merge_of)
        return tuple([token_id for _, symbol in merged for token_id in model.ids_of_symbol(symbol)])

    def new_spans(self, word: str, ids: Ids) -> Spans:
        # A symbol that is no token gives several ids, each of which has the span of the symbol.
        return tuple([token.span_normalized for token in self.model.tokenize(word)])

    @cached_property
    def _split_points(self) -> SplitPoints:
        return SplitPoints(map("".join, self.model.ranks))

    def cut(self, text: str) -> list[str]:
        return [text] if self.model.takes_whole(text) else self._split_points.words(text)


class UnigramWords(WordModel[Unigram]):
    """The best path, in float64: a pre-token is never cut, since its sums begin at its start.

    >>> model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.0)], unk_id=0)
    >>> UnigramWords(model).ids["abxyb"]
    (3, 0, 2)
    """

    def __init__(self, model: Unigram) -> None:
        super().__init__(model)
        self._largest = max(map(abs, (model.unknown_score, *(score for _, score in model.pieces))))

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
        spans = [*bounds(starts)]
        unk_id = NO_ID if model.unk_id is None else model.unk_id
        ids = [model.vocab.get(word[start:end], unk_id) for start, end in spans]
        if unk_id not in ids:
            return tuple(ids)
        joined = with_runs_joined([(*span, token_id) for span, token_id in zip(spans, ids, strict=True)], unk_id)
        return tuple([token_id for start, end, _ in joined for token_id in self._piece_ids(word[start:end])])

    def _piece_ids(self, piece: str) -> list[int]:
        """The id of a piece, or of a run of unknown characters; or the ids of its bytes."""
        model = self.model
        return [model.vocab[byte_piece] for byte_piece in model.byte_pieces(piece)] or [model.id_or_unknown(piece)]


class PieceWords(WordModel[AnyPieceModel]):
    """A model of sentencepiece: words stand between safe split points, and runs of unknown characters are joined."""

    @cached_property
    def token_of(self) -> Callable[[int], str]:
        return [entry.piece for entry in self.model.table.pieces].__getitem__

    def ids_of_text(self, text: str) -> Sequence[int]:
        # Within a word the rules have joined them; across words it is done here.
        ids = super().ids_of_text(text)
        return ids if self.model.table.byte_fallback else without_repeats(ids, self.model.table.unk_id)

    def tokens_of_text(self, text: str) -> tuple[Sequence[int], Sequence[Span]]:
        return self.with_unknown_joined(*super().tokens_of_text(text))

    def with_unknown_joined(self, ids: Sequence[int], spans: Sequence[Span]) -> tuple[Sequence[int], Sequence[Span]]:
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
    return [*compress(ids, map(or_, map(is_other, ids), map(is_other, chain((NO_ID - 1,), ids))))]


class SentencePieceBPEWords(PieceWords[SentencePieceBPE]):
    """Merges by score, in lists of texts.

    What an unused piece is split into depends on the whole text: a model that has such pieces takes it as one word.
    """

    @cached_property
    def _split_points(self) -> SplitPoints:
        return SplitPoints(self.model.ranks)

    def cut(self, text: str) -> list[str]:
        return [text] if self.model.unused else self._split_points.words(text)

    def new_ids(self, word: str) -> Ids:
        model = self.model
        if model.unused:
            return super().new_ids(word)
        if len(parts := self._split_points.parts(word)) > 1:
            return tuple(without_repeats([*chain.from_iterable(map(self.ids.__getitem__, parts))], model.table.unk_id))
        if model.table.matcher.symbols or len(word) > FEW:
            pieces = [symbol for _, symbol in merge_all(model.symbols(word), model.merge_of)]
        else:
            pieces = merge_texts([*word], model.ranks)
        ids = [token_id for token_id in map(model.table.text_ids.get, pieces) if token_id is not None]
        if len(ids) == len(pieces):
            return tuple(ids)
        return tuple([token.id for token in model.table.tokens([(one, model.table.usable_id(one)) for one in pieces])])


class LlamaSPMWords(WordModel[LlamaSPM]):
    """Merges by score of llama.cpp. A text with bytes that are not UTF-8 is left to the rules as a whole."""

    def __init__(self, model: LlamaSPM) -> None:
        super().__init__(model)
        self._ranks = {token: -model.scores[token_id] for token, token_id in model.vocab.items()}

    @cached_property
    def _split_points(self) -> SplitPoints:
        return SplitPoints(self._ranks)

    def cut(self, text: str) -> list[str]:
        return [text] if has_surrogate(text) else self._split_points.words(text)

    def new_ids(self, word: str) -> Ids:
        if has_surrogate(word):
            return super().new_ids(word)
        if len(parts := self._split_points.parts(word)) > 1:
            return tuple(chain.from_iterable(map(self.ids.__getitem__, parts)))
        if len(word) > FEW:
            pieces = [piece for _, piece in merge_all(word, self._merge_of)]
        else:
            pieces = merge_texts([*word], self._ranks)
        # A piece that is no token is a single character.
        return tuple([token_id for piece in pieces for token_id in self._ids_of_piece(piece)])

    def _ids_of_piece(self, piece: str) -> Ids:
        token_id = self.model.vocab.get(piece)
        return self.model.byte_ids(piece.encode()) if token_id is None else (token_id,)

    def _merge_of(self, left: str, right: str) -> tuple[float, str] | None:
        rank = self._ranks.get(left + right)
        return None if rank is None else (rank, left + right)


def has_surrogate(text: str) -> bool:
    """Whether a text has bytes that are not UTF-8, which are written as lone surrogates."""
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
