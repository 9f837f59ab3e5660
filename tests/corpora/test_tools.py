"""The examples in the docstrings of the tools hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parent.parent.parent / "tools"
MODULES = ["update_manifest", *(f"model_training/{name}" for name in ("added_tokens", "converted", "model_proto"))]


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str) -> None:
    """In a process of its own: the tools are scripts, and no package imports them."""
    command = [sys.executable, "-m", "doctest", str(TOOLS / f"{module}.py")]
    environment = os.environ | {"PYTHONPATH": str(TOOLS)}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
