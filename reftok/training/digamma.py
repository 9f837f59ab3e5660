"""The digamma function as both libraries compute it: the derivative of the logarithm of the gamma function.

Source: sentencepiece 0.2.3 unigram_model_trainer.cc `Digamma`; tokenizers 0.23 models/unigram/trainer.rs `digamma`.
"""

from __future__ import annotations

from math import log


def digamma(x: float) -> float:
    """The value in double precision, by an asymptotic series; the order of the operations decides the last bits.

    >>> round(digamma(1.0), 6)
    -0.577216
    """
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    square = (1.0 / x) * (1.0 / x)
    fourth = square * square
    series = log(x) + (1.0 / 24.0) * square - (7.0 / 960.0) * fourth
    return result + (series + (31.0 / 8064.0) * fourth * square - (127.0 / 30720.0) * fourth * fourth)
