"""Kills the long commands at random moments, as often as wanted, and goes on with them as a user would:

    python -m tests.hostile.kills --count 100 --seed 1

`conformance run`, `conformance fuzz`, `conformance train`, `reftok encode-file` and `reftok train` are killed so often
each, by SIGKILL, SIGINT, SIGTERM or SIGHUP. A command has several kills in one life, at the end of which it has what
one has that was never killed: nothing is lost, doubled, different or left behind. What has not is printed with the
number of its life, which lives it again, as far as the moments can be met again:

    python -m tests.hostile.kills --seed 1 --only 17

The exit code is 1 if there is any.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from conformance.core.errors import InputError
from conformance.report.run.folder import read_run_folder
from tests.conformance.commands import outcome as run_outcome
from tests.conformance.fuzzing.sessions import left_behind, planted

from .killing import Ended, Kill, drawn_kill, names, start
from .processes import adopting, left

MOST_KILLS = 6
"""Of a life."""
ENDED_BEFORE = "ended before"
SECONDS_TO_END = 30.0
"""So long after its commands a process may live on."""
HURRIED = ("-m", "tests.hostile.hurried")
TEXTS = ("now ", "cafe\u0301", " a", "hello world", "it's naïve ☠", "\ta\u00a0", *(f"line {n} " for n in range(30)))


@dataclass(frozen=True, slots=True)
class Whole:
    """The end of a life: what two have in common, what is kept, the files."""

    outcome: Any
    kept: dict[str, float]
    names: list[str]


class Command(ABC):
    """A command that is killed.

    given: a folder with its inputs, and for the life that nobody ends. program: what Python runs. code: the exit code.
    """

    program: Sequence[str] = HURRIED
    name: str
    code: int

    def __init__(self, given: Path) -> None:
        self.given = given

    @abstractmethod
    def first(self, random: Random) -> Sequence[str]:
        """The arguments to begin with."""

    @abstractmethod
    def again(self, work: Path, random: Random) -> Sequence[str]:
        """The arguments to go on with, in the folder of the command."""

    @abstractmethod
    def kept(self, work: Path) -> dict[str, float]:
        """What a killed start has left on disk; none of it may be gone, or be less, after the next.

        Raises AssertionError for what is half written.
        """

    @abstractmethod
    def outcome(self, work: Path) -> Any:
        """What two lives have in common at their ends."""

    def is_over(self, ended: Ended, work: Path) -> bool:
        """Whether a start was the last one."""
        return ended.code == self.code

    @cached_property
    def unbroken(self) -> Ended:
        """The start that nobody ends."""
        ended = start([*self.program, *self.first(Random(0))], self.life, None, 0.0)
        assert ended.code == self.code, f"{self.name} does not work: {ended.code}\n{ended.output}{ended.errors}"
        return ended

    @property
    def life(self) -> Path:
        return self.given / f"unbroken {type(self).__name__}"

    @cached_property
    def whole(self) -> Whole:
        """What there is at the end of a life."""
        assert self.unbroken
        return Whole(self.outcome(self.life / "work"), self.kept(self.life / "work"), names(self.life))


class Folders(Command):
    """A command with a folder. models, subject: that it is asked about; the code is 1 where something is wrong."""

    code = 1
    models: tuple[str, ...] = ()
    subject = "strips_white_space"

    def again(self, work: Path, random: Random) -> Sequence[str]:
        """A folder without a plan is none of a run yet: the command is given again."""
        if not (work / "out" / "plan.json").exists():
            return self.first(random)
        return ["conformance", self.name, "--resume", "out", "--quiet", "--jobs", random.choice("112")]

    def given_to(self, random: Random) -> list[str]:
        corpus = self.given / "texts.txt"
        corpus.write_text("".join(f"{text}\n" for text in TEXTS), "utf-8")
        named = [argument for model in self.models for argument in ("--model", model)]
        subject = ["--subject", planted(self.subject), "--corpus", str(corpus), "--timeout", "60"]
        checks = ["--check", "ids", "--check", "decode", "--out", "out", "--quiet", "--jobs", random.choice("112")]
        return ["conformance", self.name, *named, *subject, *checks]


class Run(Folders):
    """`conformance run`."""

    name = "run"
    models = ("bpe-gpt2", "spm-char")
    cases = 80

    def first(self, random: Random) -> Sequence[str]:
        inputs = ["--inputs", "corpora", "--inputs", "fuzz", "--fuzz", str(self.cases)]
        return [*self.given_to(random), *inputs]

    def kept(self, work: Path) -> dict[str, float]:
        check_told(work / "out")
        lines = _lines(work / "out" / "journal.jsonl")
        shards = Counter(json.dumps(line["shard"], sort_keys=True) for line in lines)
        assert not (doubled := shards - Counter([*shards])), f"shards are there twice: {doubled}"
        return {**{f"shard {shard}": 1.0 for shard in shards}, "answers": sum(line["answers"] for line in lines)}

    def outcome(self, work: Path) -> Any:
        out = work / "out"
        return *run_outcome(out), *((out / name).read_text("utf-8") for name in ("badge.json", "badge.svg"))


class Fuzz(Folders):
    """`conformance fuzz`."""

    name = "fuzz"
    models = ("spm-char",)
    cases = 200

    def first(self, random: Random) -> Sequence[str]:
        return [*self.given_to(random), "--cases", str(self.cases)]

    def again(self, work: Path, random: Random) -> Sequence[str]:
        arguments = super().again(work, random)
        return [*arguments, "--cases", str(self.cases)] if "--resume" in arguments else arguments

    def kept(self, work: Path) -> dict[str, float]:
        """Counts of the state and of the shards behind it, causes, and what findings.jsonl counts.

        A finding that is not shrunk may turn out to be another one, which then has its count.
        """
        check_told(out := work / "out")
        state: Any = {"generation": 0, "cases": 0, "kept": 0, "models": {}}
        with suppress(FileNotFoundError):
            state = json.loads((out / "state.json").read_bytes())
        counts: Counter[str] = Counter({name: state[name] for name in ("generation", "cases", "kept")})
        outcomes = [line for line in _lines(out / "shards.jsonl") if line["shard"]["generation"] == state["generation"]]
        shards = Counter(json.dumps(line["shard"]) for line in outcomes)
        assert not (doubled := shards - Counter([*shards])), f"shards are there twice: {doubled}"
        for result in (
            *(model["result"] for model in state["models"].values()),
            *(line["result"] for line in outcomes),
        ):
            model = result["shard"]["model"]
            counts[f"cases of {model}"] += result["cases"]
            counts[f"answers of {model}"] += result["answers"]
            for group in result["groups"]:
                counts[f"cause {[model, *group['key']]}"] += group["count"]
        assert len(_lines(out / "corpus.jsonl")) >= state["kept"], "kept inputs are lost"
        for line in _lines(out / "findings.jsonl"):
            counts[f"mismatches of {line['example']['model']} in findings.jsonl"] += line["count"]
        return {**counts}

    def outcome(self, work: Path) -> Any:
        return *left_behind(work / "out"), (work / "out" / "session.json").read_text("ascii")


class HoldTrainer(Folders):
    """`conformance train`, of a trainer that learns the same of everything."""

    name = "train"
    trainings = 120

    def first(self, random: Random) -> Sequence[str]:
        learned = json.dumps({"model": {"vocab": {"a": 0}}})
        file = _made(self.given / "trainer.py", f"def train(texts, options):\n    return {learned.encode()!r}\n")
        trainers = ["--trainer", "wordlevel", "--configurations", "random"]
        count = ["--count", str(self.trainings), "--out", "out", "--quiet", "--jobs", random.choice("112")]
        return ["conformance", "train", "--subject", f"{file}:train", *trainers, *count]

    def kept(self, work: Path) -> dict[str, float]:
        lines = [json.dumps(line, sort_keys=True) for line in _lines(work / "out" / "journal.jsonl")]
        return {**Counter(lines)}

    def outcome(self, work: Path) -> dict[str, str]:
        return {name: (work / "out" / name).read_text("utf-8") for name in ("findings.jsonl", "summary.md")}


class Output(Command):
    """A command that writes a file, which is there when it is whole."""

    code = 0
    output: str

    def outcome(self, work: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in work.iterdir() if path.is_file()}

    def is_over(self, ended: Ended, work: Path) -> bool:
        """One that was killed when it had done everything finds its own output."""
        return ended.code == self.code or (
            ended.code == 2 and "exists already" in ended.errors and (work / self.output).exists()
        )


class EncodeFile(Output):
    """`reftok encode-file`: documents of a line, with an index."""

    name = "encode-file"
    options: tuple[str, ...] = ("--index",)
    output = "ids.npy"
    lines = 20_000

    def inputs(self) -> list[Path]:
        path, random = self.given / f"{self.lines} lines.txt", Random(0)
        words = ["hello", "world", "naïve", "☠", "  ", "it's", "\t", "12", "中文", ""]
        lines = (" ".join(random.choices(words, k=9)) for _ in range(self.lines))
        return [_made(path, "".join(f"{line}\n" for line in lines))]

    def first(self, random: Random) -> Sequence[str]:
        inputs = map(str, self.inputs())
        more = ["-o", self.output, *self.options, "--workers", random.choice("112")]
        return ["reftok", "encode-file", "bpe-gpt2", *inputs, *more]

    def again(self, work: Path, random: Random) -> Sequence[str]:
        return self.first(random)

    def kept(self, work: Path) -> dict[str, float]:
        """The documents that are done. What has its final name is whole."""
        if work.parent != self.life:
            for name, data in self.whole.outcome.items():
                assert not (work / name).exists() or (work / name).read_bytes() == data, f"{name} is half written"
        with suppress(FileNotFoundError):
            journal = json.loads((work / f"{self.output}.partial" / "journal.json").read_bytes())
            return {"documents": journal["documents"]}
        with suppress(FileNotFoundError):
            return {"documents": json.loads((work / f"{self.output}.json").read_bytes())["documents"]}
        return {}


class EncodeLong(EncodeFile):
    """`reftok encode-file --whole-files`, with a document that is encoded in parts."""

    name = "encode-file --whole-files"
    options = ("--whole-files",)
    output = "ids.bin"

    def inputs(self) -> list[Path]:
        (lines,) = super().inputs()
        return [lines, _made(self.given / "long.txt", "hello world, it's naïve\n" * 200_000), lines]


class Train(Output):
    """`reftok train`, of a byte-level BPE; each trainer is killed at every checkpoint in tests/reftok/training."""

    name = "train"
    output = "tokenizer.json"
    lines = 6_000

    def first(self, random: Random) -> Sequence[str]:
        path, words = self.given / f"{self.lines} lines to learn.txt", Random(0)
        parts = ["hel", "lo", "wor", "ld", "naïve", "☠", "it's", "12", "中文", "er", "est", "un"]
        lines = (" ".join("".join(words.choices(parts, k=4)) for _ in range(8)) for _ in range(self.lines))
        _made(path, "".join(f"{line}\n" for line in lines))
        return ["reftok", "train", "hf-bpe", str(path), "--vocab-size", "600", "-o", self.output]

    def again(self, work: Path, random: Random) -> Sequence[str]:
        """Before the first checkpoint there is nothing to go on from."""
        has_begun = (work / f"{self.output}.training").exists()
        return [*self.first(random), *["--resume"] * has_begun]

    def kept(self, work: Path) -> dict[str, float]:
        with suppress(FileNotFoundError):
            return {"merges": len(json.loads((work / self.output).read_bytes())["model"]["merges"])}
        with suppress(FileNotFoundError):
            state = (work / f"{self.output}.training").read_bytes().partition(b"\n")[2]
            return {"merges": _merges(json.loads(state.decode("utf-8", "surrogatepass")))}
        return {}


def _merges(state: Any) -> int:
    """The number of merges, wherever in a state they stand."""
    if not isinstance(state, dict):
        return 0
    if isinstance(state.get("merges"), list):
        return len(state["merges"])
    return max(map(_merges, state.values()), default=0)


KINDS: dict[str, tuple[type[Command], ...]] = {
    "run": (Run,),
    "fuzz": (Fuzz,),
    "encode": (EncodeFile, EncodeLong),
    "train": (Train,),
    "hold-trainer": (HoldTrainer,),
}
"""The commands, of which each is killed as often as the others."""


@dataclass(frozen=True, slots=True)
class Life:
    """What became of a command from its first start to its end.

    kills: by signal. starts: for people. faults: each with the start after which it was seen.
    """

    kills: Counter[str]
    starts: tuple[str, ...]
    faults: tuple[str, ...]


def live(command: Command, folder: Path, planned: Sequence[Kill], random: Random) -> Life:
    """Start a command, kill it, go on with it until it ends by itself, and hold what is there against `unbroken`."""
    kills: Counter[str] = Counter()
    starts: list[str] = []
    faults: list[str] = []
    work, before = folder / "work", dict[str, float]()
    whole, unbroken = command.whole, command.unbroken
    arguments = command.first(random)
    with adopting() as known:
        for number, kill in enumerate([*planned, None], 1):
            ended = start([*command.program, *arguments], folder, kill, unbroken.seconds)
            kills[kill.signal.name if kill and ended.is_killed else ENDED_BEFORE] += 1
            starts.append(f"{number}: {kill}: {ended.code} after {ended.seconds:.2f} s")
            is_over = command.is_over(ended, work) and (ended.could_hear or not ended.is_killed)
            wrong = [*ended.wrong(kill, is_over)]
            try:
                after = command.kept(work)
                wrong += [
                    f"was {before[name]}, is {after.get(name)}: {name}"
                    for name in before
                    if after.get(name, 0.0) < before[name]
                ]
                wrong += [
                    f"is {after[name]}, more than {most}: {name}"
                    for name, most in whole.kept.items()
                    if after.get(name, 0.0) > most
                ]
                before = after
            except Exception as error:
                wrong.append(f"{type(error).__name__}: {error}")
            faults += [f"start {number}: {fault}" for fault in wrong]
            if is_over or wrong:
                break
            arguments = command.again(work, random)
        faults += [f"left over: {process}" for process in left(known, SECONDS_TO_END)]
    if not faults:
        faults += at_the_end(command, folder)
    return Life(kills, tuple(starts), tuple(faults))


def at_the_end(command: Command, folder: Path) -> list[str]:
    """The differences between the end of a life and the one that nobody ended."""
    faults, whole = [], command.whole
    if (found := names(folder)) != whole.names:
        faults.append(f"files: {sorted({*found} ^ {*whole.names})} are left behind or lost")
    try:
        if command.outcome(folder / "work") != whole.outcome:
            faults.append("the outcome is another one")
    except Exception as error:
        faults.append(f"{type(error).__name__}: {error}")
    return faults


def run(seed: int, wanted: int, only: int | None) -> int:
    """The number of lives with faults; each is printed when it comes."""
    kills: dict[str, Counter[str]] = {name: Counter() for name in KINDS}
    lives = faulty = 0
    shown = time.monotonic()
    with TemporaryDirectory(prefix="kills-") as made:
        given = Path(made)
        commands = {name: [kind(given) for kind in kinds] for name, kinds in KINDS.items()}
        for number in count(only or 0):
            name = [*KINDS][number % len(KINDS)]
            if all(_killed(found) >= wanted for found in kills.values()) or (only is not None and lives):
                break
            if _killed(kills[name]) >= wanted:
                continue
            random = Random(f"kills of {seed}-{number}")
            command = random.choice(commands[name])
            planned = [drawn_kill(random, command.unbroken.changes) for _ in range(random.randint(1, MOST_KILLS))]
            life = live(command, given / str(number), planned, random)
            kills[name] += life.kills
            lives += 1
            if life.faults:
                faulty += 1
                print(f"{number}: {name}: {' | '.join(life.faults)}", *life.starts, sep="\n    ", flush=True)
            shutil.rmtree(given / str(number))
            if time.monotonic() > shown + 5:
                shown = time.monotonic()
                print(f"{lives} lives, {faulty} with faults, kills: {_counts(kills)}", flush=True)
    print(f"\n{lives} lives, {faulty} with faults, kills: {kills}")
    return faulty


def _killed(kills: Counter[str]) -> int:
    return kills.total() - kills[ENDED_BEFORE]


def _counts(kills: Mapping[str, Counter[str]]) -> str:
    return ", ".join(f"{name} {_killed(found)}" for name, found in kills.items())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.kills", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=20, help="kills of each command (default: 20)")
    parser.add_argument("--seed", type=int, default=1, help="of all kills (default: 1)")
    parser.add_argument("--only", type=int, help="one life, by its number")
    options = parser.parse_args()
    return 1 if run(options.seed, options.count, options.only) else 0


def _made(path: Path, text: str) -> Path:
    if not path.exists():
        path.write_text(text, "utf-8")
    return path


def check_told(folder: Path) -> None:
    """Raises AssertionError where run.json is there, cannot be read, and does not say why."""
    try:
        read_run_folder(folder)
    except InputError as error:
        problem = str(error)
        of_a_folder = ("it has no run.json", "its run was killed while it ended")
        due = of_a_folder if folder.is_dir() else ("there is no such folder",)
        assert any(said in problem for said in due), problem


def _lines(path: Path) -> list[Any]:
    """The values of the whole lines."""
    text = path.read_text("utf-8") if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


if __name__ == "__main__":
    sys.exit(main())
