"""Text files to ids on disk, and runs that go on. `tests/hostile` kills real processes."""

from __future__ import annotations

import hashlib
import json
import subprocess
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

import reftok
from reftok.encode_files import encoder, run, sources
from reftok.encode_files import output as output_module
from reftok.encode_files.output import Paths, locked
from reftok.encode_files.run import Progress
from reftok.errors import EncodingStopped

MODEL = "bpe-gpt2"


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    """Two files: lines, empty ones, a long one, and a last one without a line feed."""
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for number, path in enumerate(paths):
        lines = [f"line {i} of {number} " + "word é " * (i % 17) for i in range(100)]
        lines[10] = lines[50] = ""
        lines[70] = "a long one " * 700
        path.write_bytes("\n".join(lines).encode())
    return paths


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units so small that the texts are many, and one document is long; a journal after each."""
    for module in (sources, run):
        monkeypatch.setattr(module, "UNIT_BYTES", 1000)
        monkeypatch.setattr(module, "LONGEST", 2500)
    monkeypatch.setattr(output_module, "CHECKPOINT_SECONDS", 0)


def expected(paths: list[Path]) -> list[list[int]]:
    encode = reftok.load(MODEL).encode_ids
    return [encode(line) for path in paths for line in path.read_bytes().decode().split("\n")]


def results(output: Path) -> dict[str, bytes]:
    """Every file of a result, by what follows the name of the output."""
    return {path.name.removeprefix(output.name): path.read_bytes() for path in output.parent.glob(f"{output.name}*")}


@pytest.mark.usefixtures("small")
def test_ids_and_index_are_those_of_each_line_whatever_the_workers_units_and_compression(
    texts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compressed = [path.with_suffix(".zst") for path in texts]
    for path, source in zip(compressed, texts, strict=True):
        path.write_bytes(zstandard.compress(source.read_bytes()))
    one, two, three, of_zst, whole = (tmp_path / f"{name}.npy" for name in ("1", "2", "3", "zst", "whole"))
    written = reftok.encode_files(MODEL, texts, one, index=True, workers=1)
    for count, output in ((2, two), (3, three)):
        reftok.encode_files(MODEL, texts, output, index=True, workers=count)
    reftok.encode_files(MODEL, compressed, of_zst, index=True, workers=1)
    monkeypatch.undo()
    reftok.encode_files(MODEL, texts, whole, index=True)
    assert results(one) == results(two) == results(three)
    for other in (of_zst, whole):
        assert {**results(other), ".json": b""} == {**results(one), ".json": b""}

    ids, index, documents = np.load(one, mmap_mode="r"), np.load(f"{one}.index.npy", mmap_mode="r"), expected(texts)
    assert (ids.dtype, index.dtype) == (np.uint16, np.uint64)
    assert [ids[start:stop].tolist() for start, stop in pairwise(index)] == documents
    content = b"".join(path.read_bytes() for path in texts)
    counts = {"documents": 200, "tokens": len(ids), "bytes": len(content) - content.count(b"\n")}
    assert counts == {name: getattr(written, name) for name in counts}
    assert (counts | {"seen": hashlib.sha256(content).hexdigest()}).items() <= json.loads(results(one)[".json"]).items()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["out.npy", "out.bin"])
def test_a_run_goes_on_from_every_journal_to_the_same_bytes(texts: list[Path], tmp_path: Path, name: str) -> None:
    """Killed after any journal, with anything behind what it counts, or between any two of the last renames."""
    output = tmp_path / name
    folder, states = Path(f"{output}.partial"), list[dict[str, bytes]]()

    def take(_: Progress) -> None:
        states.append({f".partial/{path.name}": path.read_bytes() for path in folder.iterdir()})

    reftok.encode_files(MODEL, texts, output, index=True, workers=1, progress=take)
    whole = results(output)
    for state in states:
        for file in {".partial/tokens", ".partial/index"} & {*state}:
            state[file] += b"garbage"
    names = {".index.npy": ".partial/index", "": ".partial/tokens", ".json": ".partial/journal.json"}
    states += [{end if n < renamed else names[end]: whole[end] for n, end in enumerate(names)} for renamed in range(3)]
    assert len({state.get(".partial/journal.json") for state in states}) > 15
    for state in states:
        for end in names:
            Path(f"{output}{end}").unlink()
        folder.mkdir()
        for end, data in state.items():
            Path(f"{output}{end}").write_bytes(data)
        again = reftok.encode_files(MODEL, texts, output, index=True, workers=1)
        assert again.resumed == json.loads(state.get(".partial/journal.json", b'{"documents": 0}'))["documents"]
        assert results(output) == whole


@pytest.fixture
def interrupted(texts: list[Path], tmp_path: Path, small: None) -> Any:
    """A run that Ctrl-C has ended in its middle: called again, it goes on, with changed options if there are some."""

    def interrupt(progress: Progress) -> None:
        if progress.done.documents >= 90:
            raise KeyboardInterrupt

    def again(**changed: Any) -> reftok.EncodedFiles:
        options = {"model": MODEL, "inputs": texts, "output": tmp_path / "out.npy", "workers": 1}
        return reftok.encode_files(**{**options, **changed})

    with pytest.raises(KeyboardInterrupt):
        again(progress=interrupt, workers=2)
    return again


def test_a_run_goes_on_with_the_same_options_alone(interrupted: Any, texts: list[Path], tmp_path: Path) -> None:
    for name, value in (("separator", "\n\n"), ("model", "bpe-qwen"), ("end_token", "<|endoftext|>"), ("index", True)):
        with pytest.raises(EncodingStopped, match=rf"had another {name} \(.* then, .* now\).*begin anew with --overwr"):
            interrupted(**{name: value})
    with pytest.raises(EncodingStopped, match="had another inputs"):
        interrupted(inputs=texts[:1])
    assert not (tmp_path / "out.npy").exists()
    assert interrupted(separator=None, overwrite=True).resumed == 0
    assert not (tmp_path / "out.npy.partial").exists()


def test_a_run_goes_on_with_the_same_input_alone(interrupted: Any, texts: list[Path], tmp_path: Path) -> None:
    first = texts[0].read_bytes()
    texts[0].write_bytes(first.replace(b"word", b"Word", 1))
    with pytest.raises(EncodingStopped, match="the input has changed since the interrupted run"):
        interrupted()
    texts[0].write_bytes(first)
    written = interrupted()
    assert 90 <= written.resumed < written.documents
    assert np.load(tmp_path / "out.npy").tolist() == [*chain.from_iterable(expected(texts))]


def test_a_bad_byte_is_named_and_replacing_goes_on_from_there(interrupted: Any, texts: list[Path]) -> None:
    texts[1].write_bytes(texts[1].read_bytes().replace(b"line 80", b"line \xff0"))
    with pytest.raises(EncodingStopped, match=r"b\.txt, document 81: byte 5 is not UTF-8: --errors replace"):
        interrupted()
    written = interrupted(errors="replace")
    assert written.resumed > 100
    assert (written.replaced, written.documents) == (1, 200)


def test_damaged_files_of_an_interrupted_run_are_named(interrupted: Any, tmp_path: Path) -> None:
    for name, problem in (("tokens", "is shorter than its journal says"), ("journal.json", "cannot be read")):
        (tmp_path / "out.npy.partial" / name).write_bytes(b'{"documents": 7')
        with pytest.raises(EncodingStopped, match=f"{name}: {problem}; --overwrite begins anew"):
            interrupted()


def test_an_existing_output_is_not_replaced_unasked(texts: list[Path], tmp_path: Path) -> None:
    """Fault: killed between its last two removals, a run left a folder that no later start removed."""
    output = tmp_path / "out.npy"
    output.write_bytes(b"precious")
    (tmp_path / "out.npy.partial").mkdir()
    (tmp_path / "out.npy.partial" / "lock").write_bytes(b"")
    with pytest.raises(EncodingStopped, match="exists already; --overwrite replaces it"):
        reftok.encode_files(MODEL, texts, output)
    with pytest.raises(EncodingStopped, match="no-such-model: no such file"):
        reftok.encode_files("no-such-model", texts, output, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt", "out.npy"]
    assert output.read_bytes() == b"precious"


def test_two_runs_do_not_write_one_output_and_files_that_are_not_ours_are_kept(
    texts: list[Path], tmp_path: Path
) -> None:
    mine = tmp_path / "out.npy.partial" / "mine"
    mine.parent.mkdir()
    mine.write_bytes(b"precious")
    with locked(Paths(tmp_path / "out.npy", has_index=False)), pytest.raises(EncodingStopped, match="another run"):
        reftok.encode_files(MODEL, texts, tmp_path / "out.npy")
    reftok.encode_files(MODEL, texts, tmp_path / "out.npy", overwrite=True, workers=1)
    assert [path.read_bytes() for path in mine.parent.iterdir()] == [b"precious"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"output": "out.txt"}, r"is not the name of a file \.npy or \.bin"),
        ({"output": "no/such/out.npy"}, "does not exist"),
        ({"output": "c.bin", "overwrite": True}, "is the input, and would be overwritten"),
        ({"errors": "ignore"}, "neither 'strict' nor 'replace'"),
        ({"separator": ""}, "is empty"),
        ({"workers": 0}, "at least 1 is needed"),
        ({"inputs": []}, "no input"),
        ({"inputs": ["-", "-"]}, "standard input can be read once only"),
        ({"inputs": "no-such-file"}, "no-such-file: No such file or directory"),
        ({"inputs": "."}, "is a folder: name the files in it"),
        ({"inputs": b"a.txt"}, "not bytes$"),
        ({"model": reftok.load(MODEL)}, "not Tokenizer$"),
    ],
)
def test_an_argument_that_means_nothing_is_refused_and_leaves_nothing(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    (tmp_path / "c.bin").write_bytes(b"text")
    arguments = {"model": MODEL, "inputs": tmp_path / "c.bin", "output": "out.npy"} | changed
    with pytest.raises(EncodingStopped, match=message):
        reftok.encode_files(**arguments | {"output": tmp_path / arguments["output"]})
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"text"]


def test_a_process_that_dies_is_named_and_nothing_is_lost(
    texts: list[Path], tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    def kill_the_workers(progress: Progress) -> None:
        for process in started[: progress.done.documents]:
            process.kill()

    monkeypatch.setattr(encoder.subprocess, "Popen", Recorded)
    with pytest.raises(EncodingStopped, match="a process that encodes ended with signal 9"):
        reftok.encode_files(MODEL, texts, tmp_path / "out.npy", workers=2, progress=kill_the_workers)
    assert [process.returncode for process in started] == [-9] * 2
    assert reftok.encode_files(MODEL, texts, tmp_path / "out.npy", workers=2).resumed > 0
    assert np.load(tmp_path / "out.npy").tolist() == [*chain.from_iterable(expected(texts))]
