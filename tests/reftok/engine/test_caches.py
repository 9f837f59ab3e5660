from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.caches import Results, TwoGenerationCache


def test_what_is_used_survives_and_what_is_not_goes() -> None:
    cache: TwoGenerationCache[int] = TwoGenerationCache(capacity=2)
    cache.put("used", 0)
    for number in range(1, 20):
        cache.put(f"unused {number}", number)
        assert cache.get("used") == 0
    assert cache.get("unused 1") is None


@given(st.integers(1, 4), st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=40))
def test_it_holds_two_generations_at_most_and_never_another_value(capacity: int, uses: list[tuple[str, bool]]) -> None:
    cache: TwoGenerationCache[int] = TwoGenerationCache(capacity)
    latest: dict[str, int] = {}
    for number, (key, is_put) in enumerate(uses):
        if is_put:
            cache.put(key, number)
            latest[key] = number
        assert cache.get(key) in {latest.get(key), None}
        assert sum(cache.get(known) is not None for known in "abcdef") <= 2 * capacity


def test_the_latest_value_of_a_key_counts() -> None:
    cache: TwoGenerationCache[int] = TwoGenerationCache(capacity=1)
    for key, value in [("a", 1), ("b", 2), ("a", 3), ("b", 4)]:
        cache.put(key, value)
        assert cache.get(key) == value


@given(st.integers(1, 4), st.lists(st.sampled_from(["a", "b", "c", "dd", "eee", "f", "g"]), max_size=40))
def test_results_are_those_of_the_function_and_bounded(capacity: int, texts: list[str]) -> None:
    results = Results(lambda text: text * 2, longest=2, capacity=capacity)
    for text in texts:
        assert results[text] == text * 2
        assert len(results) <= capacity
        assert "eee" not in results


def test_a_result_that_is_used_is_computed_once() -> None:
    computed: list[str] = []
    results = Results(lambda text: computed.append(text), capacity=2)
    for number in range(9):
        results["used"]
        results[f"unused {number}"]
    assert computed.count("used") == 1
