"""The files of a gate, written for a project that begins one: conformance.toml and a workflow for GitHub."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from conformance.core.errors import UsageError
from conformance.files.atomic import write_atomically, writing
from conformance.runs.baselines import HEADING, toml_string
from conformance.runs.settings import SETTINGS

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
      - run: conformance run --out conformance-run
      - if: always()
        run: cat conformance-run/summary.md >> "$GITHUB_STEP_SUMMARY"
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
    source = _source()
    settings = _settings(subjects, models, tier, baseline)
    texts = {folder / SETTINGS: settings, folder / WORKFLOW: _WORKFLOW.format(source=json.dumps(source))}
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
    if source == _FROM_WHERE:
        notes.append(f"fill in: {_FROM_WHERE} in {folder / WORKFLOW}, a path or URL that pip takes")
    notes.append("then: conformance run, and conformance accept RUN --all --reason … for what is to stay for now")
    return {path: path in there for path in texts}, notes


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


def _source() -> str:
    """What pip is to install: the repository and commit that this was installed from, where it was one."""
    try:
        told = metadata.distribution("reftok").read_text("direct_url.json")
        origin = json.loads(told or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return _FROM_WHERE
    commit = origin.get("vcs_info", {})
    if commit.get("vcs") != "git":
        return _FROM_WHERE
    return f"reftok @ git+{origin['url']}@{commit['commit_id']}"
