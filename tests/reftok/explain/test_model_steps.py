from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reftok.explain.merge_events import merge_events, merges_made
from reftok.explain.model_steps import model_steps
from reftok.explain.steps import Walk, WalkStep
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.merging import merge_all


def shown(step: WalkStep) -> str:
    """A step as a debugger would print it."""
    indices = "+".join(map(str, step.symbols))
    return f"{step.event} {indices} {step.data.decode()} {step.score:g} {list(step.ids)}"


def test_the_steps_are_those_that_a_debugger_shows() -> None:
    """The walk of a tutorial on llama.cpp: symbols, the queue by score, a bigram gone stale, the symbols at the end."""
    scores = {"▁": -9.0, "a": -9.0, "t": -9.0, "▁a": -3.0, "at": -1.0, "▁at": -2.0}
    spm = LlamaSPM({token: index for index, token in enumerate(scores)}, [*scores.values()])
    walk = model_steps(spm, "▁att")
    assert isinstance(walk, Walk)
    assert list(map(shown, walk.steps)) == [
        "symbol 0 ▁ 0 []",
        "symbol 1 a 0 []",
        "symbol 2 t 0 []",
        "symbol 3 t 0 []",
        "queue 0+1 ▁a -3 []",
        "queue 1+2 at -1 []",
        "merge 1+2 at -1 []",
        "queue 0+1 ▁at -2 []",
        "merge 0+1 ▁at -2 []",
        "skip 0+1 ▁a -3 []",
        "token 0 ▁at 0 [5]",
        "token 3 t 0 [2]",
    ]


@given(st.lists(st.text("ab", min_size=2, max_size=4), unique=True), st.text("ab", max_size=30))
def test_the_merges_of_the_queue_are_those_of_the_plain_rule(wholes: list[str], text: str) -> None:
    ranks = {whole: rank for rank, whole in enumerate(wholes)}

    def merge_of(left: str, right: str) -> tuple[int, str] | None:
        rank = ranks.get(left + right)
        return None if rank is None else (rank, left + right)

    symbols = dict(enumerate(text))
    for event in merges_made(merge_events(text, merge_of)):
        assert (symbols[event.left], symbols.pop(event.right)) == event.symbols
        symbols[event.left] = event.whole
    assert merge_all(text, merge_of) == [*symbols.items()]
