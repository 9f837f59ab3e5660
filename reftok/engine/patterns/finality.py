"""Whether a match is final: an automaton that follows all paths through a pattern at once.

    automaton.start["a"]["b"].alive

says whether a matcher that starts before `ab` could look at the character behind it. If it could not, what it has found
there is found whatever follows. The states are made when they are met, and forgotten together when they are too many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import regex

from reftok.engine.patterns.finality_paths import ANYTHING, MATCHED, Paths

MOST_STEPS = 1 << 16
MOST_STATES = 1024
_BLOCK = 64
_LAST_DISTANCE = 4096


class State(dict[str, "State"]):
    """Where the paths are after some characters; `state[character]` is where they are after one more.

    alive: whether any path goes on, so that the next character counts.
    may_match: whether any path has come to the end of the pattern.
    """

    __slots__ = ("_automaton", "alive", "may_match", "nodes")

    def __init__(self, automaton: Automaton, nodes: frozenset[int], may_match: bool) -> None:
        super().__init__()
        self._automaton = automaton
        self.nodes = nodes
        self.alive = bool(nodes)
        self.may_match = may_match

    def __missing__(self, character: str) -> State:
        state = self._automaton.step(self, character)
        self[character] = state
        return state


class Members(dict[str, frozenset[str]]):
    """The classes that each character is a member of, as it is read; a wild one is a member of all."""

    def __init__(
        self, classes: Iterable[str], reading: Callable[[str], str], wild: frozenset[str] = frozenset()
    ) -> None:
        super().__init__()
        self._classes = {name: regex.compile(name, regex.V1) for name in classes if name != ANYTHING}
        self._reading = reading
        self._wild = wild

    def __missing__(self, character: str) -> frozenset[str]:
        read, is_wild = self._reading(character), character in self._wild
        names = (name for name, members in self._classes.items() if is_wild or members.match(read))
        found = self[character] = frozenset({ANYTHING, *names})
        return found


class Automaton:
    """Follows all paths through a pattern.

    reading: what the pattern is matched with in the place of a text, character by character.
    wild: characters that are taken for members of every class.

    >>> from reftok.oniguruma.parser import parse
    >>> from reftok.engine.patterns.finality_paths import paths
    >>> start = Automaton(paths(parse(r"ab?|x+"))).start
    >>> [(start[text[0]][text[1]].alive, start[text[0]][text[1]].may_match) for text in ("ab", "xx", "bx")]
    [(False, True), (True, True), (False, False)]
    """

    def __init__(self, paths: Paths, reading: Callable[[str], str] = str, wild: frozenset[str] = frozenset()) -> None:
        self._following = paths.following
        used = _used(paths)
        self._members = Members({paths.classes[node] for node in used}, reading, wild)
        self._class_of = {node: paths.classes[node] for node in used}
        self._steps = 0
        self._states: dict[tuple[frozenset[int], bool], State] = {}
        self.start = State(self, paths.first - {MATCHED}, MATCHED in paths.first)
        self.anywhere = State(self, used, may_match=True)
        self.nowhere = State(self, frozenset(), may_match=False)

    def step(self, state: State, character: str) -> State:
        """The state after one more character."""
        self._steps += 1
        if self._steps > MOST_STEPS or len(self._states) > MOST_STATES:
            self._forget()
        members = self._members[character]
        class_of, following = self._class_of, self._following
        reached: frozenset[int] = frozenset().union(
            *(following[node] for node in state.nodes if class_of[node] in members)
        )
        key = reached - {MATCHED}, state.may_match or MATCHED in reached
        return self._states.setdefault(key, State(self, *key))

    def _forget(self) -> None:
        self._steps = 0
        for state in (self.start, self.anywhere, self.nowhere, *self._states.values()):
            state.clear()
        if len(self._states) > MOST_STATES:
            self._states = {}
        self._members.clear()

    def after(self, text: str, position: int) -> State:
        """The state at the end of the text, or dead before it, for a match that starts at a position."""
        state = self.start
        while state.alive and position < len(text):
            state = followed(state, text[position : position + _BLOCK])
            position += _BLOCK
        return state

    def first_undecided(self, text: str, position: int, last: int) -> tuple[int, State] | None:
        """The first start, among those from a position up to the last one, whose paths come to the end of the text."""
        for start in range(position, min(last + 1, len(text))):
            state = self.after(text, start)
            if state.alive:
                return start, state
        return (len(text), self.start) if position <= len(text) <= last else None

    def settled(self, text: str, position: int) -> int:
        """A place behind a position up to which all starts in the text are decided, -1 where none is found.

        Wherever the paths of a start are, they are among the nodes of `anywhere`. So if that state dies between a place
        and the end of the text, the paths of every start up to there have died as well.
        """
        distance = 1
        while distance <= _LAST_DISTANCE and (place := len(text) - distance) > position:
            if not followed(self.anywhere, text[place:]).alive:
                return place
            distance *= 2
        return -1


def followed(state: State, text: str) -> State:
    """The state after a text, or dead before its end."""
    for character in text:
        state = state[character]
        if not state.alive:
            break
    return state


def _used(paths: Paths) -> frozenset[int]:
    """The nodes that a path comes to."""
    used: set[int] = set()
    waiting = {*paths.first}
    while waiting:
        used |= waiting
        waiting = {following for node in waiting for following in paths.following[node]} - used
    return frozenset(used - {MATCHED})
