"""The skeletons of adapters, as `conformance subject init` writes them: each is built and run where its tools are."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Timer
from typing import Any

import msgspec
import pytest

from conformance.core.errors import UsageError
from conformance.core.observation import Encoded, Failure
from conformance.subjects.definition import definition
from conformance.subjects.isolated import IsolatedSubject
from conformance.subjects.languages import NAMES, language_key
from conformance.subjects.protocol import (
    Answer,
    Decode,
    DecodeAnswer,
    Encode,
    EncodeAnswer,
    IdsInput,
    Input,
    Load,
    Model,
    Start,
    StartAnswer,
)
from conformance.subjects.skeletons import write_skeleton

MODEL = Model(path="/nowhere/tokenizer.json", format="tokenizer.json", sha256="0" * 64)
TEXTS = (
    "",
    "Hello world",
    "café ☠",
    "\U0001f600 \U0010ffff \ue000 \ufffd",
    "a\u2028b\u2029c\x85d\x0b\x0c\r\ne\ufeff",
    "\0a\0",
    '"\\"/\\u0041\\',
    "".join(map(chr, range(128))),
    "\t" * 70_000,
)
BROKEN = (
    "{",
    '{"id": 0, "op": "encode", "items": [{"text": "a',
    '{"id": 0, "op": "encode", "items": [{"text": "\\ud83d"}], "add_special_tokens": true}',
    '{"id": 0} x',
    '{"id": 01, "op": "reset"}',
    "[" * 100_000,
    "[1, 2]",
    "null",
    '{"op": "reset"}',
    '{"id": "7", "op": "reset"}',
    "\xff",
    "",
)
"""Lines that may be answered or passed over: some readers of JSON take a lone surrogate."""
MISTAKEN = (
    {"op": "no such thing"},
    {"op": 7},
    {},
    {"op": "encode", "add_special_tokens": True},
    {"op": "encode", "items": [{"text": "a"}, {}], "add_special_tokens": True},
    {"op": "encode", "items": [{"text": 1}], "add_special_tokens": True},
    {"op": "encode", "items": {"text": "a"}, "add_special_tokens": True},
    {"op": "decode", "items": [{"ids": "97"}], "skip_special_tokens": True},
    {"op": "decode", "items": [{"ids": ["97"]}], "skip_special_tokens": True},
    {"op": "decode", "items": [{"ids": [1.5]}], "skip_special_tokens": True},
    {"op": "decode", "items": [[97]], "skip_special_tokens": True},
    {"op": "load"},
)
"""Messages that are answered by an error."""


@contextmanager
def program(settings: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The program of a subject.toml, running; it is killed where it does not answer, or does not end."""
    command = tomllib.loads(settings.read_text("utf-8"))["command"]
    found = [str(path) if (path := settings.parent / part).is_file() else part for part in command]
    with (
        subprocess.Popen(
            found, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=settings.parent.parent
        ) as process,
    ):
        killer = Timer(60, process.kill)
        killer.start()
        try:
            yield process
        finally:
            killer.cancel()
            process.kill()


