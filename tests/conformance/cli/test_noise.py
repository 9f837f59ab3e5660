"""What a program prints in the place of answers is told, whenever it comes."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from ..commands import Command, Corpus

PROGRAM = """
import json, sys
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["op"] == "start":
        about = {"protocol": 1, "subject": {"name": "mine"}, "capabilities": {"encode": {}, "items": 8}}
        answer = {"started": about}
    else:
        asked += len(message["items"])
        answer = {"results": [{"ids": [len(item["text"])]} for item in message["items"]]}
    if asked > FROM:
        print("warning: long text")
    print(json.dumps({"id": message["id"], **answer}), flush=True)
"""


@pytest.mark.parametrize(("command", "since"), [("run", -1), ("run", 20), ("fuzz", 20)])
def test_noise_that_comes_after_the_first_look_is_told_once(
    command: str, since: int, tmp_path: Path, conformance_here: Command, corpus: Corpus
) -> None:
    """Fault: only `conformance subject check` told of it, for the first ten texts."""
    script = tmp_path / "noisy.py"
    script.write_text(PROGRAM.replace("FROM", str(since)), "utf-8")
    texts = corpus(*(f"text {number}" for number in range(40)))
    subject = f"{shlex.join([sys.executable, str(script)])}"
    asked = [command, "--model", "spm-char", "--subject", subject, "--check", "ids", "--jobs", "1", "--quiet"]
    asked += ["--inputs", "corpora", "--corpus", texts] if command == "run" else ["--cases", "40", "--corpus", texts]
    told = conformance_here(*asked, "--out", tmp_path / "run", isolated=True).stderr
    label = f"{Path(sys.executable).name} noisy.py"
    sentence = f"{label}: noise on standard output: log to standard error: 'warning: long text'"
    assert [line for line in told.splitlines() if "warning: long text" in line] == [sentence]
