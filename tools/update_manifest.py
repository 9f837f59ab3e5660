"""Write corpora/manifest.json, or with --check compare it with the files.

    python tools/update_manifest.py            write it anew
    python tools/update_manifest.py --check    exit 1 and name every file that is missing, unlisted or changed

It lists every file of the corpora but itself, the READMEs, the LICENSE, and vectors/, which is made from the others.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from language_names import LANGUAGES

CORPORA = Path(__file__).resolve().parent.parent / "corpora"
MANIFEST = "manifest.json"
UNLISTED = frozenset({MANIFEST, "LICENSE", "README.md"})
MADE = "vectors/"
LICENCE = "CC0-1.0"
WRITTEN = "written for this project"
TRAINED = "trained on these corpora by tools/train_models.py"

Entry: TypeAlias = dict[str, Any]


class UnknownFileError(Exception):
    """A file that the manifest cannot describe; the message names it."""


def entries(corpora: Path) -> list[Entry]:
    """The manifest's entry of every file, sorted by path."""
    return [entry(corpora, path) for path in sorted(files(corpora))]


def files(corpora: Path) -> Iterator[str]:
    """The paths, relative to the corpora, of what the manifest lists."""
    for path in corpora.rglob("*"):
        relative = path.relative_to(corpora).as_posix()
        hidden = any(part.startswith(".") for part in relative.split("/"))
        if path.is_file() and not hidden and path.name not in UNLISTED and not relative.startswith(MADE):
            yield relative


def entry(corpora: Path, path: str) -> Entry:
    """The manifest's entry of one file.

    A model has no count of lines: one of the two formats is binary.
    """
    data = (corpora / path).read_bytes()
    described = describe(path)
    if described["kind"] != "model":
        described["lines"] = count_lines(data)
    return described | {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def describe(path: str) -> Entry:
    """What the path alone says about a file.

    >>> describe("domains/sql.txt")
    {'path': 'domains/sql.txt', 'kind': 'domain', 'licence': 'CC0-1.0', 'source': 'written for this project'}
    """
    folder, _, name = path.partition("/")
    described: Entry = {"path": path, "kind": kind(path)}
    if folder == "languages":
        described |= language(path, name)
    source = TRAINED if folder == "models" else WRITTEN
    return described | {"licence": LICENCE, "source": source}


def kind(path: str) -> str:
    """What a file is, which its folder and its ending say."""
    folder, _, name = path.partition("/")
    for wanted, endings, answer in KINDS:
        if folder == wanted and name.endswith(endings):
            return answer
    raise UnknownFileError(f"{path}: no kind of corpus has this folder and this ending")


def language(path: str, name: str) -> Entry:
    """The language of a file that is called <bcp47>-<ISO 15924>.txt.

    >>> language("languages/nb-Latn.txt", "nb-Latn.txt")
    {'language': 'Norwegian Bokmål', 'code': 'nb', 'script': 'Latn'}
    """
    code, _, script = name.removesuffix(".txt").rpartition("-")
    if code not in LANGUAGES:
        raise UnknownFileError(f"{path}: {code!r} is not in the table LANGUAGES of {Path(__file__).name}")
    if not (len(script) == 4 and script.isalpha() and script == script.title()):
        raise UnknownFileError(f"{path}: {script!r} is not an ISO 15924 code such as 'Latn'")
    return {"language": LANGUAGES[code], "code": code, "script": script}


def count_lines(data: bytes) -> int:
    r"""The number of lines; a last line without LF counts too.

    >>> count_lines(b"a\nb")
    2
    """
    return data.count(b"\n") + (data[-1:] not in (b"", b"\n"))


def render(listed: list[Entry]) -> str:
    """The manifest's text: one file a line, so that a change reads well in a diff."""
    lines = ",\n".join(json.dumps(item, ensure_ascii=False) for item in listed)
    return f'{{"files": [\n{lines}\n]}}\n'


def problems(listed: list[Entry], actual: list[Entry]) -> list[str]:
    """One line for every file that is missing, unlisted or changed.

    >>> problems([{"path": "a", "bytes": 1}, {"path": "b"}], [{"path": "a", "bytes": 2}, {"path": "c"}])
    ['a: changed (bytes)', 'b: missing', 'c: unlisted']
    """
    old, new = by_path(listed), by_path(actual)
    found = []
    for path in sorted(old | new):
        if path not in new:
            found.append(f"{path}: missing")
        elif path not in old:
            found.append(f"{path}: unlisted")
        elif changed := differing_keys(old[path], new[path]):
            found.append(f"{path}: changed ({', '.join(changed)})")
    if not found and listed != actual:
        found.append(f"{MANIFEST}: not sorted by path, or a file is listed twice")
    return found


def by_path(listed: list[Entry]) -> dict[str, Entry]:
    """The entries by their path."""
    return {item["path"]: item for item in listed}


def differing_keys(old: Entry, new: Entry) -> list[str]:
    """The keys whose values are not the same, or that only one of the two has."""
    return sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))


def read_manifest(path: Path) -> list[Entry]:
    """The entries of a manifest, none where there is no such file."""
    if not path.exists():
        return []
    listed: list[Entry] = json.loads(path.read_text("utf-8"))["files"]
    return listed


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that it is never seen half-written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, "utf-8", newline="\n")
    temporary.replace(path)


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; the exit code is 0 where all is well, 1 where --check found something, 2 for an unknown file."""
    parser = argparse.ArgumentParser(description="write corpora/manifest.json, or check it")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the manifest is not true")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="the folder of the corpora")
    options = parser.parse_args(arguments)
    manifest = options.corpora / MANIFEST
    try:
        actual = entries(options.corpora)
    except UnknownFileError as error:
        print(error, file=sys.stderr)
        return 2
    if options.check:
        found = problems(read_manifest(manifest), actual)
        print("\n".join(found) if found else f"{len(actual)} files, all as listed")
        return 1 if found else 0
    write_atomically(manifest, render(actual))
    print(f"{len(actual)} files listed")
    return 0


KINDS = (
    ("languages", (".txt",), "language"),
    ("domains", (".txt",), "domain"),
    ("forms", (".txt",), "form"),
    ("edge_cases", (".jsonl",), "edge_cases"),
    ("known_bugs", (".jsonl",), "known_bugs"),
    ("models", ("/tokenizer.json", "/tokenizer.model"), "model"),
)


if __name__ == "__main__":
    sys.exit(main())
