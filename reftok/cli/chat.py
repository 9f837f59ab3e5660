"""The command `reftok chat`: a conversation as the model is given it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from reftok.cli.terminal import MODEL, add_command, add_shared, json_line
from reftok.errors import ChatRefused
from reftok.tokenizer import load

EXAMPLES = """examples:
  reftok chat path/to/model conversation.json               the text that the template makes
  reftok chat path/to/model --ids < conversation.json       the ids, without a second BOS
  reftok chat path/to/model chat.json --tools tools.json    with tools, which are JSON schemas

conversation.json: [{"role": "user", "content": "Hello"}, ...]
"""


def add_chat(commands: Any) -> None:
    """Add the command."""
    description = "A conversation as text or ids, by the chat template beside the model, as transformers makes them."
    command = add_command(commands, "chat", _chat, "conversations to text or ids", description, epilog=EXAMPLES)
    command.add_argument("model", help=MODEL)
    command.add_argument("conversation", nargs="?", help="JSON, a list of messages; without it standard input")
    add_shared(command, "encoding")
    command.add_argument("--tools", metavar="FILE", help="a file of JSON, a list of schemas of tools")
    command.add_argument("--template", metavar="NAME", help="one of several templates; else tool_use or default")
    ends = command.add_mutually_exclusive_group()
    ends.add_argument("--no-generation-prompt", action="store_true", help="end without what an answer begins with")
    ends.add_argument(
        "--continue", dest="goes_on", action="store_true", help="end with the last message, to be gone on with"
    )
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--ids", action="store_true", help="the ids in place of the text")
    shown.add_argument("--json", action="store_true", help="text and ids as JSON")


def _chat(options: argparse.Namespace) -> None:
    messages = _list(options.conversation, "messages")
    tools = None if options.tools is None else _list(options.tools, "tools")
    chat = load(options.model, options.encoding).chat(
        messages,
        tools=tools,
        add_generation_prompt=not (options.no_generation_prompt or options.goes_on),
        continue_final_message=options.goes_on,
        template=options.template,
    )
    if options.json:
        print(json_line({"text": chat.text, "ids": chat.ids}))
    elif options.ids:
        print(*chat.ids)
    else:
        sys.stdout.write(chat.text)


def _list(path: str | None, what: str) -> list[Any]:
    """A list of a file, or of standard input."""
    name = path or "standard input"
    try:
        data = sys.stdin.buffer.read() if path is None else Path(path).read_bytes()
        value = json.loads(data)
    except OSError as error:
        raise ChatRefused(f"{name}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ChatRefused(f"{name}: is no JSON: {error}") from None
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ChatRefused(f"{name}: is no list of {what}, each an object")
    return value
