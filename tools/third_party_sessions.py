"""Makes reports/published/third_party/: a fuzzing session against each third-party tokenizer that is installed.

    REFTOK_MODELS=path/to/models tox -e third-party                        # ten minutes each
    REFTOK_MODELS=path/to/models tox -e third-party -- --time 30s kitoken-qwen3
    python tools/third_party_sessions.py --index-only                      # the table anew, after a new verdict

The releases are pinned in the dependency group "third-party", the adapters are in adapters/. A finding does not
fail it: that is what the sessions are for. What a person who reproduced a finding says of it stands in verdicts.toml
beside the table, by the finding's fingerprint.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from conformance.core.finding import Finding
from conformance.core.run import Run
from conformance.files.atomic import write_atomically
from conformance.report.markdown import code, prose
from conformance.report.run.folder import RUN, read_run_folder, write_run_folder
from conformance.report.run.view import new_findings, shown_input
from conformance.report.text import visible

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "reports" / "runs"
PUBLISHED = ROOT / "reports" / "published" / "third_party"
INDEX, VERDICTS = "README.md", "verdicts.toml"
KEPT = ("summary.md", "findings.jsonl", "report.html", "run.json")
NO_VERDICT = "not looked at yet"


@dataclass(frozen=True, slots=True)
class Session:
    """One library with one model.

    library: the distribution whose version is told, and the folder of its adapter. model: a file of REFTOK_MODELS.
    """

    name: str
    library: str
    model: str

    @property
    def subject(self) -> str:
        """The subject as `conformance fuzz` takes it."""
        return f"adapters/{self.library}/adapter.py:Subject"


SESSIONS = (
    Session("tiktoken-qwen3", "tiktoken", "qwen3/tokenizer.json"),
    Session("kitoken-qwen3", "kitoken", "qwen3/tokenizer.json"),
    Session("kitoken-llama2", "kitoken", "llama2/tokenizer.model"),
    Session("kitoken-cl100k", "kitoken", "cl100k/cl100k_base.tiktoken"),
    Session("onnxruntime-extensions-qwen3", "onnxruntime-extensions", "qwen3/tokenizer.json"),
    Session("openvino-qwen3", "openvino-tokenizers", "qwen3/tokenizer.json"),
    Session("openvino-t5", "openvino-tokenizers", "t5-small/tokenizer.json"),
    Session("tokie-qwen3", "tokie", "qwen3/tokenizer.json"),
    Session("tokie-t5", "tokie", "t5-small/tokenizer.json"),
    Session("bpe-qwen-qwen3", "bpe-qwen", "qwen3/tokenizer.json"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the sessions that are asked for, publish each, write the table; end with 1 where one could not be run."""
    options = _options(arguments)
    failed = [] if options.index_only else [s.name for s in options.sessions if not run(s, options.time, options.jobs)]
    write_atomically(PUBLISHED / INDEX, index(PUBLISHED))
    if failed:
        sys.exit(f"third_party_sessions: could not be run: {', '.join(failed)}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    by_name = {session.name: session for session in SESSIONS}
    parser = argparse.ArgumentParser(description="Fuzz the third-party tokenizers, and publish what is found.")
    parser.add_argument("sessions", nargs="*", metavar="SESSION", help=f"Default: all of {', '.join(by_name)}.")
    parser.add_argument("--time", default="10m", help="How long a session lasts, as of `conformance fuzz`.")
    parser.add_argument("--jobs", default="2", help="Worker processes.")
    parser.add_argument("--index-only", action="store_true", help="Run nothing; write the table of what is published.")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.sessions if name not in by_name]:
        parser.error(f"there is no session {', '.join(unknown)}")
    options.sessions = [by_name[name] for name in options.sessions] or list(SESSIONS)
    if not options.index_only and "REFTOK_MODELS" not in os.environ:
        parser.error("REFTOK_MODELS names no folder of models")
    return options


