"""`reftok encode-file`: the arguments of `encode_files` as a command line."""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import closing, nullcontext
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any, TextIO

from reftok.cli.terminal import MODEL, StatusLine, add_command, add_shared, say
from reftok.encode_files.encode_files import encode_files
from reftok.encode_files.run import EncodedFiles, Progress
from reftok.signals import interrupts_kept

EXAMPLES = """examples:
  reftok encode-file bpe-qwen texts.txt -o tokens.npy               each line is a document
  zstdcat texts.zst | reftok encode-file bpe-qwen -o tokens.bin     .zst is read as it is, too
  reftok encode-file spm-bpe books/*.txt -o books.npy --whole-files --index
  reftok encode-file bpe-gpt2 texts.txt -o tokens.npy --separator '<|endoftext|>' --end-token '<|endoftext|>'

The separator ends a document and is not part of it. Nothing else is removed from a text: a carriage return, a byte
order mark and white space are text, and an empty line is an empty document. --separator '\\n\\n' ends a document with
an empty line. Reading .zst needs zstandard: python -m pip install '.[zstd]'

Ids are uint16 if that holds the vocab, else uint32, little-endian. numpy.load("tokens.npy", mmap_mode="r") maps them
into memory. With --index, tokens.npy.index.npy (uint64) says that document i has the ids from index[i] to index[i + 1].
tokens.npy.json has counts, hashes, versions and options.

An interrupted run goes on when the same command is given again. The exit code is 0, 2 for bad usage, input or output,
130 when interrupted.
"""


_ESCAPED = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


def _separator(given: str) -> str:
    r"""A separator as it is meant: a shell gives ``\n`` as two characters.

    >>> _separator(r"\n--\t\\n\d")
    '\n--\t\\n\\d'
    """
    return re.sub(r"\\[nt\\]", lambda found: _ESCAPED[found[0]], given)


def add_encode_file(commands: Any) -> None:
    """Add the command. commands: the subparsers of argparse."""
    description = "The ids of text files, written to one file on all cores and in bounded memory."
    command = add_command(commands, "encode-file", run, "text files to ids on disk", description, epilog=EXAMPLES)
    command.add_argument("model", help=MODEL)
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
    add_shared(command, "no-special-tokens", "encoding")
    command.add_argument("--workers", type=int, metavar="N", help="processes that encode (default: one for each core)")
    command.add_argument("--overwrite", action="store_true", help="replace the output, forget an interrupted run")
    add_shared(command, "quiet")


def run(options: argparse.Namespace) -> None:
    """Do what the command line says."""
    started = monotonic()
    is_shown = not options.quiet and sys.stderr.isatty()
    try:
        with interrupts_kept(), closing(ProgressLine(sys.stderr)) if is_shown else nullcontext() as line:
            written = encode_files(
                options.model,
                options.inputs or ["-"],
                options.output,
                separator=None if options.whole_files else options.separator,
                errors=options.errors,
                add_special_tokens=not options.no_special_tokens,
                end_token=options.end_token,
                index=options.index,
                encoding=options.encoding,
                workers=options.workers,
                overwrite=options.overwrite,
                progress=line,
            )
    except KeyboardInterrupt:
        if Path(f"{options.output}.partial", "journal.json").exists():
            say(f"reftok: {options.output}: the same command continues what was written")
        raise
    if not options.quiet:
        say("\n".join(summary(written, monotonic() - started)))


def summary(written: EncodedFiles, seconds: float) -> list[str]:
    """A summary of a finished run, for people.

    >>> from pathlib import Path
    >>> print(*summary(EncodedFiles(Path("a.npy"), Path("a.npy.json"), None, "uint16", 2, 10, 4, 0, "", 0), 2.0))
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


class ProgressLine(StatusLine):
    """How far a run is, on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._first: Progress | None = None
        self._started = 0.0

    def __call__(self, progress: Progress) -> None:
        """Show how far it is."""
        now = monotonic()
        if self._first is None and progress.step == "encoding":  # the speed counts from here, without the loading
            self._first, self._started = progress, now
        self.show(progress_line(progress, self._first or progress, now - self._started))


def progress_line(now: Progress, first: Progress, seconds: float) -> str:
    """How far a run is, in one line. first: as it was so many seconds ago.

    >>> from reftok.encode_files.output import Done
    >>> start, done = Done(), Done(documents=7, bytes=2_000_000, tokens=500_000)
    >>> progress_line(Progress("loading", start, 0, None), Progress("loading", start, 0, None), 1.0)
    'loading  0.0 MB'
    >>> progress_line(Progress("encoding", done, 2_000_000, 8_000_000), Progress("encoding", start, 0, 8_000_000), 2.0)
    'encoding  25.0 %  2.0 MB  1.00 MB/s  250,000 tokens/s  0:00:06 left'
    """
    parts = [now.step]
    if now.raw_size:
        parts.append(f"{100 * min(now.raw_bytes / now.raw_size, 1):.1f} %")
    parts.append(f"{now.done.bytes / 1e6:,.1f} MB")
    if now.done.bytes > first.done.bytes and seconds > 0:
        parts.append(f"{(now.done.bytes - first.done.bytes) / seconds / 1e6:.2f} MB/s")
        parts.append(f"{(now.done.tokens - first.done.tokens) / seconds:,.0f} tokens/s")
        if now.raw_size and now.raw_bytes > first.raw_bytes:
            left = seconds * (now.raw_size - now.raw_bytes) / (now.raw_bytes - first.raw_bytes)
            parts.append(f"{timedelta(seconds=round(max(left, 0)))} left")
    return "  ".join(parts)
