"""The tool that makes the scoreboard: what it builds, asks, confirms, keeps and tells, with a planted library."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.checks.streams import HELD_TOO_LONG
from conformance.core.case import ids_case, text_case
from conformance.core.finding import Finding, Mismatch
from conformance.core.run import Cell, Run
from conformance.engine.plan import ModelPlan
from conformance.report.scoreboard.board import Board, Entry
from conformance.report.scoreboard.folder import read_board
from tests.test_third_party_sessions import a_run, loaded

ROOT = Path(__file__).resolve().parent.parent
MODEL = "spm-unigram"
PLANTED = """
import reftok

class Subject:
    version = "9.8.7"
    capabilities = {"encode": {"add_special_tokens": "never"}, "decode": {}}

    def __init__(self, model_path):
        self.tokenizer = reftok.load(model_path)

    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode_ids(text.replace("\\u00df", "ss"))

    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
"""

REFUSING = """
def Subject(model_path):
    raise ValueError(f"{model_path}: no Unigram")
"""

tool = loaded(ROOT / "tools" / "scoreboard.py")
both = loaded(ROOT / "tools" / "both_answers.py")


@pytest.fixture(scope="module")
def adapters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a defect, one that cannot be built, one that reads nothing, and one of another format."""
    folder = tmp_path_factory.mktemp("adapters")
    settings = {
        "planted": 'factory = "adapter.py:Subject"\nbuild = "echo made > built"\nmodels = ["sentencepiece"]\n',
        "broken": 'command = ["python3"]\nbuild = "echo nothing to see; echo no compiler >&2; exit 3"\n',
        "refusing": 'factory = "adapter.py:Subject"\nmodels = ["sentencepiece"]\n',
        "other": 'command = ["python3"]\nmodels = ["tiktoken"]\n',
    }
    for name, text in settings.items():
        (folder / name).mkdir()
        (folder / name / "subject.toml").write_text(f'name = "the {name}"\n{text}', "utf-8")
    (folder / "planted" / "adapter.py").write_text(PLANTED, "utf-8")
    (folder / "refusing" / "adapter.py").write_text(REFUSING, "utf-8")
    return folder


@pytest.fixture(scope="module")
def made(adapters: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Board]:
    """The scoreboard of these three, by a process of its own."""
    out = tmp_path_factory.mktemp("board")
    done = run(adapters, out)
    assert done.returncode == 0, done.stderr
    board = read_board(out)
    assert board is not None
    return out, board


def run(adapters: Path, out: Path, *others: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "scoreboard.py"), "--models", MODEL, "--part", "languages"]
    command += ["--adapters", str(adapters), "--out", str(out), "--runs", str(out / "runs"), *others]
    environment = tool.environment()
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=out, timeout=300, check=False)


def test_a_defect_in_natural_text_is_confirmed_and_published_with_its_command(made: tuple[Path, Board]) -> None:
    out, board = made
    (entry,) = board.of_library("planted")
    (placed,) = (item for item in entry.findings if item.finding.example.check == "ids")
    assert entry.state == "asked"
    assert 0 < entry.right < entry.compared
    assert (placed.weight, placed.kind, placed.confirmed) == ("natural text", "wrong", True)
    assert "\u00df" in placed.finding.example.case.text
    assert placed.command.startswith("python tools/both_answers.py --model spm-unigram --subject ")
    assert "planted/subject.toml" in placed.command
    assert str(out) not in (out / "scoreboard.json").read_text("utf-8")


def test_a_library_says_its_version_and_is_built_where_it_stands(adapters: Path, made: tuple[Path, Board]) -> None:
    (library,) = (item for item in made[1].libraries if item.folder == "planted")
    assert (library.name, library.version) == ("the planted", "9.8.7")
    assert (adapters / "planted" / "built").exists()


def test_a_library_that_cannot_be_built_is_a_row_with_the_last_that_was_said(made: tuple[Path, Board]) -> None:
    (library,) = (item for item in made[1].libraries if item.folder == "broken")
    assert library.failure == "exit code 3: no compiler"
    assert made[1].of_library("broken") == ()


