"""Text files to ids on disk: real processes, kills, and what a run that goes on accepts."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

import reftok
from reftok.encode_files import messages, run, sources
from reftok.encode_files.output import Paths, locked
from reftok.encode_files.progress import Progress
from reftok.errors import EncodingStopped, VerificationFailed

MODEL = "bpe-gpt2"
SMALL = (
    ("sources", "BLOCK_BYTES", 1000),
    ("run", "BLOCK_BYTES", 1000),
    ("run", "UNIT_BYTES", 1),
    ("messages", "LONGEST", 2500),
)
"""So that a small file is many units, and some of its documents are long."""

SCRIPT = """
import os, signal, sys
from reftok.encode_files import messages
from reftok.encode_files import run
from reftok.encode_files import sources
import reftok
run.CHECKPOINT_SECONDS = 0
{settings}
def kill(progress):
    if progress.documents >= float('{documents}'):
        os.kill(os.getpid(), signal.SIGKILL)
reftok.encode_files({model!r}, sys.argv[2:], sys.argv[1], index=True, progress=kill)
"""


def process(
    documents: float, output: Path, *inputs: str | Path, text: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """A process that encodes with small units, and is killed when so many documents are written."""
    settings = "\n".join(f"{module}.{name} = {value}" for module, name, value in SMALL)
    script = SCRIPT.format(settings=settings, documents=documents, model=MODEL)
    command = [sys.executable, "-c", script, str(output), *map(str, inputs)]
    return subprocess.run(command, input=text, capture_output=True, timeout=300, check=False)


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    """Two files: lines, empty ones, some that are long, and a last one without a line feed."""
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for number, path in enumerate(paths):
        lines = [f"line {i} of {number} " + "word é " * (i % 17) for i in range(100)]
        lines[10] = lines[50] = ""
        lines[70] = "a long one " * 700
        path.write_bytes("\n".join(lines).encode())
    return paths


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small units in this process."""
    modules = {"sources": sources, "run": run, "messages": messages}
    for module, name, value in SMALL:
        monkeypatch.setattr(modules[module], name, value)


def expected(paths: list[Path]) -> list[list[int]]:
    encode = reftok.load(MODEL).encode_ids
    return [encode(line) for path in paths for line in path.read_bytes().decode().split("\n")]


def flat(documents: Iterable[list[int]]) -> list[int]:
    return list(chain.from_iterable(documents))


def results(output: Path) -> dict[str, bytes]:
    """Every file of a result, by what follows the name of the output."""
    return {path.name.removeprefix(output.name): path.read_bytes() for path in output.parent.glob(f"{output.name}*")}


