"""How far a match reaches at least while it is not known where it ends.

    automaton.start["a"]["b"].ends

says whether a matcher that starts before `ab` has found a match of it, unless one that it tries before goes on. So the
last place where a state has ended is where the match ends or goes beyond.
"""

from __future__ import annotations

from collections.abc import Callable

from reftok.engine.patterns.finality import MOST_STATES, MOST_STEPS, Members
from reftok.engine.patterns.finality_paths import MATCHED
from reftok.engine.patterns.ordered_paths import END, OrderedPaths, Thread


class Growth(dict[str, "Growth"]):
    """Where the paths are after some characters; `growth[character]` is where they are after one more.

    threads: the paths, the first first; those behind one that has come to the end of the pattern do not count.
    ends: whether there is a match up to here, which only those before it can replace by a longer one.
    ended_before: whether there is one without the last character, which it took that character to tell.
    ends_with_text: whether the match ends here if nothing follows.
    is_sure: whether that can be said of all that follows, too.
    """

    __slots__ = ("_automaton", "ended_before", "ends", "ends_with_text", "is_sure", "threads")

    def __init__(self, automaton: GrowthAutomaton, threads: tuple[Thread, ...], ended_before: bool) -> None:
        super().__init__()
        self._automaton = automaton
        self.ends = END in threads
        self.ended_before = ended_before
        self.threads = threads[: threads.index(END)] if self.ends else threads
        self.ends_with_text = self.ends or any(node == MATCHED for node, _ in threads)
        self.is_sure = automaton.doubtful.isdisjoint(node for node, _ in self.threads)

    def __missing__(self, character: str) -> Growth:
        growth = self._automaton.step(self, character)
        self[character] = growth
        return growth


class GrowthAutomaton:
    """Follows the paths through a pattern in their order.

    reading: what the pattern is matched with in the place of a text, character by character.

    >>> from reftok.oniguruma.parser import parse
    >>> from reftok.engine.patterns.ordered_paths import ordered_paths
    >>> after_a = GrowthAutomaton(ordered_paths(parse(r"ab+|a+(?!c)"), is_rust=False)).start["a"]
    >>> [(growth.ends, growth.ended_before) for growth in (after_a, after_a["a"], after_a["b"])]
    [(False, False), (False, True), (True, False)]
    """

    def __init__(self, paths: OrderedPaths, reading: Callable[[str], str] = str) -> None:
        self.doubtful = paths.doubtful
        self._class_of = paths.classes
        self._following = paths.following
        guards = {guard for threads in (paths.first, *paths.following) for _, found in threads for guard in found}
        self._members = Members({*filter(None, paths.classes), *guards}, reading)
        self._steps = 0
        self._states: dict[tuple[tuple[Thread, ...], bool], Growth] = {}
        self.start = Growth(self, paths.first, ended_before=False)

    def step(self, growth: Growth, character: str) -> Growth:
        """Where the paths are after one more character."""
        self._steps += 1
        if self._steps > MOST_STEPS or len(self._states) > MOST_STATES:
            self._forget()
        members = self._members[character]
        reached: dict[Thread, None] = {}
        ended_before = False
        for node, guards in growth.threads:
            if END in reached:
                break
            if not guards.isdisjoint(members):
                continue
            if node == MATCHED:
                ended_before = True
                break
            if self._class_of[node] in members:
                reached.update(dict.fromkeys(self._following[node]))
        key = tuple(reached), ended_before
        return self._states.setdefault(key, Growth(self, *key))

    def _forget(self) -> None:
        """States that somebody holds go on."""
        self._steps = 0
        for growth in (self.start, *self._states.values()):
            growth.clear()
        self._states = {}
        self._members.clear()


def followed(growth: Growth, text: str, place: int = 0) -> tuple[Growth, int]:
    """Where the paths are behind a text, or dead before its end, and up to where a match reaches at least.

    place: where the text begins. The other place is 0 where the text tells of none.
    """
    end = 0
    for character in text:
        place += 1
        growth = growth[character]
        if growth.ends:
            end = place
        elif growth.ended_before:
            end = place - 1
        if not growth.threads:
            break
    return growth, end