def test_a_model_that_is_refused_is_an_entry_with_the_reason_and_no_folder_of_the_machine(
    made: tuple[Path, Board],
) -> None:
    (entry,) = made[1].of_library("refusing")
    assert entry.state == "not read"
    assert entry.reason == "ValueError: spm-unigram/tokenizer.model: no Unigram"


def test_a_library_is_not_asked_with_a_model_of_another_format(made: tuple[Path, Board]) -> None:
    assert made[1].of_library("other") == ()


def test_what_has_been_asked_is_not_asked_again_but_by_its_name(adapters: Path, made: tuple[Path, Board]) -> None:
    out, _ = made
    board = read_board(out)
    assert board is not None
    assert "planted" not in run(adapters, out).stderr
    assert read_board(out) == board
    again = run(adapters, out, "--only", "planted")
    assert "planted on spm-unigram:" in again.stderr
    found = read_board(out)
    assert found is not None
    assert [item.folder for item in found.libraries] == [item.folder for item in board.libraries]


def test_a_scoreboard_of_another_plan_is_not_written_over(adapters: Path, made: tuple[Path, Board]) -> None:
    out, _ = made
    board = read_board(out)
    done = run(adapters, out, "--part", "edges")
    assert done.returncode == 1
    assert "holds a scoreboard of another plan" in done.stderr
    assert read_board(out) == board


def test_a_name_of_no_adapter_is_told(adapters: Path, tmp_path: Path) -> None:
    done = run(adapters, tmp_path, "--only", "nobody")
    assert done.stderr == "scoreboard: there is no adapter nobody\n"


def a_finding(case: object, rule: str = "other ids", status: str = "new", stage: str = "") -> Finding:
    example = Mismatch("m", "s", "ids", rule, "other ids", case, "1", "2")  # type: ignore[arg-type]
    return Finding(example, 1, (), stage, rule, "tokenizers", status)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("finding", "verdict", "kind"),
    [
        (a_finding(text_case("a", "")), tool.Verdict(True), "wrong"),
        (a_finding(text_case("a\U0001e6c0", "")), tool.Verdict(True), "Unicode version"),
        (a_finding(text_case("\u0378", "")), tool.Verdict(True), "Unicode version"),
        (a_finding(text_case("a\U0001e6c0", ""), stage="Input"), tool.Verdict(True), "wrong"),
        (a_finding(text_case("a", ""), "characters are those of Unicode 13"), tool.Verdict(True), "Unicode version"),
        (a_finding(ids_case((9,), "")), tool.Verdict(True, True), "choice"),
        (a_finding(text_case("a", ""), HELD_TOO_LONG), tool.Verdict(True), "choice"),
        (a_finding(ids_case((9,), ""), "one U+FFFD for each maximal subpart"), tool.Verdict(True), "choice"),
        (a_finding(ids_case((9,), ""), "bytes join across control pieces"), tool.Verdict(True), "choice"),
        (a_finding(text_case("a", ""), status="known"), tool.Verdict(True), "listed"),
    ],
)
def test_what_is_no_fault_by_itself_is_set_apart(finding: Finding, verdict: object, kind: str) -> None:
    assert tool.kind_of(finding, verdict) == kind


def a_run_of(*findings: Finding) -> Run:
    cells = (Cell("m", "the planted", "ids", compared=100, mismatched=sum(item.count for item in findings)),)
    return a_run(findings=findings, cells=cells)


