r"""The corpus as all trainers see it: sentences that are normalized, with rare characters made unknown.

Source: sentencepiece 0.2.3, trainer_interface.cc (`LoadSentences`, `SplitSentencesByWhitespace`), model_interface.cc
(`SplitIntoWords`), filesystem.cc, sentencepiece_pybind.cc (`PySentenceIterator`).

1. A sentence loses the line ends behind it, all of them; of a file only `\n` ends a line, and a `\r` stays. With tsv
   it has a count. Left out are empty sentences, those of more bytes than max_sentence_length, and those with U+2585.
2. It is normalized, and then each special piece in it becomes U+001F: of all that match at a place the longest. So a
   user-defined symbol with a space in it is never found: by now the text has `▁`. The delimiter of pre-tokenization
   becomes U+001F as well. What is empty now is left out, and the last sentence takes its place.
3. Characters are counted, but not U+0000. They are sorted: the required_chars first, then by count, then by code point.
   From the first on they are taken until the share of the text that they cover, as a float32, reaches
   character_coverage, as a float32. U+001F is counted, but never taken; U+0000 is not taken even where it is required.
4. Every other character becomes U+2585. With auto_character_coverage there are neither step 3 nor this.

Quirk: where sentences are drawn by chance (more of them than input_sentence_size, and shuffle_input_sentence), the
library draws others in every process, whatever its seed. Here the draw is always the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from operator import itemgetter
from typing import TypeAlias

import regex

from reftok.errors import InvalidOption, InvalidText, TrainingStopped
from reftok.fast.sentencepiece_normalizer import FastSentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import PrefixMatcher
from reftok.rules.text import NormalizedString
from reftok.rules.viterbi import to_float32
from reftok.training.monitor import UNWATCHED, Monitor
from reftok.training.sentencepiece.meta_pieces import MetaPieces
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.training.sentencepiece.shape import BOUNDARY, UNKNOWN_CHARACTER

Counted: TypeAlias = tuple[str, int]
"""A sentence or a word, and how often it counts."""

_SEED = 12345678
_MOST_COUNT = 2**63 - 1
_LONGEST_COUNT = 1000
_COUNT = regex.compile(r"[ \t\n\v\f\r]*[+-]?[0-9]+[ \t\n\v\f\r]*")
_UNKNOWN_BYTES = UNKNOWN_CHARACTER.encode("utf-8")


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is trained on.

    sentences: in an order that decides ties. required: the characters that get pieces, and their counts.
    """

    sentences: list[Counted]
    required: dict[str, int]

    def required_by_count(self) -> list[str]:
        """The characters, the most frequent first, those of one count by code point."""
        return [character for character, _ in by_count(self.required.items())]


def by_count(counts: Iterable[Counted]) -> list[Counted]:
    """The highest count first; of equal ones the smaller text, by code points, which is by UTF-8 bytes as well."""
    by_text = sorted(counts, key=itemgetter(0))
    return sorted(by_text, key=itemgetter(1), reverse=True)


def prepared(
    lines: Iterable[str | bytes],
    options: TrainerOptions,
    normalizer: FastSentencePieceNormalizer,
    meta: MetaPieces,
    monitor: Monitor = UNWATCHED,
) -> Corpus:
    """The corpus of the sentences.

    Raises InvalidText for a sentence that is no text, TrainingStopped where nothing is left to train on.
    """
    sentences = normalized(loaded(lines, options), options, normalizer, meta, monitor)
    if options.auto_character_coverage:
        return Corpus(sentences, {})
    counts = character_counts(sentences)
    required = required_characters(counts, options)
    return Corpus(with_unknown(sentences, counts.keys() - required.keys()), required)


def loaded(lines: Iterable[str | bytes], options: TrainerOptions) -> list[Counted]:
    """The sentences that are trained on, as they were given."""
    usable = _usable(lines, options)
    most = options.input_sentence_size
    if not most:
        return list(usable)
    if not options.shuffle_input_sentence:
        return [sentence for _, sentence in zip(range(most), usable, strict=False)]
    drawn: list[Counted] = []
    generator = random.Random(_SEED)
    for index, sentence in enumerate(usable):
        if index < most:
            drawn.append(sentence)
        elif (place := generator.randrange(index)) < most:
            drawn[place] = sentence
    return drawn


