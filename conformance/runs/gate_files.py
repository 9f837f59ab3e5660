"""The files of a gate, written for a project that begins one: conformance.toml and a workflow for GitHub."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from conformance.core.errors import InputError, UsageError
from conformance.files.atomic import write_atomically, writing
from conformance.runs.baselines import HEADING, toml_string
from conformance.runs.hub import is_hub_name
from conformance.runs.models import plan_models
from conformance.runs.settings import SETTINGS
from conformance.subjects.adapters import ADAPTERS
from conformance.subjects.definition import definition
from reftok.errors import ReftokError
from reftok.formats.model_files import names_embedded_model

WORKFLOW = Path(".github") / "workflows" / "conformance.yml"
_FROM_WHERE = "WHERE-YOU-INSTALLED-IT-FROM"
_WORKFLOW = """\
# Holds the tokenizers of conformance.toml against the official libraries, and fails on what known.toml does not list.
name: conformance
on: [push, pull_request]
permissions:
  contents: read
jobs:
  conformance:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-python@v6
        with:
          python-version: "3.12"
      - run: python -m pip install {source}
{builds}      - run: conformance run --format github --out conformance-run
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: conformance-run
          path: conformance-run
"""


def write_gate(
    folder: Path, subjects: Sequence[str], models: Sequence[str], tier: str, baseline: Path, force: bool
) -> tuple[dict[Path, bool], list[str]]:
    """Write the files; gives each with whether it took the place of another, and what is left to be done by hand.

    baseline: the file of what is known, made empty where there is none, and never replaced. Raises UsageError where a
    file is there already, unless `force` is given: then nothing is written.
    """
    source = _source(_extras(subjects, models))
    settings = _settings(subjects, models, tier, baseline)
    texts = {
        folder / SETTINGS: settings,
        folder / WORKFLOW: _WORKFLOW.format(source=json.dumps(source), builds=_builds(subjects, models)),
    }
    there = [path for path in texts if path.exists() or path.is_symlink()]
    if there and not force:
        raise UsageError(f"{there[0]}: is there already, and is not overwritten; --force replaces it")
    if not (folder / baseline).exists():
        texts[folder / baseline] = HEADING
    for path, text in texts.items():
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text)
    notes = [] if subjects and models else [f"fill in: what is tested, and on which models, in {folder / SETTINGS}"]
    if _FROM_WHERE in source:
        what = (
            "a path or URL that pip takes" if source == _FROM_WHERE else "a URL that pip takes, such as git+https://…"
        )
        notes.append(f"fill in: {_FROM_WHERE} in {folder / WORKFLOW}, {what}")
    for name in _outside(folder, subjects, models):
        cure = "copy it here, or have the workflow fetch it, and name that place"
        notes.append(f"outside: {name} is in no clone of this folder: {cure} in the files written")
    if not _ignored(folder) & {"reports", "reports/runs"}:
        notes.append("keep out of git: reports/runs/, where runs are written, by a line in .gitignore")
    notes.append("then: conformance run, and conformance accept RUN --all --reason … for what is to stay for now")
    return {path: path in there for path in texts}, notes


def _ignored(folder: Path) -> set[str]:
    """The lines of the .gitignore of a folder, without slashes at their ends."""
    try:
        text = (folder / ".gitignore").read_text("utf-8", "replace")
    except OSError:
        return set()
    return {line.strip().strip("/") for line in text.splitlines()}


def _settings(subjects: Sequence[str], models: Sequence[str], tier: str, baseline: Path) -> str:
    """What is not given stands as a comment."""
    return f"""\
# The settings of conformance run and conformance fuzz in this folder and those within it; options take their place.
{_listed("subjects", subjects, "mine.py:Tokenizer")}
{_listed("models", models, "path/to/tokenizer.json")}
tier = {toml_string(tier)}  # or "full", minutes a model; corpora = ["texts/"] asks your own
expectations = [{toml_string(str(baseline))}]
fail-on = "any"  # or "natural": only what changes natural text
"""


def _listed(key: str, values: Sequence[str], example: str) -> str:
    listed = ", ".join(map(toml_string, values or (example,)))
    return f"{'' if values else '# '}{key} = [{listed}]"


def _builds(subjects: Sequence[str], models: Sequence[str]) -> str:
    """The steps that build the subjects whose subject.toml has a `build`, and check their adapters."""
    asked = [word for model in models or ("path/to/tokenizer.json",) for word in ("--model", model)]
    built = [name for name in subjects if name.endswith(".toml") and Path(name).is_file() and _has_build(name)]
    commands = [shlex.join(["conformance", "subject", "check", "--build", name, *asked]) for name in built]
    return "".join(f"      - run: {json.dumps(command)}\n" for command in commands)


def _has_build(name: str) -> bool:
    about = definition(name).about
    return about is not None and about.build != ""


def _extras(subjects: Sequence[str], models: Sequence[str]) -> list[str]:
    """What is to be installed beside, for models of the hub and for official libraries that are not always there."""
    on_hub = [model for model in models if not names_embedded_model(model) and is_hub_name(model)]
    libraries = {name for name in subjects if name in ADAPTERS}
    for model in models:
        if model not in on_hub:
            with suppress(ReftokError, InputError):  # what is not there yet has no format
                libraries |= {plan.oracle for plan in plan_models((model,))}
    extras = {ADAPTERS[name].extra for name in libraries} | ({"hub"} if on_hub else set())
    return sorted(extras - {""})


def _outside(folder: Path, subjects: Sequence[str], models: Sequence[str]) -> list[str]:
    """The files and folders that are not within the folder of the gate."""
    named = [name.rpartition(":")[0] if ".py:" in name else name for name in (*subjects, *models)]
    there = [name for name in named if not names_embedded_model(name) and Path(name).exists()]
    return [name for name in there if not Path(name).resolve().is_relative_to(folder.resolve())]


def _source(extras: Sequence[str]) -> str:
    """What pip is to install: the repository and commit that this was installed from, where it was one."""
    what = f"reftok[{','.join(extras)}]" if extras else "reftok"
    nowhere = f"{what} @ {_FROM_WHERE}" if extras else _FROM_WHERE
    try:
        told = metadata.distribution("reftok").read_text("direct_url.json")
        origin = json.loads(told or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return nowhere
    commit = origin.get("vcs_info", {})
    if commit.get("vcs") != "git":
        return nowhere
    return f"{what} @ git+{origin['url']}@{commit['commit_id']}"
