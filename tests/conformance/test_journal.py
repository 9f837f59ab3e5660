"""The journal gives back what was written, whatever a kill left at its end; what is foreign is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.case import bytes_case
from conformance.engines.journal import Journal, read_plan, result_from_json, result_to_json, write_plan
from conformance.engines.result import Counts, Group, ShardResult
from conformance.errors import InputError
from conformance.finding import Mismatch
from conformance.inputs.plan import Inputs, Shard
from conformance.plan import ModelPlan, Plan


def result(number: int = 0) -> ShardResult:
    shard = ShardResult(Shard("m", "fuzz", number, number + 1), 3, 4, 0.5, unavailable={"t": "not installed"})
    shard.counts["s", "ids"] = Counts(5, 1, 2, 1)
    shard.languages["de", "s"] = [5, 1]
    group = Group("Model", "r")
    group.add(Mismatch("m", "s", "ids", "r", "other ids", bytes_case(b"\xff", "o"), "\ud800", "\n"))
    shard.groups["s", "ids", "Model", "r"] = group
    return shard


def journaled(folder: Path, count: int) -> Path:
    journal = Journal(folder)
    for number in range(count):
        journal.add(result(number))
    journal.close()
    return folder / "journal.jsonl"


def finished(folder: Path) -> dict[str, ShardResult]:
    journal = Journal(folder)
    journal.close()
    return journal.finished


def test_a_result_comes_back_from_json() -> None:
    assert result_from_json(json.loads(json.dumps(result_to_json(result())))) == result()


def test_finished_shards_come_back(tmp_path: Path) -> None:
    journaled(tmp_path, 2)
    assert finished(tmp_path) == {"m|fuzz|0|1": result(0), "m|fuzz|1|2": result(1)}


def test_a_shard_is_on_disk_before_anybody_hears_of_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(result())
    assert len((tmp_path / "journal.jsonl").read_bytes().splitlines()) == 1
    journal.close()


@pytest.mark.parametrize("kept", [0, 1, 50, -1])
def test_a_last_line_that_was_cut_off_is_forgotten_and_can_be_written_again(tmp_path: Path, kept: int) -> None:
    path = journaled(tmp_path, 2)
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second[:kept])
    assert list(finished(tmp_path)) == ["m|fuzz|0|1"]
    journal = Journal(tmp_path)
    journal.add(result(1))
    journal.close()
    assert path.read_bytes() == first + second


@pytest.mark.parametrize("line", ["", "hello", "{}", "[]", "5", "null", '{"shard": 5}', "\xff", "[" * 100_000])
def test_a_foreign_journal_is_refused_by_name(tmp_path: Path, line: str) -> None:
    path = journaled(tmp_path, 1)
    path.write_bytes(path.read_bytes() + line.encode("latin-1") + b"\n")
    with pytest.raises(InputError, match=r"journal\.jsonl: is not the journal of a run"):
        Journal(tmp_path)


def plan(tmp_path: Path) -> Plan:
    models = (ModelPlan("m", tmp_path / "m ☠.json", "tokenizer.json", "tokenizers"),)
    return Plan(models, ("reftok", "a.py:B"), ("ids",), Inputs((tmp_path / "c.txt",), True, 3, 4), 2.5)


def test_a_plan_comes_back(tmp_path: Path) -> None:
    write_plan(tmp_path, plan(tmp_path), "conformance run", True, {"file": "hash"})
    assert read_plan(tmp_path) == (plan(tmp_path), "conformance run", True, {"file": "hash"})


def test_a_folder_without_a_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not the folder of a run: it has no plan\.json"):
        read_plan(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"null", b"\xff", b"[" * 100_000])
def test_a_foreign_plan_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "plan.json").write_bytes(content)
    with pytest.raises(InputError, match=r"plan\.json: cannot be read"):
        read_plan(tmp_path)
