"""Generates the pages of the site that have no file in docs/: one for each rule, the API of reftok, the reports.

mkdocs calls the functions that begin with "on". A page of a rule says how it comes about, and has an input of the
project's vectors that shows it, with the right answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from conformance.core.resources import corpora_folder
from conformance.core.rule_table import CODE, Row, rows, rule_row
from conformance.inputs.vector_file import DecodeVector, EncodeVector, Note, Vector, read_vectors

ROOT = Path(__file__).parent.parent.parent
PUBLISHED = "reports/published/"
API = (
    "reftok.load",
    "reftok.Tokenizer",
    "reftok.train",
    "reftok.byte_level_bpe",
    "reftok.llama_spm",
    "reftok.rules.types.Encoding",
    "reftok.rules.types.AddedToken",
    "reftok.streams.encoder.StreamEncoder",
    "reftok.streams.decoder.StreamDecoder",
)
_LINK = re.compile(r"(?<!!)\[([^\]]*(?:\\.[^\]]*)*)\]\(\.\./([^)#\s]*)(#[^)\s]*)?\)")
_LONGEST = 80


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages and the published reports."""
    for row in rows():
        files.append(File.generated(config, f"rules/{row.code}.md", content=_page(row)))
    named = "".join(f"\n::: {name}\n" for name in API)
    files.append(File.generated(config, "reftok-api.md", content=f"# reftok in Python\n{named}"))
    for path in (ROOT / PUBLISHED).rglob("*"):
        if path.suffix in (".html", ".svg"):
            files.append(File.generated(config, f"reports/{_of_published(path)}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links each code to its page, and turns links into the repository into plain text."""
    if page.file.src_uri.startswith("rules/"):
        return markdown
    if page.file.src_uri == "rules.md":
        markdown = re.sub(rf"^\| ({CODE.pattern}) \|", r"| [\1](rules/\1.md) |", markdown, flags=re.MULTILINE)
    return _LINK.sub(_without_repository, markdown)


def _without_repository(link: re.Match[str]) -> str:
    words, target = link[1], link[2].removeprefix("../")
    path = ROOT / target
    if target.startswith(PUBLISHED) and path.suffix in (".html", ".svg"):
        return f"[{words}](reports/{_of_published(path)})"
    return words


def _of_published(path: Path) -> str:
    return path.relative_to(ROOT / PUBLISHED).as_posix()


def _page(row: Row) -> str:
    variants = row.rules[1:] or row.rules
    lines = [f"# {row.code}: {variants[0]}", "", f"Stage: {row.section}. How it comes about: {row.cause}.", ""]
    if len(variants) > 1:
        lines += ["It has these forms:", "", *(f"- {rule}" for rule in variants), ""]
    if shown := next(_examples(row), None):
        lines += ["## An input that shows it", "", *shown, ""]
    if links := dict.fromkeys(link for note, *_ in _vectors().get(row.code, ()) for link in note.links):
        issues = (f"- [{link}](https://github.com/{link.replace('#', '/issues/')})" for link in links)
        lines += ["## Published reports of it", "", *issues, ""]
    return "\n".join([*lines, "[All rules](../rules.md)", ""])


def _examples(row: Row) -> Iterator[list[str]]:
    """Yields inputs on which a tokenizer that breaks the rule fails, the shortest first, each with the right answer."""
    for _, model, vector in sorted(_vectors().get(row.code, ()), key=lambda one: len(_given(one[2]))):
        if isinstance(vector, EncodeVector) and isinstance(vector.ids, tuple) and len(_given(vector)) <= _LONGEST:
            yield [f"On `{model}`, the right ids of `{_given(vector)}` are `{[*vector.ids]}`."]
        elif isinstance(vector, DecodeVector) and isinstance(vector.text, str) and len(_given(vector)) <= _LONGEST:
            yield [f"On `{model}`, the right text of the ids `{_given(vector)}` is `{vector.text!a}`."]


def _given(vector: Vector) -> str:
    if isinstance(vector, EncodeVector):
        return ascii(vector.given)
    return str([*vector.ids]) if isinstance(vector, DecodeVector) else " " * _LONGEST


@cache
def _vectors() -> dict[str, list[tuple[Note, str, Vector]]]:
    """Maps the code of a rule to the vectors that fail first by that rule, each with its note and its model."""
    found: dict[str, list[tuple[Note, str, Vector]]] = {}
    for path in sorted(corpora_folder().glob("vectors/*/core.json.gz")):
        file = read_vectors(path)
        for _, vector in file.tests():
            for note in (file.notes[flag] for flag in vector.flags[:1] if flag in file.notes):
                stage = "" if note.stage == "Streams" else note.stage
                found.setdefault(rule_row(stage, note.rule).code, []).append((note, file.model.name, vector))
    return found
