"""`reftok encode-file` as a process, and what it shows on a terminal."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import zstandard

import reftok
from reftok.cli.commands import main
from reftok.cli.encode_file import EXAMPLES, ProgressLine
from reftok.encode_files.output import Done
from reftok.encode_files.run import Progress


def run(*arguments: str | Path, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "reftok", "encode-file", *map(str, arguments)]
    return subprocess.run(command, input=text, capture_output=True, timeout=300, check=False)


@pytest.mark.parametrize("stored", [b"Hello\n\nworld", zstandard.compress(b"Hello\n\nworld")])
def test_standard_input_is_encoded_and_the_terminal_says_how_much(tmp_path: Path, stored: bytes) -> None:
    """Fault: the line about what was written had its control characters and turns of direction as they are."""
    output = tmp_path / "x\x1b[31m\u202e.npy"
    done = run("bpe-gpt2", "-o", output, text=stored)
    assert (done.returncode, done.stdout) == (0, b"")
    encode = reftok.load("bpe-gpt2").encode_ids
    assert np.load(output).tolist() == encode("Hello") + encode("world")
    (line,) = done.stderr.decode().splitlines()
    assert "[31m\\u202e.npy: 3 documents, 10 bytes of text, " in line
    assert not {"\r", "\x1b", "\u202e"} & {*line}


def test_options_may_stand_anywhere_and_quiet_says_nothing(tmp_path: Path) -> None:
    path, output = tmp_path / "a b.txt", tmp_path / "out.bin"
    path.write_bytes(b"one\n\ntwo\nthree\n\n")
    options = ["--quiet", "--end-token", "<|endoftext|>"]
    done = run("--separator", r"\n\n", "bpe-qwen", "--index", path, "-o", output, *options)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    tokenizer = reftok.load("bpe-qwen")
    ids = [tokenizer.encode_ids(f"{text}<|endoftext|>") for text in ("one", "two\nthree")]
    assert np.fromfile(output, "<u2").tolist() == ids[0] + ids[1]
    assert np.load(tmp_path / "out.bin.index.npy").tolist() == [0, len(ids[0]), len(ids[0] + ids[1])]


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["bpe-gpt2", "-o", "out.npy"], b"good\nb\xffd\n", "standard input, document 2: byte 1 is not UTF-8"),
        (["no-such-model", "-o", "out.npy"], b"", "no such file or folder, and no embedded model"),
        (["bpe-gpt2", "-o", "out.npy", "--end-token", "<eot>"], b"", "has no token '<eot>'"),
        (["bpe-gpt2", "no-such-file", "-o", "out.npy"], b"", "no-such-file: No such file"),
        (["bpe-gpt2", "-o", "out.npy"], zstandard.compress(b"a" * 99)[:-1], "the zstd data is cut off"),
    ],
)
def test_a_mistake_is_told_in_a_line_with_exit_code_2_and_nothing_is_left(
    tmp_path: Path, arguments: list[str], text: bytes, message: str
) -> None:
    done = run(*(str(tmp_path / name) if name == "out.npy" else name for name in arguments), text=text)
    (line,) = done.stderr.decode().splitlines()
    assert (done.returncode, line[:8], message in line) == (2, "reftok: ", True)
    assert not list(tmp_path.iterdir())


def test_the_line_of_a_terminal_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 100.0, 101.0, 101.0, 101.1, 101.1, 103.0, 103.0])
    for module in ("terminal", "encode_file"):
        monkeypatch.setattr(f"reftok.cli.{module}.monotonic", lambda: next(clock))
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    line = ProgressLine(terminal)
    for step, size in (("loading", 0), ("encoding", 0), ("encoding", 1_000_000), ("encoding", 2_000_000)):
        line(Progress(step, Done(bytes=size, tokens=size), size, 8_000_000))
    line.close()
    assert terminal.getvalue().split("\r\x1b[K")[2:] == [
        "encoding  0.0 %  0.0 MB", "encoding  25.0 %  2.0 MB  1.00 MB/s  1,000,000 tokens/s  0:00:06 left", "",
    ]  # fmt: skip


def test_the_examples_of_the_help_are_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line in EXAMPLES.splitlines():
        if "reftok encode-file" in line:
            words = shlex.split(line.partition("reftok encode-file")[2].partition("      ")[0])
            words = [f"{tmp_path}/no-such-folder/{word}" if word[-4:] in (".npy", ".bin") else word for word in words]
            assert main(["encode-file", *words]) == 2
            assert "does not exist" in capsys.readouterr().err
