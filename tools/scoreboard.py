"""Makes reports/published/scoreboard/: every library of adapters/ on the models that it reads, by one plan.

    REFTOK_MODELS=path/to/models python tools/scoreboard.py              # goes on where it was stopped
    python tools/scoreboard.py --models path/to/models --only kitoken    # one library anew
    python tools/scoreboard.py --models bpe-qwen --models spm-bpe        # embedded models

A library is built by the `build` of its subject.toml, in place; one that cannot be built is a row with the reason. Each
library with each model is a `conformance run` over the corpora of some languages, one over the edge cases and the
vocab, and a `conformance fuzz`. What they find is asked again in fresh processes (tools/both_answers.py), and what that
does not confirm is not published. Each entry is on disk before the next: nothing is lost when it is stopped, and what
has been done by the same plan is not done again.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.causes.weight_class import is_choice
from conformance.core.errors import InputError
from conformance.core.evidence import NO_EVIDENCE
from conformance.core.finding import Finding
from conformance.core.resources import corpora_folder
from conformance.core.run import Run, case_to_json
from conformance.core.slugs import slug
from conformance.core.unicode_ages import age_of
from conformance.engine.plan import ModelPlan
from conformance.files.atomic import write_atomically
from conformance.report.console import say
from conformance.report.run.folder import RUN, read_run_folder
from conformance.report.scoreboard.board import Board, Entry, Kind, Library, Placed, Seen, State
from conformance.report.scoreboard.folder import read_board, write_board
from conformance.runs.models import plan_models
from conformance.subjects.definition import Definition, definition
from conformance.subjects.versions import installed_versions
from reftok.errors import ReftokError
from reftok.formats.tiktoken.rank_file import rank_encoding

ROOT = Path(__file__).parents[1]
ADAPTERS = ROOT / "adapters"
RUNS = ROOT / "reports" / "runs" / "scoreboard"
PUBLISHED = ROOT / "reports" / "published" / "scoreboard"
LANGUAGES = (
    *("am-Ethi", "ar-Arab", "bn-Beng", "de-Latn", "el-Grek", "en-Latn", "es-Latn", "fr-Latn", "he-Hebr", "hi-Deva"),
    *("ja-Jpan", "ka-Geor", "ko-Kore", "my-Mymr", "ru-Cyrl", "ta-Taml", "th-Thai", "tr-Latn", "vi-Latn", "zh-Hans"),
)
"""Twenty, of as many scripts as they can be."""

PARTS = {
    "languages": f"the corpora of {len(LANGUAGES)} languages",
    "edges": "the edge cases",
    "vocab": "the vocab",
    "fuzz": "fuzzing",
}
"""What the plan consists of, in words."""

SPOKEN_BY_ALL = 13.0
"""The version of Unicode, of 2020, that a library is expected to know; characters since then are set apart."""

STAGES_WITH_TABLES = ("", "Normalizer", "PreTokenizer", "PreTokenizer or Model")
"""The stages, "" for one that is not known, whose answers hang on the version of Unicode."""

BROUGHT = {
    "blingfire": "gpt2/vocab.json",
    "llama-tokenizer-js": "llama2/tokenizer.model",
    "mistral-tokenizer-js": "mistral-v0.1/tokenizer.model",
}
"""The published model that a library brings along, where the adapter takes any for that; others name the encodings."""
ENCODINGS = {"llama3-tokenizer-js": {"llama3": "llama3.1"}}
"""The encoding of a rank file by which a library knows it, where several have these ranks."""

BUILD_SECONDS = 1_800
PART_SECONDS = 3_600
DONE = (0, 1)
"""The exit codes of a run that was done."""
INTERRUPTED = 130


class Stopped(Exception):
    """A command was interrupted: what would come after it is not to be done."""


@dataclass(frozen=True, slots=True)
class Task:
    """A library that is to be asked with a model.

    shown: its subject.toml, as the pages name it. parts: of the plan, which is in words.
    seconds: of fuzzing, as `conformance fuzz` has it. runs: where the run folders stay.
    """

    subject: Path
    model: ModelPlan
    shown: str
    parts: tuple[str, ...]
    seconds: str
    plan: str
    runs: Path

    @property
    def folder(self) -> str:
        """The folder of the adapter, which names the library."""
        return self.subject.parent.name


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask what is left to ask; write after each entry. Ends with 2 for bad usage."""
    options = _options(arguments)
    try:
        models = [_with_encoding(model) for model in plan_models(tuple(options.models))]
        board = _begun(options.out, options.plan)
    except (InputError, ReftokError) as error:
        sys.exit(f"scoreboard: {error}")
    subjects = sorted(options.adapters.glob("*/subject.toml"))
    if unknown := {*options.only} - {path.parent.name for path in subjects}:
        sys.exit(f"scoreboard: there is no adapter {', '.join(sorted(unknown))}")
    wanted = [path for path in subjects if not options.only or path.parent.name in options.only]
    try:
        _make(board, wanted, models, options)
    except (KeyboardInterrupt, Stopped):
        say("scoreboard: stopped; the same command goes on")
        sys.exit(INTERRUPTED)


