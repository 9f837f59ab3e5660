"""What the commands share: foreign text on its way to a terminal, their common options, and a line written over."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from time import monotonic
from typing import Any, NoReturn, TextIO

MODEL = "a tokenizer file, a folder, or the name of an embedded model (reftok info lists them)"
SHOW_SECONDS = 0.5
"""The time between two changes of a line on a terminal."""
PIPE_SECONDS = 10
"""The time between two lines where they are not written over."""

_COMMANDING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal takes for a command, or what turns the direction of the text behind it; a line feed is harmless."""


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


def say(message: str) -> None:
    """Write a message to standard error."""
    print(harmless(message), file=sys.stderr)


class Parser(argparse.ArgumentParser):
    """A parser whose messages are harmless, and whose examples keep their lines."""

    def __init__(self, **options: Any) -> None:
        if "epilog" in options:
            options["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(**options)

    def error(self, message: str) -> NoReturn:
        super().error(harmless(message))


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], None], summary: str, description: str, **options: Any
) -> argparse.ArgumentParser:
    """Add a command. commands: the subparsers of argparse. options: of its parser."""
    command: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=description, **options)
    command.set_defaults(run=run)
    return command


_SHARED: dict[str, dict[str, Any]] = {
    "encoding": {"metavar": "NAME", "help": "of a tiktoken rank file that is not a published one"},
    "no-special-tokens": {"action": "store_true", "help": "leave out what the post-processor inserts"},
    "quiet": {"action": "store_true", "help": "say nothing but what goes wrong"},
}


def add_shared(command: argparse.ArgumentParser, *names: str) -> None:
    """Add options that several commands have, by their names."""
    for name in names:
        command.add_argument(f"--{name}", **_SHARED[name])


class StatusLine:
    """A line that is written over on a terminal; in a file or a pipe one line every ten seconds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._shown = float("-inf") if self._is_terminal else monotonic()

    def show(self, line: str) -> None:
        """Replace the line, unless it is fresh."""
        now = monotonic()
        if now - self._shown < (SHOW_SECONDS if self._is_terminal else PIPE_SECONDS):
            return
        self._shown = now
        self._stream.write(f"\r\x1b[K{line}" if self._is_terminal else f"{line}\n")
        self._stream.flush()

    def close(self) -> None:
        """Wipe the line."""
        if self._is_terminal:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
