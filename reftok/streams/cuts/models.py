"""Where a pre-token can be cut for the models, and the ids of its parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from math import inf
from typing import NamedTuple, Protocol, TypeAlias

from reftok.engine.split_points import MergeSplitPoints, PairSplitPoints
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
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, SPACE_SYMBOL
from reftok.rules.sentencepiece.unigram import RESET_THRESHOLD, SentencePieceUnigram
from reftok.rules.sentencepiece.words import SentencePieceChar, SentencePieceWord
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE
from reftok.rules.viterbi import Best, PathPiece, path_to_end, with_runs_joined

WordIds: TypeAlias = Callable[[str], Sequence[int]]
"""The ids of a whole pre-token."""

_FARTHEST = -1e6
"""A sum of scores that are nearer to 0 is never rounded by as much as UNK_PENALTY."""


class Carried(NamedTuple):
    """What one part of a pre-token hands to the next.

    score: of the best path before the next part, in a Unigram model.
    follows_unknown: whether the part ends within a run of unknown characters that become one id.
    """

    score: float = 0.0
    follows_unknown: bool = False


AT_START = Carried()


class ModelParts(Protocol):
    """A model that is given a pre-token in parts."""

    @property
    def why_uncut(self) -> str:
        """Why a pre-token is never cut, '' if it is."""
        ...

    @property
    def ids_of_word(self) -> WordIds:
        """What the model gives for a whole pre-token."""
        ...

    def cut(self, text: str, carried: Carried) -> int:
        """The last cut in the beginning of a pre-token, whatever follows; 0 if there is none."""
        ...

    def ids(self, text: str, carried: Carried) -> tuple[Sequence[int], Carried]:
        """The ids of a part that ends at a cut, or with the pre-token."""
        ...


class WholeWords:
    """A model that needs whole pre-tokens. why_uncut: the reason, '' for one that words are cut for before it."""

    def __init__(self, ids_of_word: WordIds, why_uncut: str) -> None:
        self.why_uncut = why_uncut
        self.ids_of_word = ids_of_word

    def cut(self, text: str, carried: Carried) -> int:
        return 0

    def ids(self, text: str, carried: Carried) -> tuple[Sequence[int], Carried]:
        return self.ids_of_word(text) if text else (), AT_START


class AtSplitPoints:
    """A model that segments the two sides of a place apart, if no piece spans the place.

    last: the last such place within a text, 0 if there is none.
    unk_id: of unknown characters, a run of which becomes one id; None for a model that does not join them.
    """

    why_uncut = ""

    def __init__(self, ids_of_word: WordIds, last: Callable[[str], int], unk_id: int | None = None) -> None:
        self.ids_of_word = ids_of_word
        self._last = last
        self._unk_id = unk_id

    def cut(self, text: str, carried: Carried) -> int:
        return self._last(text)

    def ids(self, text: str, carried: Carried) -> tuple[Sequence[int], Carried]:
        ids = self.ids_of_word(text) if text else ()
        if self._unk_id is None or not ids:
            return ids, carried
        follows_unknown = ids[-1] == self._unk_id
        if carried.follows_unknown and ids[0] == self._unk_id:
            ids = ids[1:]
        return ids, Carried(0.0, follows_unknown)


class UnigramParts:
    """A Unigram model: cut where the best paths to all places part from which the text may go on.

    A piece can only begin where another one ended, so that every segmentation of the whole text goes on from the end of
    the text so far, or from a place from which a piece may reach beyond it. What the best paths to all of these begin
    with is final. The library adds up scores from the start of the pre-token, and rounds each sum, so that the next part
    begins with the score at the cut: then it adds up the same sums.
    """

    def __init__(self, model: Unigram | SentencePieceUnigram, ids_of_word: WordIds) -> None:
        self._model = model
        self.ids_of_word = ids_of_word
        self._joins_unknown = not model.byte_fallback
        self._entries = model.vocab if isinstance(model, Unigram) else model.entries
        self._longest = max(map(len, self._entries), default=0)
        self._threshold = inf if isinstance(model, Unigram) else RESET_THRESHOLD
        self.why_uncut = ""
        if self._longest > LONGEST_STREAMED_PIECE:
            self.why_uncut = f"{type(model).__name__}: so many pieces may have begun at each place"

    @cached_property
    def _last_split_point(self) -> Callable[[str], int]:
        return PairSplitPoints(filter(None, self._entries)).last

    @cached_property
    def _largest(self) -> float:
        """The largest score, without its sign."""
        if isinstance(self._model, Unigram):
            scores = [self._model.unknown_score, *(score for _, score in self._model.pieces)]
        else:
            scores = [self._model.unknown[1], *(score for _, score in self._model.entries.values())]
        return max(map(abs, scores))

    @cached_property
    def _tells_unknown_at_once(self) -> bool:
        """Whether the ids of a run of unknown characters begin with those of each of its beginnings.

        In `tokenizers` a run gets the unknown id once, or the ids of its bytes, unless it is a piece itself. It never is
        if no score is above 0, since each unknown character costs more than any piece. The unknown piece itself costs
        less: so no piece may be a repetition of that one.
        """
        model = self._model
        if not isinstance(model, Unigram):
            return True
        if model.unk_id is None or not all(_FARTHEST < score <= 0.0 for _, score in model.pieces):
            return False
        unk = model.pieces[model.unk_id][0]
        if any(piece != unk and not piece.replace(unk, "") for piece in model.vocab if piece):
            return False
        return not model.byte_fallback or model.vocab.keys() >= set(BYTE_PIECES)

    def cut(self, text: str, carried: Carried) -> int:
        if self.why_uncut:
            return 0
        if self._tells_unknown_at_once and (self._joins_unknown or not isinstance(self._model, Unigram)):
            # What is behind such a place is searched when the score there is known.
            split_point = self._last_split_point(text)
            if split_point:
                return split_point
        best = self._model.best_paths(text, carried.score)
        may_continue, size = self._model.by_beginning.may_continue, len(text)
        going_on = [start for start in range(max(size - self._longest + 1, 0), size) if may_continue(text, start)]
        end = _shared_beginning(best, [*going_on, size])
        bound = self._threshold - (size + 1) * self._largest
        if not all(abs(path.score) < bound for path in best):
            # What the library takes off beyond the threshold depends on the scores of all places, also of those that
            # no winning path goes through: they must be the same when the next part is searched from the cut.
            while (start := min((path.start for path in best[end + 1 :]), default=end)) < end:
                end = _shared_beginning(best, [start, end])
        while end and not self._is_end_of_ids(text, best[end], end):
            end = best[end].start
        return end

    def _is_end_of_ids(self, text: str, path: Best, end: int) -> bool:
        """Whether the ids up to a place are known whatever unknown characters follow."""
        model = self._model
        if not isinstance(model, Unigram) or path.id != model.unk_id:
            return True
        # The unknown piece itself is no bytes as long as it stands alone.
        is_piece = text[path.start : end] == model.pieces[path.id][0]
        return self._tells_unknown_at_once and not (model.byte_fallback and is_piece)

    def ids(self, text: str, carried: Carried) -> tuple[Sequence[int], Carried]:
        if not text:
            return (), carried
        best = self._model.best_paths(text, carried.score)
        path = path_to_end(best)
        unk_id = self._model.unk_id
        last = Carried(best[-1].score, path[-1][2] == unk_id)
        if isinstance(self._model, Unigram):
            return self._joined_ids(self._model, text, with_runs_joined(path, unk_id), carried), last
        ids = [token.id for token in self._model.table.tokens((text[start:end], part) for start, end, part in path)]
        if self._joins_unknown and carried.follows_unknown and path[0][2] == unk_id:
            del ids[0]
        return ids, last

    def _joined_ids(self, model: Unigram, text: str, path: Sequence[PathPiece], carried: Carried) -> list[int]:
        """The ids of pieces and of runs of unknown characters, of which the first may go on with another one."""
        ids: list[int] = []
        goes_on = carried.follows_unknown
        for start, end, token_id in path:
            piece = text[start:end]
            if goes_on and token_id == model.unk_id:
                if model.byte_fallback:
                    ids += [model.vocab[BYTE_PIECES[byte]] for byte in piece.encode("utf-8")]
            else:
                ids += [model.vocab[byte] for byte in model.byte_pieces(piece)] or [model.id_or_unknown(piece)]
            goes_on = False
        return ids


def _shared_beginning(best: Sequence[Best], places: Collection[int]) -> int:
    """Where the last piece ends that the best paths to all these places begin with."""
    left = {*places}
    while len(left) > 1:
        last = max(left)
        left.remove(last)
        left.add(best[last].start)
    return left.pop()


def model_parts(model: Model, ids_of_word: WordIds) -> ModelParts:
    """What takes the pre-tokens of a model in parts; a class that is not known here, derived ones too, wants them whole.

    ids_of_word: what the model gives for a whole pre-token.
    """
    if type(model) in (Unigram, SentencePieceUnigram):
        assert isinstance(model, Unigram | SentencePieceUnigram)
        return UnigramParts(model, ids_of_word)
    name = type(model).__name__
    if type(model) is BPE:
        options = model.options
        if not (options.ignore_merges or options.continuing_subword_prefix or options.end_of_word_suffix):
            return AtSplitPoints(ids_of_word, _Lazily(lambda: MergeSplitPoints(model).last))
    if type(model) in (BPE, RankBPE, LlamaBPE):
        # A part could be another token than within the word; the words of these models are cut by patterns.
        return WholeWords(ids_of_word, "")
    if type(model) in (WordPiece, LlamaWPM):
        return WholeWords(ids_of_word, f"{name}: one character can make a whole word unknown")
    if type(model) is WordLevel:
        return WholeWords(ids_of_word, f"{name}: a word is looked up as a whole")
    if type(model) is LlamaSPM:
        return AtSplitPoints(ids_of_word, _sound_split_point(_Lazily(lambda: PairSplitPoints(model.vocab).last)))
    if isinstance(model, PieceModel):
        unk_id = None if model.byte_fallback else model.unk_id
        if type(model) is SentencePieceWord:
            return AtSplitPoints(ids_of_word, lambda text: max(text.rfind(SPACE_SYMBOL), 0), unk_id)
        if type(model) is SentencePieceChar:
            return AtSplitPoints(ids_of_word, PairSplitPoints(model.table.matcher.symbols).last, unk_id)
        if type(model) is SentencePieceBPE and not model.unused:
            return AtSplitPoints(ids_of_word, _Lazily(lambda: PairSplitPoints(model.ranks).last), unk_id)
        if type(model) is SentencePieceBPE:
            return WholeWords(ids_of_word, f"{name}: what an unused piece is split into depends on the whole text")
    return WholeWords(ids_of_word, f"{name}: its search is not made to go on")


class _Lazily:
    """A function that is made when it is first called: to look at all pieces takes long."""

    def __init__(self, make: Callable[[], Callable[[str], int]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Callable[[str], int]:
        return self._make()

    def __call__(self, text: str) -> int:
        return self._made(text)


def _sound_split_point(last: Callable[[str], int]) -> Callable[[str], int]:
    """The last split point before any byte that is not UTF-8: llama.cpp takes those behind it into its symbol."""

    def last_sound(text: str) -> int:
        if not text.isascii():
            text = text[: next((i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff"), len(text) - 1) + 1]
        return last(text)

    return last_sound
