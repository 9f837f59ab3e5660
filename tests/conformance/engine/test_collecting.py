"""What is asked: streams are fed a sample of many cases, which no turn of a generator escapes, and all of few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice
from random import Random

import pytest

from conformance.core.case import Case, ids_case, made_case, text_case
from conformance.core.observation import Decoding, Encoded, Encoding, Failure
from conformance.engine.bench import Bench
from conformance.engine.collecting import FEW_CASES, STREAMED, STREAMED_IDS, collect_answers, is_streamed
from conformance.engine.plan import ModelPlan, Plan
from conformance.generators import generators
from conformance.generators.base import Generator, in_turn
from conformance.generators.knowledge import model_knowledge
from conformance.inputs.cuts import Depth
from conformance.inputs.shards import Inputs
from conformance.subjects.base import Subject
from reftok import embedded_models
from tests.models import load

ROUNDS = 20 * STREAMED
"""In so many rounds of turns a generator has some 20 texts that are streamed."""


def drawn(turns: list[Generator], turn: int) -> Iterator[Case]:
    """What a generator is asked for at one of the turns, round after round, as runs make it."""
    for number in islice(count(turn, len(turns)), ROUNDS):
        yield made_case(turns[turn].draw(Random(f"0:m:{number}")), f"fuzz:0:{number}")


@pytest.mark.parametrize("model", sorted(embedded_models()))
def test_every_generator_has_cases_that_are_streamed_at_each_of_its_turns(model: str) -> None:
    """Fault: one list of ids in seven met the same of the 21 turns again and again."""
    turns = in_turn(generators(model_knowledge(load(model)), ("hello world", "naïve ☠")))
    never = [one.name for turn, one in enumerate(turns) if not any(map(is_streamed, drawn(turns, turn)))]
    assert turns
    assert never == []


def test_one_in_so_many_is_streamed() -> None:
    for one_in, cases in (
        (STREAMED, [text_case(f"text {number}", f"fuzz:0:{number}") for number in range(30_000)]),
        (STREAMED_IDS, [ids_case((number, number % 5), f"fuzz:0:{number}") for number in range(30_000)]),
    ):
        assert 0.85 < one_in * sum(map(is_streamed, cases)) / len(cases) < 1.15


def test_ids_that_a_corpus_gives_are_all_streamed() -> None:
    """Fault: whether a published bug of decoders was fed to streams was up to the line on which it stands."""
    of_corpus = [ids_case((number, 7), f"known_bugs/decoder.jsonl:{number}") for number in range(30)]
    assert list(filter(is_streamed, of_corpus)) == of_corpus


@pytest.mark.parametrize(("model", "bare"), [("bpe-llama3", [True, False, False]), ("bpe-qwen", [False] * 3)])
def test_texts_are_asked_without_special_tokens_where_the_model_has_some(model: str, bare: list[bool]) -> None:
    plan = ModelPlan(model, embedded_models()[model], "tokenizer.json", "tokenizers")
    bench = Bench(Plan((plan,), ("reftok",), (), Inputs((), (), 0, 0), 60), plan)
    cases = [text_case("a", "o"), ids_case((5,), "o"), made_case(b"a\xff", "o")]
    answers = collect_answers(bench, cases, ("ids without special tokens",))
    bench.close()
    assert [[one.bare is not None for one in given] for given in answers.values()] == [bare, bare]


def test_a_text_of_any_characters_is_streamed_or_not() -> None:
    assert not is_streamed(text_case("\ud800", "o"))


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    model = ModelPlan("spm-char", embedded_models()["spm-char"], "sentencepiece", "sentencepiece")
    bench = Bench(Plan((model,), ("reftok",), (), Inputs((), (), 0, 0), 60), model)
    yield bench
    bench.close()


def streamed(bench: Bench, cases: list[Case], depth: Depth) -> list[Case]:
    """The cases that were fed to streams."""
    answers = collect_answers(bench, cases, ("stream encode", "stream decode"), depth=depth)["reftok"]
    pairs = zip(cases, answers, strict=True)
    return [case for case, answer in pairs if answer.stream_encoded or answer.stream_decoded]


def test_all_of_few_cases_are_streamed_and_of_one_more_a_sample(bench: Bench) -> None:
    cases = [text_case("a", f"o:{number}") for number in range(FEW_CASES + 1)]
    assert streamed(bench, cases[:-1], "sample") == cases[:-1]
    assert streamed(bench, cases, "sample") == [case for case in cases if is_streamed(case)] != []


def test_ids_in_bulk_are_asked_for_with_the_check_on_batches_alone(bench: Bench) -> None:
    case = text_case("a b", "o")
    asked, not_asked = (
        [answers[0] for answers in collect_answers(bench, [case], (check,)).values()]
        for check in ("batch = single", "ids")
    )
    encodings = [answer.encoding for answer in asked]
    assert [answer.bulk_ids for answer in asked] == [isinstance(one, Encoded) and one.ids for one in encodings]
    assert [answer.bulk_ids for answer in not_asked] == [None, None]


def test_a_sample_of_many_cases_is_asked_in_bulk(bench: Bench) -> None:
    cases = [text_case("a", f"o:{number}") for number in range(FEW_CASES + 1)]
    answers = collect_answers(bench, cases, ("batch = single",))["reftok"]
    in_bulk = [case for case, answer in zip(cases, answers, strict=True) if answer.bulk_ids is not None]
    assert in_bulk == [case for case in cases if is_streamed(case)] != []


class ErrorsOfItsAdapter(Subject):
    """One whose adapter cannot ask it about some texts and ids."""

    name = "s"

    def encode(self, text: str | bytes) -> Encoding:
        return Failure("adapter error", "no field") if text == "a" else Encoded((1,))

    def decode(self, ids: Sequence[int]) -> Decoding:
        return Failure("skipped", "not yet") if len(ids) == 1 else Failure("adapter error", "no ids")


def test_an_error_of_an_adapter_is_no_answer_and_is_kept(bench: Bench) -> None:
    cases = [text_case("a", "o"), text_case("b", "o"), ids_case((1,), "o"), ids_case((1, 2), "o")]
    with bench.asking(ErrorsOfItsAdapter()):
        answers = collect_answers(bench, cases, ("ids", "decode"), "s")["s"]
    assert [(one.encoding, one.decoding, one.adapter_error) for one in answers] == [
        (None, None, "no field"),
        (Encoded((1,)), None, "no ids"),
        (None, None, ""),
        (None, None, "no ids"),
    ]


@pytest.mark.parametrize("depth", ["close", "sweep"])
def test_what_is_looked_at_closely_is_streamed_however_many_cases_there_are(bench: Bench, depth: Depth) -> None:
    cases = [text_case("a", f"o:{number}") for number in range(FEW_CASES + 1)]
    assert streamed(bench, cases, depth) == cases
