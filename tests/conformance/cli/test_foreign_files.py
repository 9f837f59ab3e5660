"""Files of strangers that do harm: refused by name, in a line or two, with exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reftok.formats.files import file_bytes

from ..commands import Command, said

ODD = {"number": f"a = {'9' * 5000}\n", "nesting": f"a = {'[' * 5000}{']' * 5000}\n"}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    ("name", "arguments"), [("known.toml", ("--expectations", "known.toml")), ("conformance.toml", ())]
)
def test_toml_of_a_number_without_end_or_nested_without_end_is_refused_by_name(
    conformance_here: Command, tmp_path: Path, name: str, arguments: tuple[str, ...], odd: str
) -> None:
    """Fault: the error is none of tomllib's own, and the harness was said to have failed."""
    (tmp_path / name).write_text(ODD[odd], "utf-8")
    said(conformance_here("known", "list", *arguments, cwd=tmp_path), 2, f"{name}: ")


def test_a_message_has_no_megabyte_of_a_file_in_it(conformance_here: Command, tmp_path: Path) -> None:
    """Fault: the whole of a name was printed, a line of a million characters."""
    (tmp_path / "known.toml").write_text(f'[[expectation]]\nid = "{"a" * 1_000_000}"\n', "utf-8")
    ended = conformance_here("known", "list", "--expectations", "known.toml", cwd=tmp_path)
    said(ended, 2, "conformance: known.toml: expectation aaa")
    assert len(ended.stderr) < 2_000
    assert "missing" in ended.stderr[-200:], "the end of the message, which says what is wrong, stays"


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("device", marks=pytest.mark.skipif(sys.platform != "linux", reason="/dev/zero is of Linux")),
        pytest.param("pipe", marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has none in folders")),
    ],
)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("known.toml", ("known", "list", "--expectations", "known.toml")),
        ("vectors.json", ("vectors", "lint", "vectors.json")),
        ("run.json", ("diff", ".", ".")),
        ("run.json", ("replay", ".", "0123")),
        ("plan.json", ("run", "--resume", ".")),
        ("session.json", ("corpus", "minimize", ".")),
        ("tokenizer.json", ("run", "--model", "tokenizer.json")),
    ],
)
def test_what_has_no_end_or_waits_in_the_place_of_a_file_is_not_read(
    conformance_here: Command, tmp_path: Path, name: str, arguments: tuple[str, ...], kind: str
) -> None:
    """Faults: a device was read until the memory was full; a pipe hung the command, and took its first signal."""
    if kind == "device":
        (tmp_path / name).symlink_to("/dev/zero")
    else:
        os.mkfifo(tmp_path / name)
    is_named = name not in ("session.json", "tokenizer.json") and "replay" not in arguments
    said(conformance_here(*arguments, cwd=tmp_path), 2, f"is a {kind}, and no file" if is_named else "")


def test_standard_input_is_read_by_its_name() -> None:
    program = (
        "from pathlib import Path; from reftok.formats.files import file_bytes; print(file_bytes(Path('/dev/stdin')))"
    )
    ended = subprocess.run([sys.executable, "-c", program], input=b"text", capture_output=True, check=True)
    assert ended.stdout.strip() == b"b'text'"


def test_what_a_shell_makes_of_the_output_of_another_command_is_read(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"text")
    os.close(writer)
    assert file_bytes(Path(f"/dev/fd/{reader}")) == b"text"
    os.close(reader)
