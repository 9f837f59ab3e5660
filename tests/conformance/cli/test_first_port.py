"""Runs docs/first-port.md: the first port has the findings that it shows, and the mended one has none."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ..commands import Command
from ..conftest import ROOT

TEXT = (ROOT / "docs" / "first-port.md").read_text("utf-8")
PORTS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
CONSOLES = re.findall(r"```console\n\$ conformance (.*?)\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("step", [0, 1], ids=["wrong", "mended"])
def test_the_port_of_the_tutorial_is_told_what_the_document_shows(
    conformance_here: Command, tmp_path: Path, step: int
) -> None:
    (tmp_path / "port.py").write_text(PORTS[step], "utf-8")
    command, shown = CONSOLES[step]
    result = conformance_here(*shlex.split(command), "--quiet", "--jobs", "1", cwd=tmp_path)
    assert result.returncode == 1 - step, result.stderr
    rules = re.findall(r"✗ #\d [A-Z]+\d+  .*?  (.*)", shown)
    assert rules == re.findall(r"✗ #\d [A-Z]+\d+  .*?  (.*)", result.stdout)
    assert ("✓ As expected" in result.stdout) == (step == 1)
