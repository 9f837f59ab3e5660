"""Whether a match is final, and how far it reaches at least: an automaton that follows all paths at once.

    automaton.start["a"]["b"].alive

says whether a matcher that starts before `ab` could look at the character behind it. If it could not, what it has found
there is found whatever follows.

    automaton.start["a"]["b"].ends

says whether it has found a match of `ab`, unless one that it tries before goes on. So the last place where a state has
ended is where the match ends or goes beyond. The states are made when they are met, and forgotten together when they
are too many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import regex

from reftok.engine.patterns.paths import ANYTHING, END, MATCHED, Guards, Paths, Thread

MOST_STEPS = 1 << 16
MOST_STATES = 1024
_BLOCK = 64
_FARTHEST = 4096
"""So far from the end a settled place is looked for: one that is farther away saves less than it costs to find."""
_NO_GUARDS: Guards = frozenset()
_MAYBE: Thread = MATCHED, _NO_GUARDS, True
"""The end of a path that is in doubt: it stays, because from there on nothing is known of those behind it."""


class State(dict[str, "State"]):
    """Where the paths are after some characters; `state[character]` is where they are after one more.

    threads: the paths, the first first; those behind one that has come to the end of the pattern do not count.
    alive: whether any path goes on, so that the next character counts.
    may_match: whether any path has come to the end of the pattern.
    ends: whether there is a match up to here, which only those before it can replace by a longer one.
    ended_before: whether there is one without the last character, which it took that character to tell.
    ends_with_text: whether the match ends here if nothing follows.
    is_sure: whether `ends` holds whatever follows: no path is in doubt, or can come into doubt.
    """

    __slots__ = ("_automaton", "alive", "ended_before", "ends", "ends_with_text", "is_sure", "may_match", "threads")

    def __init__(
        self, automaton: Automaton, threads: tuple[Thread, ...], may_match: bool = False, ended_before: bool = False
    ) -> None:
        super().__init__()
        self._automaton = automaton
        self.ends = END in threads
        self.ended_before = ended_before
        self.threads = threads[: threads.index(END)] if self.ends else threads
        self.alive = any(thread != _MAYBE for thread in self.threads)
        self.may_match = may_match or self.ends or _MAYBE in threads
        self.ends_with_text = self.ends or any(node == MATCHED for node, _, _ in threads)
        self.is_sure = all(not in_doubt and node not in automaton.doubtful for node, _, in_doubt in self.threads)

    def __missing__(self, character: str) -> State:
        state = self._automaton.step(self, character)
        self[character] = state
        return state


class Members(dict[str, frozenset[str]]):
    """The classes that each character is a member of, as it is read."""

    def __init__(self, classes: Iterable[str], reading: Callable[[str], str]) -> None:
        super().__init__()
        self._classes = {name: regex.compile(name, regex.V1) for name in classes if name != ANYTHING}
        self._reading = reading

    def __missing__(self, character: str) -> frozenset[str]:
        read = self._reading(character)
        names = (name for name, members in self._classes.items() if members.match(read))
        found = self[character] = frozenset({ANYTHING, *names})
        return found


class Automaton:
    """Follows the paths through a pattern in their order.

    reading: what the pattern is matched with in the place of a text, character by character.

    >>> from reftok.regex_dialects.oniguruma.parser import parse
    >>> from reftok.engine.patterns.paths import paths
    >>> start = Automaton(paths(parse(r"ab?|x+"))).start
    >>> [(start[text[0]][text[1]].alive, start[text[0]][text[1]].may_match) for text in ("ab", "xx", "bx")]
    [(False, True), (True, True), (False, False)]
    >>> after_a = Automaton(paths(parse(r"ab+|a+(?!c)"))).start["a"]
    >>> [(state.ends, state.ended_before) for state in (after_a, after_a["a"], after_a["b"])]
    [(False, False), (False, True), (True, False)]
    """

    def __init__(self, paths: Paths, reading: Callable[[str], str] = str) -> None:
        self.doubtful = paths.doubtful
        self._class_of = paths.classes
        self._following = paths.following
        used = {thread for threads in (paths.first, *paths.following) for thread in threads}
        names = {paths.classes[node] for node, _, _ in used} | {name for _, guards, _ in used for name in guards}
        self._members = Members(names - {""}, reading)
        self._steps = 0
        self._states: dict[tuple[tuple[Thread, ...], bool, bool], State] = {}
        self.start = State(self, paths.first)
        nodes = sorted({node for node, _, _ in used} - {MATCHED})
        self.anywhere = State(self, tuple((node, _NO_GUARDS, True) for node in nodes), may_match=True)
        self.nowhere = State(self, ())

    def step(self, state: State, character: str) -> State:
        """The state after one more character."""
        self._steps += 1
        if self._steps > MOST_STEPS or len(self._states) > MOST_STATES:
            self._forget()
        members = self._members[character]
        reached: dict[Thread, None] = {}
        ended_before = False
        for node, guards, in_doubt in state.threads:
            if END in reached:
                break
            if not guards.isdisjoint(members):
                continue
            if node == MATCHED and in_doubt:
                reached[_MAYBE] = None
            elif node == MATCHED:
                ended_before = True
                break
            elif self._class_of[node] in members:
                following = self._following[node]
                reached.update(dict.fromkeys(map(_doubted, following) if in_doubt else following))
        key = tuple(reached), state.may_match or ended_before, ended_before
        found = self._states.get(key)
        return self._states.setdefault(key, State(self, *key)) if found is None else found

    def _forget(self) -> None:
        """States that somebody holds go on."""
        self._steps = 0
        for state in (self.start, self.anywhere, self.nowhere, *self._states.values()):
            state.clear()
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

        Wherever the paths of a start are, they are among those of `anywhere`. So if that state dies between a place
        and the end of the text, the paths of every start up to there have died as well.
        """
        distance = 1
        while distance <= _FARTHEST and (place := len(text) - distance) > position:
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


def reached(state: State, text: str, place: int = 0) -> tuple[State, int]:
    """The state after a text, or dead before its end, and up to where a match reaches at least.

    place: where the text begins. The other place is 0 where the text tells of none.
    """
    end = 0
    for character in text:
        place += 1
        state = state[character]
        if state.ends:
            end = place
        elif state.ended_before:
            end = place - 1
        if not state.alive:
            break
    return state, end


def _doubted(thread: Thread) -> Thread:
    node, guards, _ = thread
    return node, guards, True
