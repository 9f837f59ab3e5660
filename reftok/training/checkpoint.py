"""What a training that was killed goes on from: columns of strings and of numbers, in one file beside the output.

    a line of JSON: version, of what training, the names and sizes of the columns, the SHA-256 of everything
    the columns: numbers of 64 bits; strings as numbers of code points and then as UTF-32, all little-endian

Strings may hold lone surrogates: a character stands for an id there.
"""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from reftok.errors import TrainingStopped
from reftok.formats.files import write_durably

Columns: TypeAlias = Mapping[str, Sequence[str] | Sequence[int]]
"""A state by the names of its parts."""

_VERSION = 1


def strings(columns: Columns, name: str) -> list[str]:
    """A column of strings; those of numbers count as none."""
    return [value for value in columns[name] if isinstance(value, str)]


def numbers(columns: Columns, name: str) -> list[int]:
    """A column of numbers."""
    return [value for value in columns[name] if isinstance(value, int)]


def write_checkpoint(path: Path, identity: Mapping[str, Any], columns: Columns) -> None:
    """Replace the checkpoint at once: the old or the new one is there, whatever happens.

    identity: what must be the same for another run to go on.
    """
    parts: list[bytes] = []
    sizes: list[tuple[str, str, int, int]] = []
    for name, values in columns.items():
        if values and isinstance(values[0], str):
            text = "".join(map(str, values)).encode("utf-32-le", "surrogatepass")
            parts += (_packed(map(len, strings(columns, name))), text)
            sizes.append((name, "strings", len(values), len(text)))
        else:
            parts.append(_packed(numbers(columns, name)))
            sizes.append((name, "numbers", len(values), 0))
    header: dict[str, Any] = {"version": _VERSION, "identity": identity, "columns": sizes}
    header["sha256"] = _digest(header, parts)
    write_durably(path, b"".join([json.dumps(header).encode("ascii"), b"\n", *parts]))


def read_checkpoint(path: Path, identity: Mapping[str, Any]) -> Columns:
    """The columns of a checkpoint.

    Raises TrainingStopped where there is none, where it is damaged, or of another training.
    """
    try:
        line, _, data = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        raise TrainingStopped(f"{path}: there is nothing to go on from: leave --resume out") from None
    except OSError as error:
        raise TrainingStopped(f"{path}: cannot be read: {error.strerror}") from None
    try:
        header = json.loads(line)
        if header["version"] != _VERSION or header.pop("sha256") != _digest(header, [data]):
            raise ValueError
        columns = _columns(header["columns"], data)
        before = dict(header["identity"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise TrainingStopped(f"{path}: is damaged and cannot be gone on with; --overwrite begins anew") from None
    now = json.loads(json.dumps(identity))
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            raise TrainingStopped(
                f"{path}: the interrupted training had another {name}: repeat it as it was, or begin anew with "
                "--overwrite"
            )
    return columns


def _digest(header: Mapping[str, Any], parts: Sequence[bytes]) -> str:
    digest = hashlib.sha256(json.dumps(header).encode("ascii"))
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _columns(sizes: Sequence[tuple[str, str, int, int]], data: bytes) -> Columns:
    columns: dict[str, Sequence[str] | Sequence[int]] = {}
    start = 0
    for name, kind, count, size in sizes:
        found = array("q")
        found.frombytes(data[start : start + 8 * count])
        if sys.byteorder == "big":
            found.byteswap()
        start += 8 * count
        if kind == "numbers":
            columns[name] = found.tolist()
            continue
        text = data[start : start + size].decode("utf-32-le", "surrogatepass")
        start += size
        place, made = 0, []
        for length in found:
            made.append(text[place : place + length])
            place += length
        columns[name] = made
    return columns


def _packed(values: Any) -> bytes:
    packed = array("q", values)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()
