"""A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.

Three functions are to be filled in: load, encode and decode. They may raise what the library raises. As they stand,
they are a tokenizer of bytes. What is printed goes to standard error.
"""

from __future__ import annotations

import base64
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from typing import Any

ABOUT = {
    "name": "bytes",  # the name of your library; add a "version" if you publish releases
    "language": "python",
    "runtime": f"python {platform.python_version()}",
}
CAPABILITIES: dict[str, Any] = {"encode": {}, "decode": {}}  # such as "encode": {"add_special_tokens": "never"}


def load(model: dict[str, Any], options: dict[str, Any]) -> Any:
    """The tokenizer of a model: its path, format and sha256, and its encoding where that is known.

    options: of subject.toml. What is raised here is the answer that the library does not read this model.
    """
    return "utf-8"  # here: Tokenizer.from_file(model["path"])


def encode(tokenizer: Any, text: str, add_special_tokens: bool) -> Sequence[int]:
    """The ids of a text."""
    return text.encode(tokenizer)  # here: tokenizer.encode(text, add_special_tokens)


def decode(tokenizer: Any, ids: list[int], skip_special_tokens: bool) -> str | bytes:
    """The text of ids, or its bytes."""
    return bytes(ids)  # here: tokenizer.decode(ids, skip_special_tokens)


# From here on nothing is to be changed.


class _Adapter:
    """Answers messages; what it raises is a mistake in the message, or here."""

    def __init__(self) -> None:
        self._tokenizer: Any = None

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        match message["op"]:
            case "start" | "load":
                return self._start(message["model"], message.get("options", {}))
            case "encode":
                special = message["add_special_tokens"]
                texts = [_text(item) for item in message["items"]]
                return self._results(texts, lambda text: {"ids": [*map(int, encode(self._tokenizer, text, special))]})
            case "decode":
                skips = message["skip_special_tokens"]
                lists = [_ids(item) for item in message["items"]]
                return self._results(lists, lambda ids: _decoded(decode(self._tokenizer, ids, skips)))
            case op:
                raise ValueError(f"unknown op {op!r}")

    def _start(self, model: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        self._tokenizer = None
        try:
            self._tokenizer = load(model, options)
        except Exception as error:
            return {"unavailable": {"message": f"{type(error).__name__}: {error}"}}
        return {"started": {"protocol": 1, "subject": ABOUT, "capabilities": CAPABILITIES}}

    def _results(self, inputs: list[Any], ask: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """One result for each input; what the library raises is the answer to that one."""
        if self._tokenizer is None:
            raise ValueError("no model is loaded")
        results = []
        for given in inputs:
            try:
                results.append(ask(given))
            except Exception as error:
                results.append({"refused": {"message": _told(error), "type": type(error).__name__}})
        return {"results": results}


def _text(item: dict[str, Any]) -> str:
    text = item.get("text")
    if not isinstance(text, str):
        raise ValueError("an item without a text")
    return text


def _ids(item: dict[str, Any]) -> list[int]:
    ids = item.get("ids")
    if not isinstance(ids, list) or not all(type(one) is int for one in ids):
        raise ValueError("an item without ids")
    return ids


def _decoded(text: str | bytes) -> dict[str, str]:
    return {"text": text} if isinstance(text, str) else {"base64": base64.b64encode(text).decode()}


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


def main() -> None:
    """Answer until a `stop`, or the end of the input."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints, from Python or not, is no answer
    adapter = _Adapter()
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            sys.stderr.write(f"passed over a line that is no JSON: {error}\n")
            continue
        if not isinstance(message, dict) or type(message.get("id")) is not int:
            sys.stderr.write("passed over a message without an id\n")
            continue
        if message.get("op") == "stop":
            break
        try:
            answer = adapter.answer(message)
        except KeyError as error:
            answer = {"error": {"message": f"a message without {error}"}}
        except Exception as error:
            answer = {"error": {"message": _told(error)}}
        answers.write(json.dumps({"id": message["id"], **answer}).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
