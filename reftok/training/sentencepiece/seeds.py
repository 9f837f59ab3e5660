"""The pieces that a Unigram training begins with.

Source: sentencepiece 0.2.3, unigram_model_trainer.cc (`MakeSeedSentencePieces`, `BoundedPriorityQueue`, `ToLogProb`).

The rule. First all characters, by count, then by code point, with their counts. Then texts of two characters and more
that are valid pieces and occur twice or more: those that are a node of the suffix tree of the sentences' *bytes*, each
sentence with a zero byte behind it. That is, what follows on the text in its different places begins with two different
bytes at least (the end of the corpus counts as one). Each scores its count times its characters, a float32; the best
seed_sentencepiece_size of them are taken, of equal ones the longest in bytes, then the smaller text. In the end each
score becomes its logarithm less that of all scores' sum.

Sentences are whole here, not cut into words. A sentence that counts n times is there n times.

Quirks. Where a script's characters begin with the same bytes, a text that is always followed by such is no seed: three
Japanese words with a common beginning have no seed for it, the same words in Latin letters have one. A text at the end
of sentences is found a second time with the zero byte that is behind it, if that is a node too, and the second count is
added to the first. The library looks at 500 MB at a time; here it is always the whole corpus.

>>> from reftok.training.sentencepiece.options import TrainerOptions
>>> def candidates(*words):
...     return sorted(dict(repeated_texts([(word, 1) for word in words], PieceShapes(TrainerOptions()))))
>>> candidates("abcx", "abcy", "abcz"), candidates("日本語か", "日本語き", "日本語く")
(['abc', 'bc'], [])
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import accumulate, islice, repeat
from math import log
from operator import add
from typing import Any

from reftok.errors import InvalidOption
from reftok.rules.viterbi import to_float32
from reftok.training.sentencepiece.corpus import Counted, as_count, by_count, character_counts
from reftok.training.sentencepiece.model_file import ScoredPiece
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.training.sentencepiece.shape import BOUNDARY, UNKNOWN_CHARACTER, PieceShapes
from reftok.training.suffix_tree import inner_nodes

_END = "\0"
_DEFAULT_SIZE, _PER_PIECE = 100_000, 8


def seeds(sentences: Sequence[Counted], options: TrainerOptions) -> list[ScoredPiece]:
    """The seeds and the logarithms of their shares, float32, in an order that decides ties.

    Raises InvalidOption for a seed_sentencepieces_file that cannot be read.
    """
    counts = character_counts(sentences)
    characters = by_count((c, count) for c, count in counts.items() if c not in (UNKNOWN_CHARACTER, BOUNDARY))
    found = [(character, to_float32(count)) for character, count in characters]
    shapes = PieceShapes(options)
    if options.seed_sentencepieces_file:
        found += _of_file(options, shapes, {character for character, _ in characters})
        found.sort(key=lambda scored: (-scored[1], scored[0]))
    else:
        found += _of_corpus(sentences, options, shapes)
    return _logarithms(found)


def _of_corpus(sentences: Sequence[Counted], options: TrainerOptions, shapes: PieceShapes) -> list[ScoredPiece]:
    most = options.seed_sentencepiece_size or max(_DEFAULT_SIZE, _PER_PIECE * options.vocab_size)
    scored = ((piece, to_float32(to_float32(count) * len(piece))) for piece, count in repeated_texts(sentences, shapes))
    order: Callable[[ScoredPiece], Any] = lambda item: (-item[1], -len(item[0].encode("utf-8")), item[0])
    return nsmallest(most, scored, order) if most > 0 else sorted(scored, key=order)


def _of_file(options: TrainerOptions, shapes: PieceShapes, seen: set[str]) -> Iterator[ScoredPiece]:
    """Those of a file that are valid and new, until there are seed_sentencepiece_size together with the characters."""
    path = options.seed_sentencepieces_file
    size = len(seen)
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            lines = [line.removesuffix("\n") for line in file]
    except (OSError, UnicodeDecodeError) as error:
        problem = f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
        raise InvalidOption("seed_sentencepieces_file", problem) from None
    for number, line in enumerate(lines, 1):
        piece, *counts = line.split("\t")
        count = as_count(counts[0]) if counts else 0
        if count < 1:
            raise InvalidOption("seed_sentencepieces_file", f"{path}, line {number}: not a piece, a tab and a count")
        if not shapes.is_valid(piece) or piece in seen:
            continue
        if 0 <= options.seed_sentencepiece_size <= size:
            return
        seen.add(piece)
        size += 1
        yield piece, to_float32(count * len(piece))


def _logarithms(scored: Sequence[ScoredPiece]) -> list[ScoredPiece]:
    total = 0.0
    for _, score in scored:
        total += score
    log_of_total = log(total) if total else 0.0
    return [(piece, to_float32(log(score) - log_of_total)) for piece, score in scored]


def repeated_texts(sentences: Iterable[Counted], shapes: PieceShapes) -> Iterator[Counted]:
    """The valid pieces of several characters that are nodes of the suffix tree, and their counts.

    The suffixes are sorted, those that begin with the same two characters at a time, by as many characters as a piece
    and what is behind it can have: few are there at once, and no node of two characters has others. What two
    neighbours have in common ends between characters or, where the next ones begin with the same byte, within one.
    """
    text, weights = _joined(sentences)
    starts: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
    for place, pair in enumerate(map(add, text, islice(text, 1, None))):
        starts[pair].append(place)
    length = shapes.longest + 2
    for pair, found in starts.items():
        if len(found) == 1 or not shapes.is_valid(pair[0]):
            continue
        counts: dict[str, int] = {}
        places = sorted(found, key=lambda place: text[place : place + length])
        suffixes = [text[place : place + length] for place in places]
        sums = [*accumulate((weights[place] for place in places), initial=0)]
        for text_of_node, count in inner_nodes(suffixes, sums, _common):
            piece = text_of_node.removesuffix(_END)
            if len(piece) > 1 and _END not in piece and shapes.is_valid(piece):
                counts[piece] = counts.get(piece, 0) + count
        yield from counts.items()


def _joined(sentences: Iterable[Counted]) -> tuple[str, Sequence[int]]:
    """All sentences, and how often each place counts.

    A sentence that counts n times is there twice: once before itself, which counts n - 1 times, and once before the
    next one.
    """
    parts: list[str] = []
    weights = array("q")
    for text, count in sentences:
        for weight in (count - 1, 1) if count > 1 else (1,):
            parts.append(text + _END)
            weights.extend(repeat(weight, len(text) + 1))
    return "".join(parts), weights


def _common(left: str, right: str) -> int:
    """Twice the characters that two different texts begin with; one more where the next ones begin with one byte.

    >>> _common("ab", "ac"), _common("か", "き"), _common("か", "ka"), _common("ab", "a")
    (2, 1, 0, 2)
    """
    shared = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            x, y = ord(a), ord(b)
            if x < 0x80 or y < 0x80:
                return shared << 1
            return shared << 1 | (a.encode("utf-8")[0] == b.encode("utf-8")[0])
        shared += 1
    return shared << 1
