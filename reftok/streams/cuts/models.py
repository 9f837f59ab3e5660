"""The ids of the beginning of a pre-token that nothing that follows can change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property, lru_cache
from math import inf
from typing import Any, NamedTuple, TypeAlias

from reftok.fast.models import WordModel
from reftok.fast.split_points import SplitPoints
from reftok.limits import LONGEST_STREAMED_PIECE
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.huggingface.wordlevel import WordLevel
from reftok.rules.huggingface.wordpiece import WordPiece
from reftok.rules.llama_cpp.bpe import LlamaBPE
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.llama_cpp.wpm import LlamaWPM
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.sentencepiece.unigram import RESET_THRESHOLD, SentencePieceUnigram
from reftok.rules.sentencepiece.words import SentencePieceChar, SentencePieceWord
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE
from reftok.rules.viterbi import Best, PathPiece, path_to_end, with_runs_joined

WordIds: TypeAlias = Callable[[str], Sequence[int]]
"""The ids of a whole pre-token."""

_SHORT = 16
"""Code points of a text up to which `settled` remembers its result."""
_LOWEST_EXACT = -1e6
"""A sum of scores that are nearer to 0 is never rounded by as much as UNK_PENALTY."""


class Carried(NamedTuple):
    """What one part of a pre-token hands to the next.

    score: of the best path up to there, in a Unigram model.
    follows_unknown: whether the next part may go on with a run of unknown characters that becomes one id.
    before, given: the text up to there and how many ids it has, in a model that may have to look at all of it.
    """

    score: float = 0.0
    follows_unknown: bool = False
    before: str = ""
    given: int = 0


AT_START = Carried()

Settled: TypeAlias = tuple[int, Sequence[int], Carried]
"""How much of a text is settled, its ids, and what it hands on."""


class ModelParts:
    """A model that is given a pre-token in parts; this one wants it whole.

    ids_of_word: the ids of a whole pre-token.
    why_uncut: why it needs the whole pre-token; '' if it does not, or if a pattern keeps pre-tokens short.
    """

    def __init__(self, ids_of_word: WordIds, why_uncut: str = "") -> None:
        self.ids_of_word = ids_of_word
        self.why_uncut = why_uncut

    def settled(self, text: str, carried: Carried) -> Settled:
        """What is settled of a pre-token that begins with a text, or goes on with it."""
        return 0, (), carried

    def last_ids(self, text: str, carried: Carried) -> Sequence[int]:
        """The ids of the last part of a pre-token that was cut."""
        return self.ids_of_word(text) if text else ()


class AtSplitPoints(ModelParts):
    """A model that segments the two sides of a place apart, if no piece spans the place.

    last: finds the last split point within a text, 0 without one.
    unk_id: of unknown characters, a run of which becomes one id; None for a model that does not join them.
    """

    def __init__(self, ids_of_word: WordIds, last: Callable[[str], int], unk_id: int | None = None) -> None:
        super().__init__(ids_of_word)
        self._last = last
        self._unk_id = unk_id

    def settled(self, text: str, carried: Carried) -> Settled:
        end = self._last(text)
        ids = self.last_ids(text[:end], carried)
        # A part without ids continues the run of unknown characters before it.
        return end, ids, Carried(0.0, (bool(ids) and ids[-1] == self._unk_id) or (carried.follows_unknown and not ids))

    def last_ids(self, text: str, carried: Carried) -> Sequence[int]:
        ids = super().last_ids(text, carried)
        return ids[1:] if carried.follows_unknown and ids and ids[0] == self._unk_id else ids


class UnusedParts(AtSplitPoints):
    """A BPE of sentencepiece with unused pieces, which are split again as the whole text has it.

    Nothing is settled from the first such piece on; what was before it is kept, to ask about the whole of it then.
    """

    def __init__(
        self, model: SentencePieceBPE, ids_of_word: WordIds, last: Callable[[str], int], unk_id: int | None
    ) -> None:
        super().__init__(ids_of_word, last, unk_id)
        self._model = model

    def settled(self, text: str, carried: Carried) -> Settled:
        if not self._last(text) or self._has_unused(text):
            return 0, (), carried
        size, ids, after = super().settled(text, carried)
        return size, ids, after._replace(before=carried.before + text[:size], given=carried.given + len(ids))

    def last_ids(self, text: str, carried: Carried) -> Sequence[int]:
        if text and self._has_unused(text):
            return self.ids_of_word(carried.before + text)[carried.given :]
        return super().last_ids(text, carried)

    def _has_unused(self, text: str) -> bool:
        merged, *_ = self._model.merged(text)
        return any(len(piece) > 1 and piece in self._model.unused for piece in merged)


class UnigramParts(ModelParts):
    """A Unigram model: what the best paths begin with to all places from which the text may go on.

    A piece can only begin where another one ended. So every segmentation of the whole text goes on from the end of the
    text so far, or from a place from which a piece may reach beyond it, and the shared beginning of the best paths to
    all of these is final. The library adds up scores from the start of the pre-token, and rounds each sum: the next
    part begins with the score at the cut, so that it has the same sums.
    """

    def __init__(self, model: Unigram | SentencePieceUnigram, ids_of_word: WordIds) -> None:
        self._model = model
        self._entries = model.vocab if isinstance(model, Unigram) else model.entries
        self._longest = max(map(len, self._entries), default=0)
        is_long = self._longest > LONGEST_STREAMED_PIECE
        why_uncut = f"{type(model).__name__}: many pieces may have begun at each place" if is_long else ""
        super().__init__(ids_of_word, why_uncut)
        self._threshold = inf if isinstance(model, Unigram) else RESET_THRESHOLD
        self._remembered = lru_cache(maxsize=1 << 12)(self._settled)

    @cached_property
    def _largest(self) -> float:
        """The largest score that counts to a sum with a threshold, without its sign."""
        if isinstance(self._model, Unigram):
            return 0.0
        return max(map(abs, (self._model.unknown[1], *(score for _, score in self._model.entries.values()))))

    @cached_property
    def _cuts_unknown(self) -> bool:
        """Whether what has come of a run of unknown characters has ids of its own, however the run goes on.

        In `tokenizers` a run falls back to bytes as a whole, or gets the unknown id, unless it is a piece itself. It is
        none if no score is above 0, since each unknown character costs more than any piece. The unknown piece itself
        costs less: so no piece may be a repetition of that one.
        """
        model = self._model
        if not isinstance(model, Unigram):
            return True
        if model.byte_fallback or model.unk_id is None or not all(_LOWEST_EXACT < s <= 0.0 for _, s in model.pieces):
            return False
        unk = model.pieces[model.unk_id][0]
        return not any(piece != unk and not piece.replace(unk, "") for piece in model.vocab if piece)

    def settled(self, text: str, carried: Carried) -> Settled:
        if self.why_uncut:
            return 0, (), carried
        return (self._remembered if len(text) <= _SHORT else self._settled)(text, carried)

    def _settled(self, text: str, carried: Carried) -> Settled:
        best = self._model.best_paths(text, carried.score)
        size = self._shared_end(text, best)
        path = path_to_end(best[: size + 1])
        is_unknown = bool(path) and path[-1][2] == self._model.unk_id
        return size, self._ids(text, path, carried), Carried(best[size].score, is_unknown)

    def _shared_end(self, text: str, best: Sequence[Best]) -> int:
        may_continue, size = self._model.by_beginning.may_continue, len(text)
        going_on = [start for start in range(max(size - self._longest + 1, 0), size) if may_continue(text, start)]
        end = _shared_beginning(best, [*going_on, size])
        bound = self._threshold - (size + 1) * self._largest
        if not all(abs(path.score) < bound for path in best):
            # What the library takes off beyond the threshold depends on the scores of all places, also of those that
            # no winning path goes through: they must be the same when the next part is searched from the cut.
            while (start := min((path.start for path in best[end + 1 :]), default=end)) < end:
                end = _shared_beginning(best, [start, end])
        while end and best[end].id == self._model.unk_id and not self._cuts_unknown:
            end = best[end].start
        return end

    def last_ids(self, text: str, carried: Carried) -> Sequence[int]:
        return self._ids(text, path_to_end(self._model.best_paths(text, carried.score)), carried)

    def _ids(self, text: str, path: Sequence[PathPiece], carried: Carried) -> Sequence[int]:
        model, unk_id = self._model, self._model.unk_id
        if isinstance(model, Unigram):
            path = with_runs_joined(path, unk_id)
        if carried.follows_unknown and not model.byte_fallback:
            while path and path[0][2] == unk_id:
                path = path[1:]
        if isinstance(model, SentencePieceUnigram):
            return [token.id for token in model.table.tokens([(text[first:end], i) for first, end, i in path])]
        ids: list[int] = []
        for start, end, _ in path:
            ids += model.ids_of_piece(text[start:end])
        return ids


def _shared_beginning(best: Sequence[Best], places: Collection[int]) -> int:
    """Where the last piece ends that the best paths to all these places begin with."""
    left = {*places}
    while len(left) > 1:
        last = max(left)
        left.remove(last)
        left.add(best[last].start)
    return left.pop()


def model_parts(words: WordModel[Any], ids_of_word: WordIds) -> ModelParts:
    """A model in parts; one of a class that is not known here, derived ones too, wants its pre-tokens whole.

    words: the model with its memo of words. ids_of_word: gives the ids of a whole pre-token.
    """
    model: Model = words.model
    last = lambda text: words.split_points.last(text)  # lazy: split points are slow to compute
    if type(model) in (Unigram, SentencePieceUnigram):
        assert isinstance(model, Unigram | SentencePieceUnigram)
        return UnigramParts(model, ids_of_word)
    if type(model) is BPE:
        options = model.options
        # With these a part could be another token than within the word.
        if not (options.ignore_merges or options.continuing_subword_prefix or options.end_of_word_suffix):
            return AtSplitPoints(ids_of_word, last)
    if type(model) is LlamaSPM:
        return AtSplitPoints(ids_of_word, _before_bytes(last))
    if isinstance(model, PieceModel):
        unk_id = None if model.byte_fallback else model.unk_id
        if type(model) is SentencePieceWord:
            return AtSplitPoints(ids_of_word, lambda text: max(text.rfind(SPACE_SYMBOL), 0), unk_id)
        if type(model) is SentencePieceChar:
            return AtSplitPoints(ids_of_word, SplitPoints(model.table.matcher.symbols).last, unk_id)
        if type(model) is SentencePieceBPE and model.unused:
            return UnusedParts(model, ids_of_word, last, unk_id)
        if type(model) is SentencePieceBPE:
            return AtSplitPoints(ids_of_word, last, unk_id)
    why = _WHY_WHOLE.get(type(model), "its search is not made to go on")
    return ModelParts(ids_of_word, f"{type(model).__name__}: {why}" if why else "")


_WHY_WHOLE: dict[type, str] = {
    **dict.fromkeys((BPE, RankBPE, LlamaBPE), ""),  # their words are cut by patterns
    **dict.fromkeys((WordPiece, LlamaWPM), "one character can make a whole word unknown"),
    WordLevel: "a word is looked up as a whole",
}


def _before_bytes(last: Callable[[str], int]) -> Callable[[str], int]:
    """The last split point before any byte that is not UTF-8: llama.cpp takes those behind it into its symbol."""

    def last_before_bytes(text: str) -> int:
        first = -1 if text.isascii() else next((i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff"), -1)
        return last(text if first < 0 else text[: first + 1])

    return last_before_bytes
