"""The help of `conformance fuzz` says what the command does."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from ..commands import Command, Planted, said


def test_a_session_asks_the_subjects_that_are_named_and_no_other(
    conformance_here: Command, planted: Planted, tmp_path: Path
) -> None:
    subject = planted("correct")
    arguments = ("--model", "spm-char", "--check", "ids", "--cases", "3", "--quiet")
    conformance_here("fuzz", *arguments, "--subject", subject, "--out", tmp_path / "own")
    conformance_here("fuzz", *arguments, "--out", tmp_path / "default")
    asked = [json.loads((tmp_path / name / "plan.json").read_text("utf-8"))["subjects"] for name in ("own", "default")]
    assert asked == [[subject], ["reftok"]]
    told = " ".join(conformance_here("fuzz", "--help").stdout.split())
    assert "only those named are asked; repeatable. Default: reftok." in told


def test_a_session_takes_the_encoding_of_a_rank_file(conformance_here: Command, tmp_path: Path) -> None:
    path = tmp_path / "own.tiktoken"
    path.write_bytes(b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256)))
    asked = ("fuzz", "--model", path, "--check", "ids", "--check", "decode", "--cases", "60", "--quiet", "--out")
    said(conformance_here(*asked, tmp_path / "without"), 2, "not a published rank file")
    ended = conformance_here(*asked, tmp_path / "with", "--encoding", "cl100k_base")
    assert ended.returncode == 0, ended.stderr
    plan = json.loads((tmp_path / "with" / "plan.json").read_text("utf-8"))
    assert [model["encoding"] for model in plan["models"]] == ["cl100k_base"]
    assert conformance_here("fuzz", "--resume", tmp_path / "with", "--cases", "90", "--quiet").returncode == 0
