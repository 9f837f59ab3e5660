"""The process of a subject in Python: a program that speaks the subject protocol (docs/protocol.md).

    python -m conformance.subjects.serve FILE FACTORY

FACTORY(model_path), which may also take `encoding`, `pattern` and `special_tokens` (of a rank file) and `options`
(those of subject.toml), returns an object with

    encode(text, add_special_tokens) -> list[int]
    decode(ids, skip_special_tokens) -> str, or bytes

and, where it likes, with

    version: str, or FILE.py has __version__: what reports say of it
    capabilities: a dict, of what docs/protocol.md calls so, where that is another than what its methods say
    encode_with_offsets(text, add_special_tokens) -> (ids, tokens or None, offsets or None)
        or, with a list of 0 and 1 (or None) at its end, (ids, tokens, offsets, special_tokens_mask)
    encode_batch(texts, add_special_tokens) -> a list of ids for each text
    encode_with(inputs, settings) -> an encoding for each input
        inputs: each a text or a tuple of two, as tokenizers' encode_batch takes them; a text is a list of words where
        settings["is_pretokenized"] is true. settings: a dict with that and "add_special_tokens", and, where they are
        set, "truncation" and "padding": dicts of the arguments of enable_truncation and enable_padding. An encoding is
        a dict with "ids" and, where it likes, "type_ids", "attention_mask", "special_tokens_mask", "word_ids",
        "overflowing" (a list of lists of ids), "offsets", "sequence_ids" and "char_to_token" (for each text a list of
        the token of each code point, or None); or the ids alone
    encode_pair(text, pair, add_special_tokens) -> an encoding: the simplest door, for pairs alone
    encode_with_special(text, allowed_special, disallowed_special) -> ids, or an error where the text is refused; each
        "all" or a set of texts, as `encode` of tiktoken takes them; asked with rank files of tiktoken alone
    chat(messages, tools, add_generation_prompt) -> a dict with "text", "ids" or both; needs no other method
    what conformance/subjects/streams.py says of streams: `stream_encoder`, `stream_decoder`, `decode_with_callback`
    (which calls back for the last id in any case), or the simplest door to them,
    stream_decode(ids, skip_special_tokens) -> iterable of str

What the subject prints goes to standard error, and on standard input it finds nothing. Neither the pipe of the messages
nor that of the answers is handed on to processes that it starts. The interpreter may be another than the harness's, and
needs nothing but the standard library.
"""

from __future__ import annotations

import base64
import importlib.util
import inspect
import json
import os
import platform
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, TextIO

from conformance.subjects.base import LONGEST_VERSION, PROTOCOL, is_panic, one_line
from conformance.subjects.strays import MARK, end_strays
from conformance.subjects.streams import STREAM_FEATURES, fed, feeding_from_message, streamed_to_message
from conformance.subjects.values import NonsenseError, ids_of, int_of, items_of, shown, span_of, text_of

_MODULE = "subject_under_test"
"""The module name of FILE.py."""
_IN_FLIGHT = 4
TRACEBACKS = 8
"""The first so many errors come with their tracebacks: an adapter that is wrong is so from the first question on."""
MOST_OF_TRACEBACK = 4_000
"""Characters, the last of it."""
REQUIRED = ("encode", "decode")
"""The methods of a tokenizer."""
CALLS = {
    "encode": ("text", "add_special_tokens"),
    "decode": ("ids", "skip_special_tokens"),
    "encode_with_offsets": ("text", "add_special_tokens"),
    "encode_batch": ("texts", "add_special_tokens"),
    "encode_with": ("inputs", "settings"),
    "encode_pair": ("text", "pair", "add_special_tokens"),
    "encode_with_special": ("text", "allowed_special", "disallowed_special"),
    "chat": ("messages", "tools", "add_generation_prompt"),
}
"""The methods that every question goes to, each with the arguments that it is called with, by their places."""


