"""How many merges and how many characters a BPE model has, where auto_character_coverage weighs them.

Source: sentencepiece 0.2.3, bpe_model_trainer.cc (`PrunePiecesWithGlobalSearch`).

The rule. A merge gains its count; a character that has a piece gains, each time it occurs, the bytes that it needs
without one, less one. For each k the first k merges are kept, and with them every character in them; what room is left
goes to the characters that gain most, of equal gains the most frequent, then by code point. The k that gains most is
taken, of equal ones the largest.
"""

from __future__ import annotations

from collections.abc import Sequence

from reftok.training.sentencepiece.corpus import Counted, character_counts
from reftok.training.trace import Merge


def with_best_characters(made: Sequence[Merge], sentences: Sequence[Counted], size: int) -> list[str]:
    """The first merges, the characters in them by code point, and the other characters by gain: `size` pieces at most.

    >>> merged = [Merge("a", "b", "ab", 5), Merge("ab", "c", "abc", 4)]
    >>> with_best_characters(merged, [("abc", 5), ("é", 3)], 5), with_best_characters(merged, [("abc", 5), ("é", 3)], 4)
    (['ab', 'abc', 'a', 'b', 'c'], ['ab', 'a', 'b', 'é'])
    """
    counts = character_counts(sentences)
    gains = {character: count * (len(character.encode("utf-8")) - 1) for character, count in counts.items()}
    ranked = sorted((c for c, gain in gains.items() if gain), key=lambda c: (-gains[c], -counts[c], c))
    kept, alone = _best_cut(made, {character: rank for rank, character in enumerate(ranked)}, gains, size)
    inside = {*"".join(merge.piece for merge in made[:kept])}
    outside = [character for character in ranked if character not in inside]
    return [merge.piece for merge in made[:kept]] + sorted(inside) + outside[:alone]


def _best_cut(made: Sequence[Merge], ranks: dict[str, int], gains: dict[str, int], size: int) -> tuple[int, int]:
    """How many merges are kept, and how many characters beside those in them.

    From one k to the next the room shrinks by more than the characters that merges take over, so the last of the
    chosen characters only ever moves forward in rank.
    """
    ranked = [gains[character] for character in ranks]
    last = min(size, len(ranked)) - 1
    chosen, gain = last + 1, sum(ranked[: last + 1])
    inside: set[str] = set()
    taken: set[int] = set()
    best, best_gain = (0, chosen), gain
    for kept, merge in enumerate(made, 1):
        gain += merge.count
        for character in {*merge.piece} - inside:
            inside.add(character)
            rank = ranks.get(character)
            if rank is None:
                continue
            taken.add(rank)
            if rank > last:
                gain += ranked[rank]
            else:
                chosen -= 1
        room = size - kept - len(inside)
        if room < 0:
            break
        while chosen > room:
            if last not in taken:
                gain -= ranked[last]
                chosen -= 1
            last -= 1
        if gain >= best_gain:
            best, best_gain = (kept, chosen), gain
    return best
