"""Foreign text on its way to a terminal: nothing of it is a command there, or turns the direction of what follows."""

from __future__ import annotations

import argparse
import json
import re
from typing import Any, NoReturn

_COMMANDING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    r"""A message in which names and keys of files may stand, control characters and turns of direction spelled out.

    >>> print(harmless("model.type: \x1b[31m\u202e is not supported"))
    model.type: \x1b[31m\u202e is not supported
    """
    return _COMMANDING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def json_line(value: Any) -> str:
    r"""A value as JSON, readable in any script; what commands a terminal is in it as an escape.

    >>> print(json_line(["é", "\x9b2J\u202e"]))
    ["é", "\u009b2J\u202e"]
    """
    return _COMMANDING.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


class Parser(argparse.ArgumentParser):
    """A parser whose messages are harmless."""

    def error(self, message: str) -> NoReturn:
        super().error(harmless(message))
