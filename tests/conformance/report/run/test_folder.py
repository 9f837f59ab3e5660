"""A run folder is written whole and read back as it was; a damaged one is refused by name."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.core.errors import InputError
from conformance.files.atomic import write_atomically
from conformance.report.run import folder as folders
from conformance.report.run.folder import read_run_folder, write_run_folder
from tests.conformance.report.sample_run import passing_run, sample_run


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "1"
    write_run_folder(sample_run(), path)
    return path


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return shutil.copytree(written, tmp_path / "runs" / "1")


def refused(folder: Path, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_run_folder(folder)
    assert caught.value.exit_code == 2
    assert str(folder) in str(caught.value)


def test_round_trip(folder: Path) -> None:
    assert read_run_folder(folder) == sample_run()


def test_json_is_ascii_sorted_and_the_same_each_time(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert before["run.json"].isascii()
    assert before["findings.jsonl"].isascii()
    value = json.loads(before["run.json"])
    assert list(value) == sorted(value)
    write_run_folder(sample_run(), folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_older_run_is_replaced(folder: Path) -> None:
    write_run_folder(passing_run(), folder)
    assert read_run_folder(folder) == passing_run()


def test_missing_files(folder: Path) -> None:
    (folder / "findings.jsonl").unlink()
    refused(folder, r"findings\.jsonl: is missing")
    (folder / "run.json").unlink()
    refused(folder, r"1: is not the folder of a finished run: it has no run\.json$")
    refused(folder / "nowhere", r"nowhere: there is no such folder$")


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_truncated_run_json(folder: Path, share: float) -> None:
    path = folder / "run.json"
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    refused(folder, r"run\.json: is (truncated|not JSON)")


def test_truncated_findings(folder: Path) -> None:
    path = folder / "findings.jsonl"
    data = path.read_bytes()
    path.write_bytes(data[:-9])
    refused(folder, r"findings\.jsonl:9: is truncated")
    path.write_bytes(data[: data.rindex(b"\n", 0, -1) + 1])
    refused(folder, r"findings\.jsonl: holds 7 new findings, but run\.json tells of 8")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("[]", "is not the run.json of a run"),
        ('{"name": "left-pad"}', "is not the run.json of a run"),
        ('{"schema": 99}', "has schema 99; this version reads schema 1"),
        ('{"schema": 1}', "does not have the form of a run: Object missing required field `verdict`"),
        ("<html>", "is not JSON"),
        ("[" * 100_000, "is (truncated|not JSON)"),
        ("{\udcff}", "is not UTF-8: byte 1"),
    ],
)
def test_foreign_run_json(folder: Path, data: str, message: str) -> None:
    (folder / "run.json").write_bytes(data.encode("utf-8", "surrogateescape"))
    refused(folder, message)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("status", "odd", r"Invalid enum value 'odd' - at `\$\.status`"),
        ("example", 7, "the form of a finding"),
        ("extra", 1, "the form of a finding"),
        (
            "example",
            {"case": {"kind": "text", "origin": ""}, "evidence": {"decoded": [{"id": 3, "span": [0]}]}},
            "form",
        ),
    ],
)
def test_foreign_findings(folder: Path, key: str, value: object, message: str) -> None:
    path = folder / "findings.jsonl"
    lines = path.read_text("utf-8").splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), key: value})
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    refused(folder, rf"findings\.jsonl:2: .*{message}")


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"kind": "text", "origin": "o", "text": "a", "ids": [1]},
        {"kind": "bytes", "origin": "o", "bytes_hex": "zz"},
        {"kind": "ids", "origin": "o", "ids": ["1"]},
        {"kind": "picture", "origin": "o", "text": "a"},
    ],
)
def test_a_case_of_the_wrong_form_is_refused_by_file_and_line(folder: Path, case: object) -> None:
    path = folder / "findings.jsonl"
    first, second, *others = path.read_text("utf-8").splitlines()
    value = json.loads(second)
    value["example"]["case"] = case
    path.write_text("".join(f"{line}\n" for line in (first, json.dumps(value), *others)), "utf-8")
    refused(folder, r"findings\.jsonl:2: does not have the form of a finding: ")


def test_unknown_verdict(folder: Path) -> None:
    path = folder / "run.json"
    path.write_text(path.read_text("utf-8").replace('"verdict": "unexpected findings"', '"verdict": "fine"'), "utf-8")
    refused(folder, r"Invalid enum value 'fine' - at `\$\.verdict`")


def test_a_killed_run_leaves_no_run_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "summary_markdown", lambda run: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_run_folder(replace(sample_run(), seed=1), tmp_path)
    assert not (tmp_path / "run.json").exists()


def killed_after(files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many files are written; the next one is where the process is killed."""
    left = iter(range(files))

    def write(path: Path, text: str) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        write_atomically(path, text)

    monkeypatch.setattr(folders, "write_atomically", write)


@pytest.mark.parametrize("count", [0, 5])
def test_a_folder_whose_reports_are_not_all_replaced_holds_the_run_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Written are none or all of the five reports for people."""
    killed_after(count, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        write_run_folder(passing_run(), folder)
    assert read_run_folder(folder) == sample_run()


@pytest.mark.parametrize("count", [7, 8])
def test_a_run_that_is_killed_around_its_findings_does_not_pass_them_off_as_those_of_the_run_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    killed_after(count, monkeypatch)
    other = tuple(replace(finding, count=finding.count + 1) for finding in sample_run().findings)
    with pytest.raises(KeyboardInterrupt):
        write_run_folder(replace(sample_run(), findings=other), folder)
    refused(folder, r"run\.json: is truncated: its run was killed while it ended; go on with --resume ")


def test_nothing_is_written_before_everything_is_rendered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for renderer in ("html_report", "junit_xml", "summary_markdown", "badge_svg", "badge_json", "run_to_json"):
        with monkeypatch.context() as patched:
            patched.setattr(folders, renderer, lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                write_run_folder(passing_run(), folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
