"""The commands about vectors: `conformance vectors make`, `run`, `lint` and `diff`."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import click
import msgspec
from rich.text import Text

from conformance.cli.options import (
    a_path,
    encoding_option,
    memory_option,
    quiet_option,
    timeout_option,
)
from conformance.core.errors import InputError, UsageError
from conformance.engine.plan import ModelPlan
from conformance.files.atomic import check_place, write_bytes_atomically, writing
from conformance.files.digest import sha256
from conformance.inputs.training_vector_file import TrainingVectorFile, are_training_vectors, training_vectors_of
from conformance.inputs.vector_file import (
    EncodeWithGroup,
    EncodeWithVector,
    Tier,
    VectorFile,
    packed,
    read_json,
    read_vectors,
    vectors_of,
    written,
)
from conformance.report.console import ConsoleLines, OutputConsole, give, say
from conformance.report.run.view import plural
from conformance.runs.models import plan_models
from conformance.subjects.adapters import BUILT_IN, check_subject_name, load_subject, subject_label
from conformance.subjects.base import Subject, UnavailableError
from conformance.subjects.reftok_subject import REFERENCE
from conformance.subjects.special_tokens import special_tokens
from conformance.subjects.training_subject import TrainingSubject
from conformance.training.asking import asked
from conformance.training.reference import reference_training
from conformance.training.vectors import run_training_vectors
from conformance.vectors.comparing import compare_vectors
from conformance.vectors.comparing import lint as lint_file
from conformance.vectors.making import Maker
from conformance.vectors.running import Outcome, flag_counts, run_vectors
from reftok import embedded_models, load

TIERS = tuple(tier for tier in get_args(Tier) if tier != "own")
SHOWN_FLAGS, SHOWN_TESTS = 20, 10

MAKE_EXAMPLES = """\b
Examples:
  conformance vectors make --model bpe-qwen --tier core --out bpe-qwen.core.json.gz
  conformance vectors make --model path/to/tokenizer.json --tier smoke | head
"""
RUN_EXAMPLES = """\b
Examples:
  conformance vectors run corpora/vectors/bpe-qwen/core.json.gz --subject mine.py:Mine
  conformance vectors run core.json.gz --model path/to/tokenizer.json --subject mine/subject.toml
  conformance vectors run core.json.gz --subject 'node server.mjs' --json > outcome.json
  conformance vectors run corpora/vectors/training.json.gz --subject mine.py:train
"""
DIFF_EXAMPLES = """\b
Examples:
  conformance vectors diff core-of-0.22.json.gz core-of-0.23.json.gz
"""


@click.group()
def vectors() -> None:
    """Files of inputs with the official library's answers, which any language can run."""


@vectors.command("make", epilog=MAKE_EXAMPLES)
@click.option("--model", required=True, metavar="M", help="A file, a folder with one model, an embedded or hub name.")
@encoding_option
@click.option("--tier", type=click.Choice(TIERS), default="core", show_default=True, help="How much is reached.")
@click.option("--out", type=a_path, metavar="F", help="Packed where it ends in .gz. Default: standard output.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Worker processes; the bytes are the same for any.")
@quiet_option
def make_command(model: str, encoding: str | None, tier: Tier, out: Path | None, jobs: int | None, quiet: bool) -> None:
    """Make the vectors of a model: the fewest inputs that reach everything its tier names, with the right answers.

    smoke is some hundred, nearly all of core; core reaches each alternative and seam of the split pattern, each
    normalizer rule, added token, byte, decoder branch and known bug, and tells each fault of docs/rules.md from the
    right answer; full also reaches every merge and entry of the vocab that a text can reach.
    """
    plan = _one_model(model, encoding or "")
    if out is not None:
        check_place(out)
    made = Maker(plan, jobs or len(os.sched_getaffinity(0)), (lambda _: None) if quiet else say).made(tier)
    text = written(made)
    if out is None:
        give(text)
        return
    data = packed(text) if out.suffix == ".gz" else text.encode("ascii")
    with writing(out):
        write_bytes_atomically(out, data)
    if not quiet:
        say(f"{out}: {made.number_of_tests:,} vectors, {len(data):,} bytes")


