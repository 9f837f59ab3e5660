"""Loading a model: time against the official library, and the memory that each takes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import reftok
from benchmarks.candidates import load_official, load_reference
from benchmarks.measuring import medians


def loading_rows(model: str, rounds: int) -> Iterator[tuple[str, str]]:
    """The time as a multiple of the official library's; resident memory that a process gains by loading."""
    tokenizer = reftok.load(model)
    seconds = medians(
        {"official": lambda: load_official(tokenizer.library, model), "reftok": lambda: load_reference(model)}, rounds
    )
    ratio = seconds["reftok"] / seconds["official"]
    yield "loading", f"{ratio:.2f}x {tokenizer.library}'s time, {1000 * seconds['reftok']:.0f} ms"
    own, official = (gained(what, model) for what in ("reftok", tokenizer.library))
    yield "memory of a loaded model", f"{own / 1e6:.0f} MB, {tokenizer.library} {official / 1e6:.0f} MB"


_CHILD = """
import os, sys
from pathlib import Path
from benchmarks.candidates import load_official, load_reference

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

what, model = sys.argv[1:]
import sentencepiece, tokenizers
before = resident()
loaded = load_reference(model) if what == "reftok" else load_official(what, model)
print(resident() - before)
"""


def gained(what: str, model: str) -> int:
    """Bytes that a process of its own gains by loading; Linux only. what: "reftok" or the name of a library."""
    answer = subprocess.run([sys.executable, "-c", _CHILD, what, model], check=True, capture_output=True, text=True)
    return int(answer.stdout)
