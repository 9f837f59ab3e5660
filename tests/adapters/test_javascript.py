"""The adapters in JavaScript: the loop that they share, asked as the harness asks it, and the files of each."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conformance.subjects.definition import definition

ADAPTERS = Path(__file__).resolve().parents[2] / "adapters"
SERVE = ADAPTERS / "javascript" / "serve.mjs"
FOLDERS = sorted(path.parent for path in ADAPTERS.glob("*/server.mjs"))
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

SERVER = """
import { encodingOf, exactly, serve } from "SERVE";
console.log("what a library says");
let loaded = 0;
let broken = false;
await serve({
  library: "stub",
  from: import.meta.url,
  formats: ["tiktoken"],
  capabilities: { encode: { fields: ["tokens"] }, decode: {} },
  load(model) {
    encodingOf(model, ["one"]);
    if (model.sha256 === "odd") throw new Error("Unknown Normalizer type: Odd");
    if (broken) throw new Error("it is broken for good");
    loaded++;
    return {
      encode(text) {
        if (text === "raise") throw new TypeError("no \\ud800");
        if (text === "panic") throw new WebAssembly.RuntimeError("unreachable");
        broken = text === "break";
        if (broken) throw new WebAssembly.RuntimeError("unreachable");
        if (text === "half") return { ids: [1], tokens: ["\\ud800"] };
        if (text === "no id") return [1, undefined];
        if (text === "nothing") return undefined;
        if (text === "loaded") return [loaded];
        return { ids: Uint32Array.of(text.length), tokens: [text], offsets: [[0, 1]] };
      },
      encodeBatch(texts) {
        if (texts.includes("raise")) throw new Error("no");
        return texts.map((text) => [text.length]);
      },
      decode: (ids) => (ids.length ? exactly(Uint8Array, ids) : "\\ud800"),
      streamDecode: (ids) => [...ids.map(String), ""],
    };
  },
});
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a library, and an adapter of it."""
    library = tmp_path / "node_modules" / "stub"
    library.mkdir(parents=True)
    about = {"name": "stub", "version": "1.2.3", "repository": {"url": "git+https://example.org/stub.git"}}
    (library / "package.json").write_text(json.dumps(about))
    (tmp_path / "server.mjs").write_text(SERVER.replace("SERVE", SERVE.as_uri()))
    return tmp_path


def ask(folder: Path, *messages: dict[str, Any], start: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """The answers, of which the first is that to `start`."""
    model = {"path": str(folder), "format": "tiktoken", "sha256": "", "encoding": "one"}
    first = {"op": "start", "protocol": 1, "model": model | (start or {})}
    numbered = [{"id": number, **message} for number, message in enumerate((first, *messages))]
    lines = "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in numbered)
    done = subprocess.run(
        ["node", "server.mjs"], cwd=folder, input=lines.encode(), capture_output=True, timeout=60, check=True
    )
    answers: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert [answer.pop("id") for answer in answers] == list(range(len(numbered)))
    return answers


def encode(*texts: str, want: tuple[str, ...] = ("ids",), op: str = "encode") -> dict[str, Any]:
    """A message."""
    return {"op": op, "items": [{"text": text} for text in texts], "add_special_tokens": True, "want": want}


def decode(*every: list[int]) -> dict[str, Any]:
    """A message."""
    return {"op": "decode", "items": [{"ids": ids} for ids in every], "skip_special_tokens": False}


@needs_node
def test_the_subject_is_told_by_the_package_and_standard_output_is_for_answers(folder: Path) -> None:
    about = ask(folder)[0]["started"]["subject"]
    assert (about["name"], about["version"], about["homepage"]) == ("stub", "1.2.3", "https://example.org/stub")


@needs_node
def test_a_line_ends_at_its_end_only(folder: Path) -> None:
    assert ask(folder, encode("a\u2028b\u2029\u0085"))[1] == {"results": [{"ids": [5]}]}


@needs_node
def test_what_was_not_wanted_is_not_told(folder: Path) -> None:
    assert ask(folder, encode("ab", want=("ids", "tokens")))[1] == {"results": [{"ids": [2], "tokens": ["ab"]}]}


@needs_node
def test_an_error_is_a_refusal_and_a_panic_a_crash_after_which_the_model_is_loaded_anew(folder: Path) -> None:
    raised, before, panic, after = ask(folder, encode("raise", "loaded", "panic", "loaded"))[1]["results"]
    assert raised == {"refused": {"message": "no \ufffd", "type": "TypeError"}}
    assert panic == {"crashed": {"message": "unreachable", "type": "RuntimeError"}}
    assert (before, after) == ({"ids": [1]}, {"ids": [2]})


@needs_node
def test_what_cannot_be_loaded_anew_ends_and_says_why(folder: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        ask(folder, encode("break"))
    assert caught.value.returncode == 1
    assert b"it is broken for good" in caught.value.stderr


@needs_node
@pytest.mark.parametrize("text", ["half", "no id", "nothing"])
def test_what_json_cannot_hold_is_invalid(folder: Path, text: str) -> None:
    assert list(ask(folder, encode(text, want=("ids", "tokens")))[1]["results"][0]) == ["invalid"]


@needs_node
def test_a_batch_is_refused_as_a_whole(folder: Path) -> None:
    good, bad = ask(folder, encode("a", "bc", op="encode_batch"), encode("a", "raise", op="encode_batch"))[1:]
    assert good == {"results": [{"ids": [1]}, {"ids": [2]}]}
    assert bad == {"refused": {"message": "no", "type": "Error"}}


@needs_node
def test_bytes_are_base64_an_id_that_does_not_fit_is_refused_and_half_a_character_is_invalid(folder: Path) -> None:
    bytes_, outside, half = ask(folder, decode([255], [256], []))[1]["results"]
    assert bytes_ == {"base64": "/w=="}
    assert outside["refused"]["type"] == "RangeError"
    assert list(half) == ["invalid"]


@needs_node
def test_a_stream_gives_a_text_for_each_id_and_one_at_the_end(folder: Path) -> None:
    stream = {"op": "stream", "items": [{"to": "decoder", "chunks": [7, 8]}]}
    assert ask(folder, stream)[1] == {"results": [{"given": ["7", "8", ""]}]}


@needs_node
@pytest.mark.parametrize(
    ("model", "reason", "feature"),
    [
        ({"format": "gguf"}, "unsupported format", ""),
        ({"encoding": "two"}, "unsupported model", "the encoding two"),
        ({"sha256": "odd"}, "unsupported model", "Normalizer Odd"),
    ],
)
def test_a_model_that_the_library_does_not_read_is_unavailable(
    folder: Path, model: dict[str, str], reason: str, feature: str
) -> None:
    said, asked = ask(folder, encode("a"), start=model)
    assert (said["unavailable"]["reason"], said["unavailable"]["feature"]) == (reason, feature)
    assert asked == {"error": {"message": "no model is loaded"}}


@needs_node
def test_after_a_model_that_is_not_read_the_one_before_it_is_gone(folder: Path) -> None:
    other = {"op": "load", "model": {"path": str(folder), "format": "gguf"}}
    assert ask(folder, other, encode("a"))[2] == {"error": {"message": "no model is loaded"}}


@needs_node
@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"op": "toString"}, 'no operation "toString"'),
        ({"op": "encode"}, "no field 'items'"),
        ({"op": "encode", "items": [{"base64": ""}]}, "an item without 'text'"),
        ({"op": "decode", "items": [{}]}, "an item without ids"),
        ({"op": "stream", "items": [{"to": "encoder", "chunks": []}]}, "no stream to an encoder"),
        ({"op": "start", "protocol": 2}, "protocol 2 is not known"),
        ({"op": "load", "model": {}}, "no field 'model.path'"),
    ],
)
def test_a_message_that_makes_no_sense_is_an_error_and_no_refusal(
    folder: Path, message: dict[str, Any], said: str
) -> None:
    assert ask(folder, message)[1] == {"error": {"message": said}}


@needs_node
def test_a_file_that_is_not_there_is_an_error(folder: Path) -> None:
    assert "ENOENT" in ask(folder, start={"path": "nowhere"})[0]["error"]["message"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_each_adapter_pins_its_library_and_is_built_from_a_small_lock_file(folder: Path) -> None:
    about = definition(str(folder / "subject.toml")).about
    assert about is not None
    assert (about.command, about.build, about.language) == (["node", "server.mjs"], "npm ci", "JavaScript")
    package = json.loads((folder / "package.json").read_text())
    ((library, version),) = package["dependencies"].items()
    lock = (folder / "package-lock.json").read_bytes()
    assert len(lock) < 60_000
    packages = json.loads(lock)["packages"]
    assert packages[f"node_modules/{library}"]["version"] == version
    assert all("integrity" in entry for name, entry in packages.items() if name)
    assert f'library: "{library}"' in (folder / "server.mjs").read_text()
