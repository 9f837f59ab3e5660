"""The undecided text of a Viterbi search that goes on character by character, remembered by the text it is about.

All paths that may still win begin with the same pieces. Behind these begins the *undecided* text, and it says all that
there is to know about the search: which path is the best from its beginning to each position in it, and with that what
every next character decides. So a step is computed once for each undecided text and character, then it is looked up.

Only the differences of scores within it count, in float64. A library adds them to all that came before it and rounds
the sums; where that could make another path to a position the best one, the path to it is `OPEN_CHOICE` from where they
part. A step that decides such a choice is `LOST`; most often no path that wins goes through it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf
from operator import itemgetter
from typing import TypeAlias

from reftok.engine.unigram.trie import Entry, Ids, PieceTrie

Path: TypeAlias = tuple[Entry, ...]

OPEN_CHOICE: Entry = (), 0.0, 0
"""Stands in a path for what depends on the score before the undecided text; nothing that is decided has it.

What follows it in a path is of no use.
"""

Open: TypeAlias = tuple[float, PieceTrie, Path]
"""A position from which a piece may reach beyond the text: its score, of which only the differences within one
undecided text count, the place in the tree of pieces that was reached from it, and the best path to it."""

LONGEST = 64
"""So many code points an undecided text has at most."""

_MOST_STEPS = 1 << 16
_MOST_NODES = 64
_IDS = itemgetter(0)


def _ids(path: Path) -> Ids:
    # Most paths are of one piece or none.
    if len(path) < 2:
        return path[0][0] if path else ()
    return tuple(chain.from_iterable(map(_IDS, path)))


class UndecidedText(dict[str, "Transition"]):
    """One undecided text: `behind, decided = undecided[character]`.

    text: it.
    open: the open positions in order; the last is the end of the text.
    threshold: two scores that differ by more than this are in the same order however they are rounded.
    """

    __slots__ = ("_texts", "open", "text", "threshold")

    def __init__(self, text: str, positions: Sequence[Open], threshold: float, texts: UndecidedTexts | None) -> None:
        super().__init__()
        self.text = text
        self.open = positions
        self.threshold = threshold
        self._texts = texts

    @property
    def path(self) -> Ids | None:
        """The ids of the best path through it, decided if the text ends here; None where that is an open choice."""
        path = self.open[-1][2] if self.open else (OPEN_CHOICE,)
        return None if OPEN_CHOICE in path else _ids(path)

    def __missing__(self, character: str) -> Transition:
        if self._texts is None:
            return self, ()
        step = self[character] = self._texts.step(self, character)
        return step

    def after(self, text: str) -> tuple[UndecidedText, list[int]]:
        """The undecided text behind all these characters, and the ids that they have decided."""
        undecided, decided = self, list[int]()
        for character in text:
            undecided, ids = undecided[character]
            if ids:
                decided += ids
        return undecided, decided


Transition: TypeAlias = tuple[UndecidedText, Ids]
"""The undecided text behind a character, and the ids that this character has decided."""

LOST = UndecidedText("", (), inf, None)
"""It depends on more than the undecided text; so does everything behind it."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The segment of a character that is no piece: its score, less than that of any piece, and its ids."""

    score: float
    ids: Callable[[str], Ids]

    def entry(self, character: str) -> Entry:
        """What it becomes."""
        return self.ids(character), self.score, 1


class Gains(dict[PieceTrie, float]):
    """Whether it is still of use that a piece has begun.

    The key is the place in the tree of pieces, the value by how much a path that is within a piece can get ahead of one
    that is at the end of the text. A piece that is reached from there has its score; the other path can go through the
    rest of that piece on its own. Infinite where there are too many pieces to look at.

    trie: the pieces.
    unknown_score: of a character that is no piece.
    rounding: what one addition of the library is wrong by at most.

    >>> trie = PieceTrie.of({"a": (7, -1.0), "b": (8, -1.0), "ab": (9, -1.5)})
    >>> Gains(trie, unknown_score=-11.0, rounding=0.0)[trie.children["a"]]
    -0.5
    """

    def __init__(self, trie: PieceTrie, unknown_score: float, rounding: float) -> None:
        super().__init__()
        self._trie = trie
        self._unknown_score = unknown_score
        self._rounding = rounding
        self._scores = {"": 0.0}

    def __missing__(self, begun: PieceTrie) -> float:
        gain = self[begun] = self._gain(begun)
        return gain

    def _gain(self, begun: PieceTrie) -> float:
        gain = -inf
        nodes = [(begun, "")]
        for node, rest in nodes:
            if len(nodes) > _MOST_NODES:
                return inf
            nodes += [(child, rest + character) for character, child in node.children.items()]
            if rest and node.entry is not None:
                gain = max(gain, node.entry[1] - self._score(rest) + 2 * len(rest) * self._rounding)
        return gain

    def _score(self, text: str) -> float:
        """The score of the best path through a text: of its first piece and of the best path behind that."""
        found = self._scores.get(text)
        if found is None:
            found = self._unknown_score + self._score(text[1:])
            node: PieceTrie | None = self._trie
            for end, character in enumerate(text, 1):
                node = node and node.children.get(character)
                if node is None:
                    break
                if node.entry is not None:
                    found = max(found, node.entry[1] + self._score(text[end:]))
            self._scores[text] = found
        return found


