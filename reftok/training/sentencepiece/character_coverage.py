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


def with_best_characters(made: Sequence[Counted], sentences: Sequence[Counted], size: int) -> list[str]:
    """The first merges, the characters in them by code point, and the other characters by gain: `size` pieces at most.

    made: the pieces of the merges in order, and their counts.

    >>> merged = [("ab", 5), ("abc", 4)]
    >>> with_best_characters(merged, [("abc", 5), ("é", 3)], 5), with_best_characters(merged, [("abc", 5), ("é", 3)], 4)
    (['ab', 'abc', 'a', 'b', 'c'], ['ab', 'a', 'b', 'é'])
    """
    counts = character_counts(sentences)
    gains = {character: count * (len(character.encode("utf-8")) - 1) for character, count in counts.items()}
    ranked = sorted((c for c, gain in gains.items() if gain), key=lambda c: (-gains[c], -counts[c], c))
    outside, gains_outside = [*ranked], [gains[character] for character in ranked]
    inside: set[str] = set()
    gain = most = best = best_room = 0
    for kept in range(len(made) + 1):
        if kept:
            piece, count = made[kept - 1]
            gain += count
            for character in {*piece} - inside:
                inside.add(character)
                if gains[character]:
                    place = outside.index(character)
                    del outside[place]
                    gain += gains_outside.pop(place)
        room = size - kept - len(inside)
        if room < 0:
            break
        if gain + sum(gains_outside[:room]) >= most:
            most, best, best_room = gain + sum(gains_outside[:room]), kept, room
    pieces = [piece for piece, _ in made[:best]]
    inside = {*"".join(pieces)}
    return pieces + sorted(inside) + [character for character in ranked if character not in inside][:best_room]
