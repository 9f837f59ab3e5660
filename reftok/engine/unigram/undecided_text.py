"""The undecided text of a Viterbi search that goes on character by character, remembered by the text it is about.

All paths that may still win begin with the same pieces. Behind these begins the *undecided* text, and it says all that
there is to know about the search: which path is the best from its beginning to each position in it, and with that what
every next character decides. So a step is computed once for each undecided text and character, then it is looked up.

Only the differences of scores within it count, in float64. A library adds them to all that came before it and rounds
the sums; where that could make another path to a position the best one, the path to it is `OPEN_CHOICE` from where they
part. A step that decides such a choice is `LOST`; most often no path that wins goes through it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from reftok.engine.unigram.gains import Gains
from reftok.engine.unigram.trie import PieceTrie

Path: TypeAlias = tuple[int, ...]
"""The ids of pieces, and what the model makes of unknown characters."""

OPEN_CHOICE = -1 << 31
"""Stands in a path for what depends on the score before the undecided text; nothing that is decided has it.

What follows it in a path is of no use. It is below every id and every `~ord(character)`.
"""

Open: TypeAlias = tuple[float, PieceTrie, Path]
"""A position from which a piece may reach beyond the text: its score, of which only the differences within one
undecided text count, the place in the tree of pieces that was reached from it, and the best path to it."""

LONGEST = 64
"""So many code points an undecided text has at most."""

_MOST_STEPS = 1 << 16


class UndecidedText(dict[str, "Step"]):
    """One undecided text: `behind, decided = undecided[character]`.

    text: it.
    path: the best one through it, which is decided if the text ends here; None where it is an open choice.
    open: the open positions in order; the last is the end of the text.
    threshold: two scores that differ by more than this are in the same order however they are rounded.
    """

    __slots__ = ("_texts", "open", "path", "text", "threshold")

    def __init__(self, text: str, positions: Sequence[Open], threshold: float, texts: UndecidedTexts | None) -> None:
        super().__init__()
        self.text = text
        self.open = positions
        path = positions[-1][2] if positions else ()
        self.path: Path | None = None if OPEN_CHOICE in path else path
        self.threshold = threshold
        self._texts = texts

    def __missing__(self, character: str) -> Step:
        if self._texts is None:
            return self, ()
        step = self[character] = self._texts.step(self, character)
        return step


Step: TypeAlias = tuple[UndecidedText, Path]
"""The undecided text behind a character, and the path that this character has decided."""

LOST = UndecidedText("", (), inf, None)
"""It depends on more than the undecided text; so does everything behind it."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The segment of a character that is no piece: its score, less than that of any piece, and its ids."""

    score: float
    path: Callable[[str], Path]


class UndecidedTexts:
    """The undecided texts of one model.

    trie: the pieces.
    lengths: of each id of a path, in code points.
    rounding: what one addition of the library is wrong by at most.

    >>> trie = PieceTrie.of([("a", (7, -1.0)), ("b", (8, -1.0)), ("ab", (9, -1.5))])
    >>> texts = UndecidedTexts(trie, Unknown(-11.0, lambda character: (0,)), {0: 1, 7: 1, 8: 1, 9: 2}, 1e-9)
    >>> undecided, decided = texts.start["a"]
    >>> undecided.text, decided, undecided.path, undecided["b"] == (texts.start, (9,))
    ('a', (), (7,), True)
    """

    def __init__(
        self,
        trie: PieceTrie,
        unknown: Unknown,
        lengths: Mapping[int, int],
        rounding: float,
    ) -> None:
        self.trie = trie
        self._unknown = unknown
        self._lengths = lengths
        self._rounding = rounding
        self._gains = Gains(trie, unknown.score, rounding)
        self._texts: dict[str, UndecidedText] = {}
        self._steps = 0
        self.start = UndecidedText("", [(0.0, trie, ())], 2 * rounding, self)

    def __reduce__(self) -> tuple[type[UndecidedTexts], tuple[object, ...]]:
        """A copy begins with nothing remembered."""
        return UndecidedTexts, (self.trie, self._unknown, self._lengths, self._rounding)

    def step(self, undecided: UndecidedText, character: str) -> Step:
        """One step of the plain search: one end, from each start in order."""
        self._make_room()
        best = second = -inf
        path: Path = ()
        token_id: int | None = None
        entry = None
        longer: list[Open] = []
        for start, node, before in undecided.open:
            child = node.children.get(character)
            if child is None:
                entry = None
                continue
            entry = child.entry
            if entry is not None:
                score = start + entry[1]
                if score > best:
                    best, second, path, token_id = score, best, before, entry[0]
                elif not score <= second:
                    second = score
            if child.children:
                longer.append((start, child, before))
        if entry is None:
            score = start + self._unknown.score
            if score > best:
                best, second, path, token_id = score, best, before, None
            elif not score <= second:
                second = score
        ahead = best - second
        if ahead > undecided.threshold:
            path = (*path, token_id) if token_id is not None else path + self._unknown.path(character)
        elif ahead >= 0:
            path = self._choice(undecided, character, best)
        else:
            return LOST, ()  # not a number
        longer.append((best, self.trie, path))
        return self._undecided(undecided.text + character, longer)

    def _choice(self, undecided: UndecidedText, character: str, best: float) -> Path:
        """The common beginning of all paths that may be the best one behind a character."""
        near: list[Path] = []
        for start, node, before in undecided.open:
            child = node.children.get(character)
            entry = None if child is None else child.entry
            if entry is not None and start + entry[1] >= best - undecided.threshold:
                near.append((*before, entry[0]))
        if entry is None and start + self._unknown.score >= best - undecided.threshold:
            near.append((*before, OPEN_CHOICE))
        return (*near[0][: _shared(near)], OPEN_CHOICE)

    def _undecided(self, text: str, positions: list[Open]) -> Step:
        """The step to the text that stays undecided between these open positions."""
        if len(positions) > 1:
            positions = self._without_dead(text, positions)
        if len(positions) == 1:
            decided = positions[0][2]
            return (LOST, ()) if OPEN_CHOICE in decided else (self.start, decided)
        shared = _shared([path for _, _, path in positions])
        decided = positions[-1][2][:shared]
        if OPEN_CHOICE in decided:
            return LOST, ()
        if shared:
            text = text[sum(map(self._lengths.__getitem__, decided)) :]
        found = self._texts.get(text)
        if found is None:
            if len(text) > LONGEST:
                return LOST, ()
            if shared:
                end = positions[-1][0]
                positions = [(score - end, node, path[shared:]) for score, node, path in positions]
            # Behind an open choice the library may have come by any path, of as many sums as there are code points.
            has_choice = any(OPEN_CHOICE in path for _, _, path in positions)
            additions = 1 + (len(text) if has_choice else max(len(path) for _, _, path in positions))
            found = self._texts[text] = UndecidedText(text, positions, 2 * additions * self._rounding, self)
        return found, decided

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
    """How many ids all paths begin with."""
    shortest = paths[0]
    for shared, token_id in enumerate(shortest):
        for path in paths:
            if len(path) == shared or path[shared] != token_id:
                return shared
    return len(shortest)
