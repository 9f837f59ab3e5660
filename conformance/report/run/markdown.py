"""A run as Markdown that fits a pull-request comment: a screenful, what is unexpected first."""

from __future__ import annotations

import html
import re
from itertools import groupby

from conformance.core.finding import Finding
from conformance.core.run import Run
from conformance.report.run.view import (
    SYMBOLS,
    Row,
    answers,
    checks,
    few_known,
    headline,
    known_line,
    new_findings,
    plural,
    rows,
    seconds,
    shown_input,
    state,
    untested_lines,
)
from conformance.report.text import visible

MOST_FINDINGS = 8
MOST_PROBLEMS = 3
MOST_ROWS = 10
MOST_UNTESTED = 3

_WORST_FIRST = ("new", "silent", "known", "equal", "none")
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_REFERENCE = re.compile(r"@\w|#\d")


def summary_markdown(run: Run) -> str:
    """The summary; about forty lines at most, whatever the run found."""
    sign = SYMBOLS["equal" if run.exit_code == 0 else "new"]
    lines = [
        f"### {sign} Tokenizer conformance: {headline(run)}",
        "",
        f"{plural(run.answers, 'answer')} compared over {plural(run.cases, 'case')} in {seconds(run):.1f} s.",
        *_problem_lines(run),
        *_finding_lines(run),
        "",
        *_matrix_lines(run),
    ]
    return "\n".join([*lines, *_known_lines(run), *_untested_lines(run)]) + "\n"


def _known_lines(run: Run) -> list[str]:
    line = known_line(run)
    if not line:
        return []
    named = [f"- {code(fingerprint)} {prose(cause, 120)} ({count:,}×)" for fingerprint, cause, count in few_known(run)]
    return ["", f"{SYMBOLS['known']} {line}{':' if named else '.'}", *([""] if named else []), *named]


def _untested_lines(run: Run) -> list[str]:
    lines = untested_lines(run)
    more = len(lines) - MOST_UNTESTED
    lines = [f"- {prose(line, 400)}" for line in lines[:MOST_UNTESTED]]
    return ["", *lines, *([f"- and {plural(more, 'more subject')}"] if more > 0 else [])] if lines else []


def _problem_lines(run: Run) -> list[str]:
    lines = [f"- **problem** {prose(problem)}" for problem in run.problems[:MOST_PROBLEMS]]
    more = len(run.problems) - len(lines)
    return ["", *lines, *([f"- and {plural(more, 'more problem')}"] if more else [])] if lines else []


def _finding_lines(run: Run) -> list[str]:
    findings = new_findings(run)
    lines = [line for finding in findings[:MOST_FINDINGS] for line in _finding(finding)]
    more = len(findings) - MOST_FINDINGS
    return ["", *lines, *([f"- and {plural(more, 'more unexpected finding')}"] if more > 0 else [])] if lines else []


def _finding(finding: Finding) -> list[str]:
    example = finding.example
    where = " · ".join(prose(name, 40) for name in (example.model, example.subject, example.check))
    stage = f"{finding.stage}: " if finding.stage else ""
    expected, observed = map(code, answers(example, limit=40).lines)
    return [
        f"- **{example.severity}** {where}: {prose(stage + finding.rule, 120)} ({finding.count:,}×)",
        f"  {code(shown_input(example.case, 40))} expected {expected}, observed {observed}",
    ]


def _matrix_lines(run: Run) -> list[str]:
    """One row per model and subject, the worst first; what does not fit is summed up."""
    ranked = sorted(rows(run), key=lambda row: _WORST_FIRST.index(row.state))
    lines = ["| model | subject | compared | unexpected | known | checks that differ |", "|---|---|--:|--:|--:|---|"]
    lines += [_row(row, checks(run)) for row in ranked[:MOST_ROWS]]
    rest = [
        f"{SYMBOLS[kind]} {len(list(same)):,}" for kind, same in groupby(ranked[MOST_ROWS:], key=lambda row: row.state)
    ]
    if not ranked:
        return ["No cell was filled."]
    return lines + (["", f"And {plural(len(ranked) - MOST_ROWS, 'more row')}: {', '.join(rest)}."] if rest else [])


def _row(row: Row, names: tuple[str, ...]) -> str:
    pairs = zip(names, map(state, row.cells), strict=True)
    signs = [f"{SYMBOLS[kind]} {prose(name)}" for name, kind in pairs if kind not in ("equal", "none")]
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