def _make(board: Board, wanted: Sequence[Path], models: Sequence[ModelPlan], options: argparse.Namespace) -> None:
    for number, path in enumerate(wanted, 1):
        tasks = _tasks(path, models, options)
        if not options.only and not _failed(board, path):
            tasks = [task for task in tasks if not _is_done(board, task)]
        if not tasks:
            continue
        say(f"{number}/{len(wanted)} {path.parent.name}: {len(tasks)} models")
        library = build(path, options.runs / f"{path.parent.name}.built", bool(options.only))
        board = board.with_library(library)
        if not library.failure:
            for entry, version in _asked(tasks, options.jobs):
                board = board.with_library(replace(library, version=version or _version(board, library)))
                board = board.with_entry(entry)
                write_board(board, options.out)
        write_board(board, options.out)
    write_board(board, options.out)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Ask every library of adapters/, and publish a scoreboard.")
    parser.add_argument(
        "--models",
        action="append",
        metavar="M",
        help="A folder of models, a file, or the name of an embedded one; repeatable. Default: REFTOK_MODELS.",
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="A folder of adapters/, done anew.")
    parser.add_argument("--part", action="append", choices=PARTS, help="Of the plan; repeatable. Default: all.")
    parser.add_argument("--time", default="60s", metavar="T", help="Of fuzzing, as of `conformance fuzz`.")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="Models at a time.")
    parser.add_argument("--adapters", type=Path, default=ADAPTERS, metavar="DIR", help="Default: those of the project.")
    parser.add_argument("--runs", type=Path, default=RUNS, metavar="DIR", help="Where the run folders stay.")
    parser.add_argument("--out", type=Path, default=PUBLISHED, metavar="DIR", help="Where the pages are written.")
    options = parser.parse_args(arguments)
    if not options.models:
        if "REFTOK_MODELS" not in os.environ:
            parser.error("REFTOK_MODELS names no folder of models, and no --models is given")
        options.models = [os.environ["REFTOK_MODELS"]]
    options.part = tuple(part for part in PARTS if not options.part or part in options.part)
    words = [f"{options.time} of fuzzing" if part == "fuzz" else PARTS[part] for part in options.part]
    options.plan = ", ".join(words)
    return options


def _begun(folder: Path, plan: str) -> Board:
    """The scoreboard of a folder, to be gone on with; an empty one where there is none, or one of another plan."""
    languages = LANGUAGES if "languages" in plan else ()
    empty = Board(plan, languages, installed_versions(), (), (), ())
    found = read_board(folder)
    if found is None:
        return empty
    if found.plan != plan or dict(found.versions) != dict(empty.versions):
        raise InputError(
            f"{folder}: holds a scoreboard of another plan or other official libraries; name another --out"
        )
    return found


def _with_encoding(model: ModelPlan) -> ModelPlan:
    if model.format != "tiktoken" or model.encoding:
        return model
    return replace(model, encoding=rank_encoding(model.path.read_bytes(), model.path).name)


def _tasks(path: Path, models: Iterable[ModelPlan], options: argparse.Namespace) -> list[Task]:
    """Of a library, with each model whose format it reads; with the one that it brings along, where it is known."""
    about = definition(str(path)).about
    assert about is not None
    name = path.parent.name
    found = []
    for model in models:
        if about.models and model.format not in about.models:
            continue
        if name in BROUGHT and model.name != BROUGHT[name]:
            continue
        encoding = ENCODINGS.get(name, {}).get(model.encoding, model.encoding)
        known = replace(model, encoding=encoding)
        found.append(Task(path, known, _shown(path), options.part, options.time, options.plan, options.runs))
    return found


