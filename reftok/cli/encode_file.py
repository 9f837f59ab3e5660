"""`reftok encode-file`: the arguments of `encode_files` as a command line."""

from __future__ import annotations

import argparse
import re
import sys
import time
from typing import Any

from reftok.cli.terminal import harmless
from reftok.encode_files.encode_files import encode_files
from reftok.encode_files.messages import ENGINES
from reftok.encode_files.result import EncodedFiles

EXAMPLES = """examples:
  reftok encode-file bpe-qwen texts.txt -o tokens.npy               each line is a document
  zstdcat texts.zst | reftok encode-file bpe-qwen -o tokens.bin     .zst is read as it is, too
  reftok encode-file spm-bpe books/*.txt -o books.npy --whole-files --index
  reftok encode-file bpe-gpt2 texts.txt -o tokens.npy --separator '<|endoftext|>' --end-token '<|endoftext|>'
  reftok encode-file bpe-gpt2 texts.txt -o tokens.npy --verify      stops where tokenizers gives other ids

The separator ends a document and is not part of it. Nothing else is taken off a text: a carriage return, a byte order
mark and white space are text, and an empty line is an empty document. Beside tokens.npy lies tokens.npy.json: counts,
hashes, versions, options. With --index, tokens.npy.index.npy (uint64) says that document i has the ids from index[i]
to index[i + 1].
A document of more than 16 MiB is encoded by reftok alone, without --verify. --separator '\\n\\n' ends a document with
an empty line. Reading .zst takes: python -m pip install '.[zstd]'
Ids are uint16 where that holds the vocab, else uint32, little-endian. What was interrupted goes on when the same
command is given again. The exit code is 0, 1 where --verify finds a difference, 2 for bad usage, input or output, 130
when interrupted.
"""


_ESCAPED = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


def _separator(given: str) -> str:
    r"""A separator as it is meant: a shell gives ``\n`` as two characters.

    >>> _separator(r"\n--\t\\n\d")
    '\n--\t\\n\\d'
    """
    return re.sub(r"\\[nt\\]", lambda found: _ESCAPED[found[0]], given)


def add_encode_file(commands: Any, model: str) -> None:
    """Add the command.

    commands: the subparsers of argparse. model: what is said about a model.
    """
    command = commands.add_parser(
        "encode-file",
        help="text files to ids on disk",
        description="The ids of text files, written to one file on all cores and in bounded memory.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("model", help=model)
    command.add_argument("inputs", nargs="*", help="files of UTF-8, plain or .zst; none, or -, is standard input")
    command.add_argument("-o", "--output", required=True, metavar="FILE", help=".npy, or .bin for nothing but the ids")
    documents = command.add_mutually_exclusive_group()
    documents.add_argument(
        "--separator",
        type=_separator,
        default="\n",
        metavar="TEXT",
        help="ends a document and is no part of it; \\n, \\t and \\\\ in it are a line feed, a tab and a backslash "
        "(default: a line feed)",
    )
    documents.add_argument("--whole-files", action="store_true", help="each file is a document")
    command.add_argument("--end-token", metavar="TOKEN", help="put this token behind each document")
    command.add_argument("--index", action="store_true", help="also write where each document begins")
    command.add_argument("--errors", choices=("strict", "replace"), default="strict", help="for what is not UTF-8")
    command.add_argument("--no-special-tokens", action="store_true", help="leave out what the post-processor inserts")
    command.add_argument("--encoding", metavar="NAME", help="of a tiktoken rank file that is not a published one")
    command.add_argument("--engine", choices=ENGINES, default="reftok", help="encode with the official library instead")
    command.add_argument("--verify", action="store_true", help="compare with the official library on the way")
    command.add_argument("--workers", type=int, metavar="N", help="processes that encode (default: one for each core)")
    command.add_argument("--overwrite", action="store_true", help="replace the output, forget an interrupted run")
    command.add_argument("--quiet", action="store_true", help="say nothing but what goes wrong")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Do what the command line says."""
    from reftok.encode_files.output import checked_paths
    from reftok.encode_files.progress import TerminalProgress

    started = time.monotonic()
    try:
        with TerminalProgress(None if options.quiet else sys.stderr) as progress:
            written = encode_files(
                options.model,
                options.inputs or ["-"],
                options.output,
                separator=None if options.whole_files else options.separator,
                errors=options.errors,
                add_special_tokens=not options.no_special_tokens,
                end_token=options.end_token,
                index=options.index,
                engine=options.engine,
                verify=options.verify,
                encoding=options.encoding,
                workers=options.workers,
                overwrite=options.overwrite,
                progress=progress,
            )
    except KeyboardInterrupt:
        if checked_paths(options.output, options.index).journal.exists():
            print(
                harmless(f"reftok: {options.output}: the same command goes on from what was written"), file=sys.stderr
            )
        raise
    if not options.quiet:
        print(harmless("\n".join(summary(written, time.monotonic() - started))), file=sys.stderr)


def summary(written: EncodedFiles, seconds: float) -> list[str]:
    """A summary of a finished run, for people.

    >>> from pathlib import Path
    >>> print(*summary(EncodedFiles(Path("a.npy"), Path("a.npy.json"), None, "uint16", 2, 10, 9, 4, 0, ""), 2.0))
    a.npy: 2 documents, 10 bytes of text, 4 tokens as uint16, in 2.0 s
    """
    counts = f"{written.documents:,} documents, {written.bytes:,} bytes of text, {written.tokens:,} tokens"
    lines = [f"{written.output}: {counts} as {written.dtype}, in {seconds:.1f} s"]
    if written.resumed:
        lines.append(f"{written.resumed:,} of the documents had been written by the run that was interrupted")
    if written.replaced:
        lines.append(f"{written.replaced:,} documents had bytes that are not UTF-8: U+FFFD stands in their place")
    if written.alters:
        lines.append(f"the model's own file asks for {written.alters}: the ids of each document are so altered")
    return lines