def _usable(lines: Iterable[str | bytes], options: TrainerOptions) -> Iterator[Counted]:
    is_tsv = options.input_format == "tsv"
    for number, line in enumerate(lines, 1):
        try:
            data = line if isinstance(line, bytes) else line.encode("utf-8")
        except (AttributeError, UnicodeEncodeError):
            raise InvalidText(f"sentence {number}: {line!r:.60} is neither bytes nor text without surrogates") from None
        count = 1
        if is_tsv:
            data, count = _with_count(data, number)
        if data and is_short(data, options) and _UNKNOWN_BYTES not in data:
            yield data.decode("utf-8", "surrogateescape"), count


def is_short(data: bytes, options: TrainerOptions) -> bool:
    """Whether a sentence is short enough to be trained on."""
    return len(data) <= options.max_sentence_length


def _with_count(data: bytes, number: int) -> tuple[bytes, int]:
    fields = data.split(b"\t")
    if len(fields) != 2:
        raise TrainingStopped(f"sentence {number}: has {len(fields)} fields, not a sentence, a tab and a count")
    text = fields[1].decode("utf-8", "replace")
    count = as_count(text)
    if not count:
        raise TrainingStopped(f"sentence {number}: {text!r} is not a count of 1 or more")
    return fields[0], count


def as_count(text: str) -> int:
    """A count of 1 or more as it stands in files, 0 where the text is none.

    >>> as_count(" 12 "), as_count("+3"), as_count("0"), as_count("1.0")
    (12, 3, 0, 0)
    """
    count = int(text) if len(text) < _LONGEST_COUNT and _COUNT.fullmatch(text) else 0
    return count if 1 <= count <= _MOST_COUNT else 0


def normalized(
    sentences: Sequence[Counted],
    options: TrainerOptions,
    normalizer: FastSentencePieceNormalizer,
    meta: MetaPieces,
    monitor: Monitor = UNWATCHED,
) -> list[Counted]:
    """The sentences normalized, with U+001F for special pieces; those that are empty then are taken out."""
    if not sentences:
        raise TrainingStopped("there is no sentence to train on")
    symbols = sorted(PrefixMatcher(piece for piece, _ in meta.values()).symbols, key=len, reverse=True)
    special = regex.compile("|".join(map(regex.escape, symbols))) if symbols else None
    delimiter = options.pretokenization_delimiter
    results = [(text, count) for text, count in (monitor.state or {"normalized": ()})["normalized"]]
    for sentence, count in islice(sentences, len(results), None):
        text = normalizer.normalize(NormalizedString(sentence)).text
        if special is not None:
            text = special.sub(BOUNDARY, text)
        if delimiter:
            text = text.replace(delimiter, BOUNDARY)
        results.append((text, count))
        monitor.report("preparing", len(results), len(sentences), "sentences", lambda: {"normalized": results})
    return _without_empty(results)


def _without_empty(sentences: list[Counted]) -> list[Counted]:
    index = 0
    while index < len(sentences):
        if sentences[index][0]:
            index += 1
        else:
            sentences[index] = sentences[-1]
            sentences.pop()
    return sentences


def character_counts(sentences: Iterable[Counted]) -> Counter[str]:
    """How often each character occurs."""
    counts: Counter[str] = Counter()
    for count, texts in _by_count_of_each(sentences).items():
        found = Counter("".join(texts))
        counts.update({character: times * count for character, times in found.items()})
    return counts


def _by_count_of_each(sentences: Iterable[Counted]) -> dict[int, list[str]]:
    """The sentences by how often each counts, most often once."""
    found: dict[int, list[str]] = {}
    for text, count in sentences:
        found.setdefault(count, []).append(text)
    return found


