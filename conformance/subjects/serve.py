"""The process of an isolated subject.

    python -m conformance.subjects.serve FILE FACTORY MODEL ANSWERS_FD

FACTORY(model_path) returns an object with

    encode(text, add_special_tokens) -> list[int]
    decode(ids, skip_special_tokens) -> str

and, where it likes, with

    encode_with_offsets(text, add_special_tokens) -> (ids, tokens or None, offsets or None)
    stream_decode(ids, skip_special_tokens) -> iterable of str

Answers go to a pipe of their own, so that what the subject prints disturbs nothing.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any


class NonsenseError(Exception):
    """An answer of the wrong type; the message says what came instead."""


def main(arguments: list[str]) -> None:
    """Load the subject, say hello, answer requests until standard input ends."""
    file, factory, model, descriptor = arguments
    answers = os.fdopen(int(descriptor), "w", encoding="ascii", newline="\n")

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        subject = load_factory(file, factory)(model)
        missing = [name for name in ("encode", "decode") if not callable(getattr(subject, name, None))]
        if missing:
            raise TypeError(f"what {factory} returned has no method {' and no method '.join(missing)}")
    except Exception as error:
        say({"error": _one_line(error)})
        return
    threading.Thread(target=_end_with_the_parent, args=(os.getppid(),), daemon=True).start()
    say({"features": ["stream"] if hasattr(subject, "stream_decode") else []})
    for line in sys.stdin.buffer:
        request = json.loads(line)
        say(answer(subject, request["op"], request["item"]))


def _end_with_the_parent(parent: int) -> None:
    """End this process when the harness is gone, even while the subject hangs."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


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
        if operation == "decode":
            return {
                "text": _text(subject.decode(list(item), True)),
                "with_special": _text(subject.decode(list(item), False)),
            }
        return {
            "text": "".join(map(_text, subject.stream_decode(list(item), True))),
            "with_special": "".join(map(_text, subject.stream_decode(list(item), False))),
        }
    except NonsenseError as error:
        return {"failure": "nonsense", "message": str(error)}
    except Exception as error:
        return {"failure": "refused", "message": _one_line(error)}


def _encode(subject: Any, text: str) -> dict[str, Any]:
    if not hasattr(subject, "encode_with_offsets"):
        return {"ids": _ids(subject.encode(text, True))}
    answered = subject.encode_with_offsets(text, True)
    if not isinstance(answered, tuple) or len(answered) != 3:
        raise NonsenseError(f"encode_with_offsets gave {_shown(answered)}, not (ids, tokens, offsets)")
    ids, tokens, offsets = answered
    result: dict[str, Any] = {"ids": _ids(ids)}
    if tokens is not None:
        result["tokens"] = [_text(token) for token in tokens]
    if offsets is not None:
        result["offsets"] = [_span(span) for span in offsets]
    return result


def _ids(value: Any) -> list[int]:
    try:
        ids = list(value)
    except TypeError:
        raise NonsenseError(f"encode gave {_shown(value)}, not a list of ids") from None
    for token_id in ids:
        if not hasattr(token_id, "__index__") or isinstance(token_id, bool):
            raise NonsenseError(f"encode gave the id {_shown(token_id)}, not an int")
    return [token_id.__index__() for token_id in ids]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise NonsenseError(f"a text is expected, {_shown(value)} came")
    return value


def _span(value: Any) -> list[int]:
    span = list(value)
    if len(span) != 2 or not all(isinstance(end, int) for end in span):
        raise NonsenseError(f"an offset is a pair of ints, {_shown(value)} came")
    return span


def _shown(value: Any) -> str:
    shown = repr(value)
    return f"{type(value).__name__} {shown[:60]}{'…' if len(shown) > 60 else ''}"


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


if __name__ == "__main__":
    main(sys.argv[1:])
