"""What a large tokenizer.json says, kept on disk in a form that is read in a fraction of the time.

A file of the cache is data alone: the vocab and the merges as columns of texts and numbers, the rest as JSON. It has
the SHA-256 of the tokenizer.json, in its name too, the version of reftok that parsed it, and a SHA-256 of all that it
says; whatever is not as it was written is made anew. What is read goes through all checks that follow the parser.

The folder is `reftok` in XDG_CACHE_HOME, or in ~/.cache. Neither it nor a file in it is used that belongs to somebody
else or that others may write.
"""

from __future__ import annotations

import json
import os
import re
import stat
import struct
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import repeat
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

from reftok.version import __version__

SMALLEST_BYTES = 1 << 18
"""A smaller file is parsed as quickly as it is looked up."""
MOST_BYTES = 512 << 20
"""Of the whole cache: what has not been used for the longest time goes."""

_BEGINNING = f"reftok {__version__}: a parsed tokenizer.json, form 1\n".encode()
_DIGEST_BYTES = sha256().digest_size
_ENDING = ".columns"
_NAME = re.compile(r"[0-9a-f]{64}(\.columns|\w*\.new)")
"""Of the files of the cache: others are not looked at, and not deleted."""
SEPARATORS = ("\n", "\0", "\1", "\2", "\3", "\uffff")
"""Between the texts of a column: the first that is in none of them."""
_COLUMN = struct.Struct("<cIQ")
"""Before each column: what it holds, how many, and in how many bytes."""
_TEXTS, _INTEGERS, _FLOATS = b"t", b"I", b"d"
_MOST_EXACT = 1 << 53
"""Every whole number below it is a double."""
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH

Column: TypeAlias = Sequence[Any]


class _NotKept(ValueError):
    """A value that the columns do not hold, or bytes that they are not made of."""


def cached_json(data: bytes, parse: Callable[[bytes], Any]) -> Any:
    """What `parse` makes of a tokenizer.json, from the cache where it is there, else kept there.

    data: the bytes of the file. Pairs, of merges and of Unigram's vocab, come as tuples, and its scores as floats.
    Raises what `parse` raises; the cache itself never fails: what cannot be read or written is parsed.
    """
    folder = _folder() if len(data) >= SMALLEST_BYTES else None
    if folder is None:
        return parse(data)
    of_file = sha256(data)
    path = folder / (of_file.hexdigest() + _ENDING)
    with suppress(OSError, ValueError, MemoryError):
        return unpacked(_own_bytes(path, 4 * len(data) + (1 << 20)), of_file.digest())
    root = parse(data)
    with suppress(OSError, ValueError, MemoryError):
        _keep(path, packed(root, of_file.digest()))
    return root


def packed(root: Any, of_file: bytes) -> list[bytes]:
    """A parsed tokenizer.json in the form of the cache, in parts.

    of_file: the SHA-256 of the file that it was parsed from.
    Raises ValueError where vocab and merges are not of the types that the columns hold.

    >>> root = {"model": {"vocab": {"a": 0, "b": 7}, "merges": ["a b"]}}
    >>> unpacked(b"".join(packed(root, bytes(32))), bytes(32))
    {'model': {'vocab': {'a': 0, 'b': 7}, 'merges': [('a', 'b')]}}
    """
    model = root.get("model") if isinstance(root, dict) else None
    if not isinstance(model, dict) or not isinstance(vocab := model.get("vocab"), dict | list) or not vocab:
        raise _NotKept("there is no vocab")
    tokens, numbers = _pieces_and_scores(vocab) if isinstance(vocab, list) else _tokens_and_ids(vocab)
    columns = [tokens, numbers]
    if merges := model.get("merges"):
        columns += _positions(merges, tokens)
    large = {"vocab": None, "merges": None} if merges else {"vocab": None}
    head = {"rest": {**root, "model": {**model, **large}}, "is_object": isinstance(vocab, dict)}
    parts = [_BEGINNING, of_file, *map(_written, ([json.dumps(head)], *columns))]
    digest = sha256()
    for part in parts:
        digest.update(part)
    return [digest.digest(), *parts]


def unpacked(data: bytes, of_file: bytes) -> Any:
    """What `packed` was given. Raises ValueError for any other bytes."""
    content = memoryview(data)[_DIGEST_BYTES:]
    start = _BEGINNING + of_file
    if content[: len(start)] != start or data[:_DIGEST_BYTES] != sha256(content).digest():
        raise _NotKept("the bytes are others than those that were written")
    try:
        (head,), tokens, numbers, *merges = _read(content[len(start) :])
        told = json.loads(head)
        model = told["rest"]["model"]
        entries = zip(tokens, numbers, strict=True)
        model["vocab"] = dict(entries) if told["is_object"] else [*entries]
        if merges:
            lefts, rights = (map(tokens.__getitem__, positions) for positions in merges)
            model["merges"] = [*zip(lefts, rights, strict=True)]
    except (KeyError, TypeError, IndexError, RecursionError, struct.error) as error:
        raise _NotKept(str(error)) from None
    return told["rest"]


def _pieces_and_scores(vocab: list[Any]) -> tuple[Column, Column]:
    """The columns of Unigram's vocab."""
    if {*map(type, vocab)} != {list} or {*map(len, vocab)} != {2}:
        raise _NotKept("the vocab is no list of pairs")
    pieces, scores = zip(*vocab, strict=True)
    if not {*map(type, scores)} <= {int, float} or max(map(abs, scores)) >= _MOST_EXACT:
        raise _NotKept("a score is no double")
    return pieces, array("d", scores)