def _shown(path: Path) -> str:
    """A file as the commands of the pages name it."""
    return (
        str(path.resolve().relative_to(ROOT))
        if path.resolve().is_relative_to(ROOT)
        else f"{path.parent.name}/{path.name}"
    )


def _is_done(board: Board, task: Task) -> bool:
    entry = board.entry(task.folder, task.model.name)
    return entry is not None and entry.plan == task.plan and entry.state != "failed"


def _failed(board: Board, path: Path) -> bool:
    """Whether a library could not be built the last time."""
    return any(item.folder == path.parent.name and item.failure for item in board.libraries)


def _version(board: Board, library: Library) -> str:
    return next((item.version for item in board.libraries if item.folder == library.folder), "")


# --- building


def build(path: Path, stamp: Path, anew: bool) -> Library:
    """Build a library in the folder of its adapter, unless it has been built so; a failure is told.

    stamp: a file that holds the build that was done. anew: though it has been built.
    """
    found: Definition = definition(str(path))
    about = found.about
    assert about is not None
    library = Library(path.parent.name, about.name, about.language, "", about.homepage, about.build)
    is_built = stamp.exists() and stamp.read_text("utf-8") == about.build and shutil.which(found.command[0])
    if not about.build or (is_built and not anew):
        return library
    say(f"  {library.name}: {about.build}")
    try:
        done = subprocess.run(
            about.build,
            shell=True,
            cwd=found.folder,
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return replace(library, failure=f"the build took more than {BUILD_SECONDS} seconds")
    if done.returncode == 0:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(stamp, about.build)
        return library
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    reason = _hidden(said[-1] if said else "it said nothing")
    say(f"  {library.name}: cannot be built: {reason}")
    return replace(library, failure=f"exit code {done.returncode}: {reason}")


# --- asking


def _asked(tasks: Sequence[Task], jobs: int) -> Iterable[tuple[Entry, str]]:
    """The entry of each task as it is done, and the version that the library says it has."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(ask, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def ask(task: Task) -> tuple[Entry, str]:
    """Run the plan of a library with a model; the runs stay in reports/runs/scoreboard/."""
    folder = task.runs / task.folder / task.model.name.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    entry = Entry(task.folder, task.model.name, task.model.oracle, task.plan, "asked")
    runs: dict[str, Run] = {}
    for name, arguments in _commands(task).items():
        run = _run(task, arguments, folder / name)
        if run is None:
            entry = replace(entry, problems=(*entry.problems, f"{shlex.join(arguments)}: was not finished"))
            continue
        told = f"conformance {shlex.join(_told(task, arguments))}"
        entry = replace(entry, started=entry.started or run.started, commands=(*entry.commands, told))
        runs[name] = run
        absence = next((item for item in run.absences if item.subject == _label(task)), None)
        if absence is not None:
            state: State = "not read" if absence.kind == "refused" else "failed"
            entry = replace(entry, state=state, reason=_hidden(absence.message, task.model))
            break
        entry = replace(entry, problems=(*entry.problems, *_problems(task, name, run)))
    if entry.state == "asked" and runs:
        entry = with_findings(task, entry, runs, folder)
    elif not runs:
        entry = replace(entry, state="failed", reason="; ".join(entry.problems) or "nothing was run")
    info = next((s for run in runs.values() for s in run.subjects if s.name == _label(task)), None)
    oracle = next((s for run in runs.values() for s in run.subjects if s.role == "oracle"), None)
    entry = replace(
        entry,
        oracle=f"{oracle.name} {oracle.version}" if oracle else entry.oracle,
        untested=info.untested if info else (),
        problems=tuple(dict.fromkeys(entry.problems)),
    )
    say(f"  {task.folder} on {task.model.name}: {_said(entry)}")
    return entry, info.version if info else ""


def _problems(task: Task, part: str, run: Run) -> tuple[str, ...]:
    """The problems of a run, without those that a short session has by its nature."""
    if part == "fuzz" and not run.answers:
        return ("the time was too short for fuzzing: no made input was compared",)
    return tuple(_hidden(problem, task.model) for problem in run.problems if not problem.startswith("the generator "))


def _said(entry: Entry) -> str:
    if entry.state != "asked":
        return f"{entry.state}: {entry.reason}"
    wrong = len(entry.of("wrong"))
    return (
        f"{entry.right:,} of {entry.compared:,} natural texts right, {wrong} findings, {entry.unconfirmed} unconfirmed"
    )


def _label(task: Task) -> str:
    return definition(str(task.subject)).label


def _commands(task: Task) -> dict[str, list[str]]:
    """The arguments of `conformance` for each part, but for the model, the subject and the folder."""
    found: dict[str, list[str]] = {}
    if "languages" in task.parts:
        files = [word for name in LANGUAGES for word in ("--corpus", f"corpora/languages/{name}.txt")]
        found["languages"] = ["run", *files, "--inputs", "corpora"]
    corpora = ["--corpus", "edge_cases", "--inputs", "corpora"] if "edges" in task.parts else []
    vocab = ["--inputs", "vocab"] if "vocab" in task.parts else []
    if corpora or vocab:
        found["edges"] = ["run", *corpora, *vocab]
    if "fuzz" in task.parts:
        found["fuzz"] = ["fuzz", "--time", task.seconds]
    return found


def _told(task: Task, arguments: Sequence[str]) -> list[str]:
    """A command as anybody would give it."""
    name, *others = arguments
    encoding = ["--encoding", task.model.encoding] if task.model.encoding else []
    return [name, "--model", task.model.name, *encoding, "--subject", task.shown, *others]


def _run(task: Task, arguments: Sequence[str], folder: Path) -> Run | None:
    """The run of a command; None where it was not finished."""
    name, _, _, *others = _told(task, arguments)
    named = [
        str(corpora_folder().parent / word) if word.startswith("corpora/") else word
        for word in (str(task.subject) if word == task.shown else word for word in others)
    ]
    command = [sys.executable, "-m", "conformance", name, "--model", str(task.model.path), *named]
    command += ["--jobs", "1", "--quiet", "--out", str(folder)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, env=environment(), timeout=PART_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode in (INTERRUPTED, -signal.SIGINT):
        raise Stopped
    if done.returncode not in DONE or not (folder / RUN).exists():
        say(f"  {task.folder} on {task.model.name}: {name}: {_last(done.stderr)}")
        return None
    return read_run_folder(folder)


def environment() -> dict[str, str]:
    """Of the commands that are run: the harness is that of the checkout."""
    return {**os.environ, "RUST_BACKTRACE": "0", "PYTHONPATH": str(ROOT)}


def _last(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


# --- what was found


def with_findings(task: Task, entry: Entry, runs: dict[str, Run], folder: Path) -> Entry:
    """An entry with what its runs found, each cause once, where it weighs most. folder: of the runs."""
    label = _label(task)
    own = {name: [item for item in run.findings if item.example.subject == label] for name, run in runs.items()}
    placed: dict[str, Placed] = {}
    unconfirmed: set[str] = set()
    for name, findings in own.items():
        new = [item for item in findings if item.fingerprint not in placed]
        for finding, verdict in zip(new, asked_again(task, new, folder / name), strict=True):
            seen = seen_in(finding, name)
            kind = kind_of(finding, verdict)
            if kind == "wrong" and not verdict.is_confirmed:
                unconfirmed.add(finding.fingerprint)
                continue
            command = _shown_by(task, finding, name, verdict)
            placed[finding.fingerprint] = Placed(seen, kind, verdict.is_confirmed, command, _bare(task, finding))
    compared = wrong = 0
    if "languages" in runs:
        of_ids = [cell for cell in runs["languages"].cells if cell.subject == label and cell.check == "ids"]
        compared = sum(cell.compared for cell in of_ids)
        found = {item.fingerprint: item.count for item in own["languages"] if item.example.check == "ids"}
        of_the_library = [mark for mark in found if mark in placed and placed[mark].kind == "wrong"]
        wrong = texts_wrong(sum(cell.mismatched for cell in of_ids), found, of_the_library)
    return replace(
        entry,
        findings=tuple(placed.values()),
        unconfirmed=len(unconfirmed - placed.keys()),
        compared=compared,
        right=compared - wrong,
    )


def texts_wrong(mismatched: int, found: Mapping[str, int], of_the_library: Collection[str]) -> int:
    """How many texts of those whose ids differ are the library's fault.

    found: by fingerprint, how often each cause was seen, by any check. A text may show several causes, and one cause in
    its ids and in its offsets, so that the causes may be seen more often than there are texts.

    >>> texts_wrong(7, {"a": 12, "b": 2}, ["a"]), texts_wrong(7, {"a": 4, "b": 9}, ["a"]), texts_wrong(7, {"b": 7}, [])
    (5, 1, 0)
    """
    own = sum(found[mark] for mark in of_the_library)
    others = sum(found.values()) - own
    return min(own, mismatched, max(mismatched - others, len(of_the_library)))


def seen_in(finding: Finding, part: str) -> Seen:
    """The column of a finding. part: of the plan, which showed it first."""
    if part == "languages" or finding.weight.kind == "natural text":
        return "natural text"
    return "edge cases" if part == "edges" and finding.languages else "other"


def kind_of(finding: Finding, verdict: Verdict) -> Kind:
    """Wrong, unless it is listed, a choice, or of characters or tables of another version of Unicode.

    What becomes of ids that the model lacks is a choice, and what `is_choice` has.
    """
    if finding.status == "known":
        return "listed"
    if verdict.has_unknown_ids or is_choice(finding.rule):
        return "choice"
    has_tables = finding.stage in STAGES_WITH_TABLES and finding.example.check != "decode"
    ages = [age_of(character) for character in finding.example.case.readable_text]
    is_newer = has_tables and any(not age or float(age) > SPOKEN_BY_ALL for age in ages)
    return "Unicode version" if is_newer or "Unicode" in finding.rule else "wrong"


def _bare(task: Task, finding: Finding) -> Finding:
    """A finding without evidence, without folders of this machine, and without the command of the run folder."""
    example = finding.example
    expected, observed = (_hidden(answer, task.model) for answer in (example.expected, example.observed))
    bare = replace(example, expected=expected, observed=observed, evidence=NO_EVIDENCE)
    return replace(finding, example=bare, replay="")


def _hidden(text: str, model: ModelPlan | None = None) -> str:
    """A text without the folders of this machine: of the checkout, the model, temporary files and home."""
    folders = [ROOT, Path(tempfile.gettempdir()), Path.home()]
    for folder in [model.path.resolve().parent.parent, *folders] if model else folders:
        text = text.replace(f"{folder}/", "")
    return text


def _input(finding: Finding) -> dict[str, object]:
    """An input as tools/both_answers.py takes it."""
    case = case_to_json(finding.example.case)
    return {"hex" if name == "bytes_hex" else name: case[name] for name in ("text", "bytes_hex", "ids") if name in case}


def _shown_by(task: Task, finding: Finding, part: str, verdict: Verdict) -> str:
    """The command that shows a finding: both asked alone, or where a library is held against itself, the run."""
    check = finding.example.check
    if not verdict.is_of_both:
        return f"conformance {shlex.join(_told(task, [*_commands(task)[part], '--check', slug(check)]))}"
    given = _input(finding)
    value = json.dumps(given if "hex" in given else next(iter(given.values())))
    named = _told(task, ["both_answers"])[1:]
    return shlex.join(["python", "tools/both_answers.py", *named, "--check", check, value])


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of asking again what a finding is about.

    is_confirmed: it differs again. has_unknown_ids: it is of ids that the model does not have. is_of_both: the official
    library alone was asked as well, for it is no check that holds a library against itself.
    """

    is_confirmed: bool = False
    has_unknown_ids: bool = False
    is_of_both: bool = False


def asked_again(task: Task, findings: Sequence[Finding], folder: Path) -> list[Verdict]:
    """The verdict on each finding, by the official library and the subject in fresh processes."""
    if not findings:
        return []
    asked = json.dumps([[item.example.check, _input(item)] for item in findings])
    command = [sys.executable, str(ROOT / "tools" / "both_answers.py"), "--model", str(task.model.path)]
    command += ["--encoding", task.model.encoding] if task.model.encoding else []
    command += ["--subject", str(task.subject)]
    try:
        done = subprocess.run(
            command,
            input=asked,
            capture_output=True,
            text=True,
            timeout=PART_SECONDS,
            cwd=ROOT,
            env=environment(),
            check=False,
        )
        verdicts: list[tuple[bool | None, bool]] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        say(f"  {task.folder} on {task.model.name}: nothing could be asked again")
        return [Verdict()] * len(findings)
    return [
        _replayed(folder, finding) if differs is None else Verdict(differs, has_unknown_ids, True)
        for finding, (differs, has_unknown_ids) in zip(findings, verdicts, strict=True)
    ]


def _replayed(folder: Path, finding: Finding) -> Verdict:
    command = [sys.executable, "-m", "conformance", "replay", str(folder), finding.fingerprint]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment(), check=False)
    return Verdict(done.returncode == 1 and "still differs" in done.stdout)


if __name__ == "__main__":
    main()
