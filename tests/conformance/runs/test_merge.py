"""The parts of a run, put together, are the run: the same bytes, however it was cut and in whatever order they come."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.report.run.folder import read_run_folder
from conformance.runs.merge import merged_job

from ..commands import SMALL, Command, Planted, outcome, said, subjects

TEXTS = ("a  b", "cafe\u0301 ", " x", "plain\t")
Change = Callable[[dict[str, Any]], object]


class Runs(NamedTuple):
    """A run in the folder `one/out`, and its parts: of two, `parts/1-2` and `parts/2-2`; of seven likewise."""

    folder: Path
    run: Callable[..., Any]

    def parts(self, count: int) -> list[Path]:
        """The folders of the parts of a run that is cut into so many; made when they are asked for."""
        for number in range(1, count + 1):
            if not (self.folder / f"{number}-{count}").exists():
                result = self.run("--shards", f"{number}/{count}", "--out", f"{number}-{count}")
                assert result.returncode == 0, result.stderr
        return [self.folder / f"{number}-{count}" for number in range(1, count + 1)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, conformance_here: Command, planted: Planted) -> Iterator[Runs]:
    """A run in a handful of shards, with a subject that is wrong."""
    folder = tmp_path_factory.mktemp("parts")
    (folder / "texts.txt").write_text("\n".join(TEXTS), "utf-8")
    (folder / "one").mkdir()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("conformance.inputs.shards.SHARD_CASES", 3)
        patched.setattr("conformance.inputs.shards.SHARD_CHARACTERS", 6)

        def run(*arguments: str | Path, cwd: Path = folder) -> Any:
            models = ("--model", "spm-char", "--check", "ids")
            inputs = ("--corpus", folder / "texts.txt", *SMALL, "--fuzz", "7")
            return conformance_here(
                "run", *models, *inputs, *subjects(planted, "strips_white_space"), *arguments, cwd=cwd
            )

        result = run("--out", "out", cwd=folder / "one")
        assert result.returncode == 1, result.stderr
        yield Runs(folder, run)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder to merge in: `replay` in findings.jsonl names the folder of the run as seen from here."""
    return tmp_path


def keys(folder: Path) -> list[str]:
    lines = (folder / "journal.jsonl").read_text("ascii").splitlines()
    return ["|".join(map(str, json.loads(line)["shard"].values())) for line in lines]


def test_merged_parts_have_the_bytes_of_one_run(runs: Runs, conformance_here: Command, here: Path) -> None:
    parts = runs.parts(7)
    assert len({key for part in parts for key in keys(part)}) == sum(len(keys(part)) for part in parts)
    Random(7).shuffle(parts)
    result = conformance_here("merge", *parts, "--out", "out", "--quiet", cwd=here)
    assert result.returncode == 1, result.stderr
    assert outcome(here / "out") == outcome(runs.folder / "one" / "out")
    assert read_run_folder(here / "out").findings


