"""Asks reftok about damaged files, as many as wanted:

    python -m tests.hostile --count 100000 --seed 1

Each file ends in answers or in a ReftokError, in less than 60 seconds and with no more than four times its size and
200 megabytes of memory more than before. What does not is printed with its number, which asks the same again:

    python -m tests.hostile --seed 1 --only 4711

The exit code is 1 if there is any.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from .asking import REFUSED_AT_LOAD, ask
from .files import hostile
from .guarded import bounded_memory, run, seed_and_numbers, told_of

RENEWED_AFTER = 2000


def outcome(seed: int, number: int, folder: Path) -> tuple[str, str]:
    """What became of the file, and the fault if there is one."""
    made = hostile(seed, number)
    try:
        with bounded_memory(made.size):
            return ask(folder, made, Random(f"texts of {seed}-{number}")), ""
    except MemoryError as found:
        return "too much memory", told_of(found)
    except Exception as found:
        return "an error of another kind", told_of(found)


def main() -> int:
    seed, numbers = seed_and_numbers("tests.hostile", __doc__ or "", 10_000)
    with TemporaryDirectory() as folder:
        counts = run(outcome, Path(folder), seed, numbers, RENEWED_AFTER)
    loaded = counts.total() - counts[REFUSED_AT_LOAD]
    faults = sum(found for kind, found in counts.items() if not kind.startswith(("refused", "answered")))
    print(f"\n{counts.total():,} files, {loaded:,} of them loaded, {faults} faults: {dict(counts)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
