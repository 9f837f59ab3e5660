"""A seeded budget of made inputs: texts that look like trouble, bytes that need not be UTF-8, ids.

Each case depends on the seed, the model, the corpus and its own number only, so that any slice can be made alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from conformance.case import Case, bytes_case, ids_case, text_case

_WHITE_SPACE = " \t\n\r\v\f\x85\xa0\u1680\u2002\u2009\u200a\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"
_TROUBLE = "'’`\"-–—_/\\|<>[]{}()«»“”„…·•.,;:!?¿¡%‰$€₹¥#@&*+=~^°§¶"
_TROUBLE += "\u0300\u0301\u0323\u0345\u20dd\u200c\u200d\ufe0f▁ĠĊ\ufffd\x00\x1b\x7f"
_SPECIAL = ("<s>", "</s>", "<unk>", "<pad>", "<|endoftext|>", "<|im_start|>", "<0x41>", "<0xE4>", "[MASK]", " ⁇ ")
_CONTRACTIONS = ("'s", "'S", "'ll", "'LL", "'ſ", "n't", "’ve", "'re", "'d", "'M")
_PLANES = (
    (0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x52F), (0x590, 0x6FF), (0x900, 0xDFF), (0xE00, 0xEFF),
    (0x1000, 0x10FF), (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x2BFF), (0x3000, 0x30FF), (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3), (0xE000, 0xE0FF), (0xF900, 0xFAFF), (0xFB00, 0xFFFF), (0x10000, 0x1FFFF), (0xE0000, 0xE01FF),
)  # fmt: skip


def fuzz_case(
    seed: int, model: str, number: int, ids: Sequence[int], vocab: Sequence[str], corpus: Sequence[str]
) -> Case:
    """The made case with this number: of every eight one is bytes and two are ids.

    ids: of the model, ascending; vocab: their tokens; corpus: lines to mutate and splice.
    """
    chance = random.Random(f"{seed}:{model}:{number}")
    origin = f"fuzz:{seed}:{number}"
    match number % 8:
        case 0:
            return bytes_case(_bytes(chance, corpus), origin)
        case 1 | 2:
            return ids_case(_ids(chance, ids), origin)
        case _:
            return text_case(_text(chance, vocab, corpus), origin)


def _text(chance: random.Random, vocab: Sequence[str], corpus: Sequence[str]) -> str:
    makers: tuple[Callable[[], str], ...] = (
        lambda: chance.choice(vocab).replace("▁", " ").replace("Ġ", " ") if vocab else "",
        lambda: _from_planes(chance),
        lambda: chance.choice(_WHITE_SPACE) * chance.choice((1, 1, 1, 2, 3, 8)),
        lambda: chance.choice(_TROUBLE) * chance.choice((1, 1, 2, 3)),
        lambda: chance.choice(_SPECIAL),
        lambda: chance.choice(_CONTRACTIONS),
        lambda: str(chance.randrange(10 ** chance.randrange(1, 9))),
        lambda: _slice(chance, chance.choice(corpus)) if corpus else "",
    )
    return "".join(chance.choice(makers)() for _ in range(chance.randrange(1, 9)))


def _from_planes(chance: random.Random) -> str:
    first, last = chance.choice(_PLANES)
    return "".join(chr(chance.randint(first, last)) for _ in range(chance.randrange(1, 5)))


def _slice(chance: random.Random, text: str) -> str:
    start = chance.randrange(len(text)) if text else 0
    return text[start : start + chance.randrange(1, 24)]


def _bytes(chance: random.Random, corpus: Sequence[str]) -> bytes:
    """Random bytes, or a piece of text with bytes cut out, doubled or overwritten."""
    if chance.random() < 0.3 or not corpus:
        return chance.randbytes(chance.randrange(1, 24))
    data = bytearray(_slice(chance, chance.choice(corpus)).encode("utf-8"))
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(data) + 1)
        match chance.randrange(3):
            case 0:
                del data[place : place + 1]
            case 1:
                data.insert(place, chance.randrange(256))
            case _:
                data[place : place + 1] = bytes([chance.choice((0x00, 0x80, 0xBF, 0xC0, 0xE4, 0xED, 0xF4, 0xFF))])
    return bytes(data)


def _ids(chance: random.Random, ids: Sequence[int]) -> tuple[int, ...]:
    """Ids of the vocab; low ones, where byte and control tokens usually are, more often."""
    bounds = (len(ids), len(ids), min(len(ids), 300))
    return tuple(ids[chance.randrange(chance.choice(bounds))] for _ in range(chance.randrange(1, 12))) if ids else ()
