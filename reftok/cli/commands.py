"""The command `reftok`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from io import TextIOWrapper
from typing import Any, TextIO

from reftok.cli.encode_file import add_encode_file
from reftok.cli.terminal import Parser, harmless, json_line
from reftok.cli.train import add_train
from reftok.errors import InvalidIds, InvalidText, ReftokError
from reftok.explain.explanation import explain, to_json
from reftok.explain.information import information, information_lines
from reftok.explain.text import decoding_lines, explanation_lines, without_colours
from reftok.fast.memo import bounds
from reftok.formats import load_rules
from reftok.formats.model_files import embedded_models, find_model
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Encoding
from reftok.signals import end_by_signals, stop_exit_code
from reftok.tokenizer import Tokenizer, load
from reftok.version import __version__

MOST_NAMED = 5
"""Ids that are named one by one."""
MODEL = "a tokenizer file, a folder, or the name of an embedded model (reftok info lists them)"
EXAMPLES = """examples:
  reftok info                                   the embedded models
  reftok info path/to/tokenizer.json            what a tokenizer is made of
  reftok encode bpe-qwen "Hello world"          39 3517 338 290 2085
  reftok encode bpe-qwen --json < texts.txt     a line of JSON for each line of the file
  reftok decode bpe-qwen 39 3517 338 290 2085   Hello world
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
        print(harmless(f"reftok: {error}"), file=sys.stderr)
        return 2
    except OSError as error:
        # What is still in the buffer would fail a second time when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"reftok: cannot read the input or write the output: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print("interrupted", file=sys.stderr)
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
    parser = Parser(
        prog="reftok",
        description="The reference tokenizers: encode, decode, and show every step.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"reftok {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_info(commands)
    _add_encode(commands)
    _add_decode(commands)
    _add_explain(commands)
    add_encode_file(commands, MODEL)
    add_train(commands)
    return parser, commands.choices


def _add_info(commands: Any) -> None:
    command = commands.add_parser(
        "info", help="what a tokenizer is made of", description="What a tokenizer is made of."
    )
    command.add_argument("model", nargs="?", help=f"{MODEL}; without it the embedded models are listed")
    _add_loading(command)
    command.add_argument("--json", action="store_true", help="as JSON")
    command.set_defaults(run=_info)


def _add_encode(commands: Any) -> None:
    command = commands.add_parser(
        "encode",
        help="texts to ids",
        description="The ids of a text, or of each line of standard input, a line each.",
    )
    _add_text(command, "without it each line of standard input is a text")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--tokens", action="store_true", help="the tokens in place of the ids, as JSON lists")
    shown.add_argument("--json", action="store_true", help="ids, tokens, offsets and special-token mask as JSON")
    _add_plain(command, "by the plain rules alone (slower, the same ids)")
    command.set_defaults(run=_encode)


def _add_decode(commands: Any) -> None:
    command = commands.add_parser(
        "decode", help="ids to text", description="The text of ids, or of each line of standard input."
    )
    command.add_argument("model", help=MODEL)
    command.add_argument("ids", nargs="*", help="ids; without them each line of standard input is a list of ids")
    _add_loading(command)
    command.add_argument("--keep-special-tokens", action="store_true", help="write special tokens out")
    _add_plain(command, "by the plain rules alone (slower, the same text)")
    command.set_defaults(run=_decode)


def _add_explain(commands: Any) -> None:
    command = commands.add_parser(
        "explain",
        help="every stage and every merge of a text",
        description="What every stage takes and gives: the pre-tokens, each merge in order with its rank or score, "
        "the lattice and its best path, byte fallback, offsets.",
    )
    _add_text(command, "without it standard input is the text")
    command.add_argument("--ids", metavar="IDS", help='ids in place of a text, such as "1 15043": every decoder')
    command.add_argument("--json", action="store_true", help="as JSON")
    _add_plain(command, "the plain rules, which explain shows with or without this option")
    command.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto: on a terminal that has colours, unless NO_COLOR is set",
    )
    command.set_defaults(run=_explain)


def _add_text(command: argparse.ArgumentParser, without: str) -> None:
    command.add_argument("model", help=MODEL)
    command.add_argument("text", nargs="?", help=f"the text; {without}")
    _add_loading(command)
    command.add_argument("--no-special-tokens", action="store_true", help="leave out what the post-processor inserts")


def _add_loading(command: argparse.ArgumentParser) -> None:
    command.add_argument("--encoding", metavar="NAME", help="of a tiktoken rank file that is not a published one")


def _add_plain(command: argparse.ArgumentParser, told: str) -> None:
    command.add_argument("--plain", action="store_true", help=told)


def _load(options: argparse.Namespace) -> Tokenizer | Pipeline:
    read = load_rules if options.plain else load
    return read(options.model, options.encoding)


def _info(options: argparse.Namespace) -> None:
    if options.model is None:
        names = list(embedded_models())
        print(json.dumps(names) if options.json else "\n".join(names))
        return
    rules = load_rules(options.model, options.encoding)
    told = {"file": str(find_model(options.model)), **information(rules), "caches": bounds()}
    print(json_line(told) if options.json else harmless("\n".join(information_lines(told))))


def _encode(options: argparse.Namespace) -> None:
    tokenizer = _load(options)
    for text in _lines(sys.stdin) if options.text is None else [options.text]:
        encoding = tokenizer.encode(text, add_special_tokens=not options.no_special_tokens)
        if options.json:
            print(json_line(_encoding_to_json(encoding)))
        elif options.tokens:
            print(json_line(list(encoding.tokens)))
        else:
            print(*encoding.ids)


def _encoding_to_json(encoding: Encoding) -> dict[str, Any]:
    names = ("ids", "tokens", "offsets", "special_tokens_mask")
    return {name: list(getattr(encoding, name)) for name in names}


def _decode(options: argparse.Namespace) -> None:
    tokenizer = _load(options)
    skips = not options.keep_special_tokens
    if options.ids:
        ids = [*_ids(" ".join(options.ids))]
        print(tokenizer.decode(ids, skip_special_tokens=skips))
        _tell_unknown(tokenizer, ids)
        return
    for number, line in enumerate(_lines(sys.stdin), 1):
        try:
            ids = [*_ids(line)]
            text = tokenizer.decode(ids, skip_special_tokens=skips)
        except InvalidIds as error:
            raise InvalidIds(f"standard input, line {number}: {error}") from None
        print(text)
        _tell_unknown(tokenizer, ids, f"standard input, line {number}: ")


def _tell_unknown(tokenizer: Tokenizer | Pipeline, ids: Sequence[int], place: str = "") -> None:
    """Name the ids that stand for no token: the official library leaves them out without a word, and so does decode."""
    unknown = [token_id for token_id in dict.fromkeys(ids) if tokenizer.id_to_token(token_id) is None]
    if unknown:
        more = f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else ""
        named = ", ".join(map(str, unknown[:MOST_NAMED]))
        print(f"reftok: {place}no token of this model, left out: {named}{more}", file=sys.stderr)


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
    for number, line in enumerate(_raw_lines(stream), 1):
        try:
            yield (line if keep_ends else line.removesuffix(b"\n")).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidText(f"standard input, line {number}: byte {error.start} is not UTF-8") from None


def _raw_lines(stream: TextIO | None) -> Iterable[bytes]:
    if stream is None:
        raise ReftokError("standard input is closed")
    return stream.buffer
