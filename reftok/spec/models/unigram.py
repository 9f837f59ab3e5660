"""The unigram language model of tokenizer.json: the segmentation with the highest sum of scores.

Source: tokenizers 0.23 models/unigram/model.rs (`encode_optimized`, `tokenize`). The model of sentencepiece is
another one (models/sentencepiece_unigram.py): it counts in float32 and knows piece types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from math import inf
from typing import TypeAlias

from reftok.engine.unigram.trie import PieceTrie
from reftok.engine.unigram.undecided_text import UndecidedTexts, Unknown
from reftok.errors import ModelFormatError
from reftok.spec.longest_first import EntriesByBeginning
from reftok.spec.models.vocab_model import RememberingModel
from reftok.spec.sentencepiece.pieces import BYTE_PIECES
from reftok.spec.steps import Lattice, Node
from reftok.spec.types import Token

Match: TypeAlias = tuple[int, int | None, float]
"""Where a piece ends, its id (None for the unknown piece where there is none) and its score."""

UNK_PENALTY = 10.0
MOST_TRIE_NODES = 20_000_000
SURE = 1e9
"""A score nearer to 0 than this changes nothing in almost any text."""

_ROUNDING = 2.0**-53
_FARTHEST = -1e6
"""A sum of scores that are nearer to 0 is never rounded by as much as UNK_PENALTY."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best path to a position: its score (float64), where its last piece starts, and that piece's id."""

    score: float
    start: int
    id: int


class _Lengths(dict[int, int]):
    def __missing__(self, token_id: int) -> int:
        return 1