def test_what_does_not_come_again_is_not_published_and_takes_nothing_from_the_share(
    adapters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    natural = (a_finding(text_case("a", ""), "seen again"), a_finding(text_case("b", ""), "not seen again"))
    found = [replace(item, example=replace(item.example, subject="the planted"), count=7) for item in natural]
    verdicts = {"seen again": tool.Verdict(True), "not seen again": tool.Verdict()}
    monkeypatch.setattr(tool, "asked_again", lambda task, asked, folder: [verdicts[item.rule] for item in asked])
    model = ModelPlan("m", Path("m"), "sentencepiece", "sentencepiece")
    subject = adapters / "planted" / "subject.toml"
    task = tool.Task(subject, model, "subject.toml", ("languages", "fuzz"), "1s", "a plan", Path())
    begun = Entry("planted", "m", "sentencepiece", "a plan", "asked")
    entry = tool.with_findings(task, begun, {"languages": a_run_of(*found), "fuzz": a_run_of(*found)}, Path())
    by_rule = {item.finding.rule: item.weight for item in entry.findings}
    assert by_rule == {"seen again": "natural text"}
    assert (entry.compared, entry.right, entry.unconfirmed) == (100, 93, 1)


@pytest.mark.parametrize(
    ("mismatched", "found", "wrong"),
    [
        (629, {"ids": 879}, 629),  # fault: -90 of 789 texts were right, since offsets and tokens differed as well
        (13, {"ids": 15, "of Unicode": 3}, 10),
        (13, {"ids": 4, "of Unicode": 26}, 1),  # what is found is never none
        (13, {"of Unicode": 13}, 0),
        (1, {"ids": 2}, 1),
    ],
)
def test_no_more_texts_are_wrong_than_have_other_ids(mismatched: int, found: dict[str, int], wrong: int) -> None:
    assert tool.texts_wrong(mismatched, found, [mark for mark in found if mark == "ids"]) == wrong


@pytest.fixture
def hears_interruptions() -> Iterator[None]:
    """What is started in the background of a shell is deaf to them, and so is what it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interruption_ends_it_with_a_sentence(adapters: Path, tmp_path: Path, hears_interruptions: None) -> None:
    command = [sys.executable, str(ROOT / "tools" / "scoreboard.py"), "--models", MODEL, "--adapters", str(adapters)]
    command += ["--out", str(tmp_path), "--runs", str(tmp_path / "runs"), "--only", "planted"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=tool.environment(), start_new_session=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "1/1 planted: 1 models\n"
        os.killpg(process.pid, signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert "scoreboard: stopped; the same command goes on" in said
    assert "Traceback" not in said


RIGHT = {"ids": [1], "offsets": [[0, 1]], "decoded": {"text": "a", "kept": "a"}, "round trip": {"kept": "a"}}


@pytest.mark.parametrize(
    ("check", "official", "subject", "differs"),
    [
        ("ids", RIGHT, RIGHT, False),
        ("ids", RIGHT, {**RIGHT, "ids": [2]}, True),
        ("ids", RIGHT, {"refused": "no"}, True),
        ("ids", {"refused": "no"}, {"refused": "not this"}, False),
        ("offsets", RIGHT, {"ids": [1]}, False),
        ("decode", RIGHT, {**RIGHT, "decoded": {"text": "b"}}, True),
        ("decode", RIGHT, {**RIGHT, "decoded": {"text": "a"}}, False),
        ("decode", {"text": "a"}, {"text": "b"}, True),
        ("round trip", RIGHT, {**RIGHT, "round trip": {"refused": "no"}}, True),
        ("stream decode", RIGHT, RIGHT, None),
    ],
)
def test_two_answers_differ_in_what_the_check_compares_and_both_tell(
    check: str, official: dict[str, object], subject: dict[str, object], differs: bool | None
) -> None:
    assert both.differ(check, official, subject) is differs


def test_the_official_library_is_asked_without_the_harness() -> None:
    model = ROOT / "corpora" / "models" / "bpe-qwen" / "tokenizer.json"
    command = [sys.executable, "-I", str(ROOT / "tools" / "official_answer.py"), "tokenizer.json", str(model)]
    given = json.dumps([{"text": "na\u00efve"}, {"ids": [0]}, {"ids": [-1]}])
    done = subprocess.run(command, input=given, capture_output=True, text=True, cwd="/", timeout=60, check=True)
    text, ids, refused = json.loads(done.stdout)
    assert text["decoded"]["text"] == "na\u00efve"
    assert ids.keys() == {"text", "kept"}
    assert refused.keys() == {"refused"}
    assert "conformance" not in (ROOT / "tools" / "official_answer.py").read_text("utf-8")
