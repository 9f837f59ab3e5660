"""What a large tokenizer.json says, kept on disk in a form that is read in a fraction of the time.

A file of the cache is data alone: the vocab and the merges as columns of texts and numbers, the rest as JSON. It is
named by the SHA-256 of the tokenizer.json, and has one of its own content; whatever is not as it was written is made
anew. What is read goes through the same checks as what was parsed. The folder is `reftok` in XDG_CACHE_HOME, or in
~/.cache: it is not used where it belongs to somebody else, or others may write into it.
"""

from __future__ import annotations

import json
import os
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

from reftok.formats.files import file_bytes

SMALLEST_BYTES = 1 << 18
"""A smaller file is parsed as quickly as it is looked up."""
MOST_BYTES = 512 << 20
"""Of the whole cache: what has not been used for the longest time goes."""

_BEGINNING = b"reftok: parsed tokenizer.json, 1\n"
_DIGEST_BYTES = sha256().digest_size
_ENDING = ".columns"
SEPARATORS = ("\n", "\0", "\1", "\2", "\3", "\uffff")
"""Between the texts of a column: the first that is in none of them."""
_COLUMN = struct.Struct("<cIQ")
"""Before each column: what it holds, how many, and in how many bytes."""
_TEXTS, _INTEGERS, _FLOATS = b"t", b"I", b"d"
_MOST_EXACT = 1 << 53
"""Every whole number below it is a double."""

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
    path = folder / (sha256(data).hexdigest() + _ENDING)
    with suppress(OSError, ValueError):
        if path.stat().st_size <= 4 * len(data) + (1 << 20):
            root = unpacked(file_bytes(path))
            os.utime(path)
            return root
    root = parse(data)
    with suppress(OSError, _NotKept):
        _keep(path, packed(root))
    return root


def packed(root: Any) -> bytes:
    """A parsed tokenizer.json in the form of the cache.

    Raises ValueError for one that has no vocab, or one of another form.

    >>> root = {"model": {"vocab": {"a": 0, "b": 7}, "merges": ["a b"]}}
    >>> unpacked(packed(root))
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
    content = b"".join(map(_written, ([json.dumps(head)], *columns)))
    return _BEGINNING + sha256(content).digest() + content


def unpacked(data: bytes) -> Any:
    """What `packed` was given. Raises ValueError for any other bytes."""
    start = len(_BEGINNING) + _DIGEST_BYTES
    content = memoryview(data)[start:]
    if data[:start] != _BEGINNING + sha256(content).digest():
        raise _NotKept("the bytes are others than those that were written")
    try:
        (head,), tokens, numbers, *merges = _read(content)
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
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = base / "reftok"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except (OSError, RuntimeError):
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o022):
        return None
    return folder


def _keep(path: Path, content: bytes) -> None:
    """Write a file of the cache at once, and drop the oldest ones where there are too many bytes."""
    with NamedTemporaryFile(dir=path.parent, prefix=path.stem, suffix=".new", delete=False) as file:
        try:
            file.write(content)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            raise
    files: Mapping[Path, os.stat_result] = {one: one.stat() for one in path.parent.iterdir() if one.is_file()}
    left = sum(status.st_size for status in files.values())
    for old in sorted(files, key=lambda one: files[one].st_mtime_ns):
        if left <= MOST_BYTES or old == path:
            break
        old.unlink(missing_ok=True)
        left -= files[old].st_size
