"""Write corpora/forms/: lines of corpora/languages/ in other common forms, such as NFD or with CR LF.

    python tools/make_forms.py            write them anew
    python tools/make_forms.py --check    exit 1 and name every file that is not what this makes

The files of languages are NFC, end lines with LF, and have the spaces and quotes that their authors wrote. macOS gives
out decomposed names, Windows ends lines with CR LF, word processors put no-break spaces, editors leave blanks.
"""

from __future__ import annotations

import argparse
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

CORPORA = Path(__file__).resolve().parent.parent / "corpora"
EMOJI = (
    "\U0001f600",
    "\U0001f44d\U0001f3fd",
    "\u2764\ufe0f",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9\U0001f1ea",
)
STRAIGHT = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"'}
)
TYPOGRAPHIC = re.compile(r"(?<=\w)'(?=\w)")
NO_BREAK = re.compile(r" (?=[!?:;»%])|(?<=«) |(?<=\d) (?=\w)|(?<=\b\w) (?=\w{2})")

Form: TypeAlias = Callable[[str, str, int], str]
"""Changes a line. Takes the line, the code of its language, and the number of lines so far."""

FORMS: Mapping[str, Form] = {
    "decomposed": lambda text, code, number: unicodedata.normalize("NFD", text),
    "windows-line-ends": lambda text, code, number: text + "\r",
    "no-break-spaces": lambda text, code, number: NO_BREAK.sub("\u202f" if code == "fr" else "\u00a0", text),
    "ideographic-spaces": lambda text, code, number: "\u3000" + text if code in ("ja", "zh", "yue") else text,
    "straight-quotes": lambda text, code, number: text.translate(STRAIGHT),
    "typographic-quotes": lambda text, code, number: TYPOGRAPHIC.sub("\u2019", text),
    "byte-order-marks": lambda text, code, number: "\ufeff" + text,
    "trailing-blanks": lambda text, code, number: text + ("  ", " ", "\t", " \u00a0")[number % 4],
    "pasted-emoji": lambda text, code, number: f"{text} {EMOJI[number % len(EMOJI)]}",
}
"""The forms by the name of their file."""


def texts(name: str) -> Iterator[str]:
    """The lines of one form: for each language, the first line from the middle of its file on that the form changes."""
    number = 0
    for path in sorted((CORPORA / "languages").glob("*.txt")):
        lines = path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
        code = path.stem.partition("-")[0]
        for line in (*lines[len(lines) // 2 :], *lines[: len(lines) // 2]):
            text = FORMS[name](line, code, number)
            if text != line:
                number += 1
                yield text
                break


def main() -> int:
    """Exit code: 1 if a file differs from what this tool makes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, and compare")
    options = parser.parse_args()
    (CORPORA / "forms").mkdir(exist_ok=True)
    others: list[str] = []
    for name in FORMS:
        path, data = CORPORA / "forms" / f"{name}.txt", "".join(f"{text}\n" for text in texts(name)).encode()
        if not options.check:
            path.write_bytes(data)
        elif not path.exists() or path.read_bytes() != data:
            others.append(f"{path}: not what tools/make_forms.py makes")
    print("\n".join(others), end="\n" if others else "")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
