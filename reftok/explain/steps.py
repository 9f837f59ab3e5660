"""The inner steps of a model as data: the merges one by one, or the lattice of pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

Symbol = TypeVar("Symbol")


@dataclass(frozen=True, slots=True)
class Merge(Generic[Symbol]):
    """One merge of two neighbours.

    priority: the rank of the merge, or the score of the piece that it makes.
    left, right: the two symbols. result: the symbol that they become.
    symbols: the indices of the two, each that of the first symbol that it was made of.
    """

    priority: float
    left: Symbol
    right: Symbol
    result: Symbol
    symbols: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Merging:
    """The merges of a text.

    text: a pre-token, or the whole normalized text if there are no pre-tokenizers.
    symbols: the text before any merge.
    by: "rank": the lowest merges first; "score": the highest merges first. Of equals the leftmost merges first.
    merges: in the order in which they were made.
    """

    text: str
    symbols: tuple[str, ...]
    by: Literal["rank", "score"]
    merges: tuple[Merge[str], ...]

    def states(self) -> Iterator[tuple[Merge[str], tuple[str, ...]]]:
        """Each merge with the symbols after it.

        >>> merges = Merge(0, "b", "c", "bc", (1, 2)), Merge(1, "a", "bc", "abc", (0, 1))
        >>> [symbols for _, symbols in Merging("abc", ("a", "b", "c"), "rank", merges).states()]
        [('a', 'bc'), ('abc',)]
        """
        symbols = dict(enumerate(self.symbols))
        for merge in self.merges:
            left, right = merge.symbols
            symbols[left] = merge.result
            del symbols[right]
            yield merge, tuple(symbols.values())


@dataclass(frozen=True, slots=True)
class LatticeNode:
    """A piece that matches at a place of the text.

    start, end: in code points of the text that the model received.
    """

    start: int
    end: int
    piece: str
    id: int
    score: float


@dataclass(frozen=True, slots=True)
class Lattice:
    """All pieces that match, and the path through them with the highest sum of scores. text: as in Merging."""

    text: str
    nodes: tuple[LatticeNode, ...]
    best: tuple[LatticeNode, ...]
    score: float


@dataclass(frozen=True, slots=True)
class WholeWord:
    """A pre-token of the vocab that became one token without merges."""

    text: str


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One step of the merges of llama.cpp, as a debugger would show it.

    event: "symbol" for each symbol at the start; "queue" for a bigram that enters the queue (and `rev_merge`);
        "merge" for one that leaves it and merges, "skip" for one whose symbols have changed since; at the end "token"
        for a symbol that is a token, "bytes" for any other.
    symbols: the index of the symbol, or those of both.
    data: its bytes.
    start: their position in the text, in bytes.
    score: of the bigram; 0 for a symbol.
    ids: of a symbol at the end.
    """

    event: Literal["symbol", "queue", "merge", "skip", "token", "bytes"]
    symbols: tuple[int, ...]
    data: bytes
    start: int
    score: float = 0.0
    ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Walk:
    """How llama.cpp merges a text by scores."""

    text: str
    steps: tuple[WalkStep, ...]


Steps: TypeAlias = Merging | Lattice | Walk | WholeWord
