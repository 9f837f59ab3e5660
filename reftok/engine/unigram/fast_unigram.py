"""The ids of `reftok.rules.huggingface.unigram.Unigram`, fast: as a whole, or by remembered steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from reftok.engine.fast_model import FastModel
from reftok.engine.unigram.running_score import Scores, Sums
from reftok.engine.unigram.trie import Ids, PieceTrie
from reftok.engine.unigram.undecided_text import UndecidedTexts, Unknown
from reftok.engine.unigram.whole_texts import LONGEST_PIECE, WholeTexts, bounds
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, NO_ID
from reftok.rules.viterbi import PathPiece, with_runs_joined

MOST_TRIE_NODES = 20_000_000
_LARGEST_SUM = 1e300

SUMS = Sums("d", sure=1e9, rounding=1e9 * 2.0**-53)
_FARTHEST = -1e6
"""A sum of scores that are nearer to 0 is never rounded by as much as UNK_PENALTY."""


class FastUnigram(FastModel[Unigram]):
    """Viterbi over whole pre-tokens.

    >>> model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.0)], unk_id=0)
    >>> FastUnigram(model).ids("abxyb")
    [3, 0, 2]
    """

    def ids_of(self, text: str) -> Sequence[int]:
        model = self.model
        whole_texts = self.whole_texts
        if whole_texts is None or not text or len(text) * self.largest > _LARGEST_SUM:
            return super().ids_of(text)
        path = self._best_path(text, whole_texts)
        unk_id = model.unk_id
        ids = [token_id for _, _, token_id in path]
        if unk_id not in ids:
            return ids
        ids = []
        for start, end, token_id in with_runs_joined(path, unk_id):
            if token_id == unk_id:
                ids += self.piece_ids(text[start:end])
            else:
                ids.append(token_id)
        return ids

    def piece_ids(self, piece: str) -> list[int]:
        """The id of a piece, or of a run of unknown characters; or the ids of its bytes, all or none of them."""
        model = self.model
        return [model.vocab[byte_piece] for byte_piece in model.byte_pieces(piece)] or [model.id_or_unknown(piece)]

    @cached_property
    def tells_unknown_at_once(self) -> bool:
        """Whether the ids of a run of unknown characters begin with those of each of its beginnings.

        A run gets the unknown id once, or the ids of its bytes, unless it is a piece itself. It never is where no score
        is above 0, since each unknown character costs more than any piece. What consists of nothing but the unknown
        piece costs less: so no piece may be a repetition of that one.
        """
        model = self.model
        if model.unk_id is None:
            return False
        if not all(_FARTHEST < score <= 0.0 for _, score in model.pieces):
            return False
        unk = model.pieces[model.unk_id][0]
        if any(piece != unk and not piece.replace(unk, "") for piece in model.vocab if piece):
            return False
        return not model.byte_fallback or model.vocab.keys() >= set(BYTE_PIECES)

    def unknown_ids(self, text: str) -> list[int]:
        """The ids that a text adds to a run of unknown characters that it goes on, where they are told at once."""
        if not self.model.byte_fallback:
            return []
        return [self.model.vocab[BYTE_PIECES[byte]] for byte in text.encode("utf-8")]

    @cached_property
    def has_small_trie(self) -> bool:
        """Whether all pieces together are short enough for `trie`; a published model has a tenth of that."""
        return sum(map(len, self.model.vocab)) <= MOST_TRIE_NODES

    @cached_property
    def has_long_pieces(self) -> bool:
        """Whether so many pieces may have begun at each place of a text that the plain rules are the fastest."""
        return self.longest_piece > LONGEST_PIECE

    @cached_property
    def longest_piece(self) -> int:
        """How many code points the longest piece has."""
        return max(map(len, self.model.vocab), default=0)

    @cached_property
    def entries(self) -> Mapping[str, tuple[int, float]]:
        """The pieces that match text, with their ids and scores."""
        pieces = self.model.pieces
        return {piece: (token_id, pieces[token_id][1]) for piece, token_id in self.model.vocab.items() if piece}

    @cached_property
    def whole_texts(self) -> WholeTexts | None:
        """What finds the best path through a pre-token, None where pieces are too long for it."""
        if self.has_long_pieces:
            return None
        return WholeTexts(self.entries, self.model.unknown_score, SUMS.typecode)

    @cached_property
    def largest(self) -> float:
        """The largest score, without its sign."""
        return max(map(abs, (self.model.unknown_score, *(score for _, score in self.model.pieces))))

    @cached_property
    def undecided_texts(self) -> UndecidedTexts:
        """For streams; made when it is first asked for. Of an unknown character the id is `~ord(character)`."""
        trie = PieceTrie.of(self.entries)
        return UndecidedTexts(trie, Unknown(self.model.unknown_score, self._ids_of_unknown), SUMS.rounding)

    def _ids_of_unknown(self, character: str) -> Ids:
        self.model.needed_unk_id()
        return (~ord(character),)

    @cached_property
    def scores(self) -> Scores:
        """The scores of the ids of `undecided_texts`, as the library adds them up."""
        return Scores(SUMS, _ScoresById(self.model).__getitem__, self.largest)

    def _best_path(self, text: str, whole_texts: WholeTexts) -> list[PathPiece]:
        """The best path through a whole text: the fast path of `best_paths`."""
        model = self.model
        id_of = model.vocab.get
        _, starts = whole_texts.paths(text)
        if model.unk_id is None:
            for end, start in enumerate(starts[1:], 1):
                if text[start:end] not in model.vocab:
                    model.needed_unk_id()
        unk_id = NO_ID if model.unk_id is None else model.unk_id
        return [(start, end, id_of(text[start:end], unk_id)) for start, end in bounds(starts, len(text))]


class _ScoresById(dict[int, float]):
    """By id; an id that is none stands for an unknown character."""

    def __init__(self, model: Unigram) -> None:
        super().__init__(enumerate(score for _, score in model.pieces))
        self._unknown_score = model.unknown_score

    def __missing__(self, _: int) -> float:
        return self._unknown_score
