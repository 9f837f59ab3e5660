"""Texts of all scripts, categories and ages; combining sequences, odd cases, directions, emoji by their grammar."""

from __future__ import annotations

from random import Random

from conformance.generators.alphabets import BIDI, BLOCKS, CASES, JOINERS, by_age, by_category, marks
from conformance.generators.base import Generator, few, pick, picks

_EMOJI = "😀👍👩👨🧑🏳🏴❤☝✊🐈⬛🚀©™‼1#*"
_SKIN_TONES = "🏻🏼🏽🏾🏿"
_HAIR_AND_MORE = "🦰🦱♂♀⚕💻🔥🌈☠"
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_TAGS = "".join(map(chr, range(0xE0061, 0xE007B)))
_INDIC = "कखषरक्नि്കাকর্্ক្កា"


class UnicodeTexts(Generator):
    """Characters by chance would be CJK and nothing else: here every block, category and age is as likely."""

    name = "unicode"

    def draw(self, chance: Random) -> str:
        return "".join(pick(chance, _PARTS)(chance) for _ in range(few(chance, 4))) or "a"


def _of_block(chance: Random) -> str:
    first, last = pick(chance, BLOCKS)
    return "".join(chr(chance.randint(first, last)) for _ in range(few(chance, 5)))


def _of_category(chance: Random) -> str:
    characters = pick(chance, tuple(by_category().values()))
    return "".join(picks(chance, characters, 3))


def _of_age(chance: Random) -> str:
    return pick(chance, ("", "a", " ")) + pick(chance, pick(chance, tuple(by_age().values())))


def _combining(chance: Random) -> str:
    base = pick(chance, "aeoАيकก 1.") if chance.random() < 0.7 else pick(chance, _INDIC)
    return base + "".join(pick(chance, marks() if chance.random() < 0.8 else JOINERS) for _ in range(few(chance, 4)))


def _cased(chance: Random) -> str:
    word = "".join(picks(chance, CASES, 3))
    return pick(chance, (word, word.upper(), word.lower(), word.title(), word.casefold()))


def _bidirectional(chance: Random) -> str:
    return pick(chance, BIDI) + pick(chance, ("אב", "ab", "عر", "12")) + pick(chance, BIDI)


def _emoji(chance: Random) -> str:
    kind = chance.random()
    if kind < 0.2:
        return pick(chance, _FLAG_LETTERS) + pick(chance, _FLAG_LETTERS)
    if kind < 0.3:
        return "🏴" + "".join(picks(chance, _TAGS, 5)) + "\U000e007f"
    if kind < 0.4:
        return pick(chance, "0#*9") + pick(chance, ("\ufe0f\u20e3", "\u20e3", "\ufe0e"))
    joined = [pick(chance, _EMOJI) + pick(chance, ("", "\ufe0f", pick(chance, _SKIN_TONES)))]
    joined += [pick(chance, _EMOJI + _HAIR_AND_MORE) for _ in range(few(chance, 3) - 1)]
    return "\u200d".join(joined)


_PARTS = (_of_block, _of_block, _of_category, _of_age, _combining, _cased, _bidirectional, _emoji)
