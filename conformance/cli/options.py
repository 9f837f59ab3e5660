"""The options that commands share."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from conformance.checks import CHECKS
from conformance.core.rule_table import rows
from conformance.core.slugs import named, slug
from conformance.core.weight import GATES
from conformance.engine.plan import LEAST_MEMORY
from conformance.inputs.corpora import PARTS
from conformance.report.console import say
from conformance.report.run.forms import FORMS
from conformance.runs.new_folder import last_run
from conformance.runs.parts import Part, part_of
from conformance.runs.settings import find_settings
from conformance.subjects.definition import MOST_SECONDS, SECONDS_FOR_AN_ANSWER
from conformance.subjects.isolated import MOST_MEMORY
from conformance.subjects.transformers_subject import LIBRARY as TRANSFORMERS
from reftok.formats.tiktoken.encodings import ENCODINGS

_FINDING = re.compile("#?[0-9]{1,3}|[0-9a-f]{4,12}")


class Timeout(click.FloatRange):
    """Seconds that a subject has for an answer: a number, which to Python "nan" is as well."""

    def __init__(self) -> None:
        super().__init__(0.1, MOST_SECONDS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Raises click.BadParameter for what is no number of seconds in the range."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail("is not a number of seconds", param, ctx)
        return seconds


class PartType(click.ParamType[Part]):
    """A part of the work: 2/7."""

    name = "part"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Part:
        """Raises click.BadParameter for what is none."""
        try:
            return value if isinstance(value, Part) else part_of(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class RuleCode(click.ParamType[str]):
    """The code of a rule, or a prefix of codes: NRM003, NRM."""

    name = "code"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Raises click.BadParameter if no code starts with the value."""
        begin = str(value).upper()
        if any(code.startswith(begin) for row in rows() for code in (row.code, f"{row.code[:3]}000")):
            return begin
        self.fail(f"{value!r:.60} is not a prefix of any code in docs/rules.md, such as {rows()[0].code}", param, ctx)


class Named(click.Choice[str]):
    """One of some names, given as its slug; as the reports have it, it is taken as well."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        super().__init__(list(map(slug, self._names)))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Raises click.BadParameter for what is none of them."""
        return named(value, self._names) or super().convert(value, param, ctx)


class SettledCommand(click.Command):
    """A command whose options a conformance.toml may give, where the command line does not."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raises InputError for a file of settings that is wrong."""
        settings = find_settings(Path())
        named = {param.name for param in self.params}
        ctx.default_map = {name: value for name, value in settings.given().items() if name in named}
        left = super().parse_args(ctx, args)
        if ctx.default_map and not ctx.params.get("quiet"):
            say(f"settings: {settings.file} ({', '.join(ctx.default_map).replace('_', '-')})")
        return left


a_path = click.Path(path_type=Path)
run_argument = click.argument("folder", metavar="RUN", type=a_path)
run_or_last_argument = click.argument(
    "folder", metavar="[RUN]", type=a_path, required=False, callback=lambda _, __, folder: folder or last_run()
)


def _run_and_findings(
    context: click.Context, parameter: click.Parameter, words: tuple[str, ...]
) -> tuple[Path, tuple[str, ...]]:
    """The run that is named first, or the last one, and the findings that are named after it."""
    is_named = bool(words) and (Path(words[0]).exists() or not _FINDING.fullmatch(words[0]))
    return (Path(words[0]), words[1:]) if is_named else (last_run(), words)


def _run_and_finding(context: click.Context, parameter: click.Parameter, words: tuple[str, ...]) -> tuple[Path, str]:
    """The same of one finding; raises click.UsageError unless it is one."""
    folder, findings = _run_and_findings(context, parameter, words) if words else (Path(), ())
    if len(findings) != 1:
        raise click.UsageError("name one finding, such as 1 or c45f43fd9327, of the last run or after its run", context)
    return folder, findings[0]


