"""`reftok encode-file` as a process: throughput with one and two workers, memory of all its processes, and HF."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.texts import CORPORA

SAMPLE = 4_000_000
"""Bytes that HF encodes line by line; it is given no more, since its speed does not depend on it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One run.

    seconds: loading included. peak: resident bytes of all processes together, pages that they share counted in each.
    """

    seconds: float
    peak: int


def encode_file_rows(model: str, megabytes: int, seed: int = 0) -> Iterator[tuple[str, str]]:
    """What was measured, and the figure.

    megabytes: of the larger file; the smaller one has a quarter.
    """
    with TemporaryDirectory() as folder:
        small, large = (write_texts(Path(folder) / f"{size}.txt", size, seed) for size in (megabytes // 4, megabytes))
        size = large.stat().st_size / 1e6
        runs = {workers: encode_file(model, large, workers) for workers in (1, 2)}
        smaller = encode_file(model, small, 2)
        for workers, run in runs.items():
            yield f"{size:.0f} MB, {workers} workers", f"{size / run.seconds:.2f} MB/s"
        yield "2 workers against 1", f"{runs[1].seconds / runs[2].seconds:.2f}x"
        for name, run in (("a quarter of it", smaller), ("all of it", runs[2])):
            yield f"peak memory, 2 workers, {name}", f"{run.peak / 1e6:.0f} MB"
        with open(large, encoding="utf-8", newline="\n") as file:
            lines = list(islice((line.removesuffix("\n") for line in file), SAMPLE // 60))
        speed = line_by_line(model, lines)
        yield "HF encode, line by line", f"{speed / 1e6:.2f} MB/s"
        yield "2 workers against HF encode, line by line", f"{size * 1e6 / runs[2].seconds / speed:.2f}x"


def write_texts(path: Path, megabytes: int, seed: int) -> Path:
    """The lines of the corpora, over and over, each time with other words in other places."""
    random = Random(seed)
    files = sorted(
        [*CORPORA.glob("languages/en-*.txt"), *CORPORA.glob("languages/ja-*.txt"), *CORPORA.glob("domains/*")]
    )
    lines = [line for file in files for line in file.read_text("utf-8").split("\n") if line]
    words = sorted({word for line in lines for word in line.split(" ")})
    left = megabytes * 1_000_000
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        while left > 0:
            random.shuffle(lines)
            for line in lines:
                varied = _varied(line, words, random)
                file.write(varied)
                left -= len(varied.encode("utf-8"))
                if left <= 0:
                    break
    return path


def _varied(line: str, words: Sequence[str], random: Random) -> str:
    """The line with every tenth word or so another one, and a number here and there."""
    parts = line.split(" ")
    for _ in range(1 + len(parts) // 10):
        new = random.choice(words) if random.random() < 0.8 else str(random.randrange(100_000))
        parts[random.randrange(len(parts))] = new
    return " ".join(parts) + "\n"


def encode_file(model: str, path: Path, workers: int) -> Measured:
    """The command, as a process, with the memory of it and its children looked at twenty times a second."""
    output = path.with_suffix(".npy")
    command = [sys.executable, "-m", "reftok", "encode-file", model, str(path), "-o", str(output)]
    start = perf_counter()
    with subprocess.Popen([*command, "--workers", str(workers), "--quiet", "--overwrite"]) as process:
        peak = 0
        while True:
            try:
                code = process.wait(0.05)
                break
            except subprocess.TimeoutExpired:
                peak = max(peak, sum(map(_resident, _tree(process.pid))))
    if code:
        raise ValueError(f"encode-file ended with {code}")
    return Measured(perf_counter() - start, peak)


def _tree(root: int) -> list[int]:
    """A process and all that come from it; Linux only."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    tree = [root]
    for process in tree:
        tree += [child for child, parent in parents.items() if parent == process]
    return tree


def _resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def line_by_line(model: str, lines: Sequence[str]) -> float:
    """Bytes a second of `encode` of tokenizers; the ids are taken, as whoever writes them to disk must."""
    import tokenizers

    from reftok.formats.model_files import find_model

    encode = tokenizers.Tokenizer.from_file(str(find_model(model))).encode
    start = perf_counter()
    for line in lines:
        _ = encode(line).ids
    return sum(len(line.encode("utf-8")) + 1 for line in lines) / (perf_counter() - start)
