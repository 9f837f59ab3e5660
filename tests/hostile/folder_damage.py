"""Damage to the files that the harness reads: JSON, lines of JSON, TOML, and what stands in the place of a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from tests.reftok.tokenizers_strategies.damaged import KEYS, REPLACEMENTS, at

from .damage import flipped, places
from .hostile_subjects import MARKUP

_PLACEHOLDER = "the place of a literal"
LITERALS = [
    "NaN", "-Infinity", "1e999", "-0", "01", "9" * 400, "9" * 5000, "-" + "9" * 5000, "tru", "'a'", "",
    '"\\ud800"', '"\\u001b[31m\\u0000"', '"\x1b"', "[" * 100_000, '{"a":' * 100_000, "[" * 900 + "]" * 900,
    '{"a": 1, "a": 2}', '"' + "a" * (1 << 20) + '"', "[" + "0," * 100_000 + "0]",
]  # fmt: skip
WHOLE = [
    b"", b"\n", b"null", b"[]", b"{}", b"0", b'"x"', b"NaN", b"\xff" * 100, b"\0" * 1000, b"\xef\xbb\xbf", b"\xff\xfe",
    b"[" * 200_000, b'{"a":' * 200_000, b"9" * 10_000, b"a = " * 1000, b"[[" * 50_000, b"x" * (1 << 20),
    b"\n" * (1 << 20),
]  # fmt: skip
TOML_VALUES = [
    "1", "-1", "0", "1.5", "nan", "inf", "true", '""', "''", '"x"', "[]", "{}", '["a"]', "[1]", "[[]]", "9" * 30,
    "9" * 5000, '"\\u001b[31m\\u202e"', '"' + "a" * (1 << 20) + '"', "[" * 5000 + "]" * 5000,
    "{a = " * 2000 + "1" + "}" * 2000,
    "1979-05-27", '"\\u0000"', '"*"', '"[/b][bold]"', '"("', '"(a*)*$"', "'''\n'''",
]  # fmt: skip
_VALUE = re.compile(rb"=.*")


def damaged(data: bytes, form: str, random: Random, outside: Path) -> bytes:
    """A file with one to three changes. form: "json", "lines" or "toml". outside: a file that is nobody's business."""
    for _ in range(random.choice([1, 1, 2, 3])):
        kind = random.choices(["form", "bytes", "whole", "cut"], [80, 8, 6, 6])[0]
        if kind == "form":
            data = _of_form(data, form, random, outside)
        elif kind == "bytes":
            data = flipped(data, random)
        elif kind == "whole":
            data = random.choice(WHOLE)
        else:
            data = data[: random.randint(0, len(data))]
    return data


def _of_form(data: bytes, form: str, random: Random, outside: Path) -> bytes:
    try:
        return _OF_FORM[form](data, random, outside)
    except RecursionError:  # what was damaged before is nested too deeply to be copied
        return flipped(data, random)


def put_in_place(path: Path, random: Random, outside: Path) -> str:
    """Put something that is no file, or not this one, in the place of a file; gives what."""
    path.unlink()
    kind = random.choice(["nothing", "folder", "link", "link to itself", "link to a folder", "link to zeros"])
    if kind == "folder":
        path.mkdir()
    elif kind != "nothing":
        to = {"link": outside, "link to itself": path, "link to a folder": outside.parent}.get(kind, Path("/dev/zero"))
        path.symlink_to(to)
    return kind


