"""Two mistakes in one subject: both are told by name, and each weighs what it weighs alone.

    python -m tests.planted_defects.two_mistakes
    python -m tests.planted_defects.two_mistakes strip cut

Each pair is asked some languages and domains, and each mistake by itself. The first column of the table is how many
natural texts a mistake changes alone, the second how many are put down to it beside the other.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import conformance
from conformance.core.finding import Finding
from tests.planted_defects.official import Official

CORPORA = Path(__file__).parents[2] / "corpora"
ASKED = (
    *(CORPORA / "languages" / f"{name}.txt" for name in ("en-Latn", "de-Latn", "vi-Latn", "ja-Jpan", "ar-Arab")),
    *(CORPORA / "domains" / f"{name}.txt" for name in ("code-java", "json", "markdown", "chat")),
    CORPORA / "edge_cases",
    CORPORA / "known_bugs",
)
MADE = 2_000
TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake. rule: what must be said of it.

    before: what it does to a text; file: to the tokenizer.json; after: to ids; decoded: to a decoded text.
    """

    rule: str
    before: Callable[[str], str] = lambda text: text
    file: Callable[[dict[str, Any]], dict[str, Any]] = lambda model: model
    after: Callable[[list[int]], list[int]] = lambda ids: ids
    decoded: Callable[[str], str] = lambda text: text


def _without(key: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda model: {**model, key: None}


def _small_letters(model: dict[str, Any]) -> dict[str, Any]:
    """The pattern without its (?i:...)."""
    return json.loads(json.dumps(model).replace("(?i:'s", "(?:'s"))  # type: ignore[no-any-return]


MISTAKES: Mapping[str, Mistake] = {
    "cut": Mistake("the text is cut at 60 characters", before=lambda text: text[:60]),
    "lower": Mistake("text is lower-cased", before=str.lower),
    "crlf": Mistake("CR LF is converted to \\n", before=lambda text: text.replace("\r\n", "\n")),
    "strip": Mistake("spaces at the ends are stripped", before=lambda text: text.strip(" ")),
    "teh": Mistake("“the” becomes “teh”", before=lambda text: text.replace("the", "teh")),
    "tabs": Mistake("tabs become spaces", before=lambda text: text.replace("\t", " ")),
    "quotes": Mistake("typographic quotes are made straight", before=lambda text: text.translate(_QUOTES)),
    "nfc": Mistake("NFC is missing", file=_without("normalizer")),
    "capitals": Mistake("contractions in capitals are not split", file=_small_letters),
    "bos": Mistake("added: ! at the start", after=lambda ids: [0, *ids]),
    "decode": Mistake("white space at the ends is stripped", decoded=str.strip),
}
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
PAIRS = (
    ("lower", "cut"), ("crlf", "cut"), ("strip", "cut"), ("teh", "cut"), ("nfc", "cut"), ("capitals", "cut"),
    ("bos", "cut"), ("decode", "cut"), ("strip", "teh"), ("lower", "tabs"), ("nfc", "strip"), ("capitals", "strip"),
    ("quotes", "strip"), ("bos", "teh"),
)  # fmt: skip


class Subject(Official):
    """The official library with mistakes: the first is made first."""

    def __init__(self, path: str, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = mistakes
        super().__init__(path)

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        for mistake in self.mistakes:
            model = mistake.file(model)
        return model

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        for mistake in self.mistakes:
            text = mistake.before(text)
        ids = super().encode(text, add_special_tokens)
        for mistake in self.mistakes:
            ids = mistake.after(ids)
        return ids

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        text = super().decode(ids, skip_special_tokens)
        for mistake in self.mistakes:
            text = mistake.decoded(text)
        return text


class _IdsAlone:
    """A subject that is asked for ids and texts alone: no offsets, no streams."""

    def __init__(self, mistakes: Sequence[Mistake], path: str) -> None:
        subject = Subject(path, mistakes)
        self.encode, self.decode = subject.encode, subject.decode


def found(names: Sequence[str], model: str = "bpe-qwen") -> tuple[Finding, ...]:
    """The unexpected findings of a subject with these mistakes."""
    subject = _IdsAlone([MISTAKES[name] for name in names], str(model_path(model)))
    checks = ("ids", "decode")
    run = conformance.run(subject, model_path(model), checks=checks, corpora=ASKED, fuzz=MADE)
    return tuple(one for one in run.findings if one.status == "new" and one.example.subject != "tokenizers")


@cache
def alone(name: str) -> tuple[Finding, ...]:
    """The findings of one mistake."""
    return found([name])


def texts_changed(findings: Sequence[Finding], rule: str) -> int:
    """How many natural texts are put down to a rule; -1 if no finding has it."""
    of_rule = [one for one in findings if one.rule == rule]
    return sum(one.weight.whole.changed for one in of_rule if one.weight.whole) if of_rule else -1


def model_path(name: str) -> Path:
    """The file of an embedded model."""
    (path,) = (path for path in (CORPORA / "models" / name).iterdir() if path.suffix in (".json", ".model"))
    return path


def weights(pair: tuple[str, str]) -> Iterator[tuple[str, int, int]]:
    """Each rule of a pair, with the natural texts that it changes alone and beside the other."""
    both = found(pair)
    for name in pair:
        rule = MISTAKES[name].rule
        yield rule, texts_changed(alone(name), rule), texts_changed(both, rule)
    rules = {MISTAKES[name].rule for name in pair}
    for other in (one for one in both if one.rule not in rules):
        yield f"(besides) {other.stage}: {other.rule}", 0, texts_changed(both, other.rule)


def is_right(one: int, beside: int) -> bool:
    """Whether a mistake was named, and weighs beside another what it weighs alone."""
    return min(one, beside) >= 0 and abs(one - beside) <= max(1, TOLERANCE * one)


def main(names: Sequence[str]) -> int:
    """Print the table; 1 if a mistake is not named, or weighs otherwise beside the other."""
    wrong = 0
    for pair in [(names[0], names[1])] if names else PAIRS:
        print(" and ".join(pair))
        for rule, one, beside in weights(pair):
            right = is_right(one, beside) and not rule.startswith("(besides)")
            wrong += not right
            print(f"  {'ok' if right else 'NO':3} {one:6,} {beside:6,}  {rule}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