def main(arguments: list[str]) -> None:
    """Answer messages until `stop`, or until standard input ends."""
    file, factory = arguments
    sys.excepthook = say_in_one_line
    messages, answers = pipes()
    mark = os.environ.get(MARK)
    threading.Thread(target=end_with_the_parent, args=(os.getppid(), mark), daemon=True).start()
    server = Server(lambda: load_factory(file, factory))
    for line in messages:
        message = json.loads(line)
        if message["op"] == "stop":
            os._exit(0)
        answers.write(json.dumps({"id": message["id"], **server.answer(message)}) + "\n")
        answers.flush()
    end(mark)


def say_in_one_line(kind: type[BaseException], error: BaseException, place: object) -> None:
    """The last words of a process that a subject ends by what is no Exception: that is told in a finding."""
    sys.stderr.write(f"{one_line(error)}\n")


class NoSubjectError(Exception):
    """What the factory returned is no subject."""


class Server:
    """An object that encodes and decodes, asked by the messages of the protocol. make: gives its factory."""

    def __init__(self, make: Callable[[], Callable[[str], Any]]) -> None:
        self._make = make
        self._factory: Callable[[str], Any] | None = None
        self._subject: Any = None
        self._tracebacks = 0

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a message, without its id; an error of the subject is an answer too."""
        operation = message["op"]
        if operation in ("start", "load"):
            return self._loaded(message)
        if operation == "encode_batch":
            return self._batch(message)
        return {"results": [self._result(_ANSWERS[operation], message, item) for item in message["items"]]}

    def _result(self, ask: Callable[[Any, Mapping[str, Any], Any], dict[str, Any]], *asked: Any) -> dict[str, Any]:
        """A result; an error as one. Raises it again where it is to end the process: an exit, an interruption."""
        try:
            return ask(self._subject, *asked)
        except NonsenseError as error:
            return {"invalid": {"message": str(error)}}
        except BaseException as error:
            if is_panic(error):
                return {"crashed": {"message": one_line(error)}}
            if not isinstance(error, Exception):
                raise
            self._tracebacks += 1
            where = {"traceback": told_traceback(error)} if self._tracebacks <= TRACEBACKS else {}
            return {"refused": {"message": one_line(error), **where}}

    def _loaded(self, message: Mapping[str, Any]) -> dict[str, Any]:
        try:
            if self._factory is None:
                self._factory = self._make()
            self._subject = made(self._factory, message["model"], message.get("options", {}))
            return {"started": started(self._subject)}
        except BaseException as error:
            if not isinstance(error, Exception) and not is_panic(error):
                raise
            is_broken = self._factory is None or isinstance(error, ImportError | SyntaxError | NoSubjectError)
            return {"error" if is_broken else "unavailable": {"message": one_line(error)}}

    def _batch(self, message: Mapping[str, Any]) -> dict[str, Any]:
        texts = [_input(item) for item in message["items"]]
        return self._result(_encoded_batch, message, texts)


def made(factory: Callable[..., Any], model: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """The subject with a model. Raises NoSubjectError for what has not the methods of one."""
    of_ranks = {"encoding": "", "pattern": "", "special_tokens": {}}
    known = {**{name: model.get(name, none) for name, none in of_ranks.items()}, "options": options}
    taken = _parameters(factory)
    subject = factory(model["path"], **{name: value for name, value in known.items() if name in taken})
    if missing := missing_methods(subject):
        name = getattr(factory, "__name__", "the factory")
        raise NoSubjectError(f"what {name} returned has no method {' and no method '.join(missing)}")
    for name, arguments in CALLS.items():
        if problem := _cannot_be_called(getattr(subject, name, None), arguments):
            raise NoSubjectError(f"{name}({', '.join(arguments)}) is asked for, but {problem}")
    return subject


def missing_methods(subject: object) -> list[str]:
    """The methods that a subject lacks. One with `chat` alone renders chats, which takes no tokenizer.

    >>> missing_methods(type("Mine", (), {"encode": print})()), missing_methods(type("Mine", (), {"chat": print})())
    (['decode'], [])
    """
    missing = [name for name in REQUIRED if not callable(getattr(subject, name, None))]
    return [] if len(missing) == len(REQUIRED) and callable(getattr(subject, "chat", None)) else missing


def _cannot_be_called(method: Any, arguments: tuple[str, ...]) -> str:
    """Why a method cannot be called with so many arguments, with its place; "" where it can, or that is not known."""
    if not callable(method):
        return ""
    try:
        signature = inspect.signature(method)
    except Exception:  # of what is not written in Python, or says something strange of itself
        return ""
    try:
        signature.bind(*arguments)
    except TypeError:
        code = getattr(inspect.unwrap(method), "__code__", None)
        place = "" if code is None else f", line {code.co_firstlineno} of {os.path.basename(code.co_filename)}"
        return f"it is {method.__name__ if hasattr(method, '__name__') else 'called'}{signature}{place}"
    return ""


def told_traceback(error: BaseException) -> str:
    """The traceback of an error, without the part of it that is this file's; "" where it cannot be shown."""
    try:
        told = traceback.TracebackException.from_exception(error)
        frames = [frame for frame in told.stack if frame.filename != __file__]
        lines = [*traceback.StackSummary.from_list(frames).format(), *told.format_exception_only()]
    except Exception:  # an error of a stranger's may be anything
        return ""
    return "".join(lines).encode("utf-8", "backslashreplace").decode("utf-8")[-MOST_OF_TRACEBACK:]


