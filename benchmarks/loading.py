"""Loading a model: time against the official library, and the memory that each takes, then and after many words."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import reftok
from benchmarks.candidates import load_official, load_reference
from benchmarks.measuring import medians


def loading_rows(model: str, rounds: int) -> Iterator[tuple[str, str]]:
    """The time as a multiple of the official library's; resident memory that a process gains, and its peak."""
    tokenizer = reftok.load(model)
    seconds = medians(
        {"official": lambda: load_official(tokenizer.library, model), "reftok": lambda: load_reference(model)}, rounds
    )
    ratio = seconds["reftok"] / seconds["official"]
    yield "loading", f"{ratio:.2f}x {tokenizer.library}'s time, {1000 * seconds['reftok']:.0f} ms"
    figures = zip(*(gained(what, model) for what in ("reftok", tokenizer.library)), strict=True)
    names = ("memory of a loaded model", "peak of loading", "peak after a million words")
    for name, (own, official) in zip(names, figures, strict=True):
        megabytes = f"{own / 1e6:.0f} MB, {tokenizer.library} {official / 1e6:.0f} MB"
        yield name, f"{own / official:.2f}x ({megabytes})"


_CHILD = """
import os, re, sys
from pathlib import Path
from random import Random
from benchmarks.candidates import load_official, load_reference
from benchmarks.texts import corpus

def peak():
    return 1024 * int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

what, model = sys.argv[1:]
import sentencepiece, tokenizers
words = " ".join(corpus("multilingual", 2_000_000, repeat=False)).split()
random = Random(0)
texts = [" ".join(random.choice(words) + random.choice(words) for _ in range(100)) for _ in range(10_000)]
Path("/proc/self/clear_refs").write_text("5")  # the peak so far is that of the words
before = resident()
encode = load_reference(model) if what == "reftok" else load_official(what, model)
print(resident() - before, peak() - before)
for text in texts:
    encode(text)
print(peak() - before)
"""
"""The words are two of the corpora in one, so that most are new: memory that remembers words is filled."""


def gained(what: str, model: str) -> tuple[int, ...]:
    """Bytes that a process of its own gains: by loading, at the most meanwhile, and at the most after a million words.

    Linux only. what: "reftok" or the name of a library.
    """
    answer = subprocess.run([sys.executable, "-c", _CHILD, what, model], check=True, capture_output=True, text=True)
    return tuple(map(int, answer.stdout.split()))
