"""A stage that can change nothing after the stages before it fails no session; one that can and never did does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.fuzzing.live_stages import MUST_CHANGE, live_stages
from conformance.fuzzing.outcome import CANNOT_CHANGE, ENOUGH_CASES
from conformance.generators.knowledge import model_knowledge
from reftok import load
from tests.conformance.fuzzing.sessions import ROOT, run, session_job

GEMMA = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
NFC, LOWERCASE = {"type": "NFC"}, {"type": "Lowercase"}
STRIP = {"type": "Strip", "strip_left": True, "strip_right": True}


def split(pattern: str, behavior: str = "MergedWithPrevious") -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


def model_file(folder: Path, normalizers: list[dict[str, Any]], pre_tokenizers: list[dict[str, Any]]) -> Path:
    """A byte-level vocab of a few letters behind these steps."""
    model = {
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": pre_tokenizers},
        "model": {"type": "BPE", "vocab": {letter: i for i, letter in enumerate("abc▁12")}, "merges": []},
    }
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(model), "utf-8")
    return path


@pytest.mark.parametrize(
    ("normalizers", "pre_tokenizers", "dead"),
    [
        pytest.param([GEMMA], [split(" ")], "4 PreTokenizer Split", id="a Split at the space that became ▁"),
        pytest.param([{"type": "NFKD"}, {"type": "NFD"}], [], "3 Normalizer NFD", id="NFD after NFKD"),
        pytest.param([LOWERCASE], [split("[A-Z]+")], "4 PreTokenizer Split", id="capitals after Lowercase"),
        pytest.param([], [split("b"), split("b")], "4 PreTokenizer Split", id="a second Split"),
        pytest.param([], [split("b(?<!b)")], "3 PreTokenizer Split", id="a pattern that matches nothing"),
        pytest.param([{**GEMMA, "content": " "}], [], "2 Normalizer Replace", id="a space becomes a space"),
        pytest.param(
            [STRIP],
            [split(r"\A\s")],
            "4 PreTokenizer Split",
            id="a leading space after Strip",
        ),
    ],
)
def test_a_stage_that_can_change_nothing_after_those_before_it_does_not_count(
    tmp_path: Path, normalizers: list[dict[str, Any]], pre_tokenizers: list[dict[str, Any]], dead: str
) -> None:
    tokenizer = load(model_file(tmp_path, normalizers, pre_tokenizers))
    every = {f"{n} {one.stage} {one.component}" for n, one in enumerate(tokenizer.trace("a").stages, 1)}
    live = {*live_stages(tokenizer, model_knowledge(tokenizer))}
    assert {stage for stage in every - live if stage.split()[1] != "AddedTokens"} == {dead}


@pytest.mark.parametrize(
    "pattern",
    ["qzx?w", "(?<=[a-z])(?=[A-Z])", "\U00010d4a", r"\x{fdfa}", "a{7}"],
    ids=["a rare word", "a capital within a word", "a letter of Unicode 16", "a ligature", "a run"],
)
def test_a_stage_that_can_change_something_rare_counts(tmp_path: Path, pattern: str) -> None:
    tokenizer = load(model_file(tmp_path, [NFC, GEMMA], [split(pattern, "Isolated")]))
    assert "5 PreTokenizer Split" in live_stages(tokenizer, model_knowledge(tokenizer))


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "corpora" / "models").iterdir()))
def test_every_stage_of_an_embedded_model_counts(name: str) -> None:
    tokenizer = load(name)
    should = {f"{n} {one.stage} {one.component}" for n, one in enumerate(tokenizer.trace("a").stages, 1)}
    live = {*live_stages(tokenizer, model_knowledge(tokenizer))}
    assert {stage.split()[1] for stage in should - live} <= {"AddedTokens", "PostProcessor"}


def test_of_a_doubled_step_only_the_second_is_dead(tmp_path: Path) -> None:
    value = json.loads((ROOT / "corpora" / "models" / "spm-unigram-hf" / "tokenizer.json").read_text("utf-8"))
    steps = {"type": "Sequence", "pretokenizers": 2 * [value["pre_tokenizer"]]}
    (tmp_path / "tokenizer.json").write_text(json.dumps({**value, "pre_tokenizer": steps}), "utf-8")
    tokenizer = load(tmp_path)
    live = live_stages(tokenizer, model_knowledge(tokenizer))
    stages = [f"{n} {one.stage} {one.component}" for n, one in enumerate(tokenizer.trace("a").stages, 1)]
    dead = [stage for stage in stages if stage.split()[1] in MUST_CHANGE and stage not in live]
    assert dead == ["6 PreTokenizer Metaspace"]


def test_a_second_nfc_fails_no_session_and_is_told(tmp_path: Path) -> None:
    model = str(model_file(tmp_path, [NFC, NFC], []))
    generators = ("decompositions", "white space")
    end = run(session_job(tmp_path / "session", ENOUGH_CASES, model=model, generators=generators))
    assert end.run.problems == ()
    (told,) = json.loads((tmp_path / "session" / "coverage.json").read_text("ascii")).values()
    assert told["nothing to do"] == {"stage 3 Normalizer NFC": CANNOT_CHANGE}
    assert told["kinds"]["stages"] == {"reached": 2, "total": 2, "never reached": []}
    assert f"stage 3 Normalizer NFC had nothing to do: {CANNOT_CHANGE}" in (
        tmp_path / "session" / "report.html"
    ).read_text("utf-8")


def test_a_stage_that_could_change_something_and_never_did_fails_the_session(tmp_path: Path) -> None:
    model = str(model_file(tmp_path, [NFC, NFC], [split("qzxw")]))
    end = run(session_job(tmp_path / "session", ENOUGH_CASES, model=model, generators=("white space", "numbers")))
    (problem,) = end.run.problems
    assert "stage 5 PreTokenizer Split was never exercised" in problem
    assert end.run.exit_code == 1