def _values(outside: Path) -> list[Any]:
    """What stands in the place of a value."""
    strings = [MARKUP, "\x1b[2J", "\u202e", "a" * (1 << 20), f"../{outside.parent.name}/{outside.name}", str(outside)]
    strings += ["../" * 40 + "dev/zero", "/dev/zero", "/", ".", "..", "[/b][bold]", "\ud800", "9999-12-31", "reftok"]
    numbers = [-1, -1e300, 10**400, (1 << 53) + 1, -(1 << 63)]
    return [*REPLACEMENTS, *strings, *numbers, [0] * 100_000, _nested(400), {str(n): n for n in range(2000)}]


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def _json(data: bytes, random: Random, outside: Path) -> bytes:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return flipped(data, random)
    found = [*places(value)]
    if not found:
        return json.dumps(random.choice(_values(outside))).encode()
    path = random.choice(found)
    owner, key = at(value, path[:-1]), path[-1]
    change = random.choices(["value", "literal", "swap", "drop", "copy", "key", "twice"], [30, 25, 12, 8, 5, 8, 5])[0]
    if change == "value":
        owner[key] = deepcopy(random.choice(_values(outside)))
    elif change == "literal":
        owner[key] = _PLACEHOLDER
        return json.dumps(value).replace(f'"{_PLACEHOLDER}"', random.choice(LITERALS)).encode("utf-8", "surrogatepass")
    elif change == "swap":
        owner[key] = deepcopy(at(value, random.choice(found)))
    elif change == "drop":
        del owner[key]
    elif change == "copy" and isinstance(owner, list):
        owner[key:key] = [deepcopy(owner[key]) for _ in range(random.choice([1, 1, 1000]))]
    elif change == "twice" and isinstance(owner, dict):
        owner[_PLACEHOLDER] = random.choice([None, 1, "x", [], {}])
        return json.dumps(value).replace(f'"{_PLACEHOLDER}"', json.dumps(key)).encode()
    elif isinstance(owner, dict):
        owner[random.choice([*KEYS, MARKUP, "a" * 10_000])] = random.choice(REPLACEMENTS)
    return json.dumps(value).encode()


def _lines(data: bytes, random: Random, outside: Path) -> bytes:
    """Lines of JSON."""
    lines = data.splitlines(keepends=True) or [b"{}\n"]
    place, other = random.randrange(len(lines)), random.randrange(len(lines))
    change = random.choices(["json", "swap", "drop", "copy", "many", "blank", "end"], [70, 5, 5, 8, 3, 5, 4])[0]
    if change == "json":
        lines[place] = _json(lines[place].rstrip(b"\n"), random, outside) + b"\n"
    elif change == "swap":
        lines[place], lines[other] = lines[other], lines[place]
    elif change == "drop":
        del lines[place]
    elif change in ("copy", "many"):
        lines[other:other] = [lines[place]] * (1 if change == "copy" else 500)
    elif change == "blank":
        lines.insert(place, random.choice([b"\n", b"\r\n", b" \n", b"\xe2\x80\xa8\n"]))
    else:
        lines[-1] = lines[-1].rstrip(b"\n")
    return b"".join(lines)


def _toml(data: bytes, random: Random, outside: Path) -> bytes:
    lines = data.splitlines(keepends=True) or [b"a = 1\n"]
    place, other = random.randrange(len(lines)), random.randrange(len(lines))
    change = random.choices(["value", "path", "swap", "drop", "copy", "key", "cut"], [45, 12, 8, 8, 8, 12, 7])[0]
    if change in ("value", "path"):
        paths = [f'"../{outside.parent.name}/{outside.name}"', f"'{outside}'", '"/dev/zero"', '"/"', f'["{outside}"]']
        value = random.choice(TOML_VALUES if change == "value" else paths)
        lines[place] = _VALUE.sub(lambda _: f"= {value}".encode(), lines[place].rstrip(b"\n")) + b"\n"
    elif change == "swap":
        lines[place], lines[other] = lines[other], lines[place]
    elif change == "drop":
        del lines[place]
    elif change == "copy":
        lines.insert(other, lines[place])
    elif change == "key":
        key = random.choice(["x", '""', '"\\u001b[31m"', "a." * 500 + "a", "'" + "a" * 10_000 + "'", "[x]", "[[x]]"])
        lines.insert(place, (key if key.startswith("[") else f"{key} = {random.choice(TOML_VALUES)}").encode() + b"\n")
    else:
        cut = random.randint(0, len(lines[place]))
        lines[place] = lines[place][:cut] + b"\n"
    return b"".join(lines)


_OF_FORM: Mapping[str, Callable[[bytes, Random, Path], bytes]] = {"json": _json, "lines": _lines, "toml": _toml}