def run(session: Session, seconds: str, jobs: str) -> bool:
    """Run a session and publish it; tells whether that could be done."""
    try:
        released = version(session.library)
    except PackageNotFoundError:
        print(f"{session.name}: {session.library} is not installed", file=sys.stderr)
        return False
    folder = RUNS / f"third-party-{session.name}"
    shutil.rmtree(folder, ignore_errors=True)
    model = Path(os.environ["REFTOK_MODELS"]).resolve() / session.model
    told = ["conformance", "fuzz", "--model", session.model, "--subject", session.subject, "--time", seconds]
    command = [sys.executable, "-m", "conformance", "fuzz", "--model", str(model), *told[4:], "--quiet"]
    command += ["--jobs", jobs, "--out", str(folder.relative_to(ROOT))]
    ended = subprocess.run(command, cwd=ROOT, env={**os.environ, "RUST_BACKTRACE": "0"}, check=False).returncode
    if ended not in (0, 1) or not (folder / RUN).exists():
        return False
    publish(read_run_folder(folder), PUBLISHED / session.name, " ".join(told), f"{session.library} {released}")
    return True


def publish(found: Run, folder: Path, command: str, library: str) -> None:
    """Write what is kept of a run, with the command as anybody would give it and the library that was the subject."""
    subjects = tuple(replace(s, version=library) if s.role == "subject" else s for s in found.subjects)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as whole:
        write_run_folder(replace(found, command=command, subjects=subjects), Path(whole))
        for name in KEPT:
            shutil.copyfile(Path(whole) / name, folder / name)


def index(published: Path) -> str:
    """The table of all sessions in a folder, and what each found."""
    verdicts = tomllib.loads((published / VERDICTS).read_text("utf-8")) if (published / VERDICTS).exists() else {}
    runs = [(folder.parent.name, read_run_folder(folder.parent)) for folder in sorted(published.glob("*/run.json"))]
    lines = [
        "# Third-party tokenizers",
        "",
        "A fuzzing session against each, on a published model, held against the official library: its findings as they",
        "stand, and what a person who reproduced them by hand says of them. Made by tools/third_party_sessions.py.",
        "",
        "| session | library | official library | cases | answers | seconds | findings | problems |",
        "|---|---|---|--:|--:|--:|--:|--:|",
        *(_row(name, found) for name, found in runs),
    ]
    for name, found in runs:
        lines += ["", f"## {name}", "", *_findings(found, verdicts)]
    return "\n".join(lines) + "\n"


def _row(name: str, found: Run) -> str:
    by_role = {subject.role: subject for subject in found.subjects}
    oracle = by_role["oracle"]
    cells = [
        f"[{name}]({name}/summary.md)",
        prose(by_role["subject"].version),
        prose(f"{oracle.name} {oracle.version}"),
    ]
    numbers = (found.cases, found.answers, round(found.times["total"]), found.unexpected, len(found.problems))
    return f"| {' | '.join([*cells, *(f'{number:,}' for number in numbers)])} |"


def _findings(found: Run, verdicts: dict[str, str]) -> list[str]:
    findings = new_findings(found)
    lines = [f"`{found.command}`", "", *(f"- **problem** {prose(problem)}" for problem in found.problems)]
    if not findings:
        return [*lines, "Nothing was found."]
    head = [
        "| finding | check | rule | input | expected | observed | times | verdict |",
        "|---|---|---|---|---|---|--:|---|",
    ]
    return [*lines, *head, *(_finding(finding, verdicts) for finding in findings)]


def _finding(finding: Finding, verdicts: dict[str, str]) -> str:
    example = finding.example
    rule = f"{finding.stage}: {finding.rule}" if finding.stage else finding.rule
    shown = [
        _cell(shown_input(example.case, 40)),
        _cell(visible(example.expected, 60)),
        _cell(visible(example.observed, 60)),
    ]
    verdict = prose(verdicts.get(finding.fingerprint, NO_VERDICT), 1_000)
    cells = [f"`{finding.fingerprint}`", example.check, prose(rule), *shown, f"{finding.count:,}", verdict]
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """Code within a table, where a bar would end the cell."""
    return code(text).replace("|", "\\|")


if __name__ == "__main__":
    main()
