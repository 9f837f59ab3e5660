"""Mutation testing: one small change in the code at a time, by Cosmic Ray, of which each should fail a test.

    python tools/mutation.py --minutes 15 checks causes

A part is a room of the harness, or a module of one. Of all its mutants a seeded sample is tried, as many as the time
allows, with the tests that mirror the part, in copies of the checkout. The survivors are printed, then the score.
Some survivors are equivalents: a bound that decides whether a shortcut is taken changes nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkResult

ROOT = Path(__file__).parents[1]
TESTS = {
    "checks": ("checks", "causes/test_stream_defects.py"),
    "runs/gather": ("runs/test_gather.py", "runs/test_assemble.py"),
    "causes": ("causes",),
}
"""The parts, and the tests that cover them, in tests/conformance."""
OPERATORS = re.compile(
    r"core/(ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Lt_(LtE|GtE)|LtE_(Lt|Gt)|Gt_(GtE|LtE)|GtE_(Gt|Lt)|Is_IsNot|IsNot_Is)"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Add)|ReplaceUnaryOperator_Delete_Not|AddNot|NumberReplacer"
    r"|Replace(TrueWithFalse|FalseWithTrue|AndWithOr|OrWithAnd|BreakWithContinue|ContinueWithBreak)|ZeroIterationForLoop)"
)
"""A comparison, a condition, a number, a sum, a loop; no types, of which `|` makes unions."""


def main() -> None:
    """Try a sample of mutants; ends with 0 whatever survives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(TESTS), metavar="PART", help=f"of {', '.join(TESTS)}")
    parser.add_argument("--minutes", type=float, default=30.0, help="no mutant is begun after that (default: 30)")
    parser.add_argument("--jobs", type=int, default=2, help="copies that are tested beside each other (default: 2)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    deadline = time.monotonic() + 60 * options.minutes
    with TemporaryDirectory() as folder:
        mutants = sampled(options.parts, options.seed, Path(folder) / "mutants.sqlite")
        copies = [copy_of_checkout(Path(folder) / str(number)) for number in range(options.jobs)]
        shares = [(copy, mutants[number :: options.jobs], deadline) for number, copy in enumerate(copies)]
        with ProcessPoolExecutor(options.jobs) as pool:
            tried = [pair for share in pool.map(tried_in, shares) for pair in share]
    survived = [(mutant, result) for mutant, result in tried if result.test_outcome is TestOutcome.SURVIVED]
    for mutant, result in sorted(survived, key=lambda pair: (str(pair[0].module_path), pair[0].start_pos)):
        print(f"{mutant.module_path}:{mutant.start_pos[0]}: {mutant.operator_name.removeprefix('core/')}")
        print("\n".join(line for line in (result.diff or "").splitlines() if re.match(r"[-+](?![-+])", line)))
    killed = len(tried) - len(survived)
    print(
        f"{killed} of {len(tried)} mutants killed ({killed / max(1, len(tried)):.0%}), of {len(mutants)} that there are"
    )


def part_of(module: Path) -> str:
    """The part that a module belongs to, by its path from the root.

    >>> part_of(Path("conformance/checks/streams.py")), part_of(Path("conformance/runs/gather.py"))
    ('checks', 'runs/gather')
    """
    name = module.relative_to("conformance").with_suffix("").as_posix()
    return next(part for part in TESTS if name == part or name.startswith(f"{part}/"))


def sampled(parts: list[str], seed: int, database: Path) -> list[MutationSpec]:
    """The mutants of these parts, in the order in which they are tried."""
    os.chdir(ROOT)
    modules = [
        module
        for part in parts
        for place in [Path("conformance") / part]
        for module in (sorted(place.glob("*.py")) if place.is_dir() else [place.with_suffix(".py")])
    ]
    if missing := [str(module) for module in modules if not module.is_file()]:
        sys.exit(f"mutation: there is no {missing[0]}")
    work = WorkDB(database, WorkDB.Mode.create)
    init(modules, work, {})
    mutants = [
        mutant for item in work.work_items for mutant in item.mutations if OPERATORS.fullmatch(mutant.operator_name)
    ]
    work.close()
    mutants.sort(key=lambda mutant: (str(mutant.module_path), mutant.operator_name, mutant.occurrence))
    random.Random(seed).shuffle(mutants)
    return mutants


def copy_of_checkout(folder: Path) -> Path:
    """The files of the work tree that git knows, in a folder of their own."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    for name in filter(None, listed.decode("utf-8").split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def tried_in(share: tuple[Path, list[MutationSpec], float]) -> list[tuple[MutationSpec, WorkResult]]:
    """The mutants that were tried in a copy before the deadline, each with what came of it."""
    copy, mutants, deadline = share
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy)
    seconds: dict[str, float] = {}
    tried: list[tuple[MutationSpec, WorkResult]] = []
    for mutant in mutants:
        part, command = part_of(mutant.module_path), command_for(mutant.module_path)
        if part not in seconds:
            started = time.monotonic()
            subprocess.run(command.split(), check=True, stdout=subprocess.DEVNULL)
            seconds[part] = time.monotonic() - started
        if time.monotonic() > deadline:
            break
        tried.append((mutant, mutate_and_test([mutant], command, timeout=30 + 5 * seconds[part])))
    return tried


def command_for(module: Path) -> str:
    """The tests of a module, those first that mirror it."""
    folder = Path("tests/conformance")
    mirror = folder / module.relative_to("conformance").with_name(f"test_{module.stem}.py")
    tests = [mirror] * mirror.is_file() + [folder / name for name in TESTS[part_of(module)]]
    return " ".join([sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *map(str, tests)])


if __name__ == "__main__":
    main()
