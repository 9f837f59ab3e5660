"""Random numbers that bytes spell, so that who changes the bytes changes what is made of them."""

from __future__ import annotations

from itertools import islice
from random import Random


class Choices(Random):
    """The random numbers that the bytes of an input spell; after the last byte, those of a seed.

    So each byte that libFuzzer changes is another choice of the one who damages the file, and the file is still one.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._bytes = iter(data)

    def getrandbits(self, count: int, /) -> int:
        size = -(-count // 8)
        found = bytes(islice(self._bytes, size))
        missing = size - len(found)
        number = int.from_bytes(found) << 8 * missing | super().getrandbits(8 * missing)
        return number >> 8 * size - count

    def random(self) -> float:
        return self.getrandbits(16) / (1 << 16)