class UndecidedTexts:
    """The undecided texts of one model.

    trie: the pieces; unknown: what becomes of a character that is none.
    rounding: what one addition of the library is wrong by at most.

    >>> trie = PieceTrie.of({"a": (7, -1.0), "b": (8, -1.0), "ab": (9, -1.5)})
    >>> texts = UndecidedTexts(trie, Unknown(-11.0, lambda character: (0,)), 1e-9)
    >>> undecided, decided = texts.start["a"]
    >>> undecided.text, decided, undecided.path, undecided["b"] == (texts.start, (9,))
    ('a', (), (7,), True)
    """

    def __init__(self, trie: PieceTrie, unknown: Unknown, rounding: float) -> None:
        self.trie = trie
        self.unknown = unknown
        self._rounding = rounding
        self._gains = Gains(trie, unknown.score, rounding)
        self._texts: dict[str, UndecidedText] = {}
        self._steps = 0
        self.start = UndecidedText("", [(0.0, trie, ())], 2 * rounding, self)

    def __reduce__(self) -> tuple[type[UndecidedTexts], tuple[object, ...]]:
        """A copy begins with nothing remembered."""
        return UndecidedTexts, (self.trie, self.unknown, self._rounding)

    def step(self, undecided: UndecidedText, character: str) -> Transition:
        """One step of the plain search: one end, from each start in order."""
        self._make_room()
        best = second = -inf
        path: Path = ()
        chosen = entry = None
        longer: list[Open] = []
        for before, node, path_before in undecided.open:
            child = node.children.get(character)
            if child is None:
                entry = None
                continue
            entry = child.entry
            if entry is not None:
                score = before + entry[1]
                if score > best:
                    best, second, path, chosen = score, best, path_before, entry
                elif not score <= second:
                    second = score
            if child.children:
                longer.append((before, child, path_before))
        if entry is None:
            score = before + self.unknown.score
            if score > best:
                best, second, path, chosen = score, best, path_before, None
            elif not score <= second:
                second = score
        ahead = best - second
        if ahead > undecided.threshold:
            path = (*path, chosen or self.unknown.entry(character))
        elif ahead >= 0:
            path = self._choice(undecided, character, best)
        else:
            return LOST, ()  # not a number
        longer.append((best, self.trie, path))
        return self._undecided(undecided.text + character, longer)

    def _choice(self, undecided: UndecidedText, character: str, best: float) -> Path:
        """The common beginning of all paths that may be the best one behind a character."""
        near: list[Path] = []
        for before, node, path in undecided.open:
            child = node.children.get(character)
            entry = None if child is None else child.entry
            if entry is not None and before + entry[1] >= best - undecided.threshold:
                near.append((*path, entry))
        if entry is None and before + self.unknown.score >= best - undecided.threshold:
            near.append((*path, OPEN_CHOICE))
        return (*near[0][: _shared(near)], OPEN_CHOICE)

    def _undecided(self, text: str, positions: list[Open]) -> Transition:
        """The step to the text that stays undecided between these open positions."""
        if len(positions) > 1:
            positions = self._without_dead(text, positions)
        if len(positions) == 1:
            decided = positions[0][2]
            return (LOST, ()) if OPEN_CHOICE in decided else (self.start, _ids(decided))
        paths = [path for _, _, path in positions]
        shared = _shared(paths)
        decided = paths[0][:shared]
        if OPEN_CHOICE in decided:
            return LOST, ()
        if shared:
            text = text[sum([length for _, _, length in decided]) :]
        found = self._texts.get(text)
        if found is None:
            if len(text) > LONGEST:
                return LOST, ()
            if shared:
                end = positions[-1][0]
                positions = [(score - end, node, path[shared:]) for score, node, path in positions]
            # Behind an open choice the library may have come by any path, of as many sums as there are code points.
            has_choice = any(OPEN_CHOICE in path for path in paths)
            additions = 1 + (len(text) if has_choice else max(map(len, paths)) - shared)
            found = self._texts[text] = UndecidedText(text, positions, 2 * additions * self._rounding, self)
        return found, _ids(decided)

    def _without_dead(self, text: str, positions: Sequence[Open]) -> list[Open]:
        """The positions from which a path may still win: not those that the end of the text is too far ahead of."""
        *longer, end = positions
        bound = end[0] - 2 * (len(text) + 1) * self._rounding
        return [position for position in longer if not position[0] + self._gains[position[1]] < bound] + [end]

    def _make_room(self) -> None:
        """Forget everything from time to time: there is no end to the texts that may come."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            self._steps = 0
            for undecided in (self.start, *self._texts.values()):
                undecided.clear()
            self._texts.clear()


def _shared(paths: Sequence[Path]) -> int:
    """How many pieces all paths begin with."""
    first, last = min(paths), max(paths)
    for shared, (piece, other) in enumerate(zip(first, last, strict=False)):
        if piece != other:
            return shared
    return len(first)
