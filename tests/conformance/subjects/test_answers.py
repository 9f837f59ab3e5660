"""What an isolated subject answers: of the wrong type, too long, foreign, or right; the process lives on."""

from __future__ import annotations

import pytest

from conformance.core.observation import Decoded, Encoded, Failure

from .isolated_subjects import ONE_ID, Make, failure

NONSENSE = [
    "None",
    "{1: 2}",
    "[1.5]",
    "[10 ** 5000]",
    "__import__('functools').reduce(lambda inner, _: [inner], range(100_000), [])",
    "__import__('itertools').repeat(1)",
    "[type('Hostile', (), {'__repr__': lambda self: 1 / 0})()]",
]
"""Others are those of test_values.py, without a process."""


@pytest.mark.parametrize("value", NONSENSE)
def test_an_answer_of_the_wrong_type_is_nonsense_and_the_process_lives_on(make: Make, value: str) -> None:
    subject = make(wrong=f"return {value}", timeout=60)
    failed, after = subject.encode_batch(["wrong", "a"])
    assert failure(failed).kind == "nonsense"
    assert len(failure(failed).message) < 200
    assert after == Encoded((1,))


@pytest.mark.parametrize(
    "answer",
    [
        "([1], None)",
        "(None, None, None)",
        "([1], [b'a'], None)",
        "([1], None, [5])",
        "([1], None, [(0, 1, 2)])",
        "([1], None, [(False, True)])",
    ],
)
def test_offsets_of_the_wrong_type_are_nonsense(make: Make, answer: str) -> None:
    subject = make(
        f"""
        class Subject:
            def __init__(self, path): pass
            def encode_with_offsets(self, text, special): return {answer}
            encode = decode = None.__eq__
        """
    )
    assert failure(subject.encode("a")).kind == "nonsense"


@pytest.mark.parametrize("answer", ["None", "['a']"])
def test_a_text_of_the_wrong_type_is_nonsense(make: Make, answer: str) -> None:
    subject = make(
        f"""
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special): return []
            def decode(self, ids, skip): return {answer}
            def stream_decode(self, ids, skip): return [{answer}]
        """
    )
    assert failure(subject.decode([1])).kind == "nonsense"
    assert failure(subject.stream([ONE_ID])[0]).kind == "nonsense"


def test_a_stream_that_is_no_list_is_nonsense(make: Make) -> None:
    subject = make(
        """
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special): return []
            def decode(self, ids, skip): return ""
            def stream_decode(self, ids, skip): return None
        """
    )
    assert failure(subject.stream([ONE_ID])[0]).kind == "nonsense"


def test_numbers_of_other_libraries_and_up_to_64_bits_are_ids(make: Make) -> None:
    subject = make(wrong="return [type('Number', (), {'__index__': lambda self: 7})(), 2 ** 64 - 1, -1]")
    assert subject.encode("wrong") == Encoded((7, 2**64 - 1, -1))


def test_a_million_ids_come_through_and_more_than_any_text_has_do_not(make: Make) -> None:
    subject = make(
        """
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special): return range(10 ** 6)
            def decode(self, ids, skip): return ""
        """,
        timeout=60,
    )
    answer = subject.encode("x" * 20_000)
    assert isinstance(answer, Encoded)
    assert len(answer.ids) == 10**6
    assert failure(make(wrong="return range(10 ** 7)", timeout=60).encode("wrong")).kind == "nonsense"


def test_an_answer_may_be_as_long_as_its_question_makes_it(make: Make) -> None:
    """Fault: 256 MB of `[],` for a text of three letters took six gigabytes of the harness."""
    subject = make(
        """
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special): return range(3 * 10 ** 6 if len(text) > 1 else 1)
            def decode(self, ids, skip): return ""
        """,
        timeout=60,
    )
    assert failure(subject.encode("foo")).message == "its answer is longer than 16 MB"
    assert isinstance(subject.encode("x" * 500_000), Encoded)


def test_lone_surrogates_come_through(make: Make) -> None:
    subject = make(
        """
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special): return []
            def decode(self, ids, skip): return "\\ud800"
        """
    )
    assert subject.decode([1]) == Decoded("\ud800", "\ud800")


def test_more_ids_than_any_text_of_that_length_has_are_nonsense(make: Make) -> None:
    subject = make(
        """
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special): return [1] * int(text)
            def decode(self, ids, skip): return "x" * (4096 * 2 + len(ids) % 2)
        """,
        timeout=60,
    )
    assert isinstance(subject.encode("1024"), Encoded)
    assert failure(subject.encode("1025")) == Failure("nonsense", "1,025 ids for a text of 4 bytes")
    assert isinstance(subject.encode("0" * 96 + "6400"), Encoded)
    assert failure(subject.encode("0" * 96 + "6401")).kind == "nonsense"
    assert isinstance(subject.decode([1, 2]), Decoded)
    assert failure(subject.decode([1])) == Failure("nonsense", "8,193 characters for 1 ids")


def test_a_special_token_mask_comes_through(make: Make) -> None:
    source = """
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special): raise AssertionError
            def encode_with_offsets(self, text, special): return [1, 2], None, None, {mask}
            def decode(self, ids, skip): return ""
        """
    assert make(source.format(mask="(1, 0)")).encode("x") == Encoded((1, 2), special_tokens_mask=(1, 0))
    assert make(source.format(mask="None")).encode("x") == Encoded((1, 2))
    assert failure(make(source.format(mask="['1', '0']")).encode("x")).kind == "nonsense"