def required_characters(counts: Mapping[str, int], options: TrainerOptions) -> dict[str, int]:
    """The characters that get pieces, and their counts, in the order in which they were taken.

    counts: of all characters.
    """
    counts = Counter({character: count for character, count in counts.items() if character != "\0"})
    total = counts.total()
    if not total:
        raise TrainingStopped("there is no character to train on")
    forced = frozenset(options.required_chars)
    coverage = to_float32(options.character_coverage)
    required: dict[str, int] = {}
    done = 0
    for character in sorted({*counts, *forced}, key=lambda item: (item not in forced, -counts[item], item)):
        if not options.use_all_vocab and to_float32(done / total) >= coverage:
            break
        done += counts[character]
        if character == " ":
            raise InvalidOption("required_chars", "the space cannot be one of them: in pieces it is ▁, U+2581")
        if character == UNKNOWN_CHARACTER:
            raise TrainingStopped(
                "U+2585 is in the normalized text or in required_chars, but it stands for the unknown"
            )
        if character not in (BOUNDARY, "\0"):
            required[character] = counts[character]
    return required


def with_unknown(sentences: Sequence[Counted], characters: Iterable[str]) -> list[Counted]:
    """The sentences with U+2585 for these characters."""
    unknown = dict.fromkeys(map(ord, characters), UNKNOWN_CHARACTER)
    return [(text.translate(unknown), count) for text, count in sentences] if unknown else list(sentences)


def words_of(text: str, options: TrainerOptions) -> list[str]:
    """The words of a sentence: each `▁` begins one, or ends one with treat_whitespace_as_suffix.

    With allow_whitespace_only_pieces it is a run of `▁` that does.

    >>> words_of("▁a▁▁b", TrainerOptions()), words_of("▁a▁▁b", TrainerOptions(treat_whitespace_as_suffix=True))
    (['▁a', '▁', '▁b'], ['▁', 'a▁', '▁', 'b'])
    """
    return _WORDS[options.treat_whitespace_as_suffix, options.allow_whitespace_only_pieces].findall(text)


_WORDS = {
    (False, False): regex.compile("▁[^▁]*|[^▁]+"),
    (False, True): regex.compile("▁+[^▁]*|[^▁]+"),
    (True, False): regex.compile("[^▁]*▁|[^▁]+"),
    (True, True): regex.compile("[^▁]*▁+|[^▁]+"),
}


def counted_words(sentences: Iterable[Counted], options: TrainerOptions) -> list[Counted]:
    """The words of all sentences and their counts, the most frequent first."""
    counts: Counter[str] = Counter()
    for count, texts in _by_count_of_each(sentences).items():
        found = Counter(chain.from_iterable(words_of(text, options) for text in texts))
        counts.update({word: times * count for word, times in found.items()})
    return by_count(counts.items())


def sentences_of(items: Iterable[str | bytes]) -> Iterator[str | bytes]:
    """The items of an iterable as the library's Python door takes them: without the line ends behind them."""
    for item in items:
        yield (
            item.rstrip("\r\n") if isinstance(item, str) else item.rstrip(b"\r\n") if isinstance(item, bytes) else item
        )


def lines_of_files(paths: Sequence[str]) -> Iterator[bytes]:
    """The lines of files; only the line feed ends one.

    Raises TrainingStopped for a file that cannot be read.

    Quirk: a file without a byte gives once more what was read last, unless it is the last file: the last line of the
    file before it where no line feed ended that, and else an empty line. (The library looks for a first character
    where it opens a file; where there is none, the next `getline` leaves its text alone, and this counts as read.)
    """
    left = b""
    for number, path in enumerate(paths, 1):
        is_empty = True
        try:
            with open(path, "rb") as file:
                for line in file:
                    is_empty = False
                    text = line.removesuffix(b"\n")
                    left = text if text == line else b""
                    yield text
        except OSError as error:
            raise TrainingStopped(f"input: {path} cannot be read: {error.strerror}") from None
        if is_empty and number < len(paths):
            yield left
