"""The parts that are numbers: the float32 logarithm, and the heap of the C++ library."""

from __future__ import annotations

import ctypes
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.rules.viterbi import to_float32
from reftok.training.sentencepiece.lattice import BestPaths, nodes_of
from reftok.training.sentencepiece.logarithm import log_float32
from reftok.training.sentencepiece.second_best import two_best


def test_a_logarithm_is_not_always_the_rounded_double_one() -> None:
    numbers = range(1, 20_000)
    assert [n for n in numbers if log_float32(n) != to_float32(math.log(n))] == [1579, 3100, 4935, 12014, 18627]


@pytest.mark.skipif(sys.platform != "linux", reason="the C library of Linux is what is compared with")
def test_a_logarithm_is_that_of_the_c_library() -> None:
    logf = ctypes.CDLL("libm.so.6").logf
    logf.restype, logf.argtypes = ctypes.c_float, [ctypes.c_float]
    numbers = [*range(1, 30_000), *(7**power for power in range(22)), *((1 << n) - 1 for n in range(2, 60))]
    assert [number for number in numbers if log_float32(number) != logf(number)] == []


SCORES = st.lists(st.sampled_from([-1.0, -2.0, -3.0, -2.5, -7.3]), min_size=15, max_size=15)


@given(st.text("ab", min_size=2, max_size=6), SCORES)
def test_the_best_path_is_the_first_of_the_two_best_where_no_other_is_as_good(text: str, scores: list[float]) -> None:
    known = ["a", "b", "ab", "ba", "aa", "bb", "aab", "aba", "abb", "bab", "baa", "bba", "abab", "aaaa"]
    nodes = nodes_of(text, {piece: index for index, piece in enumerate(known)}, 4, 14)
    best = BestPaths(len(text), nodes, scores)
    found = two_best(len(text), nodes, scores)
    sums = [sum(scores[number] for number in way) for way in found]
    assert sums == sorted(sums, reverse=True)
    if len(sums) == 1 or sums[0] > sums[1] + 0.01:
        assert found[0] == best.path()
