"""The process of an isolated subject.

    python -m conformance.subjects.serve FILE FACTORY MODEL ANSWERS_FD

FACTORY(model_path) returns an object with

    encode(text, add_special_tokens) -> list[int]
    decode(ids, skip_special_tokens) -> str

and, where it likes, with

    encode_with_offsets(text, add_special_tokens) -> (ids, tokens or None, offsets or None)
        or, with a list of 0 and 1 (or None) at its end, (ids, tokens, offsets, special_tokens_mask)
    encode_batch(texts, add_special_tokens) -> a list of ids for each text
    stream_decode(ids, skip_special_tokens) -> iterable of str

Answers go to a pipe of their own, so that what the subject prints disturbs nothing; requests come from one that it
does not find on standard input. Neither is handed on to processes that it starts.
"""

from __future__ import annotations

import importlib.util
import json
import os
import reprlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, BinaryIO, TextIO

MOST_ITEMS = 1 << 23
"""More ids or spans than this are no answer to anything."""
FEATURES = ("encode_with_offsets", "encode_batch", "stream_decode")
"""The methods that a subject need not have."""


class NonsenseError(Exception):
    """An answer of the wrong type; the message says what came instead."""


def main(arguments: list[str]) -> None:
    """Load the subject, say hello, answer requests until standard input ends."""
    file, factory, model, descriptor = arguments
    requests, answers = _pipes(int(descriptor))
    threading.Thread(target=_end_with_the_parent, args=(os.getppid(),), daemon=True).start()

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        subject = load_factory(file, factory)(model)
        missing = [name for name in ("encode", "decode") if not callable(getattr(subject, name, None))]
        if missing:
            raise TypeError(f"what {factory} returned has no method {' and no method '.join(missing)}")
    except Exception as error:
        say({"failure": "refused", "message": _one_line(error)})
        return
    say({"features": [name for name in FEATURES if hasattr(subject, name)]})
    for line in requests:
        request = json.loads(line)
        say({**answer(subject, request["op"], request["item"]), "number": request["number"]})
    _end()


def _pipes(descriptor: int) -> tuple[BinaryIO, TextIO]:
    """Where requests come from and where answers go; a fork has neither, so that only one process answers."""
    requests = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.set_inheritable(descriptor, False)

    def close_in_fork() -> None:
        os.close(requests)
        os.close(descriptor)

    os.register_at_fork(after_in_child=close_in_fork)
    return os.fdopen(requests, "rb"), os.fdopen(descriptor, "w", encoding="ascii", newline="\n")


def _end() -> None:
    """End this process, and what the subject started."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _end_with_the_parent(parent: int) -> None:
    """End this process when the harness is gone, even while the subject hangs."""
    while os.getppid() == parent:
        time.sleep(1)
    _end()


def load_factory(file: str, factory: str) -> Callable[[str], Any]:
    """The callable FACTORY of FILE.py. Files beside it can be imported by it."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    spec = importlib.util.spec_from_file_location("subject_under_test", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if not callable(getattr(module, factory, None)):
        raise AttributeError(f"{file} has no callable {factory}")
    made: Callable[[str], Any] = getattr(module, factory)
    return made


def answer(subject: Any, operation: str, item: Any) -> dict[str, Any]:
    """One answer as JSON; an error of the subject is an answer too."""
    try:
        if operation == "encode":
            return _encode(subject, item)
        if operation == "encode_batch":
            return {"batch": [_ids(ids) for ids in _items(subject.encode_batch(list(item), True))]}
        if operation == "decode":
            return {
                "text": _text(subject.decode(list(item), True)),
                "with_special": _text(subject.decode(list(item), False)),
            }
        return {
            "text": "".join(map(_text, _items(subject.stream_decode(list(item), True)))),
            "with_special": "".join(map(_text, _items(subject.stream_decode(list(item), False)))),
        }
    except NonsenseError as error:
        return {"failure": "nonsense", "message": str(error)}
    except Exception as error:
        return {"failure": "refused", "message": _one_line(error)}


def _encode(subject: Any, text: str) -> dict[str, Any]:
    if not hasattr(subject, "encode_with_offsets"):
        return {"ids": _ids(subject.encode(text, True))}
    answered = subject.encode_with_offsets(text, True)
    if not isinstance(answered, tuple) or len(answered) not in (3, 4):
        raise NonsenseError(f"encode_with_offsets gave {_shown(answered)}, not (ids, tokens, offsets)")
    ids, tokens, offsets, mask = (*answered, None)[:4]
    result: dict[str, Any] = {"ids": _ids(ids)}
    if tokens is not None:
        result["tokens"] = [_text(token) for token in _items(tokens)]
    if offsets is not None:
        result["offsets"] = [_span(span) for span in _items(offsets)]
    if mask is not None:
        result["special_tokens_mask"] = [_int(mark, "an entry of the special-token mask") for mark in _items(mask)]
    return result


def _ids(value: Any) -> list[int]:
    return [_int(token_id, "an id") for token_id in _items(value)]


def _items(value: Any) -> list[Any]:
    if isinstance(value, str | bytes | dict) or not isinstance(value, Iterable):
        raise NonsenseError(f"a list is expected, {_shown(value)} came")
    items = list(islice(value, MOST_ITEMS + 1))
    if len(items) > MOST_ITEMS:
        raise NonsenseError(f"a list with more than {MOST_ITEMS:,} items came")
    return items


def _int(value: Any, what: str) -> int:
    """An int, or a number of another library that stands for one; 64 bits are enough for any id or position."""
    if not hasattr(value, "__index__") or isinstance(value, bool) or value.__index__().bit_length() > 64:
        raise NonsenseError(f"{what} is an int of at most 64 bits, {_shown(value)} came")
    return int(value.__index__())


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise NonsenseError(f"a text is expected, {_shown(value)} came")
    return value


def _span(value: Any) -> list[int]:
    span = _items(value)
    if len(span) != 2:
        raise NonsenseError(f"an offset is a pair of ints, {_shown(value)} came")
    return [_int(end, "the end of an offset") for end in span]


def _shown(value: Any) -> str:
    try:
        shown = reprlib.repr(value)
    except Exception:  # a repr of the subject's own may raise anything
        shown = ""
    return f"{type(value).__name__} {shown[:60]}{'…' if len(shown) > 60 else ''}".strip()


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


if __name__ == "__main__":
    main(sys.argv[1:])
