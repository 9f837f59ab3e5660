"""The process of a trainer in Python: a line of JSON with texts and options in, a line with the trained file out.

    python -m conformance.subjects.serve_training FILE FUNCTION

FUNCTION(texts, options) returns the bytes of a tokenizer.json or a `.model`, or the path of one. texts: a list of str.
options: a dict with the name of the `trainer`, of those of tokenizers the `pipeline` that is trained, and what else the
official trainer is given, under its names. For the trainer "ranks" it is FUNCTION(texts, vocab_size, pattern), which
returns the ranks of tokens. An error of it is an answer. The rest is as of serve.py.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.subjects.base import is_panic, one_line
from conformance.subjects.serve import end, end_with_the_parent, load_factory, pipes, say_in_one_line
from conformance.subjects.strays import MARK
from conformance.subjects.training_subject import RANKS
from conformance.subjects.values import shown

_MOST_BYTES = 64 << 20


def main(arguments: list[str]) -> None:
    """Answer messages until standard input ends."""
    file, name = arguments
    sys.excepthook = say_in_one_line
    messages, answers = pipes()
    mark = os.environ.get(MARK)
    threading.Thread(target=end_with_the_parent, args=(os.getppid(), mark), daemon=True).start()
    try:
        function: Any = load_factory(file, name)
        problem = ""
    except Exception as error:
        function, problem = None, one_line(error)
    for line in messages:
        answer = {"broken": problem} if problem else _answer(function, json.loads(line))
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    end(mark)


def _answer(function: Any, message: dict[str, Any]) -> dict[str, Any]:
    try:
        texts, options = message["texts"], message["options"]
        if options["trainer"] != RANKS:
            return _content(function(texts, options))
        made = function(iter(texts), options["vocab_size"], options.get("pattern"))
        return _content(json.dumps(ranks_as_json(made)).encode("ascii"))
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        return {"refused": one_line(error)}


def _content(made: Any) -> dict[str, Any]:
    if isinstance(made, str | os.PathLike):
        path = Path(made)
        if not path.is_file():
            return {"nonsense": f"it returned {shown(str(path))}, where no file is"}
        with path.open("rb") as file:
            made = file.read(_MOST_BYTES + 1)
    if not isinstance(made, bytes | bytearray):
        return {"nonsense": f"it returned {shown(made)}, neither bytes nor a path"}
    if len(made) > _MOST_BYTES:
        return {"nonsense": f"its file is larger than {_MOST_BYTES >> 20} MB"}
    return {"base64": base64.b64encode(made).decode("ascii")}


def ranks_as_json(made: Any) -> dict[str, Any]:
    """What a subject returned, a mapping or pairs, with each token as characters of Latin-1.

    >>> ranks_as_json({b"a": 0, b"ab": 1})
    {'ranks': [['a', 0], ['ab', 1]]}
    """
    pairs = made.items() if isinstance(made, Mapping) else made
    return {"ranks": [[bytes(token).decode("latin-1"), int(rank)] for token, rank in pairs]}
