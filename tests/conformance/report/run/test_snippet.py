"""The reproduction is Python that asks exactly what was asked, in ASCII."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.shrinking.together import READERS
from conformance.core.case import Case, bytes_case, ids_case, text_case
from conformance.core.finding import Finding
from conformance.core.run import ModelInfo
from conformance.report.run.snippet import LONGEST_INPUT, reproduction_command, snippet
from conformance.subjects.adapters import FORMATS, REPRODUCIBLE
from tests.conformance.report.sample_run import finding

MODEL = ModelInfo("m/a'b\u202e.json", "a'b\u202e.json", "tokenizer.json", "", "tokenizers", 1)
SENTENCEPIECE = replace(MODEL, format="sentencepiece", name="m.model", path="m.model")


def literals(source: str) -> list[object]:
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant | ast.List))
    return [ast.literal_eval(node) for node in nodes]


def of(case: Case, model: ModelInfo | None = MODEL) -> str:
    item: Finding = finding(case, "r")
    return snippet(item, model)


@given(st.text(st.characters(exclude_categories=())))
def test_a_text_is_spelled_in_ascii(text: str) -> None:
    source = of(text_case(text, ""))
    assert source.isascii()
    assert text in literals(source)
    assert MODEL.name in literals(source)


def test_an_embedded_model_is_named_as_model_takes_it() -> None:
    """Fault: the path was one inside the installed package, which is not found from anywhere."""
    source = of(text_case("x", ""), replace(MODEL, name="bpe-gpt2", path="tokenizer.json"))
    assert source.startswith("from reftok import embedded_models\n")
    assert "Tokenizer.from_file(str(embedded_models()['bpe-gpt2']))" in source
    pytest.importorskip("tokenizers")
    exec(compile(source, "copied", "exec"), {})


@given(st.binary())
def test_bytes_are_for_a_library_that_takes_them(data: bytes) -> None:
    assert data in literals(of(bytes_case(data, ""), SENTENCEPIECE))
    assert of(bytes_case(data, "")) == ""


def test_ids_are_decoded() -> None:
    assert "tokenizer.decode([1, 2])" in of(ids_case((1, 2), ""))
    assert "processor.Decode([1, 2])" in of(ids_case((1, 2), ""), SENTENCEPIECE)


def test_a_stream_of_ids_is_fed_one_by_one() -> None:
    item = finding(ids_case((1, 2), ""), "r")
    item = replace(item, example=replace(item.example, check="stream decode"))
    assert "ids = [1, 2]\nstream = DecodeStream(" in snippet(item, MODEL)
    text = replace(item, example=replace(item.example, case=text_case("x", "")))
    assert "ids = tokenizer.encode('x').ids\n" in snippet(text, MODEL)
    assert snippet(item, SENTENCEPIECE) == ""


def test_the_libraries_have_no_streaming_encoder() -> None:
    item = finding(text_case("x", ""), "r")
    assert snippet(replace(item, example=replace(item.example, check="stream encode")), MODEL) == ""


def test_nothing_is_written_of_what_is_too_long_or_not_known() -> None:
    assert of(text_case("x" * LONGEST_INPUT, ""))
    assert of(text_case("x" * (LONGEST_INPUT + 1), "")) == ""
    assert of(text_case("x", ""), None) == ""
    assert of(text_case("x", ""), replace(MODEL, format="gguf")) == ""


def test_the_command_names_the_run_and_the_finding_of_the_replay() -> None:
    item = replace(finding(text_case("x", ""), "r"), replay="conformance replay 'a b' 0123456789ab")
    assert reproduction_command(item, MODEL) == "conformance reproduce 'a b' 0123456789ab"


def test_there_is_no_command_for_what_has_no_file() -> None:
    item = replace(finding(text_case("x", ""), "r"), replay="conformance replay run 0123456789ab")
    assert reproduction_command(item, None) == ""
    assert reproduction_command(item, replace(MODEL, format="gguf")) == ""
    assert reproduction_command(replace(item, example=replace(item.example, rule="timed out")), MODEL) == ""
    assert reproduction_command(replace(item, replay=""), MODEL) == ""


def test_the_formats_are_those_that_can_be_reproduced() -> None:
    item = replace(finding(text_case("x", ""), "r"), replay="conformance replay run 0123456789ab")
    assert [name for name in FORMATS if reproduction_command(item, replace(MODEL, format=name))] == [*REPRODUCIBLE]


def test_a_model_that_a_reproduction_holds_can_be_made_smaller() -> None:
    assert {*REPRODUCIBLE} == {*READERS}
