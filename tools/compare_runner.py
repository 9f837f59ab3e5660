r"""Hold a runner of vectors against the harness: do the same vectors fail, by the rules that `conformance run` finds?

    python tools/compare_runner.py --subject adapters/huggingface-tokenizers/subject.toml \
        --vectors reports/published/vectors/qwen3/core.json.gz --model path/to/qwen3/tokenizer.json \
        --runner node path/to/runner.mjs

The subject is the library that the runner holds, behind the protocol. The runner reads the vectors on standard input,
and the model is its last argument. `conformance run` asks the vectors, the edge cases and the published bugs. Exit code
1 where the two do not say the same: another vector fails, or one fails without a flag that is a rule of a finding, or a
finding has a rule that is no flag of a vector that fails.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from conformance.inputs.vector_file import read_vectors, written
from conformance.vectors.killing import without_limit

_FAILED = re.compile(r"FAIL (\d+) (encode|decode|batch) (.*)")
CHECKS = ("ids", "decode", "batch-single")
CORPORA = ("edge_cases", "known_bugs")
UNNAMED = "no known rule"
CONFORMANCE = (sys.executable, "-m", "conformance")


@dataclass(frozen=True, slots=True)
class Compared:
    """What fails in the runner, and in the harness: the flags by number of the vector.

    rules: of findings. has_unnamed: whether a finding has no known rule, which no flag can name either.
    """

    runner: Mapping[int, Sequence[str]]
    harness: Mapping[int, Sequence[str]]
    rules: frozenset[str]
    has_unnamed: bool = False

    @property
    def unexplained(self) -> list[int]:
        """What fails, and no rule of a finding is among its flags."""
        return [number for number, flags in self.runner.items() if self.rules.isdisjoint(map(_rule, flags))]

    @property
    def unseen(self) -> list[str]:
        """The rules that are no flag of what fails."""
        return sorted(self.rules - {_rule(flag) for flags in self.runner.values() for flag in flags})

    @property
    def is_same(self) -> bool:
        """Whether both say the same."""
        return self.runner.keys() == self.harness.keys() and not self.unexplained and not self.unseen


def _rule(flag: str) -> str:
    return flag.partition(": ")[2]


def of_runner(command: Sequence[str], vectors: Path, model: Path) -> dict[int, list[str]]:
    """The flags of what fails in a runner. Raises RuntimeError where it does not come to an end."""
    text = written(read_vectors(vectors))
    ended = subprocess.run([*command, str(model)], input=text, capture_output=True, encoding="utf-8")
    if ended.returncode not in (0, 1) or " passed" not in ended.stdout:
        raise RuntimeError(f"{' '.join(command)}: {ended.stderr[-1000:]}")
    return {int(found[1]): found[3].split("; ") for found in _FAILED.finditer(ended.stdout)}


def of_harness(subject: str, vectors: Path, model: Path) -> dict[int, list[str]]:
    """The flags of what fails in `conformance vectors run`, streams and what the runners skip left out."""
    kinds = {test.tc_id: group.__struct_config__.tag for group, test in read_vectors(vectors).tests()}
    command = ["vectors", "run", str(vectors), "--model", str(model), "--subject", subject, "--json", "--quiet"]
    outcomes: list[dict[str, Any]] = json.loads(_answered(command))
    failed = (one for one in outcomes if one["verdict"] == "fail")
    return {one["tcId"]: one["flags"] for one in failed if not str(kinds[one["tcId"]]).startswith("stream")}


def of_run(subject: str, vectors: Path, model: Path) -> tuple[frozenset[str], bool]:
    """The rules that `conformance run` finds, and whether it finds something without one."""
    with TemporaryDirectory() as folder:
        command = ["run", "--model", str(model), "--subject", subject, "--inputs", "corpora", "--quiet"]
        command += [part for corpus in (str(vectors), *CORPORA) for part in ("--corpus", corpus)]
        command += [part for check in CHECKS for part in ("--check", check)]
        _answered([*command, "--out", f"{folder}/run"])
        lines = Path(folder, "run", "findings.jsonl").read_text("utf-8").splitlines()
    rules = [str(json.loads(line)["rule"]) for line in lines]
    named = frozenset(without_limit(rule) for rule in rules if not rule.startswith(UNNAMED))
    return named, any(rule.startswith(UNNAMED) for rule in rules)


def _answered(arguments: Sequence[str]) -> str:
    ended = subprocess.run([*CONFORMANCE, *arguments], capture_output=True, encoding="utf-8")
    if ended.returncode not in (0, 1):
        raise RuntimeError(f"conformance {arguments[0]}: {ended.stderr[-1000:]}")
    return ended.stdout


def told(compared: Compared) -> Iterator[str]:
    """What both say, a line each."""
    yield f"{len(compared.runner)} vectors fail in the runner, {len(compared.harness)} in `conformance vectors run`"
    if others := sorted(compared.runner.keys() ^ compared.harness.keys()):
        yield f"in one of them alone: {', '.join(map(str, others))}"
    yield f"{len(compared.rules)} rules in `conformance run`"
    for rule in sorted(compared.rules):
        count = sum(rule in map(_rule, flags) for flags in compared.runner.values())
        yield f"{count} of {len(compared.runner)} have the flag: {rule}"
    if compared.unexplained:
        why = "it may be what the run knows no rule for" if compared.has_unnamed else "the run knows others"
        yield f"no rule of the run is a flag of {', '.join(map(str, compared.unexplained))}: {why}"


def main() -> int:
    """0 where both say the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subject", required=True, help="a subject.toml")
    parser.add_argument("--vectors", required=True, type=Path, help="a file of vectors")
    parser.add_argument("--model", required=True, type=Path, help="the model that they are of")
    parser.add_argument("--runner", required=True, nargs=argparse.REMAINDER, help="the command of the runner; last")
    options = parser.parse_args()
    compared = Compared(
        of_runner(options.runner, options.vectors, options.model),
        of_harness(options.subject, options.vectors, options.model),
        *of_run(options.subject, options.vectors, options.model),
    )
    print("\n".join(told(compared)))
    return 0 if compared.is_same else 1


if __name__ == "__main__":
    sys.exit(main())