def _parameters(factory: Callable[..., Any]) -> Mapping[str, Any]:
    try:
        return inspect.signature(factory).parameters
    except (TypeError, ValueError):  # of what is not written in Python
        return {}


def started(subject: Any) -> dict[str, Any]:
    """What a subject says of itself: its version, and what it can do."""
    version = getattr(subject, "version", getattr(sys.modules.get(_MODULE), "__version__", None))
    about = {
        "name": type(subject).__name__[:LONGEST_VERSION],
        "version": str.__getitem__(version, slice(LONGEST_VERSION)) if isinstance(version, str) else "",
        "language": "Python",
        "runtime": f"{platform.python_implementation()} {platform.python_version()}",
    }
    return {"protocol": PROTOCOL, "subject": about, "capabilities": _capabilities(subject)}


def _capabilities(subject: Any) -> dict[str, Any]:
    def has(*names: str) -> bool:
        return any(getattr(subject, name, None) is not None for name in names)

    fields = ["tokens", "offsets", "special_tokens_mask"] if has("encode_with_offsets") else []
    by_methods: dict[str, Any] = {
        "encode": {"fields": fields, "utf16": True} if has("encode") else None,
        "decode": {} if has("decode") else None,
        "encode_batch": has("encode_batch"),
        "encode_with": _settings(has),
        "chat": has("chat"),
        "stream_encode": ["bytes", "reset", "beside"] if has(*STREAM_FEATURES["encoder"]) else None,
        "stream_decode": ["reset", "beside", "callback"] if has(*STREAM_FEATURES["decoder"]) else None,
        "in_flight": _IN_FLIGHT,
    }
    own = getattr(subject, "capabilities", None)
    for name, value in own.items() if isinstance(own, dict) else ():
        known = by_methods.get(name)
        by_methods[name] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    return by_methods


def _settings(has: Callable[[str], bool]) -> list[str] | None:
    found = [*_SETTINGS] if has("encode_with") else ["pair"] if has("encode_pair") else []
    found += ["special_in_text"] if has("encode_with_special") else []
    return found or None


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
    found: Callable[[str], Any] = getattr(module, factory)
    return found


def _input(item: Mapping[str, Any]) -> str | bytes:
    if "text" in item:
        text: str = item["text"]
        return text
    if "base64" in item:
        return base64.b64decode(item["base64"])
    units = b"".join(unit.to_bytes(2, "little") for unit in item["utf16"])
    return units.decode("utf-16-le", "surrogatepass")


