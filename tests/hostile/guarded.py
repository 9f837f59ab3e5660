"""A process of its own for what strangers' files are asked of, with bounds of memory and time; a fault is printed."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeAlias

MOST_SECONDS = 60
MOST_MEMORY = 200 << 20

Ask: TypeAlias = Callable[[int, int, Path], tuple[str, str]]
"""What became of the input of a seed and a number, in a folder, and the fault if there is one."""


@contextmanager
def bounded_memory(size: int) -> Iterator[None]:
    """No more memory than now, four times a size and `MOST_MEMORY`: beyond it is a MemoryError."""
    limit = _address_space() + 4 * size + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    return pages * resource.getpagesize()


def told_of(error: BaseException) -> str:
    """An error with the last of its traceback."""
    return "".join(traceback.format_exception(error, limit=-8))


def _work(ask: Ask, folder: Path, seed: int, numbers: range, results: Connection, others: Connection) -> None:
    others.close()  # else this process would not end when the one that reads them has
    for number in numbers:
        results.send((number, *ask(seed, number, folder)))


def run(ask: Ask, folder: Path, seed: int, numbers: range, renewed_after: int) -> Counter[str]:
    """How many inputs ended in what; a fault is printed when it comes.

    folder: for all of them, one after the other.
    renewed_after: so many inputs one process takes: caches and pieces of free memory are no fault of an input.
    """
    counts: Counter[str] = Counter()
    start = shown = time.monotonic()
    place = numbers.start
    while place < numbers.stop:
        receiver, sender = multiprocessing.Pipe(duplex=False)
        stop = min(numbers.stop, place + renewed_after)
        given = ask, folder, seed, range(place, stop), sender, receiver
        worker = multiprocessing.Process(target=_work, args=given, daemon=True)
        worker.start()
        sender.close()
        while place < stop:
            kind, fault = _received(receiver, worker)
            counts[kind] += 1
            if fault:
                print(f"\n{place}: {kind}\n{fault}", flush=True)
            place += 1
            if time.monotonic() > shown + 20:
                shown = time.monotonic()
                print(f"{place - numbers.start:,} files in {shown - start:.0f} s: {dict(counts)}", flush=True)
            if not worker.is_alive() and kind in ("a hang", "the process ended"):
                break
        worker.join()
    return counts


def _received(receiver: Connection, worker: multiprocessing.Process) -> tuple[str, str]:
    try:
        if receiver.poll(MOST_SECONDS):
            _, kind, fault = receiver.recv()
            return kind, fault
    except EOFError:
        worker.join()
        return "the process ended", f"with {worker.exitcode}"
    worker.kill()
    worker.join()
    return "a hang", f"no answer in {MOST_SECONDS} seconds"


def seed_and_numbers(name: str, about: str, count: int) -> tuple[int, range]:
    """The options of the command `python -m name`. count: the default of --count."""
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=about.splitlines()[0])
    parser.add_argument("--count", type=int, default=count, help=f"files to ask about (default: {count})")
    parser.add_argument("--seed", type=int, default=1, help="of all files (default: 1)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first file (default: 0)")
    parser.add_argument("--only", type=int, help="one file, by its number")
    options = parser.parse_args()
    os.environ["RUST_BACKTRACE"] = "0"
    first, number = (options.first, options.count) if options.only is None else (options.only, 1)
    return options.seed, range(first, first + number)
