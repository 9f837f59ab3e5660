"""What the tests of the command share: arguments, what a run left behind, what it said."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., "subprocess.CompletedProcess[str]"]
Planted = Callable[[str], str]
Findings = Callable[[Path], list[dict[str, Any]]]
Corpus = Callable[..., Path]
TEXTS = ("Hello world", "cafe\u0301 nai\u0308ve ☠", "a\0b c", "  two  spaces ", "😀 x é <|im_start|>user", b"\xffa")
SMALL = ("--inputs", "corpora", "--inputs", "fuzz", "--fuzz", "40", "--jobs", "1", "--quiet")
SMALLEST = ("--inputs", "corpora", "--inputs", "fuzz", "--fuzz", "0", "--jobs", "1", "--quiet")
LONG_TIMEOUT = ("--timeout", "60")


def hear_interrupts() -> None:
    """In a child before it starts: what a shell runs in the background is deaf to Ctrl-C, and so are its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def subjects(planted: Planted, *names: str) -> list[str]:
    return [argument for name in names for argument in ("--subject", planted(name))]


def said(result: subprocess.CompletedProcess[str], code: int, message: str) -> None:
    """The command ended with this exit code and this message, in one or two lines without a traceback."""
    assert result.returncode == code, result.stderr + result.stdout
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 2
    assert "Traceback" not in result.stderr


def outcome(folder: Path) -> tuple[str, dict[str, Any]]:
    """Findings and run.json without what two runs of the same plan do not share."""
    value = json.loads((folder / "run.json").read_text("ascii"))
    for name in ("started", "times", "command"):
        del value[name]
    return (folder / "findings.jsonl").read_text("ascii"), value


def small_run(corpus: Corpus, *texts: str) -> tuple[str | Path, ...]:
    return ("run", "--model", "spm-char", "--corpus", corpus(*texts), *SMALLEST)
