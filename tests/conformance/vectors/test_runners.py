"""The runners that are copied: each whose tools are here runs, with a library whose ids are the bytes of UTF-8.

Not run here, for want of their tools: Go, Swift, Kotlin, C#. The Python one runs with `tokenizers` itself.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reftok import embedded_models

ROOT = Path(__file__).parents[3]
VECTORS = ROOT / "corpora" / "vectors"
RUNNERS = VECTORS / "runners"
SKELETONS = ROOT / "conformance" / "subjects" / "skeletons"
SAID = ["FAIL 2 encode Input: b; Input: a", "FAIL 5 decode Input: a", "4 passed, 2 failed, 1 acceptable, 3 skipped"]
_VALID = {"flags": ["Input: a"], "result": "valid"}
TESTS = {
    "testGroups": [
        {"type": "encode", "addSpecialTokens": True, "tests": [
            {"tcId": 1, **_VALID, "text": "\u00e9\u2028\U0001f600", "ids": list("é\u2028😀".encode())},
            {"tcId": 2, "flags": ["Input: b", "Input: a"], "result": "valid", "text": "a", "ids": [98]},
            {"tcId": 3, "flags": ["Input: a"], "result": "acceptable", "comment": "", "text": "a", "ids": [98]},
            {"tcId": 8, "flags": ["Input: a"], "result": "refused", "utf16": [55357]},
        ]},
        {"type": "decode", "skipSpecialTokens": False, "tests": [
            {"tcId": 4, **_VALID, "ids": [195, 169], "text": "\u00e9"},
            {"tcId": 5, **_VALID, "ids": [97], "text": "b"},
            {"tcId": 6, "flags": ["Input: a"], "result": "refused", "ids": [4294967295]},
        ]},
        {"type": "stream-encode", "addSpecialTokens": True, "tests": [
            {"tcId": 9, **_VALID, "chunks": ["a"], "ids": [97]}
        ]},
        {"type": "batch", "addSpecialTokens": True, "tests": [
            {"tcId": 7, **_VALID, "texts": ["a", "", "b"], "ids": [[97], [], [98]]}
        ]},
        {"type": "encode-with", "addSpecialTokens": True, "tests": [
            {"tcId": 10, **_VALID, "inputs": [["a", "b"]], "encodings": [{"ids": [97, 98]}]}
        ]},
    ]
}  # fmt: skip


def javascript(folder: Path) -> list[str]:
    package = folder / "node_modules" / "@huggingface" / "tokenizers"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "@huggingface/tokenizers", "main": "index.mjs"}')
    (package / "index.mjs").write_text(
        "export class Tokenizer { encode(text) { return { ids: [...Buffer.from(text)] }; }\n"
        "decode(ids) { if (ids.some((id) => id > 255)) throw Error(); return Buffer.from(ids).toString(); } }"
    )
    shutil.copy(RUNNERS / "runner.mjs", folder)
    return ["node", str(folder / "runner.mjs"), str(embedded_models()["bpe-qwen"])]


def cpp(folder: Path) -> list[str]:
    shutil.copy(SKELETONS / "cpp" / "json.hpp", folder)
    (folder / "sentencepiece_processor.h").write_text(
        "#include <string>\n#include <vector>\nnamespace sentencepiece { namespace util { struct Status {\n"
        'bool good = true; bool ok() const { return good; } std::string ToString() const { return "no"; } }; }\n'
        "struct SentencePieceProcessor { util::Status Load(const char*) { return {}; }\n"
        "util::Status Encode(const std::string& text, std::vector<int>* ids) {\n"
        "for (unsigned char one : text) ids->push_back(one); return {}; }\n"
        "util::Status Decode(const std::vector<int>& ids, std::string* text) {\n"
        "for (int id : ids) *text += static_cast<char>(id); return {}; } }; }\n"
    )
    shutil.copy(RUNNERS / "runner.cpp", folder)
    program = str(folder / "runner")
    subprocess.run(["g++", "-std=c++17", f"-I{folder}", "-o", program, str(folder / "runner.cpp")], check=True)
    return [program, "model"]


def java(folder: Path) -> list[str]:
    files = [shutil.copy(RUNNERS / "Runner.java", folder), shutil.copy(SKELETONS / "java" / "Json.java", folder)]
    subprocess.run(["javac", "-d", str(folder), *files], check=True, capture_output=True)
    return ["java", "-cp", str(folder), "Runner", "model"]


def rust(folder: Path) -> list[str]:
    shutil.copy(RUNNERS / "runner.rs", folder)
    shutil.copy(SKELETONS / "rust" / "src" / "json.rs", folder)
    program = str(folder / "runner")
    subprocess.run(
        ["rustc", "--edition", "2021", "-o", program, str(folder / "runner.rs")], check=True, capture_output=True
    )
    return [program, "model"]


@pytest.mark.parametrize(
    ("tool", "made"),
    [("node", javascript), ("g++", cpp), ("javac", java), ("rustc", rust)],
    ids=["javascript", "cpp", "java", "rust"],
)
def test_a_runner_tells_what_fails_by_its_flags(tool: str, made: Callable[[Path], list[str]], tmp_path: Path) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    command = made(tmp_path)
    ended = subprocess.run(command, input=json.dumps(TESTS), capture_output=True, encoding="utf-8")
    assert (ended.stdout.splitlines(), ended.returncode) == (SAID, 1), ended.stderr


def test_the_runner_in_python_finds_the_official_library_right() -> None:
    text = gzip.decompress((VECTORS / "bpe-qwen" / "smoke.json.gz").read_bytes())
    command = [sys.executable, str(RUNNERS / "runner.py"), str(embedded_models()["bpe-qwen"])]
    ended = subprocess.run(command, input=text, capture_output=True)
    *failures, told = ended.stdout.decode().splitlines()
    assert (failures, ended.returncode) == ([], 0)
    assert " 0 failed" in told


def test_every_language_of_the_readme_has_a_runner() -> None:
    endings = {path.suffix for path in RUNNERS.iterdir()}
    assert endings == {".mjs", ".py", ".cpp", ".java", ".rs", ".go", ".swift", ".kt", ".cs"}