class Talk:
    """Messages to a program, each sent when the one before it is answered."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._id = 0
        self._broken = False

    def say_broken(self, line: str) -> None:
        """Say what may be answered with the id 0."""
        self._broken = True
        self.say(line)

    def say(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line.encode("latin-1") + b"\n")
        self._process.stdin.flush()

    def hear(self) -> bytes:
        assert self._process.stdout
        return self._process.stdout.readline()

    def ask(self, make: Callable[..., Any], kind: type[Any], **fields: Any) -> Any:
        """The answer to a message of the protocol, of the type that this has."""
        return self._answer(msgspec.to_builtins(make(id=0, **fields)), kind)

    def error(self, fields: dict[str, Any]) -> str:
        """The error that a message is answered with."""
        answer = self._answer(fields, Answer)
        assert answer.error is not None, fields
        return str(answer.error.message)

    def _answer(self, fields: dict[str, Any], kind: type[Any]) -> Any:
        self._id += 1
        self.say(json.dumps(fields | {"id": self._id}))
        while msgspec.json.decode(heard := self.hear(), type=Answer).id == 0:
            assert self._broken
        answer = msgspec.json.decode(heard, type=kind)
        assert answer.id == self._id
        return answer

    def start(self) -> StartAnswer:
        answer: StartAnswer = self.ask(Start, StartAnswer, protocol=1, model=MODEL, options={"a": [1.5e3, None, {}]})
        return answer

    def encode(self, *items: Input) -> EncodeAnswer:
        answer: EncodeAnswer = self.ask(Encode, EncodeAnswer, items=items, add_special_tokens=True, want=("ids",))
        return answer

    def decode(self, *lists: Sequence[int]) -> DecodeAnswer:
        items = tuple(IdsInput(ids=tuple(ids)) for ids in lists)
        answer: DecodeAnswer = self.ask(Decode, DecodeAnswer, items=items, skip_special_tokens=False)
        return answer


@cache
def node_runs_typescript() -> bool:
    """Whether there is a Node that needs no compiler for TypeScript."""
    if shutil.which("node") is None:
        return False
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, timeout=60).stdout
    return tuple(map(int, version.strip().lstrip("v").split(".")[:2])) >= (22, 18)


def compile_typescript(settings: Path) -> None:
    """As the README of the skeleton says it for an older Node."""
    subprocess.run(["tsc"], cwd=settings.parent, check=True, timeout=300)
    text = settings.read_text("utf-8")
    settings.write_text(text.replace('"adapter.mts"', '"compiled/adapter.mjs"', 1), "utf-8")


def tools(language: str) -> tuple[str, ...]:
    """The programs that the skeleton of a language is built and run with."""
    return {
        "javascript": ("node",),
        "typescript": ("node",) if node_runs_typescript() else ("node", "tsc"),
        "python": ("python3",),
        "rust": ("cargo",),
        "cpp": ("c++",),
        "c": ("cc",),
        "go": ("go",),
        "java": ("java", "javac", "jar"),
        "kotlin": ("kotlinc", "java"),
        "swift": ("swift",),
        "csharp": ("dotnet",),
    }[language]


@pytest.fixture(scope="module", params=[*NAMES])
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The subject.toml of a skeleton that is built."""
    language = request.param
    if missing := [tool for tool in tools(language) if shutil.which(tool) is None]:
        pytest.skip(f"there is no {missing[0]} to build or run the skeleton with")
    written = write_skeleton(language, tmp_path_factory.mktemp("skeleton") / language)
    if build := tomllib.loads(written.read_text("utf-8")).get("build"):
        built = subprocess.run(build, shell=True, cwd=written.parent, capture_output=True, text=True, timeout=300)
        assert built.returncode == 0, built.stderr + built.stdout
    if language == "typescript" and not node_runs_typescript():
        compile_typescript(written)
    return written


def test_a_skeleton_answers_as_it_stands_and_stops(settings: Path) -> None:
    with program(settings) as process:
        talk = Talk(process)
        started = talk.start().started
        assert started is not None
        assert started.protocol == 1
        assert language_key(started.subject.language) == settings.parent.name
        assert started.capabilities.encode is not None
        assert started.capabilities.decode is not None
        encoded = talk.encode(*(Input(text=text) for text in TEXTS))
        assert encoded.results is not None
        assert [result.ids for result in encoded.results] == [tuple(text.encode()) for text in TEXTS]
        assert talk.encode().results == ()
        decoded = talk.decode(*(text.encode() for text in TEXTS), range(256))
        assert decoded.results is not None
        expected = [*(text.encode() for text in TEXTS), bytes(range(256))]
        assert [base64.b64decode(result.base64 or "") for result in decoded.results] == expected
        assert talk.decode().results == ()
        assert talk.ask(Load, StartAnswer, model=MODEL).started == started
        talk.say('{"id": 99, "op": "stop"}')
        assert (talk.hear(), process.wait()) == (b"", 0)


def test_what_the_library_of_a_skeleton_raises_is_the_answer_to_its_item(settings: Path) -> None:
    with program(settings) as process:
        talk = Talk(process)
        talk.start()
        answer = talk.decode([97], [256], [-1], [2**63 - 1], [-(2**63)], [98])
        assert answer.results is not None
        assert [result.base64 for result in answer.results] == ["YQ==", None, None, None, None, "Yg=="]
        assert all(result.refused and result.refused.message for result in answer.results[1:-1])


def test_a_message_that_a_skeleton_does_not_know_is_an_error_and_a_broken_one_no_end(settings: Path) -> None:
    with program(settings) as process:
        talk = Talk(process)
        assert talk.error({"op": "encode", "items": [{"text": "a"}], "add_special_tokens": True})
        talk.start()
        assert all(talk.error(message) for message in MISTAKEN[:-1])
        for line in BROKEN:
            talk.say_broken(line)
        answer = talk.encode(Input(text="a"))
        assert answer.results is not None
        assert answer.results[0].ids == (97,)
        assert talk.error(MISTAKEN[-1])


