r"""The trainer of unigram language models of tokenizers, `UnigramTrainer`.

The rule is `UnigramTrainer.train`; its steps are the methods in their order. All numbers are float64.

Source: tokenizers 0.23 models/unigram/trainer.rs `do_train`, models/unigram/lattice.rs.

What the library gives is not a function of its input: it takes the words in the order of a hash map with random keys,
sums over as many chunks of them as there are threads, and walks the required characters in such an order, each one that
was dropped a little better than the one before. So the set of pieces is what can be compared, and scores to 0.001. Here
words come in the order of the text and characters in that of code points.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, inf, isnan, log, nan
from typing import Any

from reftok.errors import TrainingStopped
from reftok.rules.viterbi import UNK_PENALTY, PieceMatch, best_paths, path_to_end
from reftok.training.digamma import digamma
from reftok.training.monitor import UNWATCHED, Monitor, TrainingTrace
from reftok.training.options import SpecialTokens, contents
from reftok.training.suffix_tree import inner_nodes

Pieces = list[tuple[str, float]]

_UNKNOWN = "<UNK>"
_BOUNDARY = "\0"
_LEAST_EXPECTED = 0.5
_PENALTY = 0.0001
_MOST_IDLE_ROUNDS = 100
"""So many rounds may pass without a piece less; the library goes on for ever."""
NEVER_ENDS = "pieces cannot be made fewer: a larger vocab_size"
"""What is said of a training that the library never ends."""


@dataclass(frozen=True, slots=True)
class TrainedUnigram:
    """Pieces with their scores, by id; the id of the unknown token, None where there is none."""

    pieces: Pieces
    unk_id: int | None


@dataclass(frozen=True, slots=True)
class UnigramTrainer:
    """Seeds, then rounds of EM and pruning until few enough pieces are left.

    vocab_size: of pieces and special tokens together.
    special_tokens: the first entries, with the score 0.
    initial_alphabet: characters that are pieces whether the text has them or not; of each string the first one.
    shrinking_factor: the share of pieces that a round keeps.
    unk_token: one of the special tokens, or else put before them; None for no unknown token.
    max_piece_length: in characters.
    n_sub_iterations: of EM in a round.
    seed_size: so many pieces to begin with at most.

    Quirks: seeds are counted in the distinct words, not in the text. The loss of a piece is told with the number of all
    pieces where that of the pieces that would stand for it is meant (huggingface/tokenizers 1536, 2069). The last
    pruning leaves up to 1.1 times as many pieces as wanted; from these the first ones are taken, by the order of
    pruning, not the best. If there are as many required characters as pieces wanted or more, all pieces stay, and the
    vocab is larger than asked for. A text that has `<UNK>` makes the library panic, whose own unknown piece matches it;
    here it is text like any other, but no piece.

    >>> trained = UnigramTrainer(vocab_size=6).train({"banana": 5, "bandana": 3, "nan": 2})
    >>> [piece for piece, _ in trained.pieces]
    ['ban', 'ana', 'n', 'd', 'a', 'b']
    """

    vocab_size: int = 8000
    special_tokens: SpecialTokens = ()
    initial_alphabet: Sequence[str] = ()
    shrinking_factor: float = 0.75
    unk_token: str | None = None
    max_piece_length: int = 16
    n_sub_iterations: int = 2
    seed_size: int = 1_000_000

    def model(self, word_counts: Mapping[str, int], monitor: Monitor = UNWATCHED) -> dict[str, Any]:
        """The options of the trained model, as tokenizer.json has them."""
        trained = self.train(word_counts, monitor)
        vocab = [list(entry) for entry in trained.pieces]
        return {"vocab": vocab, "unk_id": trained.unk_id, "byte_fallback": False}

    def train(self, word_counts: Mapping[str, int], monitor: Monitor = UNWATCHED) -> TrainedUnigram:
        """The pieces with their scores.

        word_counts: the distinct words, with how often each occurs.
        Raises TrainingStopped where vocab_size holds fewer than the required characters, and where no round makes the
        pieces fewer.
        """
        required = self.required(word_counts)
        if len(required) > self.vocab_size:
            raise TrainingStopped(
                f"hf-unigram: vocab_size is {self.vocab_size}, and the text has {len(required)} characters: "
                f"at least {len(required) + len(self.special_tokens)} is needed"
            )
        room = self.vocab_size - len(self.special_tokens) - self.adds_unknown
        if room < 0:
            raise TrainingStopped(f"hf-unigram: vocab_size is {self.vocab_size}, fewer than the special tokens")
        state, trace = monitor.state, monitor.trace or TrainingTrace()
        is_done, idle, number = False, 0, 1
        if state is None:
            pieces = self.seeds(word_counts)
            trace.note_scores("seed", dict(pieces))
        else:
            pieces, is_done = [(piece, score) for piece, score in state["pieces"]], state["is done"]
        while not is_done:
            for iteration in range(self.n_sub_iterations):
                pieces = self.reestimated(pieces, _Lattices(pieces).expected(word_counts))
                step = f"round {number}, EM {iteration + 1}"
                trace.note_scores(step, dict(pieces), "expected less than 0.5 times")
            is_done, before = len(pieces) <= self.wanted, len(pieces)
            if not is_done:
                pieces = self.pruned(pieces, word_counts, trace, f"round {number}, pruning")
                idle = 0 if len(pieces) < before else idle + 1
            current = partial(dict[str, Any], {"pieces": pieces, "is done": is_done})
            monitor.report(f"EM, down to {self.wanted:,}", len(pieces), None, "pieces", current)
            if idle > _MOST_IDLE_ROUNDS:
                raise TrainingStopped(f"hf-unigram: {len(pieces)} {NEVER_ENDS}")
            number += 1
        trained = self.final(pieces, required)
        trace.note_scores("the first pieces are taken", dict(trained.pieces), "it is not among the first")
        return trained

    @property
    def wanted(self) -> int:
        """How many pieces the rounds are to leave."""
        return self.vocab_size * 11 // 10

    @property
    def adds_unknown(self) -> bool:
        """Whether the unknown token stands before the special tokens."""
        return self.unk_token is not None and self.unk_token not in contents(self.special_tokens)

    # --- the steps

    def required(self, word_counts: Mapping[str, int]) -> list[str]:
        """The characters that are pieces in the end."""
        return sorted({*"".join(word_counts), *(entry[0] for entry in self.initial_alphabet if entry)})

    def seeds(self, word_counts: Mapping[str, int]) -> Pieces:
        """The unknown piece, all characters, and the strings that at least two different characters follow.

        These are the inner nodes of the suffix tree of the distinct words, each of which ends in U+0000. Their score is
        how often they occur in them times their length, as a logarithm of the share of all; so is the count of a
        character, in the text. They are in the order of scores, of equal ones the larger string first.

        >>> [piece for piece, _ in UnigramTrainer().seeds({"ab": 2, "abc": 1, "xab": 1})]
        ['<UNK>', 'b', 'a', 'x', 'c', 'ab']
        """
        characters: Counter[str] = Counter()
        suffixes: defaultdict[str, list[str]] = defaultdict(list)
        longest = self.max_piece_length
        for word, count in word_counts.items():
            for part in word.split(_BOUNDARY):
                ended = part + _BOUNDARY
                for start, character in enumerate(part):
                    characters[character] += count
                    suffixes[character].append(ended[start : start + longest + 2])
        scored = [
            (count * len(string) % (1 << 32), string)
            for found in suffixes.values()
            for string, count in inner_nodes(sorted(found), range(len(found) + 1))
            if string[-1] != _BOUNDARY and 1 < len(string) <= longest
        ]
        by_score = sorted(((count % (1 << 32), character) for character, count in characters.items()), reverse=True)
        for entry in sorted(scored, reverse=True):
            by_score.append(entry)
            if len(by_score) >= self.seed_size:
                break
        whole = log(sum(float(score) for score, _ in by_score)) if by_score else 0.0
        return [(_UNKNOWN, nan), *((string, log(score) - whole) for score, string in by_score)]

    def reestimated(self, pieces: Pieces, expected: Sequence[float]) -> Pieces:
        """The M step: pieces that are expected less than 0.5 times go; the score is that of a sparse prior."""
        kept = [
            (piece, count)
            for place, ((piece, _), count) in enumerate(zip(pieces, expected, strict=True))
            if place and count >= _LEAST_EXPECTED
        ]
        whole = digamma(sum(count for _, count in kept)) if kept else 0.0
        return [(pieces[0][0], nan), *((piece, digamma(count) - whole) for piece, count in kept)]

    def pruned(self, pieces: Pieces, word_counts: Mapping[str, int], trace: TrainingTrace, step: str) -> Pieces:
        """The pieces without which the text would be least likely.

        A piece that is not the best way to write itself, and that no word needs, goes. One that can be written in no
        other way stays. Of the others those stay whose loss is the largest: how much less likely the text would be if
        each of their places were written in the second best way.
        """
        lattices = _Lattices(pieces)
        alternatives = [lattices.alternative(piece) for piece, _ in pieces]
        counts = [0.0] * len(pieces)
        found_in: list[float] = [0.0] * len(pieces)
        whole_count = 0.0
        for word, count in word_counts.items():
            whole_count += count
            for piece_id in lattices.best(word)[0]:
                counts[piece_id] += count
                found_in[piece_id] += count
        whole = sum(counts)
        kept = [pieces[0]]
        losses: list[tuple[int, float]] = []
        for piece_id, (piece, score) in enumerate(pieces):
            alternative = alternatives[piece_id]
            if not piece_id:
                continue
            if not counts[piece_id] and alternative is None:
                trace.note_pruned(piece, f"{step}: no word needs it, and it is not the best way to write itself")
            elif not alternative:
                kept.append((piece, score))
            elif not found_in[piece_id]:
                trace.note_pruned(piece, f"{step}: no word needs it")
            else:
                share = found_in[piece_id] / whole_count
                likelihood = log(counts[piece_id]) - log(whole)
                without = log(whole + counts[piece_id] * (len(pieces) - 1))
                instead = sum(log(counts[other] + counts[piece_id]) - without for other in alternative)
                losses.append((piece_id, share * (likelihood - instead)))
        losses.sort(key=lambda entry: -entry[1])
        size = max(self.wanted, int(len(pieces) * self.shrinking_factor))
        room = size - len(kept) if size >= len(kept) else len(losses)
        kept += [pieces[piece_id] for piece_id, _ in losses[:room]]
        for piece_id, loss in losses[room:]:
            trace.note_pruned(pieces[piece_id][0], f"{step}: its loss {loss:.3g} is not among the {room:,} largest")
        return kept

    def final(self, pieces: Pieces, required: Sequence[str]) -> TrainedUnigram:
        """The special tokens, then required characters and the first of the other pieces, best score first."""
        scores = dict(pieces)
        least = min((score for _, score in pieces if not isnan(score)), default=inf)
        dropped = iter(range(len(required)))
        found = [
            (character, scores[character] if character in scores else least + _PENALTY * next(dropped))
            for character in required
        ]
        room = self.vocab_size - len(self.special_tokens) - self.adds_unknown
        known = {_UNKNOWN, *required}
        for piece, score in pieces:
            if piece not in known:
                found.append((piece, score))
                if len(found) == room:
                    break
        found.sort(key=lambda entry: -entry[1])
        special = contents(self.special_tokens)
        if self.unk_token is not None and self.adds_unknown:
            special.insert(0, self.unk_token)
        unk_id = None if self.unk_token is None else special.index(self.unk_token)
        return TrainedUnigram([*((token, 0.0) for token in special), *found], unk_id)


class _Lattices:
    """The pieces as they match words.

    Where no piece is the single character, the unknown piece stands for it, 10 below the least score.
    """

    def __init__(self, pieces: Pieces) -> None:
        self._ids = {piece: (piece_id, score) for piece_id, (piece, score) in enumerate(pieces) if piece_id}
        self._size = len(pieces)
        self._unknown = min((score for _, score in pieces if not isnan(score)), default=inf) - UNK_PENALTY
        self._lengths: defaultdict[str, set[int]] = defaultdict(set)
        for piece in self._ids:
            self._lengths[piece[:2]].add(len(piece))
        self._ordered = {beginning: sorted(lengths) for beginning, lengths in self._lengths.items()}

    def matches(self, word: str) -> list[list[PieceMatch]]:
        """For each place the pieces that begin there, the shorter first."""
        ids, ordered, found = self._ids, self._ordered, []
        size = len(word)
        for start in range(size):
            here: list[PieceMatch] = []
            single = ids.get(word[start])
            here.append((start + 1, 0, self._unknown) if single is None else (start + 1, *single))
            for length in ordered.get(word[start : start + 2], ()) if start + 1 < size else ():
                end = start + length
                if end > size:
                    break
                piece = ids.get(word[start:end])
                if piece is not None:
                    here.append((end, *piece))
            if single is None and len(here) > 1:
                # The unknown piece is put in last.
                here.append(here.pop(0))
            found.append(here)
        return found

    def expected(self, words: Mapping[str, int]) -> list[float]:
        """The E step: how often each piece is expected over all ways to write each word."""
        expected = [0.0] * self._size
        for word, count in words.items():
            matches = self.matches(word)
            size = len(word)
            ending: list[list[tuple[int, float]]] = [[] for _ in range(size + 1)]
            forward = [0.0] * (size + 1)
            for start, here in enumerate(matches):
                if start:
                    forward[start] = _log_sum([forward[begin] + score for begin, score in ending[start]])
                for end, _, score in here:
                    ending[end].append((start, score))
            if size:
                forward[size] = _log_sum([forward[begin] + score for begin, score in ending[size]])
            backward = [0.0] * (size + 1)
            for start in range(size - 1, -1, -1):
                backward[start] = _log_sum([score + backward[end] for end, _, score in matches[start]])
            whole = forward[size]
            for start, here in enumerate(matches):
                for end, piece_id, score in here:
                    expected[piece_id] += count * exp(forward[start] + score + backward[end] - whole)
        return expected

    def best(self, word: str, without: int | None = None) -> tuple[list[int], float]:
        """The ids of the best way to write a word, and its score; of equal ones that with the earlier last piece.

        without: a piece that is not to be used.
        """
        matches = self.matches(word)
        if without is not None:
            matches = [[match for match in here if match[1] != without] for here in matches]
        paths = best_paths(len(word), matches.__getitem__)
        return [piece_id for _, _, piece_id in path_to_end(paths)], paths[-1].score

    def alternative(self, piece: str) -> list[int] | None:
        """The second best way to write a piece that is itself the best one; [] if it has one character, else None."""
        if piece not in self._ids or len(piece) == 1:
            return []
        own, score = self._ids[piece]
        other, of_other = self.best(piece, own)
        return other if score >= of_other else None


def _log_sum(values: Sequence[float]) -> float:
    """The logarithm of a sum of exponentials."""
    if len(values) == 1:
        return values[0]
    largest = max(values)
    return largest + log(sum([exp(value - largest) for value in values]))