def _encode(subject: Any, message: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    text, add_special_tokens = _input(item), message["add_special_tokens"]
    if message["want"] == ["ids"] or getattr(subject, "encode_with_offsets", None) is None:
        return {"ids": ids_of(subject.encode(text, add_special_tokens))}
    answered = subject.encode_with_offsets(text, add_special_tokens)
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


def _encoded_batch(subject: Any, message: Mapping[str, Any], texts: list[str | bytes]) -> dict[str, Any]:
    batch = items_of(subject.encode_batch(texts, message["add_special_tokens"]))
    return {"results": [{"ids": ids_of(ids)} for ids in batch]}


_SETTINGS = ("pair", "is_pretokenized", "truncation", "padding")
_NUMBERS = ("type_ids", "attention_mask", "special_tokens_mask")


def _encode_with(subject: Any, _: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    """By `encode_with`, or where that is missing by the calls for one text and one pair."""
    pairs = [tuple(text if isinstance(text, str) else [*text] for text in one) for one in item["inputs"]]
    inputs = [one if len(one) > 1 else one[0] for one in pairs]
    settings = {name: value for name, value in item.items() if name != "inputs" and value is not None}
    adds = settings["add_special_tokens"]
    if (special := settings.pop("special_in_text", None)) is not None:
        chosen = ["all" if special[name] is None else {*special[name]} for name in ("allowed", "disallowed")]
        return {"encodings": [{"ids": ids_of(subject.encode_with_special(one, *chosen))} for one in inputs]}
    if getattr(subject, "encode_with", None) is not None:
        given = items_of(subject.encode_with(inputs, settings))
    else:
        given = [
            subject.encode_pair(*one, adds) if isinstance(one, tuple) else subject.encode(one, adds) for one in inputs
        ]
    return {"encodings": [*map(_full_encoding, given)]}


def _full_encoding(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        return {"ids": ids_of(given)}
    found: dict[str, Any] = {"ids": ids_of(given.get("ids"))}
    found |= {name: ids_of(given[name], f"one of {name}") for name in _NUMBERS if given.get(name) is not None}
    for name in ("word_ids", "sequence_ids"):
        if given.get(name) is not None:
            found[name] = _numbers_or_none(given[name], f"one of {name}")
    if given.get("overflowing") is not None:
        found["overflowing"] = [ids_of(ids) for ids in items_of(given["overflowing"])]
    if given.get("offsets") is not None:
        found["offsets"] = [span_of(span) for span in items_of(given["offsets"])]
    if given.get("char_to_token") is not None:
        texts = items_of(given["char_to_token"])
        found["char_to_token"] = [_numbers_or_none(tokens, "one of char_to_token") for tokens in texts]
    return found


def _numbers_or_none(value: Any, what: str) -> list[int | None]:
    return [None if one is None else int_of(one, what) for one in items_of(value)]


def _chat(subject: Any, _: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    given = subject.chat(item["messages"], item.get("tools"), item.get("add_generation_prompt", False))
    if not isinstance(given, dict):
        raise NonsenseError(f"chat gave {shown(given)}, not a dict with text, ids or both")
    found: dict[str, Any] = {"text": text_of(given["text"])} if given.get("text") is not None else {}
    return found | ({"ids": ids_of(given["ids"])} if given.get("ids") is not None else {})


def _decode(subject: Any, message: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    decoded = subject.decode(list(item["ids"]), message["skip_special_tokens"])
    if isinstance(decoded, bytes):
        return {"base64": base64.b64encode(decoded).decode("ascii")}
    return {"text": text_of(decoded)}


def _stream(subject: Any, _: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    streamed = fed(subject, feeding_from_message(item))
    if streamed is None:
        return {"skipped": {"message": "it has no such stream"}}
    return streamed_to_message(streamed)


_ANSWERS = {"encode": _encode, "encode_with": _encode_with, "chat": _chat, "decode": _decode, "stream": _stream}


def pipes() -> tuple[BinaryIO, TextIO]:
    """The pipes of messages and of answers; a fork has neither, so that only one process answers.

    That of answers ends with the process: closed before, it would end while the subject may still hang at its exit.
    """
    messages, answers = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)

    def close_in_fork() -> None:
        os.close(messages)
        os.close(answers)

    os.register_at_fork(after_in_child=close_in_fork)
    return os.fdopen(messages, "rb"), os.fdopen(answers, "w", encoding="ascii", newline="\n", closefd=False)


def end(mark: str | None) -> None:
    """End this process, and what the subject started. mark: in the environment of all of it."""
    if mark:
        end_strays(mark)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def end_with_the_parent(parent: int, mark: str | None) -> None:
    """End this process when the harness is gone, even while the subject hangs."""
    while os.getppid() == parent:
        time.sleep(0.2)
    end(mark)


if __name__ == "__main__":
    main(sys.argv[1:])
