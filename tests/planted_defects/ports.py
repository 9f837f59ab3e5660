"""Ports with several mistakes at once: how many of the mistakes does one session find and name?

    python -m tests.planted_defects.ports [NAME...] [--cases 5000]

A mistake counts as named if a finding has its rule. If some are missing, the named ones are fixed and a second session
is run, as the author of the port would do.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.planted_defects.catalogue import Defect
from tests.planted_defects.hunt import ENVIRONMENT, findings_of, session_command
from tests.planted_defects.official import Official, Spans


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake. rule: the rule of its finding, in which * stands for anything. The other fields: what it changes."""

    rule: str
    text: Callable[[str], str] = str
    file: Callable[[dict[str, Any]], None] = lambda model: None
    ids: Callable[[list[int]], list[int]] = list
    decoded: Callable[[str], str] = str
    offsets: Callable[[str, Spans], Spans] = lambda text, spans: spans


def _pattern(old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(model: dict[str, Any]) -> None:
        found = model["pre_tokenizer"]["pretokenizers"][0]["pattern"]
        assert old in found["Regex"]
        found["Regex"] = found["Regex"].replace(old, new)

    return change


def _with_ascii_digits(model: dict[str, Any]) -> None:
    _pattern(r"|\p{N}|", "|[0-9]|")(model)
    _pattern(r"\p{N}", "0-9")(model)


def _with_marks(model: dict[str, Any]) -> None:
    _pattern(r"\p{L}+", r"[\p{L}\p{M}]+")(model)
    _pattern(r"\r\n\p{L}", r"\r\n\p{L}\p{M}")(model)
    _pattern(r"\s\p{L}", r"\s\p{L}\p{M}")(model)


def _set(value: object, *keys: str) -> Callable[[dict[str, Any]], None]:
    def change(model: dict[str, Any]) -> None:
        for key in keys[:-1]:
            model = model[key]
        model[keys[-1]] = value

    return change


def _without_flags(model: dict[str, Any]) -> None:
    for token in model["added_tokens"]:
        token |= {"lstrip": False, "rstrip": False, "single_word": False, "normalized": False}


MISTAKES: Mapping[str, Mistake] = {
    "tabs": Mistake("U+0009 becomes U+0020 *", text=lambda text: text.replace("\t", "  ")),
    "strip": Mistake("spaces at the ends are stripped", text=lambda text: text.strip(" ")),
    "crlf": Mistake("CR LF is converted to \\n", text=lambda text: text.replace("\r\n", "\n")),
    "nul": Mistake("text ends at the first NUL", text=lambda text: text.partition("\0")[0]),
    "joiner": Mistake("*U+200D*", text=lambda text: text.replace("\u200d", "")),
    "cut": Mistake("the text is cut at 300 characters", text=lambda text: text[:300]),
    "nfc": Mistake("NFC is missing", file=_set(None, "normalizer")),
    "words": Mistake("*“\\p{L}+” for*", file=_pattern(r"[^\r\n\p{L}\p{N}]?\p{L}+", r"\p{L}+")),
    "contraction": Mistake("*“'t”*", file=_pattern("'t|", "")),
    "digits": Mistake("\\p{N} is ASCII digits", file=_with_ascii_digits),
    "marks": Mistake("marks count as letters", file=_with_marks),
    "lookahead": Mistake("white space lookahead is missing", file=_pattern(r"\s+(?!\S)|", "")),
    "flags": Mistake("flags of added tokens are not read", file=_without_flags),
    "bos": Mistake("added: * at the start", ids=lambda ids: [0, *ids]),
    "dropped end": Mistake("one U+000A at the end is stripped", decoded=lambda text: text.removesuffix("\n")),
    "first": Mistake("the first character is lost", decoded=lambda text: text[1:]),
    "replacement": Mistake("bytes that are not UTF-8 are dropped", decoded=lambda text: text.replace("\ufffd", "")),
    "bytes": Mistake("offsets count bytes instead of code points", offsets=lambda text, spans: [
        (len(text[:a].encode()), len(text[:b].encode())) for a, b in spans]),
    "zero": Mistake("ends of offsets are inclusive", offsets=lambda text, spans: [
        (a, max(a, b - 1)) for a, b in spans]),
}  # fmt: skip

PORTS: Mapping[str, tuple[str, ...]] = {
    "terminal": ("tabs", "words", "dropped end"),
    "phone": ("nul", "nfc", "bytes"),
    "windows": ("crlf", "contraction", "first", "zero"),
    "web": ("joiner", "strip", "words", "replacement"),
    "hurried": ("strip", "tabs", "flags", "bos"),
    "long": ("cut", "nfc", "dropped end"),
    "cautious": ("nul", "crlf", "lookahead"),
    "half": ("nfc", "words", "contraction", "first", "bytes"),
    "all in": ("tabs", "joiner", "crlf", "contraction", "bos", "replacement"),
    "decoder": ("first", "replacement", "zero"),
    "flags": ("flags", "nfc", "contraction"),
    "cut": ("cut", "bos", "strip"),
    "ascii": ("digits", "marks", "flags", "nfc"),
}


class Port(Official):
    """Qwen's tokenizer with mistakes."""

    mistakes: Sequence[Mistake] = ()

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        for one in self.mistakes:
            one.file(model)
        return model

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        for one in self.mistakes:
            text = one.text(text)
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        count = len(ids)
        for one in self.mistakes:
            ids, spans = one.ids(ids), one.offsets(text, spans)
        more = len(ids) - count
        return ids, ["!"] * more + tokens, [(0, 0)] * more + spans

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        text = super().decode(ids, skip_special_tokens)
        for one in self.mistakes:
            text = one.decoded(text)
        return text


def rules_named(names: Sequence[str], cases: int, seed: int) -> list[str]:
    """The rules of the findings of one session with a port that has these mistakes."""
    port = Defect("port.py:Mine", "bpe-qwen", "", "")
    with TemporaryDirectory() as folder:
        subject, session = Path(folder) / "port.py", Path(folder) / "s"
        lines = [
            "from tests.planted_defects.ports import MISTAKES, Port",
            f"class Mine(Port):\n    mistakes = [MISTAKES[one] for one in {[*names]}]",
        ]
        subject.write_text("\n".join(lines) + "\n", "utf-8")
        command = session_command(port, subject.parent, ("--cases", str(cases), "--seed", str(seed)), session)
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{names}: exit code {done.returncode}: {done.stderr[-2000:]}")
        return [finding["rule"] for finding in findings_of(session, port)]


def main() -> int:
    """Exit code: 0 if every mistake of every port is named within two rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="ports (default: all)")
    parser.add_argument("--cases", type=int, default=5_000, help="of each session (default: 5,000)")
    parser.add_argument("--seed", type=int, default=0, help="of the sessions")
    options = parser.parse_args()
    first = every = missing = 0
    for name in options.names or PORTS:
        left = [*PORTS[name]]
        for round_number in (1, 2):
            rules = rules_named(left, options.cases, options.seed)
            named = [one for one in left if any(fnmatchcase(rule, MISTAKES[one].rule) for rule in rules)]
            known = [MISTAKES[one].rule for one in left]
            others = [rule for rule in rules if not any(fnmatchcase(rule, one) for one in known)]
            left = [one for one in left if one not in named]
            print(f"{name}, round {round_number}: named {named}, missing {left}, other findings {others}", flush=True)
            first += len(named) * (round_number == 1)
            if not left:
                break
        every, missing = every + len(PORTS[name]), missing + len(left)
    print(f"{first} of {every} mistakes named in the first round, {missing} missing after two")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
