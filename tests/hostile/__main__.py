"""Asks reftok about damaged files, as many as wanted:

    python -m tests.hostile --count 100000 --seed 1

Each file ends in answers or in a ReftokError, in less than 60 seconds and with no more than four times its size and
200 megabytes of memory more than before. What does not is printed with its number, which asks the same again:

    python -m tests.hostile --seed 1 --only 4711

The exit code is 1 if there is any.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import time
import traceback
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from .asking import REFUSED_AT_LOAD, ask
from .files import hostile

MOST_SECONDS = 60
MOST_MEMORY = 200 << 20
RENEWED_AFTER = 2000
"""So many files one process takes: caches and pieces of free memory are no fault of a file."""


def outcome(seed: int, number: int, folder: Path) -> tuple[str, str]:
    """What became of the file, and the fault if there is one."""
    made = hostile(seed, number)
    limit = _address_space() + 4 * made.size + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        kind, error = ask(folder, made, Random(f"texts of {seed}-{number}")), None
    except MemoryError as found:
        kind, error = "too much memory", found
    except Exception as found:
        kind, error = "an error of another kind", found
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return kind, "".join(traceback.format_exception(error, limit=-8)) if error else ""


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    return pages * resource.getpagesize()


def _work(seed: int, numbers: range, results: Connection) -> None:
    with TemporaryDirectory() as folder:
        for number in numbers:
            results.send((number, *outcome(seed, number, Path(folder))))


def run(seed: int, numbers: range) -> Counter[str]:
    """How many files ended in what; a fault is printed when it comes."""
    counts: Counter[str] = Counter()
    start = shown = time.monotonic()
    place = numbers.start
    while place < numbers.stop:
        receiver, sender = multiprocessing.Pipe(duplex=False)
        stop = min(numbers.stop, place + RENEWED_AFTER)
        worker = multiprocessing.Process(target=_work, args=(seed, range(place, stop), sender), daemon=True)
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="files to ask about (default: 10000)")
    parser.add_argument("--seed", type=int, default=1, help="of all files (default: 1)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first file (default: 0)")
    parser.add_argument("--only", type=int, help="one file, by its number")
    options = parser.parse_args()
    os.environ["RUST_BACKTRACE"] = "0"
    first, count = (options.first, options.count) if options.only is None else (options.only, 1)
    counts = run(options.seed, range(first, first + count))
    loaded = counts.total() - counts[REFUSED_AT_LOAD]
    faults = sum(found for kind, found in counts.items() if not kind.startswith(("refused", "answered")))
    print(f"\n{counts.total():,} files, {loaded:,} of them loaded, {faults} faults: {dict(counts)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