findings_argument = click.argument("asked", metavar="[RUN] [FINDING]...", nargs=-1, callback=_run_and_findings)
finding_argument = click.argument("asked", metavar="[RUN] FINDING", nargs=-1, callback=_run_and_finding)

model_option = click.option(
    "--model",
    "models",
    multiple=True,
    metavar="M",
    help="A file, a folder, the name of an embedded model, or ORG/NAME of one on the Hugging Face hub (from its cache "
    "or downloaded, tokenizer files only); repeatable. Default: all embedded ones.",
)
encoding_option = click.option(
    "--encoding",
    type=click.Choice(list(ENCODINGS)),
    help="The pattern and the special tokens of the rank files (*.tiktoken) among the models. "
    "Default: those of the .toml beside one; published files are recognised.",
)
official_option = click.option(
    "--official",
    type=click.Choice([TRANSFORMERS]),
    help="Take what AutoTokenizer of transformers makes of a model's folder as right, in place of the library of its "
    "format. reftok follows it.",
)
corpus_option = click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="C",
    help=f"A file, a folder, or {', '.join(PARTS)}; repeatable. Default: all of the project's.",
)
check_option = click.option(
    "--check", "checks", multiple=True, type=Named(CHECKS), help="A check; repeatable. Default: all."
)
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="What the made inputs are made from.")
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Worker processes. Default: one for each core that this process may use.",
)
timeout_option = click.option(
    "--timeout",
    type=Timeout(),
    default=SECONDS_FOR_AN_ANSWER,
    show_default=True,
    metavar="SECONDS",
    help="For one answer of a subject of your own.",
)
trust_option = click.option(
    "--trust",
    "trusts",
    is_flag=True,
    help="Run the code of the subjects that RUN names, though it was not made here.",
)
memory_option = click.option(
    "--memory",
    type=click.IntRange(LEAST_MEMORY),
    default=MOST_MEMORY,
    show_default=True,
    metavar="MIB",
    help="For the process of a subject of your own, where the system bounds it.",
)
require_option = click.option(
    "--require",
    is_flag=True,
    help="End with 1 where a subject does not read one of the models, or lacks what a check needs that --check names. "
    "Default: the report tells it.",
)
fail_on_option = click.option(
    "--fail-on",
    type=click.Choice(list(GATES)),
    default="any",
    show_default=True,
    help="Which unexpected findings end it with 1: those that change natural text, or could not be weighed (natural); "
    "those and what made texts, special tokens and streams show, but not ids and options at the edge, and documented "
    "choices (edge); all (any). Problems always do.",
)
select_option = click.option(
    "--select",
    multiple=True,
    type=RuleCode(),
    metavar="CODE",
    help="Count only findings whose rule has this code or prefix (NRM003, NRM); repeatable.",
)
ignore_option = click.option(
    "--ignore",
    multiple=True,
    type=RuleCode(),
    metavar="CODE",
    help="Do not count findings whose rule has this code or prefix, unless a longer --select matches; repeatable.",
)
exit_first_option = click.option(
    "-x", "--exitfirst", "exit_first", is_flag=True, help="End after the first finding, as --max-findings 1."
)
max_findings_option = click.option(
    "--max-findings",
    "most_findings",
    type=click.IntRange(1),
    metavar="N",
    help="Ask no more when so many findings have been seen that are not known, and report these.",
)
expectations_option = click.option(
    "--expectations",
    multiple=True,
    type=a_path,
    metavar="FILE",
    help="What is known to differ, as conformance accept writes it: it is no failure, but what no longer happens, or "
    "has expired, is; repeatable.",
)
verbose_option = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Show all: every finding with what is known of it, known ones by name, and what did not fail.",
)
report_format_option = click.option(
    "--format",
    "form",
    type=click.Choice(("terminal", *FORMS)),
    default="terminal",
    show_default=True,
    help="What is printed at the end: the report; a line a finding; run.json with its findings; or the report with "
    "annotations for GitHub.",
)
quiet_option = click.option("--quiet", is_flag=True, help="No progress, only the report.")
