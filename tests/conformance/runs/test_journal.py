"""The journal gives back what was written, whatever a kill left at its end; what is foreign is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.core.case import bytes_case
from conformance.core.errors import InputError
from conformance.core.finding import Mismatch
from conformance.core.observation import Failure
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.result import AdapterErrors, Counts, Group, ShardResult
from conformance.inputs.shards import Inputs, Shard
from conformance.runs.journal import Journal, check_journal, result_from_json, result_to_json
from conformance.runs.plan_file import check_versions, read_plan, write_plan


def result(number: int = 0) -> ShardResult:
    shard = ShardResult(Shard("m", "fuzz", number, number + 1), 3, 4, 0.5)
    shard.unavailable["t"] = Failure("refused", "no Precompiled")
    shard.counts["s", "ids"] = Counts(5, 1, 2, 1)
    shard.methods["s"] = {"stream_encoder": True, "stream_encoder.reset": False}
    shard.adapter_errors["s"] = AdapterErrors(2, "no field 'items'")
    shard.languages["de", "s"] = [5, 1]
    group = Group()
    group.add([Mismatch("m", "s", "ids", "r", "other ids", bytes_case(b"\xff", "o"), "\ud800", "\n")])
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


@pytest.mark.parametrize("line", ["", "{}", "[]", "\xff", "[" * 100_000])
def test_a_foreign_journal_is_refused_by_file_and_line(tmp_path: Path, line: str) -> None:
    path = journaled(tmp_path, 1)
    path.write_bytes(path.read_bytes() + line.encode("latin-1") + b"\n")
    with pytest.raises(InputError, match=r"journal\.jsonl:2: is not the journal of a run"):
        Journal(tmp_path)


def damaged(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """The same JSON with something else at one place."""
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return value


EXAMPLE = ("groups", 0, "examples", 0)


@pytest.mark.parametrize(
    ("place", "new"),
    [
        (("answers",), -1),
        (("seconds",), float("nan")),
        (("shard", "source"), "elsewhere"),
        (("shard", "stop"), 0),
        (("unavailable", "t", "kind"), "gone"),
        (("counts", 0, 2, "compared"), 0),
        (("counts", 0, 2, "failures"), 10**30),
        (("groups", 0, "count"), 0),
        (("groups", 0, "examples"), []),
        ((*EXAMPLE, "evidence"), {"decoded": [{"id": 3, "span": [0]}]}),
        ((*EXAMPLE, "severity"), "bad weather"),
        ((*EXAMPLE, "model"), "another"),
        ((*EXAMPLE, "case"), {"kind": "text", "origin": "o"}),
    ],
)
def test_a_value_of_the_wrong_type_or_size_in_a_journal_is_refused(
    tmp_path: Path, place: tuple[Any, ...], new: Any
) -> None:
    path = journaled(tmp_path, 1)
    path.write_text(json.dumps(damaged(json.loads(path.read_text("ascii")), place, new)) + "\n", "ascii")
    with pytest.raises(InputError, match=r"journal\.jsonl:\d+: is not the journal of a run"):
        Journal(tmp_path)


def plan(tmp_path: Path) -> Plan:
    models = (ModelPlan("m", tmp_path / "m ☠.json", "tokenizer.json", "tokenizers"),)
    subjects = ("reftok", f"{tmp_path / 'a.py'}:B")
    return Plan(models, subjects, ("ids",), Inputs((tmp_path / "c.txt",), ("vocab", "fuzz"), 3, 4), 2.5)


def hashes(tmp_path: Path) -> dict[str, str]:
    return {str(path): "hash" for path in plan(tmp_path).files}


def planned(folder: Path) -> Path:
    write_plan(folder, plan(folder), "conformance run", True, hashes(folder), {"regex": "1", "tokenizers": "0.23.3"})
    return folder / "plan.json"


def test_a_plan_comes_back(tmp_path: Path) -> None:
    planned(tmp_path)
    assert read_plan(tmp_path) == (plan(tmp_path), "conformance run", True, hashes(tmp_path))
    check_versions(tmp_path, {"regex": "1", "tokenizers": "0.23.3"})


@pytest.mark.parametrize(
    ("place", "new"),
    [
        (("models",), []),
        (("models", 0, "name"), ""),
        (("models", 0, "path"), "a\0b"),
        (("models", 0, "path"), "elsewhere.json"),
        (("models", 0, "format"), "zip"),
        (("models", 0, "oracle"), "sentencepiece"),
        (("subjects",), []),
        (("subjects",), ["reftok", "reftok"]),
        (("subjects", 0), "'unclosed"),
        (("subjects", 1), "other.py:B"),
        (("checks",), []),
        (("checks", 0), "luck"),
        (("timeout",), 0),
        (("timeout",), float("nan")),
        (("inputs", "fuzz"), 10**9 + 1),
        (("inputs", "fuzz"), -1),
        (("inputs", "sources"), ["all"]),
        (("inputs", "files", 0), "other.txt"),
        (("hashes",), {}),
    ],
)
def test_a_value_of_the_wrong_type_or_size_in_a_plan_is_refused(
    tmp_path: Path, place: tuple[Any, ...], new: Any
) -> None:
    path = planned(tmp_path)
    path.write_text(json.dumps(damaged(json.loads(path.read_text("utf-8")), place, new)), "utf-8")
    with pytest.raises(InputError, match=r"plan\.json: cannot be read"):
        read_plan(tmp_path)


@pytest.mark.parametrize("number", range(3))
def test_a_file_of_the_plan_without_a_hash_is_refused_by_name(tmp_path: Path, number: int) -> None:
    path = planned(tmp_path)
    value = json.loads(path.read_text("utf-8"))
    name = list(value["hashes"])[number]
    del value["hashes"][name]
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InputError) as caught:
        read_plan(tmp_path)
    assert f"there is no hash of {name}" in str(caught.value)


@pytest.mark.parametrize(
    ("installed", "message"),
    [
        ({"regex": "1", "tokenizers": "0.24.0"}, r"tokenizers was 0\.23\.3, is 0\.24\.0: start the run anew"),
        ({"regex": "1"}, r"tokenizers was 0\.23\.3, is not installed"),
        ({"regex": "1", "tokenizers": "0.23.3", "tiktoken": "1"}, "tiktoken was not installed, is 1"),
    ],
)
def test_another_version_of_a_library_is_refused_by_name(
    tmp_path: Path, installed: dict[str, str], message: str
) -> None:
    planned(tmp_path)
    check_versions(tmp_path, {"regex": "1", "tokenizers": "0.23.3"})
    with pytest.raises(InputError, match=message):
        check_versions(tmp_path, installed)


def test_a_plan_without_versions_is_refused(tmp_path: Path) -> None:
    path = planned(tmp_path)
    value = json.loads(path.read_text("utf-8"))
    del value["versions"]
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InputError, match="missing required field `versions`"):
        check_versions(tmp_path, {})


def of_the_plan() -> dict[str, Any]:
    return json.loads(json.dumps(result_to_json(result())).replace('"s"', '"a.py:B"').replace('"t"', '"tokenizers"'))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: line["shard"].update(model="other") or line["groups"].clear(), "a model is 'other'"),
        (lambda line: line["counts"].append(["other", "ids", {}]), "a subject is 'other'"),
        (lambda line: line["counts"].append(["reftok", "decode", {}]), "a check is 'decode'"),
        (lambda line: line["languages"].append(["de", "other", 1, 1]), "a subject is 'other'"),
        (lambda line: line["unavailable"].update(other={"kind": "refused", "message": "no"}), "a subject is 'other'"),
    ],
)
def test_a_journal_of_another_plan_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    path, line = tmp_path / "journal.jsonl", of_the_plan()
    path.write_text(json.dumps(line) + "\n", "ascii")
    check_journal(tmp_path, plan(tmp_path))
    change(line)
    path.write_text(json.dumps(line) + "\n", "ascii")
    with pytest.raises(InputError, match=message):
        check_journal(tmp_path, plan(tmp_path))


def test_a_folder_without_a_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not the folder of a run: it has no plan\.json"):
        read_plan(tmp_path)


@pytest.mark.parametrize("content", [b"{", b"{}", b"\xff", b"[" * 100_000])
def test_a_foreign_plan_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "plan.json").write_bytes(content)
    with pytest.raises(InputError, match=r"plan\.json: cannot be read"):
        read_plan(tmp_path)