def test_a_skeleton_ends_with_its_input(settings: Path) -> None:
    with program(settings) as process:
        talk = Talk(process)
        talk.start()
        assert process.stdin
        process.stdin.close()
        assert (talk.hear(), process.wait()) == (b"", 0)


@pytest.mark.parametrize(
    ("language", "file", "body", "raised"),
    [
        ("javascript", "adapter.mjs", "return new TextEncoder();", "ReferenceError: missing"),
        ("python", "adapter.py", 'return "utf-8"', "NameError: name 'missing'"),
    ],
)
def test_the_reason_why_a_skeleton_does_not_read_a_model_has_its_type(
    language: str, file: str, body: str, raised: str, tmp_path: Path
) -> None:
    """The message of many an exception is a path or a name, and nothing more."""
    if missing := [tool for tool in tools(language) if shutil.which(tool) is None]:
        pytest.skip(f"there is no {missing[0]} to run the skeleton with")
    settings = write_skeleton(language, tmp_path / "mine")
    source = (settings.parent / file).read_text("utf-8")
    assert body in source
    (settings.parent / file).write_text(source.replace(body, "missing()"), "utf-8")
    with program(settings) as process:
        refused = Talk(process).start().unavailable
        assert refused is not None
        assert raised in refused.message


@pytest.mark.parametrize("language", [*NAMES])
def test_a_skeleton_comes_with_a_readme_of_some_twenty_lines_and_a_subject_toml(language: str, tmp_path: Path) -> None:
    """Fault: "Say what the library does not do; what is not named there is not asked" contradicts itself."""
    written = write_skeleton(language, tmp_path / "a new" / "folder")
    assert tomllib.loads(written.read_text("utf-8"))["language"] == language
    text = (written.parent / "README.md").read_text("utf-8")
    assert 15 <= len(text.splitlines()) <= 30
    assert re.search(r"^3\. `[Cc]apabilities` names what is asked: what is not", text, re.MULTILINE | re.IGNORECASE)


@pytest.mark.parametrize("name", ['"', "\\", "a\\u0041", "✓ \U0001f600", "' # ="])
def test_a_name_is_what_the_subject_toml_says(name: str, tmp_path: Path) -> None:
    assert tomllib.loads(write_skeleton("python", tmp_path, name).read_text("utf-8"))["name"] == name
    assert tomllib.loads(write_skeleton("python", tmp_path / name).read_text("utf-8"))["name"] == name


@pytest.mark.parametrize("name", ["", "a\nb", "\x00", "\udcff", "a" * 101])
def test_a_name_that_reports_do_not_take_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--name"):
        write_skeleton("python", tmp_path, name)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten_and_then_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "subject.toml").symlink_to("nowhere")
    (tmp_path / "other.txt").write_text("mine")
    with pytest.raises(UsageError, match=f"{re.escape(str(tmp_path / 'subject.toml'))}: is there already"):
        write_skeleton("python", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"subject.toml", "other.txt"}


@pytest.mark.parametrize(("language", "file"), [("javascript", "adapter.mjs"), ("typescript", "adapter.mts")])
@pytest.mark.parametrize(
    ("ids", "answered"),
    [
        ('["1"]', "nonsense"),
        ("[1.5]", "nonsense"),
        ("BigInt64Array.of(7n, -1n)", Encoded((7, -1))),
    ],
)
def test_a_skeleton_hands_ids_on_as_they_are(
    language: str, file: str, ids: str, answered: Encoded | str, tmp_path: Path
) -> None:
    """Fault: ids in the form of texts became numbers, and were told to be right."""
    if missing := [tool for tool in tools(language) if shutil.which(tool) is None]:
        pytest.skip(f"there is no {missing[0]} to run the skeleton with")
    settings = write_skeleton(language, tmp_path / "mine")
    source = (settings.parent / file).read_text("utf-8")
    assert "return tokenizer.encode(text);" in source
    given = source.replace("return tokenizer.encode(text);", f"return {ids}{' as any' * (file == 'adapter.mts')};")
    (settings.parent / file).write_text(given, "utf-8")
    if language == "typescript" and not node_runs_typescript():
        compile_typescript(settings)
    subject = IsolatedSubject(definition(str(settings)), Model(path="/", format="tokenizer.json", sha256=""), 60.0)
    try:
        found = subject.encode("a")
    finally:
        subject.close()
    assert (found.kind if isinstance(found, Failure) else found) == answered
