"""A run as a badge: an SVG to show, and the JSON that shields.io makes the same badge of."""

from __future__ import annotations

import json

from markupsafe import escape

from conformance.core.run import Run
from conformance.report.run.view import headline

LABEL = "tokenizer conformance"
GOOD, BAD = "#0a5c8f", "#a8321a"
"""Blue and vermilion, which the colour-blind tell apart; white text on either has a contrast over 6."""

_SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{title}">
<title>{title}</title>
<rect width="{width}" height="20" rx="3" fill="#444"/>
<path d="M{left} 0h{right_less}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" fill="{colour}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{label_middle}" y="14" textLength="{label_text}">{label}</text>
<text x="{words_middle}" y="14" textLength="{words_text}">{words}</text>
</g>
</svg>
"""
_LETTER = 6.6
_PADDING = 12


def badge_svg(run: Run) -> str:
    """The badge as a picture."""
    return labelled_svg(LABEL, headline(run).lower(), _colour(run))


def labelled_svg(label: str, words: str, colour: str) -> str:
    """A label, and words on a colour."""
    label_text, words_text = (round(len(text) * _LETTER) for text in (label, words))
    left, right = label_text + _PADDING, words_text + _PADDING
    return _SVG.format(
        width=left + right,
        left=left,
        right_less=right - 3,
        colour=colour,
        title=escape(f"{label}: {words}"),
        label=escape(label),
        words=escape(words),
        label_text=label_text,
        words_text=words_text,
        label_middle=left / 2,
        words_middle=left + right / 2,
    )


def badge_json(run: Run) -> str:
    """The JSON for the endpoint badge of shields.io, schema version 1."""
    value = {
        "schemaVersion": 1,
        "label": LABEL,
        "message": headline(run).lower(),
        "color": _colour(run).removeprefix("#"),
    }
    return json.dumps({**value, "isError": run.exit_code != 0}, indent=1) + "\n"


def _colour(run: Run) -> str:
    return GOOD if run.exit_code == 0 else BAD
