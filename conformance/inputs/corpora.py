"""Corpora: text files line by line and as a whole, edge cases from JSON Lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from os.path import isdir, isfile
from pathlib import Path
from typing import Any

from conformance.core.case import Case, bytes_case, text_case, tokens_case
from conformance.core.errors import FORM_ERRORS, InputError
from conformance.core.resources import corpora_folder
from conformance.inputs.vector_file import are_vectors, read_vectors, vector_cases, vectors_of
from reftok.formats.files import file_bytes

PARTS = ("languages", "domains", "forms", "edge_cases", "known_bugs")
"""The parts of the project's own corpora, by folder."""
QUICK_PARTS = ("edge_cases", "known_bugs")
"""Those that are asked in a moment, for tests."""
WRITTEN_PARTS = ("languages", "domains")
"""The parts with texts as people write them, in NFC."""
NATURAL_PARTS = (*WRITTEN_PARTS, "forms")
"""The same, and texts in other common forms: decomposed, with CR LF, with no-break spaces."""


_CORPUS_FILES = (".txt", ".jsonl", ".json", ".json.gz")
_BESIDE_CORPORA = ("manifest.json", "training.json.gz")
"""In the project's own folders of corpora and vectors."""


def corpus_files(names: tuple[str, ...]) -> list[Path]:
    """The files of parts, folders and files named on the command line, sorted within each.

    Raises InputError for a name that is none of these, for a folder without a corpus file, and where all are empty.
    """
    files: list[Path] = []
    for name in names:
        path = corpora_folder() / name if name in PARTS else Path(name)
        if isdir(path):
            found = sorted(file for file in path.rglob("*") if _is_corpus(file.name) and file.is_file())
            if not found:
                raise InputError(f"{name}: the folder holds no .txt, .jsonl or .json file")
            files += found
        elif isfile(path):
            files.append(path)
        else:
            raise InputError(f"{name}: no such file or folder, nor one of {', '.join(PARTS)}")
    if files and not any(file.stat().st_size for file in files):
        raise InputError(f"{', '.join(names)}: there is no text in it")
    return list({file.resolve(): file for file in files}.values())


def _is_corpus(name: str) -> bool:
    return name.endswith(_CORPUS_FILES) and not name.endswith(".schema.json") and name not in _BESIDE_CORPORA


def is_natural(path: Path) -> bool:
    """Whether the lines of a corpus file are natural text: of the project's, or of a text file of the user's own.

    >>> is_natural(Path("corpora/domains/sql.txt")), is_natural(Path("mine/letters.txt")), is_natural(Path("a.jsonl"))
    (True, True, False)
    """
    return path.suffix == ".txt" and path.parent.name not in QUICK_PARTS


@cache
def corpus_names() -> Mapping[str, str]:
    """The English names of the project's languages by the name of their file, from the manifest of the corpora.

    The script is added where there are several files of a language.

    >>> corpus_names()["ar-Arab"], corpus_names()["sr-Latn"]
    ('Arabic', 'Serbian (Latn)')
    """
    manifest = json.loads((corpora_folder() / "manifest.json").read_text("utf-8"))
    files = [entry for entry in manifest["files"] if "language" in entry]
    count = Counter(entry["language"] for entry in files)
    return {
        Path(entry["path"]).stem: entry["language"] + (f" ({entry['script']})" if count[entry["language"]] > 1 else "")
        for entry in files
    }


@cache
def natural_lines(parts: tuple[str, ...] = NATURAL_PARTS) -> Mapping[str, tuple[str, ...]]:
    """The lines of each of the project's languages, domains and forms, by the name of its file."""
    return {
        path.stem: tuple(case.text for case in read_corpus(path) if "\n" not in case.text[:-1])
        for path in corpus_files(parts)
    }


def read_corpus(path: Path) -> list[Case]:
    """The cases of one file.

    .jsonl: an object with "text", "bytes_hex" or "tokens" (a list of entries of a vocab, to be decoded) a line; .json:
    a list of strings, or vectors, which may be packed (.json.gz); else text: each line that is not empty, without its
    end unless that is CR LF, and the file as a whole.
    Raises InputError with the place for what is not UTF-8 or not of this form.
    """
    name = f"{path.parent.name}/{path.name}"
    if path.name.endswith(".json.gz"):
        return vector_cases(read_vectors(path), name, path.name.removesuffix(".json.gz"))
    text = _read(path)
    if path.suffix == ".jsonl":
        return list(_json_lines(text, path, name))
    if path.suffix == ".json":
        return _json_list(text, path, name)
    language = path.stem
    lines = text.split("\n")
    numbered = ((number, _with_end(line)) for number, line in enumerate(lines, 1) if line)
    cases = [text_case(line, f"{name}:{number}", language) for number, line in numbered]
    if len(cases) > 1:
        cases.append(text_case(text, name, language))
    return cases


def _with_end(line: str) -> str:
    """The line, with its CR LF if it has one: a lone CR would be a line end that no Windows file has."""
    return f"{line}\n" if line.endswith("\r") else line


def _read(path: Path) -> str:
    try:
        return file_bytes(path).decode("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8; convert the file to UTF-8") from None


def _json_lines(text: str, path: Path, name: str) -> Iterator[Case]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _json_case(json.loads(line), f"{name}:{number}", path.stem)
        except FORM_ERRORS:
            raise InputError(
                f'{path}: line {number} is not an object with "text", "bytes_hex" or a list "tokens"'
            ) from None


def _json_case(value: dict[str, Any], origin: str, language: str) -> Case:
    if "bytes_hex" in value:
        return bytes_case(bytes.fromhex(value["bytes_hex"]), origin, language)
    if "text" in value:
        return text_case(_encodable(value["text"]), origin, language)
    if not isinstance(value["tokens"], list) or not value["tokens"]:
        raise ValueError
    return tokens_case(tuple(map(_encodable, value["tokens"])), origin)


def _json_list(text: str, path: Path, name: str) -> list[Case]:
    try:
        values = json.loads(text)
        if are_vectors(values):
            return vector_cases(vectors_of(values, path), name, path.stem)
        if not isinstance(values, list):
            raise ValueError
        return [text_case(_encodable(value), f"{name}[{index}]", path.stem) for index, value in enumerate(values)]
    except FORM_ERRORS:
        raise InputError(f"{path}: is neither a JSON list of strings nor a file of vectors") from None


def _encodable(text: str) -> str:
    """`text`; raises ValueError for lone surrogates, which no subject takes."""
    text.encode("utf-8")
    return text