def test_parts_of_a_run_with_a_baseline_are_merged_with_it(runs: Runs, conformance_here: Command, here: Path) -> None:
    """Fault: merge took no expectations, so that a gate in parts was red for ever."""
    whole = runs.folder / "one" / "out"
    accepted = ("accept", whole, "--all", "--reason", "as of 1.3", "--out", here / "known.toml")
    assert conformance_here(*accepted).returncode == 0
    merged = ("merge", *runs.parts(2))
    (here / "conformance.toml").write_text('subjects = ["mine.py:Mine"]\nexpectations = ["known.toml"]\n', "utf-8")
    result = conformance_here(*merged, "--out", "settled", cwd=here)
    assert (result.returncode, "settings: conformance.toml (expectations)" in result.stderr) == (0, True)
    assert {one.status for one in read_run_folder(here / "settled").findings} == {"known"}


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_partition_in_any_order_has_the_journal_of_one_run(
    runs: Runs, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """The lines of the whole run's journal, dealt out to as many folders in any order, come together in the plan's."""
    whole = runs.folder / "one" / "out"
    lines = (whole / "journal.jsonl").read_text("ascii").splitlines(keepends=True)
    owners = data.draw(st.lists(st.integers(0, 3), min_size=len(lines), max_size=len(lines)))
    here = tmp_path_factory.mktemp("partition")
    for name in {*owners}:
        (here / str(name)).mkdir()
        shutil.copy(whole / "plan.json", here / str(name))
        dealt = data.draw(st.permutations([line for line, owner in zip(lines, owners, strict=True) if owner == name]))
        (here / str(name) / "journal.jsonl").write_text("".join(dealt), "ascii")
    folders = [here / str(name) for name in data.draw(st.permutations(sorted({*owners})))]
    with ExitStack() as held:
        merged_job(folders, here / "out", "", 1, trusts=False, held=held)
    assert (here / "out" / "journal.jsonl").read_text("ascii") == "".join(lines)


@pytest.fixture
def pair(runs: Runs, here: Path) -> tuple[Path, Path]:
    """Copies of the parts of two."""
    first, second = (shutil.copytree(part, here / part.name) for part in runs.parts(2))
    return first, second


def test_a_part_is_no_result_and_says_how_it_becomes_one(runs: Runs) -> None:
    result = runs.run("--shards", "2/3", "--out", "said")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Part 2/3 is done" in result.stdout
    assert "conformance merge said … makes one run of all 3 parts" in result.stdout
    assert read_run_folder(runs.folder / "said").verdict == "incomplete"


def test_a_part_is_resumed_as_that_part(pair: tuple[Path, Path], conformance_here: Command) -> None:
    journal = pair[1] / "journal.jsonl"
    before = sorted(keys(pair[1]))
    journal.write_text(journal.read_text("ascii").splitlines(keepends=True)[0], "ascii")
    said(conformance_here("merge", *pair), 2, f"{pair[1]}: is not finished: ")
    assert conformance_here("run", "--resume", pair[1]).returncode == 0
    assert sorted(keys(pair[1])) == before


def test_parts_of_another_machine_are_to_be_trusted(
    pair: tuple[Path, Path], conformance_here: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(here / "state"))
    said(conformance_here("merge", *pair), 2, "strips_white_space.py:Subject; add --trust if you trust that code")
    assert conformance_here("merge", *pair, "--trust", "--out", "out", "--quiet", cwd=here).returncode == 1


def test_a_missing_part_is_told_by_its_shards(pair: tuple[Path, Path], conformance_here: Command) -> None:
    missing = keys(pair[0])
    said(conformance_here("merge", pair[1]), 2, f"no folder holds {missing[0]} and {len(missing) - 1} more shards")


def test_a_part_that_is_there_twice_is_told(pair: tuple[Path, Path], conformance_here: Command, here: Path) -> None:
    again = shutil.copytree(pair[0], here / "again")
    said(conformance_here("merge", *pair, again), 2, f"{again}: holds {keys(again)[0]}, which {pair[0]} holds too")


def test_a_shard_that_is_twice_in_one_journal_is_told(pair: tuple[Path, Path], conformance_here: Command) -> None:
    journal = pair[0] / "journal.jsonl"
    journal.write_text(journal.read_text("ascii") * 2, "ascii")
    said(conformance_here("merge", *pair), 2, f"{pair[0]}: holds {keys(pair[0])[0]}, which {pair[0]} holds too")


def test_the_same_folder_twice_is_told(pair: tuple[Path, Path], conformance_here: Command) -> None:
    said(conformance_here("merge", *pair, pair[0]), 2, f"{pair[0]}: is named twice")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plan: plan["inputs"].update(seed=5), "its plan has other inputs: 5, there 0"),
        (lambda plan: plan.update(timeout=9.0), "its plan has other timeout: 9.0, there 5.0"),
        (lambda plan: plan["models"][0].update(name="char"), "its plan has other models: "),
        (lambda plan: plan.update(checks=["ids", "decode"]), "its plan has other checks: decode, there none besides"),
        (lambda plan: plan["versions"].update(tokenizers="0.1"), "tokenizers was 0.1, there "),
        (lambda plan: plan["versions"].pop("regex"), "regex was not installed, there "),
        (lambda plan: plan["hashes"].update({next(iter(plan["hashes"])): "0" * 64}), "was another file"),
        (lambda plan: plan.update(full=True), "it was to be everything, the other not"),
    ],
)  # fmt: skip
def test_a_part_of_another_run_is_told(
    pair: tuple[Path, Path], conformance_here: Command, change: Change, message: str
) -> None:
    plan = json.loads((pair[1] / "plan.json").read_text("ascii"))
    change(plan)
    journal = pair[1] / "journal.jsonl"
    journal.write_text("", "ascii")  # of what the changed plan does not name, the journal is not to speak
    (pair[1] / "plan.json").write_text(json.dumps(plan), "ascii")
    result = conformance_here("merge", *pair)
    said(result, 2, f"{pair[1]}: is no part of the run of {pair[0]}: ")
    assert message in result.stderr


def test_a_library_of_another_version_than_here_is_told(pair: tuple[Path, Path], conformance_here: Command) -> None:
    for part in pair:
        plan = json.loads((part / "plan.json").read_text("ascii"))
        plan["versions"]["tokenizers"] = "0.1"
        (part / "plan.json").write_text(json.dumps(plan), "ascii")
    said(conformance_here("merge", *pair), 2, f"{pair[0]}: tokenizers was 0.1, is ")


def test_a_shard_of_another_cut_is_told(pair: tuple[Path, Path], conformance_here: Command) -> None:
    journal = pair[0] / "journal.jsonl"
    line = json.loads(journal.read_text("ascii").splitlines()[0])
    line["shard"].update(source="scalars", start=0, stop=7)
    journal.write_text(journal.read_text("ascii") + json.dumps(line) + "\n", "ascii")
    said(conformance_here("merge", *pair), 2, "|scalars|0|7, which is none of the plan's shards")


def test_a_subject_that_took_no_part_on_one_machine_is_told(pair: tuple[Path, Path], conformance_here: Command) -> None:
    """Fault: counted in, its answers there would be missing without a word."""
    journal = pair[1] / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text("ascii").splitlines()]
    lines[-1]["unavailable"] = {"strips_white_space.py:Subject": {"kind": "crashed", "message": "no such library"}}
    journal.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "ascii")
    result = conformance_here("merge", *pair)
    said(result, 2, "strips_white_space.py:Subject took no part with ")
    assert f"{pair[1]}: " in result.stderr


def test_a_merge_that_was_killed_goes_on(
    pair: tuple[Path, Path], conformance_here: Command, monkeypatch: pytest.MonkeyPatch, here: Path, runs: Runs
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(
            "conformance.runs.execute.finished_run", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        said(conformance_here("merge", *pair, "--out", "out", cwd=here), 130, "go on with conformance run --resume out")
    assert conformance_here("run", "--resume", "out", "--quiet", cwd=here).returncode == 1
    assert outcome(here / "out") == outcome(runs.folder / "one" / "out")