def _one_model(source: str, encoding: str) -> ModelPlan:
    plans = plan_models((source,), encoding)
    if len(plans) != 1:
        raise UsageError(f"{source}: holds {len(plans)} models, {', '.join(one.name for one in plans)}; name one")
    return plans[0]


@vectors.command("run", epilog=RUN_EXAMPLES)
@click.argument("file", metavar="F", type=a_path)
@click.option("--subject", "name", required=True, metavar="S", help="A built-in subject, FILE.py:FACTORY, a command.")
@click.option("--model", metavar="M", help="The model of the vectors. Default: the embedded one of that name.")
@encoding_option
@timeout_option
@memory_option
@click.option("--json", "as_json", is_flag=True, help="The outcome of each vector, as JSON on standard output.")
@quiet_option
def run_command(
    file: Path,
    name: str,
    model: str | None,
    encoding: str | None,
    timeout: float,
    memory: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Put vectors to a subject, and say by their flags what it gets wrong.

    Vectors of training are put to a trainer, FILE.py:FUNCTION, as conformance train has it, or to reftok's.
    Exit code 1 where a vector fails, or none could be asked. A vector that is "acceptable" fails only by a crash.
    """
    value = read_json(file)
    told = (lambda _: None) if quiet else say
    if are_training_vectors(value):
        who, oracle, outcomes = _trained(training_vectors_of(value, file), name, timeout, memory)
    else:
        found = vectors_of(value, file)
        check_subject_name(name)
        plan = _model_of(found, model, encoding or "")
        with closing(_subject(name, plan, timeout, memory)) as subject:
            outcomes = run_vectors(found, subject, told)
        who, oracle = f"{subject_label(name)} on {found.model.name}", f"{found.oracle.library} {found.oracle.version}"
    if as_json:
        give(json.dumps([_outcome(one) for one in outcomes], indent=1) + "\n")
    else:
        _show(who, oracle, outcomes)
    is_right = any(one.verdict == "pass" for one in outcomes) and not any(one.verdict == "fail" for one in outcomes)
    sys.exit(0 if is_right else 1)


def _trained(vectors: TrainingVectorFile, name: str, timeout: float, memory: int) -> tuple[str, str, list[Outcome]]:
    """Who trained, whose answers it is held against, and what became of each training."""
    oracles = dict.fromkeys(f"{group.oracle.library} {group.oracle.version}" for group in vectors.test_groups)
    if name == REFERENCE:
        return name, ", ".join(oracles), run_training_vectors(vectors, reference_training)
    with TrainingSubject(name, timeout, memory) as subject:
        return subject.label, ", ".join(oracles), run_training_vectors(vectors, asked(subject.train))


def _model_of(found: VectorFile, source: str | None, encoding: str) -> ModelPlan:
    if source is None and found.model.name not in embedded_models():
        raise UsageError(f"the vectors are of {found.model.name}, which is not embedded: --model names its file")
    told = found.model.encoding if isinstance(found.model.encoding, str) else ""
    plan = _one_model(source or found.model.name, encoding or told)
    if sha256(plan.path) != found.model.sha256:
        raise InputError(f"{plan.path}: is not the model of the vectors: the hash of {found.model.file} differs")
    return plan


def _subject(name: str, plan: ModelPlan, timeout: float, memory: int) -> Subject:
    tokens = None if name in BUILT_IN else special_tokens(load(plan.path, plan.encoding or None))
    try:
        return load_subject(name, plan.path, plan.format, timeout, plan.encoding, memory, tokens)
    except UnavailableError as error:
        raise UsageError(f"--subject {name}: {error}") from None


def _outcome(one: Outcome) -> dict[str, Any]:
    told = {"tcId": one.test.tc_id, "verdict": one.verdict, "flags": list(one.test.flags)}
    return {**told, "what": one.what, "expected": one.expected, "observed": one.observed} if one.what else told


def _show(who: str, oracle: str, outcomes: list[Outcome]) -> None:
    lines = ConsoleLines(OutputConsole())
    count = {
        verdict: sum(one.verdict == verdict for one in outcomes) for verdict in ("pass", "acceptable", "not asked")
    }
    failed = [one for one in outcomes if one.verdict == "fail"]
    for one in failed[:SHOWN_TESTS]:
        lines.labelled(f"✗ {one.test.tc_id}  ", f"{_asked(one)}: {one.what}", "red")
        lines.labelled("    expected  ", one.expected)
        lines.labelled("    observed  ", one.observed)
    if len(failed) > SHOWN_TESTS:
        lines.line(f"… and {len(failed) - SHOWN_TESTS:,} more (--json has all)", "dim")
    if failed:
        lines.line()
        rows = [(one.flag, Text(f"{one.failed:,}"), Text(f"{one.asked:,}")) for one in flag_counts(outcomes)]
        lines.table(["flag", "failed", "of"], rows[:SHOWN_FLAGS])
        if len(rows) > SHOWN_FLAGS:
            lines.line(f"… and {plural(len(rows) - SHOWN_FLAGS, 'more flag')}", "dim")
        lines.line()
    mark, style = ("✗", "red") if failed or not count["pass"] else ("✓", "green")
    told = f"{count['pass']:,} of {len(outcomes):,} vectors pass, {len(failed):,} fail"
    told += f", {count['acceptable']:,} differ and may" if count["acceptable"] else ""
    told += f", {count['not asked']:,} are not asked" if count["not asked"] else ""
    lines.labelled(f"{mark} ", f"{who}: {told} (the answers are of {oracle})", style)


def _asked(one: Outcome) -> str:
    if isinstance(one.group, EncodeWithGroup) and isinstance(one.test, EncodeWithVector):
        return one.group.question(one.test).shown[:200]
    value = msgspec.to_builtins(one.test)
    names = ("text", "bytesHex", "utf16", "chunks", "chunksHex", "texts", "ids")
    asked = "ids" if "decode" in str(one.group.__struct_config__.tag) else next(name for name in names if name in value)
    return f"{one.group.__struct_config__.tag} {json.dumps(value[asked])[:200]}"


@vectors.command("lint")
@click.argument("files", metavar="F...", nargs=-1, required=True, type=a_path)
def lint_command(files: tuple[Path, ...]) -> None:
    """Say what is wrong with files of vectors: their form, numbers, flags without notes, questions asked twice.

    Exit code 1 where something is, 2 where a file has not the form.
    """
    lines = ConsoleLines(OutputConsole())
    wrong = 0
    for path in files:
        found = lint_file(path)
        wrong += len(found)
        for sentence in found:
            lines.labelled("✗  ", f"{path}: {sentence}", "red")
        if not found:
            lines.labelled("✓  ", str(path), "green")
    sys.exit(1 if wrong else 0)


@vectors.command("diff", epilog=DIFF_EXAMPLES)
@click.argument("old", metavar="OLD", type=a_path)
@click.argument("new", metavar="NEW", type=a_path)
def diff_command(old: Path, new: Path) -> None:
    """Say whose answers differ between two files of one model, by flag: what a release of the oracle changed.

    Exit code 1 where an answer changed.
    """
    before, after = read_vectors(old), read_vectors(new)
    found = compare_vectors(before, after)
    lines = ConsoleLines(OutputConsole())
    for one in found.changed[:SHOWN_TESTS]:
        lines.labelled("✗  ", one.asked, "red")
        lines.labelled("    old  ", one.old)
        lines.labelled("    new  ", one.new)
    if found.changed:
        lines.table(["flag", "changed"], [(flag, Text(f"{count:,}")) for flag, count in found.by_flag[:SHOWN_FLAGS]])
    names = (f"{one.oracle.library} {one.oracle.version}" for one in (before, after))
    lines.labelled(
        f"{plural(len(found.changed), 'answer')} changed",
        f", {found.same:,} did not; {found.added:,} vectors new, {found.removed:,} gone ({' → '.join(names)})",
    )
    sys.exit(1 if found.changed else 0)
