"""Corpora: what a file holds becomes cases, and what is wrong with it is said with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.core.case import bytes_case, text_case
from conformance.core.errors import InputError
from conformance.inputs.corpora import PARTS, corpus_files, read_corpus


def written(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / "texts" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def test_a_text_file_gives_its_lines_and_itself(tmp_path: Path) -> None:
    """Fault: a line of a Windows file ended with CR alone, so a subject that converts CR LF was right on it."""
    assert read_corpus(written(tmp_path, "de-Latn.txt", "one\n\n two\r\n")) == [
        text_case("one", "texts/de-Latn.txt:1", "de-Latn"),
        text_case(" two\r\n", "texts/de-Latn.txt:3", "de-Latn"),
        text_case("one\n\n two\r\n", "texts/de-Latn.txt", "de-Latn"),
    ]


def test_a_text_file_with_one_line_gives_it_once(tmp_path: Path) -> None:
    assert read_corpus(written(tmp_path, "a.txt", "one\n")) == [text_case("one", "texts/a.txt:1", "a")]


def test_only_line_feeds_end_lines(tmp_path: Path) -> None:
    assert read_corpus(written(tmp_path, "a.txt", "a\u2028b\x0bc\x85d\n"))[0].text == "a\u2028b\x0bc\x85d"


def test_a_byte_order_mark_is_part_of_the_text(tmp_path: Path) -> None:
    assert read_corpus(written(tmp_path, "a.txt", "\ufeffa"))[0].text == "\ufeffa"


def test_json_lines_give_texts_and_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, "e.jsonl", '{"text": "a\\u0000"}\n\n{"bytes_hex": "ff00"}\n{"text": ""}')
    assert read_corpus(path) == [
        text_case("a\0", "texts/e.jsonl:1", "e"),
        bytes_case(b"\xff\0", "texts/e.jsonl:3", "e"),
        text_case("", "texts/e.jsonl:4", "e"),
    ]


def test_a_json_list_gives_its_strings(tmp_path: Path) -> None:
    assert read_corpus(written(tmp_path, "l.json", '["a", "b\\n"]')) == [
        text_case("a", "texts/l.json[0]", "l"),
        text_case("b\n", "texts/l.json[1]", "l"),
    ]


def test_corpora_of_nothing_but_empty_files_are_refused(tmp_path: Path) -> None:
    written(tmp_path, "a.txt", "")
    with pytest.raises(InputError, match=r"there is no text in it"):
        corpus_files((str(tmp_path),))
    written(tmp_path, "b.txt", "b")
    assert len(corpus_files((str(tmp_path),))) == 2


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.json"])
def test_a_file_that_is_not_utf_8_is_refused_with_the_byte(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=rf"{name}: byte 3 is not UTF-8"):
        read_corpus(written(tmp_path, name, b"abc\xff"))


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "5",
        "null",
        '"a"',
        "{}",
        '{"text": 5}',
        '{"text": null}',
        '{"text": "\\ud800"}',
        '{"bytes_hex": "xy"}',
        '{"bytes_hex": 5}',
        '"bytes_hex"',
        "[" * 100_000,
        '{"text": ' + "1" * 5_000 + "}",
    ],
)
def test_a_bad_line_of_json_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"a\.jsonl: line 2 is not an object"):
        read_corpus(written(tmp_path, "a.jsonl", f'{{"text": "a"}}\n{line}\n'))


@pytest.mark.parametrize("content", ["", "{", "{}", '"abc"', "[1]", "[null]", '["\\ud800"]', "[" * 100_000])
def test_what_is_no_json_list_of_strings_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match=r"a\.json: is neither a JSON list of strings"):
        read_corpus(written(tmp_path, "a.json", content))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: no such file or folder"):
        corpus_files((str(tmp_path / "none.txt"),))
    with pytest.raises(InputError, match=r"none\.txt: cannot be read"):
        read_corpus(tmp_path / "none.txt")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder holds no"):
        corpus_files((str(tmp_path),))


def test_a_folder_gives_its_corpus_files_sorted_without_manifest_schemas_and_trainings(tmp_path: Path) -> None:
    beside = ("manifest.json", "tokenizer-vectors-1.schema.json", "training.json.gz", "picture.png")
    for name in ("b.txt", "a.jsonl", *beside):
        written(tmp_path, name, "a")
    assert [path.name for path in corpus_files((str(tmp_path),))] == ["a.jsonl", "b.txt"]


@pytest.mark.parametrize("part", PARTS)
def test_the_parts_of_the_project_are_found_by_name(part: str) -> None:
    assert {path.parent.name for path in corpus_files((part,))} == {part}
