"""The corpora are what their manifest and their names say."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import regex

ROOT = Path(__file__).resolve().parent.parent.parent
CORPORA = ROOT / "corpora"
LANGUAGES = sorted((CORPORA / "languages").glob("*.txt"))
DOMAINS = sorted((CORPORA / "domains").glob("*.txt"))
EDGE_CASES = sorted((CORPORA / "edge_cases").glob("*.jsonl"))

SCRIPTS = {
    "Jpan": r"[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]",
    "Kore": r"[\p{Script=Hangul}\p{Script=Han}]",
    "Hans": r"\p{Script=Han}",
    "Hant": r"\p{Script=Han}",
}
"""What the ISO 15924 codes mean that are not the name of one Unicode script."""

FEWEST_LANGUAGES, FEWEST_TEXTS, MOST_BYTES_OF_MODELS = 80, 30, 3_000_000


def names(paths: list[Path]) -> list[str]:
    """What the tests are called."""
    return [path.stem for path in paths]


def lines(path: Path) -> list[str]:
    """The lines of a file; LF ends one and nothing else does."""
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n"), f"{path.name}: the last line does not end with LF"
    return text.removesuffix("\n").split("\n")


def manifest() -> list[dict[str, Any]]:
    """The entries of the manifest."""
    entries: list[dict[str, Any]] = json.loads((CORPORA / "manifest.json").read_text("utf-8"))["files"]
    return entries


def check_manifest(corpora: Path) -> subprocess.CompletedProcess[str]:
    """What the tool says about a folder of corpora."""
    tool = ROOT / "tools" / "update_manifest.py"
    command = [sys.executable, str(tool), "--check", "--corpora", str(corpora)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def test_manifest_is_true() -> None:
    checked = check_manifest(CORPORA)
    assert checked.returncode == 0, checked.stdout + checked.stderr




def test_manifest_says_licence_and_source_of_everything() -> None:
    for entry in manifest():
        assert entry["licence"] == "CC0-1.0"
        assert entry["source"]


def test_a_false_manifest_is_found(tmp_path: Path) -> None:
    (tmp_path / "domains").mkdir()
    for name in ("changed", "unlisted"):
        (tmp_path / "domains" / f"{name}.txt").write_text("a\n", "utf-8")
    listed = [{"path": f"domains/{name}.txt"} for name in ("changed", "missing")]
    (tmp_path / "manifest.json").write_text(json.dumps({"files": listed}), "utf-8")
    checked = check_manifest(tmp_path)
    assert checked.returncode == 1
    for name in ("changed", "missing", "unlisted"):
        assert f"domains/{name}.txt: {name}" in checked.stdout


@pytest.mark.parametrize("path", ["languages/xx-Latn.txt", "languages/nb-latin.txt", "strange/a.txt"])
def test_a_file_that_cannot_be_described_is_named(tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir()
    (tmp_path / path).write_text("a\n", "utf-8")
    checked = check_manifest(tmp_path)
    assert checked.returncode == 2
    assert path in checked.stderr


def test_there_are_enough_languages() -> None:
    assert len({path.stem.rpartition("-")[0] for path in LANGUAGES}) >= FEWEST_LANGUAGES


@pytest.mark.parametrize("path", LANGUAGES, ids=names(LANGUAGES))
def test_language(path: Path) -> None:
    texts = lines(path)
    text = "\n".join(texts)
    assert unicodedata.is_normalized("NFC", text), "not NFC"
    assert all(line.strip() for line in texts), "an empty line"
    assert len(texts) >= FEWEST_TEXTS, f"only {len(texts)} texts"
    assert not duplicates(texts)
    script = path.stem.rpartition("-")[2]
    letters = regex.findall(r"\p{L}", text)
    of_the_script = regex.findall(SCRIPTS.get(script, rf"\p{{Script={script}}}"), "".join(letters))
    assert len(of_the_script) > len(letters) / 2, f"{len(of_the_script)} of {len(letters)} letters are {script}"


def test_forms_are_what_the_tool_makes_of_the_languages() -> None:
    tool = ROOT / "tools" / "make_forms.py"
    checked = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_natural_text_has_the_forms_of_the_world() -> None:
    """Fault: all natural texts were NFC and had LF, so a port without NFC was right on every one of them."""
    texts = {path.stem: lines(path) for path in (CORPORA / "forms").glob("*.txt")}
    assert not any(unicodedata.is_normalized("NFC", text) for text in texts["decomposed"])
    assert all(text.endswith("\r") for text in texts["windows-line-ends"])
    assert all("\u00a0" in text or "\u202f" in text for text in texts["no-break-spaces"])


@pytest.mark.parametrize("path", DOMAINS, ids=names(DOMAINS))
def test_domain(path: Path) -> None:
    assert any(line.strip() for line in lines(path))


@pytest.mark.parametrize("path", EDGE_CASES, ids=names(EDGE_CASES))
def test_edge_cases(path: Path) -> None:
    cases = [json.loads(line) for line in lines(path)]
    for number, case in enumerate(cases, 1):
        assert set(case) in ({"text", "provokes"}, {"bytes_hex", "provokes"}), f"line {number}: {sorted(case)}"
        assert case["provokes"].strip(), f"line {number}: provokes nothing"
        if "bytes_hex" in case:
            bytes.fromhex(case["bytes_hex"])
        else:
            assert isinstance(case["text"], str), f"line {number}: the text is not a string"
    assert not duplicates([json.dumps([case.get("text"), case.get("bytes_hex")]) for case in cases])


def duplicates(texts: list[str]) -> list[str]:
    """The texts that are there more than once."""
    return sorted({text for text in texts if texts.count(text) > 1})


def test_models_are_small() -> None:
    sizes = {entry["path"]: entry["bytes"] for entry in manifest() if entry["kind"] == "model"}
    assert sizes
    assert sum(sizes.values()) < MOST_BYTES_OF_MODELS, sizes