class Unigram(RememberingModel):
    """Viterbi over all pieces of the vocab.

    pieces: piece and score (log probability), by id.
    unk_id: None where there is none; a text that needs it is then refused.
    source: the file's name, for messages.
    Raises ModelFormatError for an unk_id outside the vocab, UnsupportedFeature for pieces of more than 65,536
    characters.

    Quirks: on equal scores the piece that starts first stays. Every entry of the vocab matches text, control tokens
    too. A run of unknown characters is fused first; then byte fallback is all or nothing for the whole run.

    >>> model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.0)], unk_id=0)
    >>> [(token.id, token.value) for token in model.tokenize("abxyb")]
    [(3, 'ab'), (0, 'xy'), (2, 'b')]
    """

    def __init__(
        self, pieces: Sequence[tuple[str, float]], unk_id: int | None, byte_fallback: bool = False, source: str = ""
    ) -> None:
        if unk_id is not None and not 0 <= unk_id < len(pieces):
            raise ModelFormatError(source, "model.unk_id", f"{unk_id} is not an id of the {len(pieces)} pieces")
        self.pieces = pieces
        super().__init__({piece: token_id for token_id, (piece, _) in enumerate(pieces)})
        self.unk_id = unk_id
        self.byte_fallback = byte_fallback
        self.unknown_score = min((score for _, score in pieces), default=inf) - UNK_PENALTY
        self._by_beginning = EntriesByBeginning(self.vocab, source, "model.vocab")
        self.source = source
        self._trie: PieceTrie | None = None

    @property
    def size(self) -> int:
        """How many ids it has."""
        return len(self.pieces)

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id, None for an id outside the vocab."""
        return self.pieces[token_id][0] if 0 <= token_id < len(self.pieces) else None

    def _tokenize(self, text: str) -> tuple[Token, ...]:
        tokens: list[Token] = []
        for start, end in self._fused(text):
            piece = text[start:end]
            byte_pieces = self._byte_pieces(piece)
            if byte_pieces:
                tokens += [Token(self.vocab[byte_piece], byte_piece, (start, end)) for byte_piece in byte_pieces]
            else:
                tokens.append(Token(self._id_or_unknown(piece), piece, (start, end)))
        return tuple(tokens)

    def _token_ids(self, text: str) -> Sequence[int]:
        """The ids of a text that is not remembered."""
        if not self.has_small_trie:
            return [token_id for start, end in self._fused(text) for token_id in self.piece_ids(text[start:end])]
        links = self._best_links(text)
        ids: list[int] = []
        end, end_of_run = len(text), 0
        while end > 0:
            start, token_id = links[end]
            if token_id == self.unk_id:
                end_of_run = end_of_run or end
            else:
                if end_of_run:
                    ids += self.piece_ids(text[end:end_of_run])[::-1]
                    end_of_run = 0
                ids.append(token_id)
            end = start
        if end_of_run:
            ids += self.piece_ids(text[:end_of_run])[::-1]
        return ids[::-1]

    def piece_ids(self, piece: str) -> list[int]:
        """The id of a piece, or of a run of unknown characters; or the ids of its bytes, all or none of them."""
        byte_pieces = self._byte_pieces(piece)
        return [self.vocab[byte_piece] for byte_piece in byte_pieces] or [self._id_or_unknown(piece)]

    def _byte_pieces(self, piece: str) -> list[str]:
        if piece in self.vocab or not self.byte_fallback:
            return []
        byte_pieces = [BYTE_PIECES[byte] for byte in piece.encode("utf-8")]
        return byte_pieces if all(byte_piece in self.vocab for byte_piece in byte_pieces) else []

    def _id_or_unknown(self, piece: str) -> int:
        token_id = self.vocab.get(piece)
        return self.needed_unk_id() if token_id is None else token_id

    @cached_property
    def tells_unknown_at_once(self) -> bool:
        """Whether the ids of a run of unknown characters begin with those of each of its beginnings.

        A run gets the unknown id once, or the ids of its bytes, unless it is a piece itself. It never is where no score
        is above 0, since each unknown character costs more than any piece. What consists of nothing but the unknown
        piece costs less: so no piece may be a repetition of that one.
        """
        if self.unk_id is None:
            return False
        if not all(_FARTHEST < score <= 0.0 for _, score in self.pieces):
            return False
        unk = self.pieces[self.unk_id][0]
        if any(piece != unk and not piece.replace(unk, "") for piece in self.vocab if piece):
            return False
        return not self.byte_fallback or self.vocab.keys() >= set(BYTE_PIECES)

    def unknown_ids(self, text: str) -> list[int]:
        """What a text adds to the ids of a run of unknown characters that it goes on, where these are told at once."""
        return [self.vocab[BYTE_PIECES[byte]] for byte in text.encode("utf-8")] if self.byte_fallback else []

    @cached_property
    def has_small_trie(self) -> bool:
        """Whether all pieces together are short enough for `trie`; a published model has a tenth of that."""
        return sum(map(len, self.vocab)) <= MOST_TRIE_NODES

    @property
    def trie(self) -> PieceTrie:
        """The pieces that match text, as a tree; made when it is first asked for."""
        if self._trie is None:
            entries = ((piece, (token_id, self.pieces[token_id][1])) for piece, token_id in self.vocab.items() if piece)
            self._trie = PieceTrie.of(entries)
        return self._trie

    @cached_property
    def largest(self) -> float:
        """The largest score, without its sign."""
        return max(map(abs, (self.unknown_score, *(score for _, score in self.pieces))))

    @cached_property
    def undecided_texts(self) -> UndecidedTexts:
        """For streams; made when it is first asked for. In a path `~ord(character)` stands for an unknown one."""
        lengths = _Lengths((token_id, len(piece)) for piece, token_id in self.vocab.items())
        return UndecidedTexts(self.trie, Unknown(self.unknown_score, self._unknown_path), lengths, SURE * _ROUNDING)

    def _unknown_path(self, character: str) -> tuple[int]:
        self.needed_unk_id()
        return (~ord(character),)

    def added_scores(self, score: float, path: Iterable[int]) -> float:
        """The scores of a path of `undecided_texts`, added to a score one after the other."""
        for token_id in path:
            score = (self.unknown_score if token_id < 0 else self.pieces[token_id][1]) + score
        return score

    def _fused(self, text: str) -> list[tuple[int, int]]:
        """The spans of the best path, runs of the unknown piece joined."""
        best = self.best_paths(text)
        spans: list[tuple[int, int]] = []
        end = len(text)
        follows_unknown = False
        while end > 0:
            node = best[end]
            is_unknown = node.id == self.unk_id
            if is_unknown and follows_unknown:
                spans[-1] = node.start, spans[-1][1]
            else:
                spans.append((node.start, end))
            follows_unknown = is_unknown
            end = node.start
        return spans[::-1]

    def _best_links(self, text: str) -> list[tuple[int, int]]:
        """For each position the start and the id of the last piece of its best path: the fast twin of `best_paths`."""
        size = len(text)
        best = [0.0, *repeat(-inf, size)]
        links = [(-1, -1)] * (size + 1)
        beginnings = self.trie.children
        for start in range(size):
            here = best[start]
            end = start + 1
            node = beginnings.get(text[start])
            if node is None or node.entry is None:
                score = self.unknown_score + here
                if score > best[end] or links[end][0] < 0:
                    best[end], links[end] = score, (start, self.needed_unk_id())
            while node is not None:
                entry = node.entry
                if entry is not None:
                    score = entry[1] + here
                    if score > best[end] or links[end][0] < 0:
                        best[end], links[end] = score, (start, entry[0])
                if end == size:
                    break
                node = node.children.get(text[end])
                end += 1
        return links

    def best_paths(self, text: str) -> list[Best]:
        """For each position the best path that ends there."""
        best: list[Best | None] = [Best(0.0, -1, -1)] + [None] * len(text)
        for start in range(len(text)):
            here = best[start]
            if here is None:
                continue
            for end, token_id, piece_score in self.matches(text, start):
                score = piece_score + here.score
                current = best[end]
                if current is None or score > current.score:
                    best[end] = Best(score, start, self.needed_unk_id() if token_id is None else token_id)
        return [node for node in best if node is not None]

    def matches(self, text: str, start: int) -> list[Match]:
        """The pieces that begin at `start`; the unknown piece where no piece is the first character alone."""
        found: list[Match] = []
        has_single = False
        for piece in self._by_beginning.at(text, start):
            token_id = self.vocab[piece]
            found.append((start + len(piece), token_id, self.pieces[token_id][1]))
            has_single = has_single or len(piece) == 1
        if not has_single:
            found.append((start + 1, self.unk_id, self.unknown_score))
        return found

    def explain(self, text: str) -> Lattice:
        """The pieces that match, and the best path; byte fallback and the fusing of unknown runs come after it."""
        best = self.best_paths(text)
        nodes = [
            Node(start, end, text[start:end], self.needed_unk_id() if token_id is None else token_id, score)
            for start in range(len(text))
            for end, token_id, score in self.matches(text, start)
        ]
        ends, path = len(text), set[tuple[int, int]]()
        while ends > 0:
            path.add((best[ends].start, ends))
            ends = best[ends].start
        chosen = tuple(node for node in nodes if (node.start, node.end) in path)
        return Lattice(text, tuple(nodes), chosen, best[-1].score)

    def needed_unk_id(self) -> int:
        """The unknown id; raises ModelFormatError where there is none."""
        if self.unk_id is None:
            raise ModelFormatError(self.source, "model.unk_id", "is missing, but the text has an unknown character")
        return self.unk_id
