"""Vectors with settings: hand-written ports fail those that name their mistake, and right answers pass them all."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.core.errors import InputError
from conformance.inputs.vector_file import (
    EncodeWithGroup,
    EncodeWithVector,
    Note,
    Oracle,
    VectorFile,
    VectorModel,
    vectors_of,
)
from conformance.subjects.base import Subject
from conformance.subjects.in_process import InProcessSubject
from conformance.subjects.reftok_subject import ReftokSubject
from conformance.subjects.tiktoken_subject import TiktokenSubject
from conformance.subjects.tokenizers_subject import TokenizersSubject
from conformance.vectors.comparing import mistakes
from conformance.vectors.making import numbered_groups
from conformance.vectors.notes import flag_of
from conformance.vectors.running import Outcome, flag_counts, run_vectors
from conformance.vectors.settings_vectors import settings_groups
from reftok import load
from tests.conformance.checks.test_settings import (
    DEFECTS,
    TEXTS,
    Alone,
    AlwaysRefuses,
    Pairs,
    Port,
    TiktokenPort,
    rank_file,
    templated,
)
from tests.models import load as load_embedded


def made(path: Path, oracle: Subject) -> VectorFile:
    """A file with the settings vectors of a model, written and read again."""
    groups = numbered_groups(settings_groups(load(path), oracle, TEXTS, times=2))
    flags = {flag for group in groups for test in group.tests for flag in test.flags}
    vectors = VectorFile(
        licence="CC0-1.0",
        tier="own",
        made_by="a test",
        model=VectorModel(name="m", file=path.name, format="tokenizer.json", sha256="0" * 64),
        oracle=Oracle(library="tokenizers", version="1"),
        number_of_tests=sum(len(group.tests) for group in groups),
        notes={flag: Note(stage="", rule="", effect="") for flag in flags},
        test_groups=tuple(groups),
    )
    return vectors_of(msgspec.json.decode(msgspec.json.encode(vectors)), path)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    path.write_text(json.dumps(templated()), "utf-8")
    return path


@pytest.fixture(scope="module")
def vectors(model: Path) -> VectorFile:
    return made(model, TokenizersSubject(model, "tokenizer.json"))


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rank_file(tmp_path_factory.mktemp("ranks"), "<e>", "<f>", "<g>")


def asked(vectors: VectorFile, port: object) -> list[Outcome]:
    return run_vectors(vectors, InProcessSubject(port))


def certain(outcomes: list[Outcome]) -> list[str]:
    """The flags whose vectors failed without exception."""
    return [one.flag for one in flag_counts(outcomes) if one.failed == one.asked]


def test_the_file_is_whole(vectors: VectorFile) -> None:
    assert list(mistakes(vectors)) == []


@pytest.mark.parametrize(("defect", "stage", "rule"), DEFECTS, ids=[rule for *_, rule in DEFECTS])
def test_a_port_fails_every_vector_that_has_its_mistake_as_a_flag(
    vectors: VectorFile, model: Path, defect: type[Port], stage: str, rule: str
) -> None:
    assert flag_of(stage, rule) in certain(asked(vectors, defect(model)))


@pytest.mark.parametrize(
    ("port", "rule"),
    [
        (TiktokenPort, "disallowed special tokens are not refused"),
        (AlwaysRefuses, "disallowed_special is ignored"),
    ],
)
def test_refusals_of_special_tokens_are_vectors_for_tiktoken(ranks: Path, port: type[TiktokenPort], rule: str) -> None:
    vectors = made(ranks, TiktokenSubject(ranks))
    assert {test.result for _, test in vectors.tests()} == {"valid", "refused"}
    assert flag_of("AddedTokens", rule) in certain(asked(vectors, port(ranks)))
    right = run_vectors(vectors, TiktokenSubject(ranks))
    assert {one.verdict for one in right} == {"pass"}


def test_the_reference_and_the_official_library_pass_all(vectors: VectorFile, model: Path) -> None:
    for subject in (ReftokSubject(load(model)), TokenizersSubject(model, "tokenizer.json")):
        assert {one.verdict for one in run_vectors(vectors, subject)} == {"pass"}


def test_who_has_pairs_alone_is_asked_those_alone(vectors: VectorFile, model: Path) -> None:
    outcomes = asked(vectors, Pairs(model))
    failed = {one.test for one in outcomes if one.verdict == "fail"}
    assert failed
    for test in failed:
        assert isinstance(test, EncodeWithVector)
        assert test.truncation is None is test.padding
        assert not test.is_pretokenized
    assert {one.verdict for one in asked(vectors, Alone(model))} == {"not asked"}


def test_models_of_sentencepiece_have_none() -> None:
    subject = ReftokSubject(load_embedded("spm-bpe"))
    assert settings_groups(subject.tokenizer, subject, TEXTS, times=1) == []


def test_no_question_is_asked_twice(vectors: VectorFile) -> None:
    for group in vectors.test_groups:
        assert isinstance(group, EncodeWithGroup)
        assert len({group.question(test) for test in group.tests}) == len(group.tests)


def broken(vectors: VectorFile, **changes: Any) -> dict[str, Any]:
    """The file with a single test, some of its values changed; those that are None are left out."""
    value: dict[str, Any] = json.loads(msgspec.json.encode(vectors))
    group = value["testGroups"][0]
    test = next(one for one in group["tests"] if "padding" in one and "isPretokenized" not in one) | changes
    test = {name: part for name, part in test.items() if part is not None}
    return {**value, "testGroups": [{**group, "tests": [test]}]}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"inputs": []}, "length >= 1"),
        ({"inputs": [[]]}, "length >= 1"),
        ({"inputs": [["a", "b", "c"]]}, "length <= 2"),
        ({"inputs": [["a" * 501]]}, "length <= 500"),
        ({"inputs": [["a"], ["b"], ["c"]]}, "inputs and encodings are 3 and"),
        ({"inputs": [[["a"]]]}, "lists of words with isPretokenized"),
        ({"inputs": [["\ud800"]]}, "lone surrogate"),
        ({"encodings": None}, "has no encodings"),
        ({"result": "refused"}, "is refused"),
        ({"encodings": [{"ids": [1], "typeIds": []}]}, "ids and type_ids are 1 and 0"),
        ({"truncation": {"maxLength": -1}}, ">= 0"),
        ({"truncation": {"maxLength": 2**40}}, "<= 1024"),
        ({"truncation": {"max_length": 4}}, "unknown field `max_length`"),
        ({"padding": {"length": 2**40}}, "<= 1024"),
        ({"padding": {"padToken": "a" * 65}}, "length <= 64"),
        ({"specialInText": {"alowed": []}}, "unknown field `alowed`"),
    ],
)
def test_a_vector_that_no_subject_could_answer_is_refused(
    vectors: VectorFile, changes: dict[str, Any], told: str
) -> None:
    """Fault: huge paddings and windows ended the process, misspelt settings were left out, lint said nothing."""
    path = Path("mine.json")
    assert vectors_of(broken(vectors), path)
    with pytest.raises(InputError, match=f"^mine.json: .*{re.escape(told)}"):
        vectors_of(broken(vectors, **changes), path)
