"""The command `reftok`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from io import TextIOWrapper
from typing import Any, TextIO

from reftok.cli.chat import add_chat
from reftok.cli.encode_file import add_encode_file
from reftok.cli.terminal import MODEL, Parser, add_command, add_shared, harmless, json_line, say
from reftok.cli.train import add_train
from reftok.errors import InvalidIds, InvalidText, ReftokError
from reftok.explain.explanation import explain, to_json
from reftok.explain.information import information, information_lines
from reftok.explain.text import decoding_lines, explanation_lines, without_colours
from reftok.fast.memo import memo_limits
from reftok.formats import load_rules
from reftok.formats.model_files import embedded_models, find_model
from reftok.rules.pipeline import Pipeline
from reftok.signals import end_by_signals, stop_exit_code
from reftok.tokenizer import Tokenizer, load
from reftok.version import __version__

MOST_NAMED = 5
"""Ids that are named one by one."""
_SHOWN = ("ids", "tokens", "offsets", "special_tokens_mask")
"""What `encode --json` shows of an encoding."""
EXAMPLES = """examples:
  reftok info                                   the embedded models
  reftok info path/to/tokenizer.json            what a tokenizer is made of
  reftok encode bpe-qwen "Hello world"          39 3517 338 290 2085
  reftok encode bpe-qwen --json < texts.txt     a line of JSON for each line of the file
  reftok decode bpe-qwen 39 3517 338 290 2085   Hello world
  reftok chat path/to/model chat.json           the text of a conversation, by the model's chat template
  reftok explain spm-bpe "Hello world"          every stage, every merge
  reftok explain spm-unigram --json "Hello"     the same for machines
  reftok explain spm-bpe --ids "371 2373"       every step back to text
  reftok train hf-bpe texts.txt --vocab-size 8000 -o tokenizer.json
  reftok encode bpe-qwen --plain "Hello world"  by the rules as they are written, without any fast path
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    The exit code is 0, 2 for bad usage, input or output, 130 when interrupted (143 by SIGTERM, 129 by SIGHUP).
    """
    end_by_signals()
    try:
        options = _options(sys.argv[1:] if arguments is None else list(arguments))
        _prepare_output()
        options.run(options)
        sys.stdout.flush()
        return 0
    except ReftokError as error:
        say(f"reftok: {error}")
        return 2
    except OSError as error:
        # What is still in the buffer would fail a second time when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        say(f"reftok: cannot read the input or write the output: {error.strerror}")
        return 2
    except KeyboardInterrupt as stop:
        say("interrupted")
        return stop_exit_code(stop)


def _prepare_output() -> None:
    """A file or a pipe gets UTF-8, as it is read; a terminal gets an escape for what it cannot show."""
    if sys.stdout is None:
        raise ReftokError("standard output is closed")
    if isinstance(sys.stdout, TextIOWrapper):
        encoding = None if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def _options(arguments: list[str]) -> argparse.Namespace:
    """The command line; options may stand between the model and the text, which argparse allows for one parser only."""
    parser, commands = _parser()
    command = commands.get(arguments[0]) if arguments else None
    return command.parse_intermixed_args(arguments[1:]) if command else parser.parse_args(arguments)


def _parser() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    description = "The reference tokenizers: encode, decode, and show every step."
    parser = Parser(prog="reftok", description=description, epilog=EXAMPLES)
    parser.add_argument("--version", action="version", version=f"reftok {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_info(commands)
    _add_encode(commands)
    _add_decode(commands)
    _add_explain(commands)
    add_chat(commands)
    add_encode_file(commands)
    add_train(commands)
    return parser, commands.choices


def _add_info(commands: Any) -> None:
    command = add_command(commands, "info", _info, "what a tokenizer is made of", "What a tokenizer is made of.")
    command.add_argument("model", nargs="?", help=f"{MODEL}; without it the embedded models are listed")
    add_shared(command, "encoding")
    command.add_argument("--json", action="store_true", help="as JSON")


def _add_encode(commands: Any) -> None:
    description = "The ids of a text, or of each line of standard input, a line each."
    command = add_command(commands, "encode", _encode, "texts to ids", description)
    _add_text(command, "without it each line of standard input is a text")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--tokens", action="store_true", help="the tokens in place of the ids, as JSON lists")
    shown.add_argument("--json", action="store_true", help="ids, tokens, offsets and special-token mask as JSON")
    command.add_argument("--plain", action="store_true", help="by the plain rules alone (slower, the same ids)")


def _add_decode(commands: Any) -> None:
    description = "The text of ids, or of each line of standard input."
    command = add_command(commands, "decode", _decode, "ids to text", description)
    command.add_argument("model", help=MODEL)
    command.add_argument("ids", nargs="*", help="ids; without them each line of standard input is a list of ids")
    add_shared(command, "encoding")
    command.add_argument("--keep-special-tokens", action="store_true", help="write special tokens out")
    command.add_argument("--plain", action="store_true", help="by the plain rules alone (slower, the same text)")


def _add_explain(commands: Any) -> None:
    description = (
        "What every stage takes and gives: the pre-tokens, each merge in order with its rank or score, "
        "the lattice and its best path, byte fallback, offsets."
    )
    command = add_command(commands, "explain", _explain, "every stage and every merge of a text", description)
    _add_text(command, "without it standard input is the text")
    command.add_argument("--ids", metavar="IDS", help='ids in place of a text, such as "1 15043": every decoder')
    command.add_argument("--json", action="store_true", help="as JSON")
    plain = "the plain rules, which explain shows with or without this option"
    command.add_argument("--plain", action="store_true", help=plain)
    colours = "auto: on a terminal that has colours, unless NO_COLOR is set"
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto", help=colours)


def _add_text(command: argparse.ArgumentParser, without: str) -> None:
    command.add_argument("model", help=MODEL)
    command.add_argument("text", nargs="?", help=f"the text; {without}")
    add_shared(command, "encoding", "no-special-tokens")


def _load(options: argparse.Namespace) -> Tokenizer | Pipeline:
    read = load_rules if options.plain else load
    return read(options.model, options.encoding)


def _info(options: argparse.Namespace) -> None:
    if options.model is None:
        names = list(embedded_models())
        print(json.dumps(names) if options.json else "\n".join(names))
        return
    rules = load_rules(options.model, options.encoding)
    told = {"file": str(find_model(options.model)), **information(rules), "caches": memo_limits()}
    print(json_line(told) if options.json else harmless("\n".join(information_lines(told))))


def _encode(options: argparse.Namespace) -> None:
    tokenizer = _load(options)
    for text in _lines(sys.stdin) if options.text is None else [options.text]:
        encoding = tokenizer.encode(text, add_special_tokens=not options.no_special_tokens)
        if options.json:
            print(json_line({name: list(getattr(encoding, name)) for name in _SHOWN}))
        elif options.tokens:
            print(json_line(list(encoding.tokens)))
        else:
            print(*encoding.ids)


def _decode(options: argparse.Namespace) -> None:
    tokenizer = _load(options)
    for number, line in enumerate([" ".join(options.ids)] if options.ids else _lines(sys.stdin), 1):
        place = "" if options.ids else f"standard input, line {number}: "
        try:
            ids = [*_ids(line)]
            text = tokenizer.decode(ids, skip_special_tokens=not options.keep_special_tokens)
        except InvalidIds as error:
            raise InvalidIds(f"{place}{error}") from None
        print(text)
        # The official library leaves ids that stand for no token out without a word, and so does `decode`.
        unknown = [token_id for token_id in dict.fromkeys(ids) if tokenizer.id_to_token(token_id) is None]
        if unknown:
            more = f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else ""
            say(f"reftok: {place}no token of this model, left out: {', '.join(map(str, unknown[:MOST_NAMED]))}{more}")


def _ids(line: str) -> Iterator[int]:
    for word in line.replace(",", " ").strip().strip("[]").split():
        if not (word.isascii() and word.isdigit()):
            raise InvalidIds(f"{word!r:.60} is not an id")
        yield int(word.lstrip("0")[:20] or 0)


def _explain(options: argparse.Namespace) -> None:
    if options.text is not None and options.ids is not None:
        raise ReftokError("explain takes a text or --ids, not both")
    rules = load_rules(options.model, options.encoding)
    if options.ids is not None:
        trace = rules.trace_decode(_ids(options.ids), skip_special_tokens=options.no_special_tokens)
        value: dict[str, Any] = asdict(trace)
        lines = decoding_lines(trace)
    else:
        text = "".join(_lines(sys.stdin, keep_ends=True)) if options.text is None else options.text
        explanation = explain(rules, text, add_special_tokens=not options.no_special_tokens)
        value, lines = to_json(explanation), explanation_lines(explanation)
    if options.json:
        lines = iter([json_line(value)])
    for line in lines if _has_colour(options.color) else without_colours(lines):
        print(line)


def _has_colour(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _lines(stream: TextIO | None, keep_ends: bool = False) -> Iterator[str]:
    """The lines of standard input; only a line feed ends a line, and a carriage return before it is text."""
    if stream is None:
        raise ReftokError("standard input is closed")
    for number, line in enumerate(stream.buffer, 1):
        try:
            yield (line if keep_ends else line.removesuffix(b"\n")).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidText(f"standard input, line {number}: byte {error.start} is not UTF-8") from None