def _positions(merges: Any, tokens: Sequence[str]) -> tuple[Column, Column]:
    """The places of the left and of the right tokens of the merges among all tokens.

    Tokens that are the same objects are found in the vocab in a fraction of the time.
    """
    if type(merges) is not list or {*map(type, tokens)} != {str}:
        raise _NotKept("the merges are no list, or a token is no text")
    if {*map(type, merges)} == {str} and not any(merge.startswith("#version") for merge in merges):
        merges = [*map(str.split, merges, repeat(" "))]
    if {*map(type, merges)} != {list} or {*map(len, merges)} != {2}:
        raise _NotKept("the merges are no list of pairs")
    places = {token: place for place, token in enumerate(tokens)}
    try:
        lefts, rights = (array("I", map(places.__getitem__, side)) for side in zip(*merges, strict=True))
    except (KeyError, TypeError):
        raise _NotKept("a merge is of no two tokens of the vocab") from None
    return lefts, rights


def _tokens_and_ids(vocab: Mapping[str, Any]) -> tuple[Column, Column]:
    """The columns of any other vocab."""
    ids = [*vocab.values()]
    if {*map(type, ids)} != {int} or min(ids) < 0 or max(ids) >= 1 << 32:
        raise _NotKept("an id is not of 32 bits")
    return [*vocab], array("I", ids)


def _written(column: Column) -> bytes:
    if isinstance(column, array):
        numbers = array(column.typecode, column)
        if sys.byteorder == "big":
            numbers.byteswap()
        kind, content = column.typecode.encode("ascii"), numbers.tobytes()
    else:
        if {*map(type, column)} != {str}:
            raise _NotKept("an item is no text")
        separator = next((one for one in SEPARATORS if not any(one in text for text in column)), None)
        if separator is None:
            raise _NotKept("no character is left to stand between the texts")
        kind, content = _TEXTS, (separator + separator.join(column)).encode("utf-8")
    return _COLUMN.pack(kind, len(column), len(content)) + content


def _read(content: memoryview) -> Iterator[Column]:
    at = 0
    while at < len(content):
        kind, count, size = _COLUMN.unpack_from(content, at)
        at += _COLUMN.size
        column = _column(kind, content[at : at + size])
        if len(column) != count:
            raise _NotKept("a column has another length")
        yield column
        at += size


def _column(kind: bytes, content: memoryview) -> Column:
    if kind == _TEXTS:
        text = str(content, "utf-8")
        return text[1:].split(text[0])
    if kind not in (_INTEGERS, _FLOATS):
        raise _NotKept("a column is of no known kind")
    numbers = array(kind.decode("ascii"))
    numbers.frombytes(content)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


# --- the folder


def _folder() -> Path | None:
    """Where the cache is; None where it cannot be trusted or made."""
    try:
        named = Path(os.environ.get("XDG_CACHE_HOME", ""))
        # A relative folder does not count: so has it the XDG base directory specification.
        base = named if named.is_absolute() else Path.home() / ".cache"
        if not base.is_absolute():
            return None
        folder = base / "reftok"
        base.mkdir(mode=0o700, parents=True, exist_ok=True)  # what it makes above has the rights of the umask
        folder.mkdir(mode=0o700, exist_ok=True)
        status, of_base = folder.lstat(), base.stat()
    except (OSError, RuntimeError, ValueError):
        return None
    is_shared = of_base.st_mode & _OTHERS_MAY_WRITE and not of_base.st_mode & stat.S_ISVTX
    is_of_others = hasattr(os, "getuid") and of_base.st_uid not in (0, os.getuid())
    is_good = stat.S_ISDIR(status.st_mode) and _is_own(status) and not is_shared and not is_of_others
    return folder if is_good else None


def _is_own(status: os.stat_result) -> bool:
    """Whether it belongs to this user, and nobody else may write it; Windows has other rights, by folder."""
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & _OTHERS_MAY_WRITE)


def _own_bytes(path: Path, most: int) -> bytes:
    """The bytes of a file of the cache, which is then the one that was used last.

    Raises OSError where it cannot be read, ValueError where it is longer, or another's.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most or not _is_own(status):
            raise _NotKept("it is no file of the cache")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read()
    finally:
        os.close(descriptor)
    with suppress(OSError):
        os.utime(path)
    return data


def _keep(path: Path, parts: Sequence[bytes]) -> None:
    """Write a file of the cache at once, and drop the oldest ones where there are too many bytes.

    Several processes may do so at the same time, and nobody else may write it, whatever the umask: `write_durably` of
    `reftok.formats.files` promises neither.
    """
    with NamedTemporaryFile(dir=path.parent, prefix=path.stem, suffix=".new", delete=False) as file:
        try:
            file.writelines(parts)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            raise
    others: dict[Path, os.stat_result] = {}
    for one in path.parent.iterdir():
        with suppress(OSError):
            if one != path and _NAME.fullmatch(one.name):
                others[one] = one.lstat()
    left = path.stat().st_size + sum(status.st_size for status in others.values())
    for old in sorted(others, key=lambda one: others[one].st_mtime_ns):
        if left <= MOST_BYTES:
            break
        with suppress(OSError):
            old.unlink()
            left -= others[old].st_size