def test_ids_and_index_are_those_of_each_line(texts: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "out.npy"
    written = reftok.encode_files(MODEL, texts, output, index=True, workers=1)
    documents = expected(texts)
    ids, index = np.load(output, mmap_mode="r"), np.load(tmp_path / "out.npy.index.npy")
    assert (ids.dtype, index.dtype) == (np.uint16, np.uint64)
    assert [ids[start:stop].tolist() for start, stop in pairwise(index)] == documents
    content = b"".join(path.read_bytes() for path in texts)
    counts = (written.documents, written.tokens, written.bytes, written.code_points, written.replaced)
    size, code_points = (len(text) - content.count(b"\n") for text in (content, content.decode()))
    assert counts == (200, sum(map(len, documents)), size, code_points, 0)


@pytest.mark.usefixtures("small")
def test_the_result_does_not_depend_on_workers_units_and_compression(
    texts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = [tmp_path / name / "out.npy" for name in ("one", "two", "whole", "zst")]
    for output in outputs:
        output.parent.mkdir()
    compressed = [path.with_suffix(".zst") for path in texts]
    for path, source in zip(compressed, texts, strict=True):
        path.write_bytes(zstandard.compress(source.read_bytes()))
    reftok.encode_files(MODEL, texts, outputs[0], index=True, workers=1)
    reftok.encode_files(MODEL, texts, outputs[1], index=True, workers=2)
    reftok.encode_files(MODEL, compressed, outputs[3], index=True, workers=1)
    monkeypatch.undo()
    reftok.encode_files(MODEL, texts, outputs[2], index=True, workers=1)
    first = results(outputs[0])
    assert results(outputs[1]) == first
    assert results(outputs[2]) == first
    assert {**results(outputs[3]), ".json": b""} == {**first, ".json": b""}


def test_the_sidecar_tells_what_the_result_was_made_of(texts: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "out.bin"
    reftok.encode_files(MODEL, texts, output, workers=1)
    told = json.loads((tmp_path / "out.bin.json").read_text())
    ids = np.array(flat(expected(texts)), "<u2").tobytes()
    assert output.read_bytes() == ids
    assert told["output"] == {
        "file": "out.bin", "dtype": "<u2", "bytes": len(ids), "sha256": hashlib.sha256(ids).hexdigest(),
    }  # fmt: skip
    assert told["inputs"][1]["sha256"] == hashlib.sha256(texts[1].read_bytes()).hexdigest()
    assert told["versions"]["reftok"] == reftok.__version__
    assert told["model"]["files"][0]["file"] == "tokenizer.json"
    assert told["tokens"] == len(ids) // 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt", "out.bin", "out.bin.json"]


@pytest.mark.usefixtures("small")
def test_a_run_that_is_killed_again_and_again_goes_on_to_the_same_bytes(texts: list[Path], tmp_path: Path) -> None:
    output, whole = tmp_path / "out.npy", tmp_path / "whole" / "out.npy"
    whole.parent.mkdir()
    reftok.encode_files(MODEL, texts, whole, index=True, workers=1)
    for documents in (1, 71, 150):
        assert process(documents, output, *texts).returncode == -signal.SIGKILL
        assert not output.exists()
    steps: list[Progress] = []
    reftok.encode_files(MODEL, texts, output, index=True, workers=1, progress=steps.append)
    assert next(step for step in steps if step.step == "encoding").documents > 71
    assert results(output) == results(whole)


@pytest.mark.usefixtures("small")
def test_ctrl_c_keeps_what_was_written(texts: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "out.npy"

    def interrupt(progress: Progress) -> None:
        if progress.documents >= 90:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reftok.encode_files(MODEL, texts, output, workers=2, progress=interrupt)
    assert json.loads((tmp_path / "out.npy.partial" / "journal.json").read_text())["done"]["documents"] > 0
    assert not output.exists()
    reftok.encode_files(MODEL, texts, output, workers=1)
    assert np.load(output).tolist() == flat(expected(texts))


class Interrupted:
    """A run that was interrupted in its middle."""

    def __init__(self, texts: list[Path], output: Path) -> None:
        self.texts, self.output = texts, output

        def interrupt(progress: Progress) -> None:
            if progress.documents >= 90:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            self.again(progress=interrupt)

    def again(self, **changed: Any) -> reftok.EncodedFiles:
        return reftok.encode_files(changed.pop("model", MODEL), self.texts, self.output, **{"workers": 1, **changed})


@pytest.fixture
def interrupted(texts: list[Path], tmp_path: Path, small: None) -> Interrupted:
    return Interrupted(texts, tmp_path / "out.npy")


def test_a_run_goes_on_with_nothing_but_the_same_options(interrupted: Interrupted) -> None:
    for changed, name in (
        ({"separator": "\n\n"}, "separator"),
        ({"model": "bpe-qwen"}, "model"),
        ({"end_token": "<|endoftext|>"}, "end_token"),
        ({"index": True}, "index"),
    ):
        with pytest.raises(EncodingStopped, match=rf"had another {name} .*or begin anew with --overwrite"):
            interrupted.again(**changed)
    interrupted.again(separator=None, overwrite=True)
    assert not interrupted.output.with_name("out.npy.partial").exists()


def test_a_run_goes_on_with_nothing_but_the_same_input(interrupted: Interrupted) -> None:
    first = interrupted.texts[0].read_bytes()
    for changed, message in ((first + b"more", "a.txt of"), (first.replace(b"word", b"Word", 1), "is not what")):
        interrupted.texts[0].write_bytes(changed)
        with pytest.raises(EncodingStopped, match=f"{message}.*or begin anew with --overwrite"):
            interrupted.again()
    interrupted.texts[0].write_bytes(first)
    written = interrupted.again()
    assert 0 < written.resumed < written.documents
    assert np.load(interrupted.output).tolist() == flat(expected(interrupted.texts))


@pytest.mark.parametrize(("model", "inputs"), [(reftok.load(MODEL), "a.txt"), (MODEL, b"a.txt")])
def test_a_tokenizer_or_bytes_in_the_place_of_a_path_are_refused_by_their_type(
    model: Any, inputs: Any, tmp_path: Path
) -> None:
    with pytest.raises(EncodingStopped, match=r"not (Tokenizer|bytes)$"):
        reftok.encode_files(model, inputs, tmp_path / "out.npy")


def test_standard_input_is_known_by_its_content(tmp_path: Path) -> None:
    output = tmp_path / "out.npy"
    content = b"".join(b"line %d\n" % i for i in range(1000))
    assert process(500, output, "-", text=content).returncode == -signal.SIGKILL
    other = process(inf, output, "-", text=content.replace(b"7", b"8"))
    assert b"the input is not what an interrupted run has read" in other.stderr
    assert process(inf, output, "-", text=content).returncode == 0
    encode = reftok.load(MODEL).encode_ids
    assert np.load(output).tolist() == flat(encode(f"line {i}") for i in range(1000))


def test_a_bad_byte_is_named_and_replacing_goes_on_from_there(interrupted: Interrupted) -> None:
    path = interrupted.texts[1]
    content = path.read_bytes()
    byte = content.index(b"line 80")
    path.write_bytes(content[:byte] + b"\xff" + content[byte + 1 :])
    with pytest.raises(EncodingStopped, match=rf"b\.txt: byte {byte} \(document 181\) is not UTF-8: --errors replace"):
        interrupted.again()
    assert not interrupted.output.exists()
    steps: list[Progress] = []
    written = interrupted.again(errors="replace", progress=steps.append)
    assert next(step for step in steps if step.step == "encoding").documents > 100
    assert (written.replaced, written.documents) == (1, 200)


def test_an_existing_output_is_not_replaced_unasked(texts: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "out.npy"
    output.write_bytes(b"precious")
    with pytest.raises(EncodingStopped, match="exists already; --overwrite replaces it"):
        reftok.encode_files(MODEL, texts, output)
    with pytest.raises(EncodingStopped, match="no-such-model: no such file"):
        reftok.encode_files("no-such-model", texts, output, overwrite=True)
    assert output.read_bytes() == b"precious"
    reftok.encode_files(MODEL, texts, output, overwrite=True, workers=1)
    assert np.load(output).tolist() == flat(expected(texts))


def test_a_run_that_was_killed_when_its_output_was_there_leaves_no_folder_behind(
    texts: list[Path], tmp_path: Path
) -> None:
    """Fault: killed between its last two removals, a run left a folder that no later start removed."""
    output = tmp_path / "out.npy"
    output.write_bytes(b"precious")
    with locked(Paths(output, has_index=False)):
        assert (tmp_path / "out.npy.partial" / "lock").exists()
    with pytest.raises(EncodingStopped, match="exists already; --overwrite replaces it"):
        reftok.encode_files(MODEL, texts, output)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt", "out.npy"]
    assert output.read_bytes() == b"precious"


def test_an_input_is_never_the_output(tmp_path: Path) -> None:
    path = tmp_path / "texts.bin"
    path.write_bytes(b"text")
    with pytest.raises(EncodingStopped, match="is the input, and would be overwritten"):
        reftok.encode_files(MODEL, path, path, overwrite=True)
    assert path.read_bytes() == b"text"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"output": "out.txt"}, r"ends neither in \.npy nor in \.bin"),
        ({"output": "no/such/out.npy"}, "does not exist"),
        ({"engine": "magic"}, "none of reftok, tokenizers"),
        ({"errors": "ignore"}, "neither 'strict' nor 'replace'"),
        ({"separator": ""}, "is empty"),
        ({"separator": "\udcff"}, "is not text"),
        ({"workers": 0}, "at least 1 is needed"),
        ({"inputs": []}, "no input"),
    ],
)
def test_an_argument_that_means_nothing_is_refused_and_leaves_nothing(
    texts: list[Path], tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    arguments = {"model": MODEL, "inputs": texts, "output": "out.npy"} | changed
    with pytest.raises(EncodingStopped, match=message):
        reftok.encode_files(**arguments | {"output": tmp_path / arguments["output"]})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_two_runs_do_not_write_one_output(texts: list[Path], tmp_path: Path) -> None:
    with locked(Paths(tmp_path / "out.npy", has_index=False)), pytest.raises(EncodingStopped, match="another run"):
        reftok.encode_files(MODEL, texts, tmp_path / "out.npy")


def test_files_in_the_folder_that_are_not_ours_are_let_be(texts: list[Path], tmp_path: Path) -> None:
    mine = tmp_path / "out.npy.partial" / "mine"
    mine.parent.mkdir()
    mine.write_bytes(b"precious")
    reftok.encode_files(MODEL, texts, tmp_path / "out.npy", overwrite=True, workers=1)
    assert [path.read_bytes() for path in mine.parent.iterdir()] == [b"precious"]


@pytest.mark.parametrize(
    ("content", "separator", "documents"),
    [
        ("a\n\nb", "\n", ["a", "", "b"]),
        ("a\r\nb\r\n", "\n", ["a\r", "b\r"]),
        ("\ufeffa\n", "\n", ["\ufeffa"]),
        ("", "\n", []),
        ("\n", "\n", [""]),
        ("a\nb<|end|>\nc<|end|>", "<|end|>", ["a\nb", "\nc"]),
        ("a\nb\n", None, ["a\nb\n"]),
        ("", None, [""]),
    ],
)
def test_a_separator_ends_a_document_and_everything_else_is_text(
    tmp_path: Path, content: str, separator: str | None, documents: list[str]
) -> None:
    path, output = tmp_path / "texts", tmp_path / "out.npy"
    path.write_bytes(content.encode())
    reftok.encode_files(MODEL, path, output, separator=separator, index=True, workers=1)
    ids, index = np.load(output), np.load(tmp_path / "out.npy.index.npy")
    encode = reftok.load(MODEL).encode_ids
    assert [ids[i:j].tolist() for i, j in pairwise(index)] == [encode(text) for text in documents]


def planted_library(folder: Path) -> str:
    """A `tokenizers` that gives one id too few for a text with an x."""
    (folder / "tokenizers.py").write_text(
        "import reftok\n__version__ = '0'\n"
        "class Encoding:\n    def __init__(self, ids): self.ids = ids\n"
        "class Tokenizer:\n    padding = None\n"
        "    @staticmethod\n    def from_file(path):\n"
        "        found = Tokenizer(); found.inner = reftok.load(path); return found\n"
        "    def encode_batch_fast(self, texts, add_special_tokens):\n"
        "        return [Encoding(self.inner.encode_ids(t)[:-1 if 'x' in t else None]) for t in texts]\n",
        "utf-8",
    )
    return str(folder)


def test_a_difference_from_the_official_library_stops_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(planted_library(tmp_path))
    path = tmp_path / "texts.txt"
    path.write_bytes(b"one\ntwo\nx\n")
    with pytest.raises(VerificationFailed, match=r"texts\.txt, document 3 at byte 8: token 0: reftok gives .* none"):
        reftok.encode_files(MODEL, path, tmp_path / "out.npy", verify=True, workers=1)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["texts.txt", "tokenizers.py"]


def children() -> Iterator[int]:
    """The processes that this one has started and that still run."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            yield int(path.parent.name)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc to find the processes in")
def test_a_process_that_dies_is_told_and_nothing_is_lost(texts: list[Path], tmp_path: Path, small: None) -> None:
    before = set(children())

    def kill_the_workers(progress: Progress) -> None:
        if progress.documents >= 20:
            for process in set(children()) - before:
                os.kill(process, signal.SIGKILL)

    with pytest.raises(EncodingStopped, match="a process that encodes ended with signal 9"):
        reftok.encode_files(MODEL, texts, tmp_path / "out.npy", workers=2, progress=kill_the_workers)
    assert set(children()) <= before
    reftok.encode_files(MODEL, texts, tmp_path / "out.npy", workers=2)
    assert np.load(tmp_path / "out.npy").tolist() == flat(expected(texts))
