"""The process of an isolated subject.

    python -m conformance.subjects.serve FILE FACTORY MODEL ANSWERS_FD MEMORY

FACTORY(model_path) returns an object with

    encode(text, add_special_tokens) -> list[int]
    decode(ids, skip_special_tokens) -> str

and, where it likes, with

    version: str, or FILE.py has __version__: what reports say of it
    encode_with_offsets(text, add_special_tokens) -> (ids, tokens or None, offsets or None)
        or, with a list of 0 and 1 (or None) at its end, (ids, tokens, offsets, special_tokens_mask)
    encode_batch(texts, add_special_tokens) -> a list of ids for each text
    what conformance/subjects/streams.py says of streams: `stream_encoder`, `stream_decoder`, `decode_with_callback`
    (which calls back for the last id in any case), or the simplest door to them,
    stream_decode(ids, skip_special_tokens) -> iterable of str

Answers go to a pipe of their own, so that what the subject prints disturbs nothing; requests come from one that it
does not find on standard input. Neither is handed on to processes that it starts.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any, BinaryIO, TextIO

from conformance.subjects.base import LONGEST_VERSION, is_panic, one_line
from conformance.subjects.streams import STREAM_FEATURES, fed, feeding_from_json
from conformance.subjects.values import NonsenseError, ids_of, int_of, items_of, shown, span_of, text_of

FEATURES = ("encode_with_offsets", "encode_batch", *sorted(frozenset.union(*STREAM_FEATURES.values())))
"""The methods that a subject need not have."""
_MODULE = "subject_under_test"
"""The module name of FILE.py."""


def main(arguments: list[str]) -> None:
    """Load the subject, say hello, answer requests until standard input ends."""
    file, factory, model, descriptor, memory = arguments
    _bound_memory(int(memory) << 20)
    requests, answers = _pipes(int(descriptor))
    threading.Thread(target=_end_with_the_parent, args=(os.getppid(),), daemon=True).start()

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        make = load_factory(file, factory)
        subject = _made(make, factory, model)
    except BaseException as error:
        say(_failed(error))
        return
    say(_hello(subject))
    for line in requests:
        request = json.loads(line)
        if request["op"] == "load":
            try:
                subject = _made(make, factory, request["item"])
                said = _hello(subject)
            except BaseException as error:
                said = _failed(error)
        else:
            said = answer(subject, request["op"], request["item"])
        say({**said, "number": request["number"]})
    _end()


def _bound_memory(most: int) -> None:
    """Bound the memory that this process and those that it starts may each write to; Windows has no such bound.

    What a runtime only reserves does not count (Linux: RLIMIT_DATA, of private mappings that can be written).
    """
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _pipes(descriptor: int) -> tuple[BinaryIO, TextIO]:
    """The pipes of requests and of answers; a fork has neither, so that only one process answers."""
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


def _made(make: Callable[[str], Any], factory: str, model: str) -> Any:
    """The subject with a model. Raises TypeError for what has not the methods of one."""
    subject = make(model)
    missing = [name for name in ("encode", "decode") if not callable(getattr(subject, name, None))]
    if missing:
        raise TypeError(f"what {factory} returned has no method {' and no method '.join(missing)}")
    return subject


def _hello(subject: Any) -> dict[str, Any]:
    version = getattr(subject, "version", getattr(sys.modules[_MODULE], "__version__", None))
    features = [name for name in FEATURES if getattr(subject, name, None) is not None]
    said = version[:LONGEST_VERSION] if isinstance(version, str) else ""
    return {"features": features, "version": said, "seconds": time.process_time()}


def load_factory(file: str, factory: str) -> Callable[[str], Any]:
    """The callable FACTORY of FILE.py. Files beside it can be imported by it."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    spec = importlib.util.spec_from_file_location(_MODULE, file)
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
            return {"batch": [ids_of(ids) for ids in items_of(subject.encode_batch(list(item), True))]}
        if operation == "ids":
            return {"ids": ids_of(subject.encode(item, True))}
        if operation in ("kept", "skipped"):
            return {"text": text_of(subject.decode(list(item), operation == "skipped"))}
        if operation == "decode":
            return {
                "text": text_of(subject.decode(list(item), True)),
                "with_special": text_of(subject.decode(list(item), False)),
            }
        streamed = fed(subject, feeding_from_json(item))
        return {"streamed": None if streamed is None else asdict(streamed)}
    except NonsenseError as error:
        return {"failure": "nonsense", "message": str(error)}
    except BaseException as error:
        return _failed(error)


def _failed(error: BaseException) -> dict[str, Any]:
    """An error as an answer. Raises it again where it is to end the process: an exit, an interruption."""
    if is_panic(error):
        return {"failure": "crashed", "message": one_line(error)}
    if not isinstance(error, Exception):
        raise error
    return {"failure": "refused", "message": one_line(error)}


def _encode(subject: Any, text: str) -> dict[str, Any]:
    if getattr(subject, "encode_with_offsets", None) is None:
        return {"ids": ids_of(subject.encode(text, True))}
    answered = subject.encode_with_offsets(text, True)
    if not isinstance(answered, tuple) or len(answered) not in (3, 4):
        raise NonsenseError(f"encode_with_offsets gave {shown(answered)}, not (ids, tokens, offsets)")
    ids, tokens, offsets, mask = (*answered, None)[:4]
    result: dict[str, Any] = {"ids": ids_of(ids)}
    if tokens is not None:
        result["tokens"] = [text_of(token) for token in items_of(tokens)]
    if offsets is not None:
        result["offsets"] = [span_of(span) for span in items_of(offsets)]
    if mask is not None:
        result["special_tokens_mask"] = [int_of(mark, "an entry of the special-token mask") for mark in items_of(mask)]
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
