"""The help of `conformance fuzz` says what the command does."""

from __future__ import annotations

import json
from pathlib import Path

from ..commands import Command, Planted


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
