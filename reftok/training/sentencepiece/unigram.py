"""The Unigram model: from many pieces, those that explain the corpus best, by expectation maximization and pruning.

Source: sentencepiece 0.2.3, unigram_model_trainer.cc (`Train`, `TrainDiscretePruning`, `RunEStep`, `RunMStep`,
`PruneSentencePieces`, `PruneUnreachableSentencePieces`, `FinalizeSentencePieces`).

The rule.

1. The seeds (see `seeds.py`) have the numbers 0, 1, 2 … in their order. With split_by_whitespace the sentences are from
   now on the distinct words, sorted by count.
2. E step: how often each piece is expected (see `lattice.py`). Of num_threads threads, thread t takes the sentences t,
   t + num_threads … and sums up by itself; then the sums are added in the order of the threads, all in float32. So
   num_threads decides the last bits.
3. M step: pieces that are expected less than 0.5 times go; the score of the others is digamma(expected) -
   digamma(sum of all), the sum and its digamma float32.
4. After num_sub_iterations of these, pruning. The two best ways to cut each piece are looked for (see
   `second_best.py`): where the best one is not the piece itself, it goes. It goes as well where no sentence is best cut
   with it. Pieces without another way stay; the others by what the corpus would lose if the second way had to do for
   them, until max(1.1 vocab_size, shrinking_factor times the pieces) are left. They are now numbered anew: those
   without another way first, the others by their loss.
5. Again from 2, until there are no more than 1.1 vocab_size.
6. A piece goes whose best way without itself scores higher than it does.
7. The required characters come into the model; those that went have the lowest score of all, plus 0 for the most
   frequent, 0.0001 for the next … The rest of the room is for the pieces of the highest scores, of equal ones the
   smaller text. All are sorted so.

Quirks. The unknown piece has the number 0 in training, which is also the first real piece's: what is unknown is counted
for it. Pieces go by their numbers where losses are equal.

The numbers. Where it says float32, each operation is one; logarithms and digamma are double.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate, count
from math import isfinite, log
from operator import add

from reftok.errors import TrainingStopped
from reftok.rules.viterbi import to_float32
from reftok.training.digamma import digamma
from reftok.training.monitor import Monitor, State, TrainingTrace
from reftok.training.sentencepiece.corpus import Corpus, Counted, counted_words
from reftok.training.sentencepiece.lattice import UNKNOWN_PENALTY, BestPaths, Lattice, Marginals, nodes_of
from reftok.training.sentencepiece.model_file import ScoredPiece
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.training.sentencepiece.second_best import two_best
from reftok.training.sentencepiece.seeds import seeds

LEAST_EXPECTED = 0.5
_GROWTH = 1.1
_STEP = to_float32(0.0001)
_WORDS_PER_PROGRESS = 2000


def train_unigram(corpus: Corpus, size: int, options: TrainerOptions, monitor: Monitor) -> list[ScoredPiece]:
    """The pieces of a Unigram model, without the special ones, in the order of their ids.

    size: so many pieces at most.
    """
    if not corpus.required:
        raise TrainingStopped("there is no character to train on")
    state = monitor.state
    found = seeds(corpus.sentences, options) if state is None else [(piece, score) for piece, score in state["seeds"]]
    sentences = counted_words(corpus.sentences, options) if options.split_by_whitespace else corpus.sentences
    model = _Model(found, sentences, options, monitor)
    if state is None:
        model.tell("seeds", len(found), len(found), "pieces")
    else:
        model.resume(state)
    desired = int(options.vocab_size * _GROWTH)
    while True:
        while model.rounds_before_pruning < options.num_sub_iterations:
            model.maximize(model.expected())
        model.prune(desired)
        if len(model.order) <= desired:
            break
    model.prune_unreachable()
    return finished({model.pieces[n]: model.scores[n] for n in model.order}, corpus, size)


def finished(scores: dict[str, float], corpus: Corpus, size: int) -> list[ScoredPiece]:
    """The required characters and the best of the pieces, sorted by score."""
    lowest = min(scores.values())
    kept: dict[str, float] = {}
    penalty = 0.0
    for character in corpus.required_by_count():
        if character in scores:
            kept[character] = scores[character]
        else:
            kept[character] = to_float32(lowest + penalty)
            penalty = to_float32(penalty + _STEP)
    for piece, score in _by_score(scores):
        if piece in kept:
            continue
        if len(kept) == size:
            break
        kept[piece] = score
    return _by_score(kept)


def _by_score(scores: dict[str, float]) -> list[ScoredPiece]:
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


class _Model:
    """The pieces and their scores while they change.

    pieces: all that there ever were; a piece keeps its index. order: the indexes of those that are left, in the order
    of their numbers. scores: by index; behind the last one that of the unknown piece.
    rounds_before_pruning: how many rounds there were since the last pruning.
    """

    def __init__(
        self, found: Sequence[ScoredPiece], sentences: Sequence[Counted], options: TrainerOptions, monitor: Monitor
    ) -> None:
        self.pieces = [piece for piece, _ in found]
        self.order = [*range(len(found))]
        self.unknown = len(found)
        self.scores = array("f", [score for _, score in found] + [0.0])
        self._indexes = {piece: index for index, piece in enumerate(self.pieces)}
        self._longest = max(map(len, self.pieces), default=1)
        self._threads, self._shrinking = options.num_threads, to_float32(options.shrinking_factor)
        self._monitor, self._trace = monitor, monitor.trace or TrainingTrace()
        self._counts = [to_float32(count) for _, count in sentences]
        self._lattices = [
            Lattice(len(text), nodes_of(text, self._indexes, self._longest, self.unknown)) for text, _ in sentences
        ]
        self._rounds = self.rounds_before_pruning = 0
        self._seeds = found
        self._keep(self.order)
        self._trace.note_scores("seed", dict(found))

    def _keep(self, order: list[int]) -> None:
        """Go on with these pieces, in this order.

        Raises TrainingStopped for what the library does not go on with.
        """
        if not order:
            raise TrainingStopped("no piece is left: the corpus is too small for the model type unigram")
        if not all(isfinite(self.scores[index]) for index in order):
            raise TrainingStopped("a score is no finite number: the corpus is too small for the model type unigram")
        for index in {*self.order}.difference(order):
            del self._indexes[self.pieces[index]]
        self.order = order
        alive = {*order, self.unknown}
        self.scores[self.unknown] = min(self.scores[index] for index in order) - UNKNOWN_PENALTY
        for lattice in self._lattices:
            lattice.without_dead(alive, self.unknown)

    def expected(self) -> array[float]:
        """The E step: how often each piece is expected."""
        done = count(1)

        def of_thread(sentences: range) -> array[float]:
            marginals = Marginals(self.scores, self.order[0])
            for sentence in sentences:
                marginals.add(self._lattices[sentence], self._counts[sentence])
                if (number := next(done)) % _WORDS_PER_PROGRESS == 0:
                    self.tell(f"EM, round {self._rounds + 1}", number, len(self._lattices), "words")
            return marginals.expected

        return self._summed(of_thread)

    def _summed(self, of_thread: Callable[[range], array[float]]) -> array[float]:
        """What the threads give for their sentences, added in the order of the threads."""
        size = len(self._lattices)
        return reduce(_added, (of_thread(range(thread, size, self._threads)) for thread in range(self._threads)))

    def maximize(self, expected: array[float]) -> None:
        """The M step."""
        kept = [index for index in self.order if expected[index] >= LEAST_EXPECTED]
        total = array("f", [0.0])
        for index in kept:
            total[0] += expected[index]
        log_of_total = to_float32(digamma(total[0])) if kept else 0.0
        for index in kept:
            self.scores[index] = digamma(expected[index]) - log_of_total
        self._keep(kept)
        self._rounds += 1
        self.rounds_before_pruning += 1
        self.tell(f"EM, round {self._rounds}", len(self._lattices), len(self._lattices), "words")
        if self._trace.story:
            scores = {self.pieces[index]: self.scores[index] for index in self.order}
            self._trace.note_scores(f"round {self._rounds} of EM", scores, "it is expected less than half a time")

    def prune(self, desired: int) -> None:
        """Take out the pieces that are not needed, down to `desired` or to a share of what there is."""
        self.tell("pruning", 0, len(self.order), "pieces")
        frequencies = self._viterbi_counts()
        total = to_float32(list(accumulate(frequencies[index] for index in self.order))[-1])
        fixed: list[int] = []
        losses: list[tuple[float, int, int, list[int]]] = []
        for number, index in enumerate(self.order):
            if frequencies[index] == 0:
                self._note(index, "no sentence is best cut with it")
                continue
            ways = self._ways(index)
            if len(ways[0]) > 1:
                self._note(index, f"its own best segmentation is {self._spelled(ways[0])}")
            elif len(ways) == 1:
                fixed.append(index)
            else:
                losses.append((-_loss(frequencies, index, ways[1], total), number, index, ways[1]))
        room = max(desired, int(to_float32(self._shrinking * to_float32(len(self.order))))) - len(fixed)
        losses.sort()
        kept = losses if room < 0 else losses[:room]
        for loss, _, index, way in losses[len(kept) :]:
            self._note(index, f"the corpus loses little with {self._spelled(way)} instead, {-loss}")
        self._keep(fixed + [index for _, _, index, _ in kept])
        self.rounds_before_pruning = 0

    def tell(self, step: str, done: int, whole: int, unit: str) -> None:
        """Reports progress."""
        self._monitor.report(step, done, whole, unit, self.state)

    def state(self) -> State:
        """All that another of the same sentences must be given to repeat the round that is under way."""
        rounds = self._rounds, self.rounds_before_pruning
        return {"seeds": self._seeds, "order": self.order, "scores": [*self.scores], "rounds": rounds}

    def resume(self, state: State) -> None:
        """Takes over the state of another."""
        self.scores = array("f", state["scores"])
        self._rounds, self.rounds_before_pruning = state["rounds"]
        self._keep(state["order"])

    def _note(self, index: int, reason: str) -> None:
        self._trace.note_pruned(self.pieces[index], f"after {self._rounds} rounds: {reason}")

    def _spelled(self, way: Sequence[int]) -> str:
        return " + ".join(repr(self.pieces[part]) for part in way if part != self.unknown)

    def _viterbi_counts(self) -> array[float]:
        """How often each piece is in the best way to cut a sentence."""
        first = self.order[0]

        def of_thread(sentences: range) -> array[float]:
            counts = array("f", bytes(4 * len(self.scores)))
            for sentence in sentences:
                lattice, count = self._lattices[sentence], self._counts[sentence]
                for number in BestPaths(lattice.size, lattice.nodes, self.scores).path():
                    counts[first if number == self.unknown else number] += count
            return counts

        return self._summed(of_thread)

    def _ways(self, index: int) -> list[list[int]]:
        """The best and the second best way to cut a piece; one if there is no other."""
        text = self.pieces[index]
        ways = two_best(len(text), nodes_of(text, self._indexes, self._longest, self.unknown), self.scores)
        return [[self.order[0] if number == self.unknown else number for number in way] for way in ways]

    def prune_unreachable(self) -> None:
        """Take out the pieces whose parts together score higher than they do."""
        kept = []
        for index in self.order:
            text = self.pieces[index]
            size = len(text)
            nodes = nodes_of(text, self._indexes, self._longest, self.unknown)
            parts = BestPaths(size, [node for node in nodes if node[1] - node[0] < size], self.scores)
            if size > 1 and parts.best[size] > self.scores[index]:
                self._note(index, f"{self._spelled(parts.path())} score higher than it does")
            else:
                kept.append(index)
        self._keep(kept)


def _added(sums: array[float], more: array[float]) -> array[float]:
    return array("f", map(add, sums, more))


def _loss(frequencies: Sequence[float], index: int, way: Sequence[int], total: float) -> float:
    """What the corpus loses in likelihood if a piece is cut another way wherever it stands now."""
    frequency = frequencies[index]
    log_of_total = to_float32(log(total))
    with_piece = to_float32(log(frequency) - log_of_total)
    total_without = to_float32(total + to_float32(frequency * (len(way) - 1)))
    log_without = to_float32(log(total_without))
    without_piece = array("f", [0.0])
    for part in way:
        without_piece[0] += log(to_float32(frequencies[part] + frequency)) - log_without
    share = to_float32(frequency / total)
    return to_float32(share * to_float32(with_piece - without_piece[0]))
