"""What is seen of an example: tokens around the difference, the first stage that differs, the steps of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from conformance.causes.attribution import Attribution
from conformance.causes.evidence import MOST_BEFORE, MOST_STEPS, MOST_TOKENS, Example, examined
from conformance.checks.base import Answers
from conformance.core.case import ids_case, text_case
from conformance.core.evidence import Evidence
from conformance.core.observation import Decoded, Encoded
from conformance.core.streaming import FedStream, Feeding, Streamed
from conformance.engine.bench import Bench
from conformance.engine.plan import ModelPlan, Plan
from conformance.inputs.shards import Inputs
from reftok import embedded_models

pytestmark = pytest.mark.usefixtures("subjects_here")

DECOMPOSED, COMPOSED = "e\u0301 x", "\u00e9 x"


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    model = ModelPlan("bpe-qwen", embedded_models()["bpe-qwen"], "tokenizer.json", "tokenizers")
    bench = Bench(Plan((model,), ("reftok",), ("ids",), Inputs((), ("vocab",), 0, 0), 5.0), model)
    yield bench
    bench.close()


def encoded(bench: Bench, text: str) -> Encoded:
    encoding = bench.reference.tokenizer.encode(text)
    return Encoded(tuple(encoding.ids), tuple(encoding.tokens), tuple(encoding.offsets))


def of_ids(
    bench: Bench, text: str, given: Sequence[int], attribution: Attribution | None = None, subject: str = "mine"
) -> Evidence:
    right = Answers(encoding=encoded(bench, text))
    answers = Answers(encoding=Encoded(tuple(given)))
    return examined(Example(bench, subject, "ids", text_case(text, ""), right, answers), attribution or Attribution())


def test_the_fault_stands_in_for_the_stages_of_the_subject(bench: Bench) -> None:
    evidence = of_ids(bench, DECOMPOSED, (1, 2), Attribution("Normalizer", "NFC is missing"))
    assert evidence.stage is not None
    assert (evidence.stage.stage, evidence.stage.expected, evidence.stage.observed) == (
        "Normalizer",
        (COMPOSED,),
        (DECOMPOSED,),
    )
    assert evidence.stage.expected_by.startswith("tokenizers 0")
    assert "NFC is missing" in evidence.stage.observed_by


def test_a_changed_input_is_the_first_stage_that_differs(bench: Bench) -> None:
    evidence = of_ids(bench, "a\0b", (1,), Attribution("Input", "text ends at the first NUL"))
    assert evidence.stage is not None
    assert (evidence.stage.stage, evidence.stage.expected, evidence.stage.observed) == ("Input", ("a\0b",), ("a",))


def test_a_fault_of_the_normalizer_does_not_differ_in_the_input(bench: Bench) -> None:
    """Fault: faults that are acted out on the text had "Input" as the first stage that differs."""
    evidence = of_ids(bench, "A", (64,), Attribution("Normalizer", "text is lower-cased"))
    assert evidence.stage is not None
    assert (evidence.stage.stage, evidence.stage.expected, evidence.stage.observed) == ("Normalizer", ("A",), ("a",))


def test_without_a_fault_the_tokens_are_held_against_the_stage(bench: Bench) -> None:
    ids = encoded(bench, "ab").ids
    evidence = of_ids(bench, "a b", ids, Attribution("PreTokenizer", "the text is cut elsewhere"))
    assert evidence.stage is not None
    assert evidence.stage.expected == ("a", "Ġb")
    assert evidence.stage.observed == tuple(token.token for token in evidence.observed)


def test_reftok_is_held_against_the_stages_of_the_library(bench: Bench) -> None:
    assert of_ids(bench, DECOMPOSED, (1,), subject="reftok").stage is None


def test_nothing_is_said_of_stages_where_nothing_is_known(bench: Bench) -> None:
    assert of_ids(bench, DECOMPOSED, (1,)).stage is None


def test_tokens_are_kept_around_the_first_difference(bench: Bench) -> None:
    right = encoded(bench, "a b " * 200).ids
    evidence = of_ids(bench, "a b " * 200, (*right[:300], 7, *right[301:]))
    assert evidence.skipped == 300 - MOST_BEFORE
    assert len(evidence.expected) == len(evidence.observed) == MOST_TOKENS
    assert evidence.is_cut
    assert [token.id for token in evidence.observed][MOST_BEFORE] == 7
    assert evidence.expected[MOST_BEFORE].id == right[300]


def test_decoded_ids_are_named(bench: Bench) -> None:
    answers = Answers(decoding=Decoded("x"))
    evidence = examined(Example(bench, "mine", "decode", ids_case((0, 1), ""), answers, answers), Attribution())
    names = bench.reference.tokenizer.id_to_token
    assert [(token.id, token.token) for token in evidence.decoded] == [(0, names(0)), (1, names(1))]


def test_of_several_decoders_the_first_that_differs_is_shown() -> None:
    model = ModelPlan("spm-bpe-hf", embedded_models()["spm-bpe-hf"], "tokenizer.json", "tokenizers")
    chain = Bench(Plan((model,), ("reftok",), ("decode",), Inputs((), ("vocab",), 0, 0), 5.0), model)
    tokenizer = chain.reference.tokenizer
    case = ids_case(tuple(tokenizer.encode("a b").ids), "")
    right = Answers(decoding=Decoded(tokenizer.decode(case.ids)))
    given = Answers(decoding=Decoded(tokenizer.decode(case.ids) + "?"))
    example = Example(chain, "mine", "decode", case, right, given)
    nothing = examined(example, Attribution("Decoder", "ByteFallback is missing"))
    evidence = examined(example, Attribution("Decoder", "Strip is missing"))
    chain.close()
    assert nothing.stage is None
    assert evidence.stage is not None
    assert (evidence.stage.stage, evidence.stage.expected, evidence.stage.observed) == (
        "Decoder: Strip",
        ("a b",),
        (" a b",),
    )
    assert evidence.stage.observed_by == "reftok where Strip is missing"


def test_a_streamed_encoder_shows_the_step_that_goes_wrong(bench: Bench) -> None:
    whole = encoded(bench, "x" + DECOMPOSED)
    parts = [encoded(bench, chunk).ids for chunk in ("x", "e", "\u0301 x")]
    feeding = Feeding("encoder", ("x", "e", "\u0301 x"))
    fed = FedStream(feeding, Streamed((*parts, ())), whole.ids)
    answers = Answers(encoding=whole, stream_encoded=(fed,))
    example = Example(bench, "mine", "stream encode", text_case("x" + DECOMPOSED, ""), answers, answers)
    evidence = examined(example, Attribution())
    assert [step.fed for step in evidence.stream] == ["x", "e", "\u0301 x", ""]
    assert [step.is_wrong for step in evidence.stream] in ([True, False, False, False], [False, True, False, False])
    assert evidence.observed != evidence.expected


def test_a_stream_that_gives_less_than_it_was_fed_has_empty_steps(bench: Bench) -> None:
    fed = FedStream(Feeding("decoder", (0, 1)), Streamed(()), "!!")
    answers = Answers(stream_decoded=(fed,))
    example = Example(bench, "mine", "stream decode", ids_case((0, 1), ""), answers, answers)
    evidence = examined(example, Attribution())
    assert [step.given for step in evidence.stream] == ["", "", ""]
    assert [step.is_wrong for step in evidence.stream] == [False, False, True]
    assert [token.id for token in evidence.decoded] == [0, 1]


def test_of_a_long_stream_the_steps_around_the_fault_are_kept(bench: Bench) -> None:
    given = ("!",) * 50 + ("?",) + ("!",) * 50
    fed = FedStream(Feeding("decoder", (0,) * 100), Streamed(given), "!" * 101)
    answers = Answers(stream_decoded=(fed,))
    example = Example(bench, "mine", "stream decode", ids_case((0,) * 100, ""), answers, answers)
    steps = examined(example, Attribution()).stream
    assert len(steps) == MOST_STEPS
    assert [step.given for step in steps if step.is_wrong] == ["?"]
