"""`reftok encode-file` as a process, and what it shows on a terminal."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import zstandard

import reftok
from reftok.cli.commands import main
from reftok.cli.encode_file import EXAMPLES
from reftok.encode_files import progress
from reftok.encode_files.progress import Progress, TerminalProgress, progress_line


def run(*arguments: str | Path, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "reftok", "encode-file", *map(str, arguments)]
    return subprocess.run(command, input=text, capture_output=True, timeout=300, check=False)


@pytest.mark.parametrize("stored", [b"Hello\n\nworld", zstandard.compress(b"Hello\n\nworld")])
def test_standard_input_is_encoded_and_the_terminal_says_how_much(tmp_path: Path, stored: bytes) -> None:
    output = tmp_path / "out.npy"
    done = run("bpe-gpt2", "-o", output, text=stored)
    assert (done.returncode, done.stdout) == (0, b"")
    encode = reftok.load("bpe-gpt2").encode_ids
    assert np.load(output).tolist() == encode("Hello") + encode("world")
    assert f"{output}: 3 documents, 10 bytes of text, ".encode() in done.stderr
    assert b"\r" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_name_of_the_output_cannot_command_the_terminal(tmp_path: Path) -> None:
    """Fault: the line about what was written had its control characters and turns of direction as they are."""
    done = run("bpe-gpt2", "-o", tmp_path / "x\x1b[31m\u202e.npy", text=b"a")
    assert done.returncode == 0
    assert not {b"\x1b", "\u202e".encode()} & {
        done.stderr[place : place + size] for size in (1, 3) for place in range(200)
    }


def test_options_may_stand_anywhere_and_quiet_says_nothing(tmp_path: Path) -> None:
    path, output = tmp_path / "a b.txt", tmp_path / "out.bin"
    path.write_bytes(b"one|two|")
    done = run("--separator", "|", "bpe-qwen", "--index", path, "-o", output, "--quiet", "--end-token", "<|endoftext|>")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert json.loads((tmp_path / "out.bin.json").read_text())["documents"] == 2
    tokenizer = reftok.load("bpe-qwen")
    end = tokenizer.token_to_id("<|endoftext|>")
    ids = [*tokenizer.encode_ids("one"), end, *tokenizer.encode_ids("two"), end]
    assert np.fromfile(output, "<u2").tolist() == ids


def test_a_separator_may_be_written_with_escapes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n\ntwo\nthree\n\n")
    done = run("--separator", r"\n\n", "bpe-qwen", path, "-o", tmp_path / "out.bin", "--quiet")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads((tmp_path / "out.bin.json").read_text())["documents"] == 2


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (
            ["bpe-gpt2", "-o", "out.npy"],
            b"good\nb\xffd\n",
            "standard input: byte 6 (document 2) is not UTF-8",
        ),
        (["no-such-model", "-o", "out.npy"], b"", "no such file or folder, and no embedded model"),
        (["bpe-gpt2", "-o", "out.npy", "--end-token", "<eot>"], b"", "has no token '<eot>'"),
        (["bpe-gpt2", "no-such-file", "-o", "out.npy"], b"", "no-such-file: cannot be read: No such file"),
        (["bpe-gpt2", "-o", "out.npy", "--engine", "tiktoken"], b"", "follows tokenizers, and --engine tiktoken"),
        (["bpe-gpt2", "-o", "out.npy"], zstandard.compress(b"a" * 99)[:-1], "the zstd data is cut off"),
    ],
)
def test_a_mistake_is_told_in_a_line_with_exit_code_2_and_nothing_is_left(
    tmp_path: Path, arguments: list[str], text: bytes, message: str
) -> None:
    done = run(*(str(tmp_path / name) if name == "out.npy" else name for name in arguments), text=text)
    assert done.returncode == 2
    assert done.stderr.startswith(b"reftok: ")
    assert message in done.stderr.decode("utf-8")
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_difference_has_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "texts.txt"
    path.write_bytes(b"text")
    (tmp_path / "tokenizers.py").write_text(
        "__version__ = '0'\nclass Tokenizer:\n    padding = ids = None\n"
        "    def from_file(path): return Tokenizer()\n"
        "    def encode_batch_fast(self, texts, add_special_tokens):\n"
        "        self.ids = [7]; return [self] * len(texts)\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["encode-file", "bpe-gpt2", str(path), "-o", str(tmp_path / "out.npy"), "--verify"]) == 1
    assert "document 1 at byte 0: token 0: reftok gives" in capsys.readouterr().err
    assert not list(tmp_path.glob("out*"))


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_a_line_that_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    with TerminalProgress(terminal) as shown:
        shown(Progress("encoding", 1, 10, 100, 100, 10, 100, 1000))
    assert terminal.getvalue().startswith("\r\x1b[Kloading")
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert progress.INTERVAL < 2


def test_what_is_no_terminal_is_shown_nothing() -> None:
    stream = io.StringIO()
    with TerminalProgress(stream) as shown:
        shown(Progress("encoding"))
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (Progress("loading"), "loading  0.0 MB"),
        (Progress("encoding", raw_size=0), "encoding  0.0 MB"),
        (
            Progress("encoding", bytes=4_000_000, session_bytes=2_000_000, session_tokens=10, raw_bytes=1, raw_size=2),
            "encoding  50.0 %  4.0 MB  2.00 MB/s  10 tokens/s  0:00:02 left",
        ),
        (Progress("encoding", bytes=1_000_000, session_bytes=1_000_000), "encoding  1.0 MB  1.00 MB/s  0 tokens/s"),
    ],
)
def test_the_line_says_what_is_known(told: Progress, line: str) -> None:
    assert progress_line(told, 1.0) == line


def test_the_examples_of_the_help_are_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line in EXAMPLES.splitlines():
        if "reftok encode-file" in line:
            words = shlex.split(line.partition("reftok encode-file")[2].partition("      ")[0])
            words = [
                str(tmp_path / "no-such-folder" / word) if word.endswith((".npy", ".bin")) else word for word in words
            ]
            assert main(["encode-file", *words]) == 2
            assert "does not exist" in capsys.readouterr().err
