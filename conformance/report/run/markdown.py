"""A run as Markdown that fits a pull-request comment: a screenful, what is unexpected first."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import groupby

from conformance.core.finding import Finding
from conformance.core.rule_table import usual_cause
from conformance.core.run import Run
from conformance.report.run import view
from conformance.report.run.view import SYMBOLS, Row, plural
from conformance.report.run.weight_words import worst_words
from conformance.report.text import visible

MOST_FINDINGS = 8
MOST_PROBLEMS = 3
MOST_ROWS = 10
MOST_NOT_DONE = 3

_WORST_FIRST = ("new", "silent", "known", "follows", "none", "equal")
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_REFERENCE = re.compile(r"@\w|#\d")


def summary_markdown(run: Run) -> str:
    """The summary; about forty lines at most, whatever the run found."""
    sign = SYMBOLS["equal" if run.exit_code == 0 else "new"]
    findings = ["\n".join(finding_lines(finding)) for finding in view.new_findings(run)]
    lines = [
        f"### {sign} Tokenizer conformance: {view.headline(run)}",
        "",
        *([f"**{prose(view.worst_line(run))}**", ""] if view.worst_line(run) else []),
        f"{plural(run.answers, 'answer')} compared over {plural(run.cases, 'case')} in {view.seconds(run):.1f} s.",
        *listed([f"- **problem** {prose(problem)}" for problem in run.problems], MOST_PROBLEMS, "problem"),
        *listed(findings, MOST_FINDINGS, "unexpected finding"),
        "",
        *_matrix_lines(run),
        *listed([prose(f"- {about}", 400) for about in view.about_subjects(run)], MOST_NOT_DONE, "subject"),
    ]
    return "\n".join([*lines, *_known_lines(run), *_not_done_lines(run)]) + "\n"


def _known_lines(run: Run) -> list[str]:
    line = view.known_line(run)
    if not line:
        return []
    named = [
        f"- {code(finding.fingerprint)} {prose(view.cause(finding), 120)} ({finding.count:,}×)"
        for finding in view.few_known(run)
    ]
    return ["", f"{SYMBOLS['known']} {line}{':' if named else '.'}", *([""] if named else []), *named]


def _not_done_lines(run: Run) -> list[str]:
    return listed([f"- {prose(line, 400)}" for line in view.not_done_lines(run)], MOST_NOT_DONE, "subject")


def listed(lines: Sequence[str], most: int, noun: str = "") -> list[str]:
    """The first of the lines of a list after an empty one, then how many more of what there are; nothing for none."""
    more = len(lines) - most
    rest = f"- and {view.plural(more, f'more {noun}') if noun else f'{more:,} more'}"
    return ["", *lines[:most], *([rest] if more > 0 else [])] if lines else []


def finding_lines(finding: Finding, sign: str = "") -> list[str]:
    """A finding in a few lines of a list: what is wrong where and why, by whom, its scope, the input and both answers.

    sign: before its severity, "" for none.
    """
    where = " · ".join(prose(name, 40) for name in finding.example.place)
    rule = prose(view.cause(finding), 120)
    said = {name: code(value) for name, value in view.fields(finding, 40)}
    usually = usual_cause(finding.stage, finding.rule)
    usual = [f"  usually: {prose(usually, 200)}"] if usually else []
    scope = [f"  {prose(finding.scope, 200)}"] if finding.scope else []
    verdict = [f"  {prose(f'wrong: {finding.verdict}', 400)}"] if finding.verdict else []
    weight = worst_words(finding.weight)
    others = [code(view.shown_input(one.case, 40)) for one in view.other_examples(finding)]
    return [
        f"- {sign}**{finding.example.severity}** {where}: {rule} {view.seen(finding, '×')}"
        + (f"; {prose(weight)}" if weight else ""),
        *verdict,
        *usual,
        *scope,
        f"  {said['input']} expected {said['expected']}, observed {said['observed']}",
        *([f"  also {', '.join(others)}"] if others else []),
    ]


def _matrix_lines(run: Run) -> list[str]:
    """One row per model and subject, the worst first; what does not fit is summed up."""
    ranked = sorted(view.rows(run), key=lambda row: _WORST_FIRST.index(row.state))
    lines = ["| model | subject | compared | unexpected | known | checks that differ |", "|---|---|--:|--:|--:|---|"]
    lines += [_row(row, view.checks(run)) for row in ranked[:MOST_ROWS]]
    rest = [
        f"{SYMBOLS[kind]} {len(list(same)):,}" for kind, same in groupby(ranked[MOST_ROWS:], key=lambda row: row.state)
    ]
    if not ranked:
        return ["No cell was filled."]
    return lines + (["", f"And {plural(len(ranked) - MOST_ROWS, 'more row')}: {', '.join(rest)}."] if rest else [])


def _row(row: Row, names: tuple[str, ...]) -> str:
    pairs = zip(names, map(view.state, row.cells), strict=True)
    signs = [f"{SYMBOLS[kind]} {prose(name)}" for name, kind in pairs if kind not in ("equal", "none")]
    signs += [prose(view.absence_sentence(row.absence))] if row.absence else []
    cells = [
        f"{SYMBOLS[row.state]} {prose(row.model, 40)}",
        prose(row.subject, 40),
        f"{row.compared:,}",
        f"{row.mismatched - row.known:,}",
        f"{row.known:,}",
        ", ".join(signs),
    ]
    return f"| {' | '.join(cells)} |"


def prose(text: str, limit: int = 200) -> str:
    r"""Foreign text inside a sentence or a table: nothing in it is markup, nor calls a person or another thread.

    >>> print(prose("<b>*a*|`b`</b>"), prose("@me"))
    &lt;b&gt;\*a\*\|\`b\`&lt;/b&gt; <code>@me</code>
    """
    safe = _SPECIAL.sub(r"\\\1", html.escape(visible(text, limit), quote=False))
    return f"<code>{safe}</code>" if _REFERENCE.search(text) else safe


def code(text: str) -> str:
    r"""Text that is already `visible` as a code span that nothing in it can end.

    >>> print(code("a`b``c"), code("`"))
    ```a`b``c``` `` ` ``
    """
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{padding}{text}{padding}{fence}"
