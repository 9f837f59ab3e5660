"""`reftok train`: the arguments of `reftok.train` as a command line."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from reftok.cli.terminal import StatusLine, add_command, add_shared, harmless, say
from reftok.errors import TrainingStopped
from reftok.rules.types import AddedToken
from reftok.training.sentencepiece.options import KINDS

if TYPE_CHECKING:
    from reftok.training.monitor import TrainingProgress

ALL_TRAINERS = (
    "hf-bpe", "wordpiece", "wordlevel", "hf-unigram", "minbpe", "sentencepiece-bpe", "unigram", "word", "char",
)  # fmt: skip

EXAMPLES = """examples:
  reftok train hf-bpe texts.txt --vocab-size 8000 -o tokenizer.json              GPT-2's pipeline, as tokenizers trains
  reftok train hf-bpe corpus/ --vocab-size 8000 --pipeline bpe-qwen -o tokenizer.json     another one's pipeline
  reftok train wordpiece texts.txt --special-token '[UNK]' --special-token '[CLS]' -o tokenizer.json
  reftok train wordlevel texts.txt --special-token '<unk>' -o tokenizer.json
  reftok train hf-unigram texts.txt --special-token '<unk>' --unk-token '<unk>' -o tokenizer.json
  reftok train hf-bpe texts.txt --vocab-size 8000 -o model/vocab.json            and model/merges.txt
  reftok train minbpe texts.txt --vocab-size 1000 --whole-files -o own.tiktoken  and own.toml
  reftok train sentencepiece-bpe texts.txt --vocab-size 8000 --byte-fallback true -o tokenizer.model
  reftok train unigram texts.txt --vocab-size 8000 --character-coverage 0.9995 --num-threads 16 -o tokenizer.model
  reftok train hf-bpe texts.txt --vocab-size 8000 -o t.json --merge-table m.tsv  and the merges, each with its count
  reftok train hf-bpe texts.txt --vocab-size 8000 --explain 17                   why merge 17 was made (or Ġthe, or not)

A file is read by lines, each with its line end, as tokenizers does, and for sentencepiece's trainers without the line
feed; of a folder all .txt files are read. Pipelines, which sentencepiece's have none of: byte-level (GPT-2),
byte-level-unsplit (each text one word), bert, whitespace, metaspace, none, or any tokenizer.json.
The options are those of the official trainers, under their names. Where the official result depends on chance
(--derived-order and --kept-alphabet in their trainers' docstrings) the order of the text decides here.
--resume continues an interrupted training: twenty seconds are lost, or the round of EM that was under way.
The exit code is 0, 2 for bad usage, input or output, 130 when interrupted.
"""

USAGE = """%(prog)s TRAINER FILE [FILE ...] -o FILE [options]
       %(prog)s TRAINER FILE [FILE ...] --explain N|TOKEN [options]"""
"""That of argparse has all options, some thirty lines, before each error."""

_NUMBERS = {
    "vocab-size": "how many tokens, special ones included",
    "min-frequency": "of a pair or a word, to be taken",
    "limit-alphabet": "so many characters at most",
    "max-token-length": "in characters; hf-bpe only",
    "max-piece-length": "in characters; hf-unigram only",
    "n-sub-iterations": "of EM in each round; hf-unigram only",
    "seed-size": "pieces to begin with; hf-unigram only",
}
_TAKES = {
    "string": "TEXT", "strings": "LIST", "bool": "BOOL", "int32": "N", "uint64": "N", "float": "X"
}  # fmt: skip
"""What an option of sentencepiece takes, by its kind."""
_NOT_FLAGS = {"input", "model_type", "precompiled_charsmap", "vocab_size", "shrinking_factor"}
"""Options of sentencepiece that the command line has in another way, or not at all."""
_TEXTS = {
    "continuing-subword-prefix": "before each character but the first of a word",
    "end-of-word-suffix": "behind the last character of a word",
    "unk-token": "of hf-unigram",
}


def add_train(commands: Any) -> None:
    """Add the command. commands: the subparsers of argparse."""
    description = "A tokenizer that learns its vocab from texts, identical to that of the official trainer."
    summary = "texts to a tokenizer, as the official trainers make it"
    command = add_command(commands, "train", run, summary, description, usage=USAGE, epilog=EXAMPLES)
    command.add_argument("trainer", type=_trainer, metavar="TRAINER", help=", ".join(ALL_TRAINERS))
    command.add_argument("files", nargs="+", metavar="FILE", help="files of UTF-8, or folders with .txt files")
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="tokenizer.json, vocab.json (with merges.txt), FILE.tiktoken; of sentencepiece's trainers FILE.model",
    )
    command.add_argument("--whole-files", action="store_true", help="each file is one text, and not each line")
    command.add_argument("--pipeline", metavar="NAME|FILE", help="the stages around the model (default: by trainer)")
    pattern = command.add_mutually_exclusive_group()
    pattern.add_argument("--pattern", default=argparse.SUPPRESS, help="of minbpe (default: GPT-4's)")
    pattern.add_argument(
        "--no-pattern", dest="pattern", action="store_const", const=None, default=argparse.SUPPRESS,
        help="of minbpe: each text is one word",
    )  # fmt: skip
    for name, told in _NUMBERS.items():
        command.add_argument(f"--{name}", type=int, metavar="N", default=argparse.SUPPRESS, help=told)
    for name, told in _TEXTS.items():
        command.add_argument(f"--{name}", metavar="TEXT", default=argparse.SUPPRESS, help=told)
    command.add_argument(
        "--shrinking-factor", type=float, default=argparse.SUPPRESS, metavar="X", help="of hf-unigram and unigram"
    )
    command.add_argument(
        "--special-token", dest="special_tokens", action="append", default=argparse.SUPPRESS,
        metavar="TOKEN", help='repeatable; the first ids; with flags as {"content": "<mask>", "lstrip": true}',
    )  # fmt: skip
    command.add_argument(
        "--initial-alphabet", type=list, default=argparse.SUPPRESS, metavar="CHARACTERS",
        help="these characters at least (default with byte-level: those of all bytes)",
    )  # fmt: skip
    going = command.add_mutually_exclusive_group()
    going.add_argument("--resume", action="store_true", help="continue an interrupted training")
    going.add_argument("--overwrite", action="store_true", help="replace the output, forget an interrupted training")
    command.add_argument("--merge-table", metavar="FILE", help="also write the merges in order, with their counts")
    command.add_argument("--explain", metavar="N|TOKEN", help="why the Nth merge, or the one to TOKEN, was made")
    add_shared(command, "quiet")
    _add_sentencepiece(command)


def _add_sentencepiece(command: argparse.ArgumentParser) -> None:
    """The options of sentencepiece that no other trainer has, as texts: its reader of options takes them so."""
    group = command.add_argument_group(
        "options of sentencepiece-bpe, unigram, word and char",
        "As spm_train has them, with its defaults; BOOL is true or false, LIST has commas between.",
    )
    for name, kind in KINDS.items():
        if name not in _NOT_FLAGS:
            takes = "FILE" if name.endswith(("_file", "_tsv")) else _TAKES[kind]
            group.add_argument(f"--{name.replace('_', '-')}", metavar=takes, default=argparse.SUPPRESS)


_OWN = {
    "trainer", "files", "output", "whole_files", "pipeline", "resume", "overwrite", "merge_table", "explain", "quiet",
    "run",
}  # fmt: skip


def run(options: argparse.Namespace) -> None:
    """Do what the command line says."""
    given = {name: value for name, value in vars(options).items() if name not in _OWN}
    given |= {"special_tokens": [*map(_special_token, given["special_tokens"])]} if "special_tokens" in given else {}
    if (options.output is None) == (options.explain is None):
        raise TrainingStopped("train writes an output (-o FILE) or explains (--explain N|TOKEN)")
    if options.explain is not None:
        _explain(options, given)
        return
    from reftok.training.train import train

    started = monotonic()
    progress = None if options.quiet else _Line()
    logger = logging.getLogger("reftok.training")
    if progress is not None:
        logger.addHandler(progress)
    try:
        train(
            options.trainer,
            files=options.files,
            whole_files=options.whole_files,
            pipeline=options.pipeline,
            output=options.output,
            merge_table=options.merge_table,
            resume=options.resume,
            overwrite=options.overwrite,
            progress=progress,
            **given,
        )
    except KeyboardInterrupt:
        is_kept = Path(f"{options.output}.training").exists()
        way = "with --resume goes on" if is_kept else "begins anew: nothing was kept so early"
        say(f"reftok: {options.output}: the same command {way}")
        raise
    finally:
        if progress is not None:
            logger.removeHandler(progress)
            progress.close()
    if not options.quiet:
        say(f"{options.output}: written after {monotonic() - started:.1f} s")


def _trainer(given: str) -> str:
    """The name of a trainer."""
    if given in ALL_TRAINERS:
        return given
    near = get_close_matches(given, ALL_TRAINERS, 3, 0.5)
    meant = f"did you mean {', '.join(near)}?" if near else f"it is one of {', '.join(ALL_TRAINERS)}"
    raise argparse.ArgumentTypeError(f"{given!r:.60} is no trainer: {meant}")


def _special_token(given: str) -> str | AddedToken:
    """A special token of the command line: its text, or an object of JSON with its flags."""
    if not given.startswith('{"'):
        return given
    from reftok.formats.fields import Fields
    from reftok.formats.huggingface.hub_folder import read_flags
    from reftok.formats.strict_json import parse_json

    value = parse_json(given.encode("utf-8", "surrogateescape"), "--special-token")
    return read_flags(Fields({**value, "special": True}, "--special-token", given))


def _explain(options: argparse.Namespace, given: Mapping[str, Any]) -> None:
    from reftok.training.explaining import explanation
    from reftok.training.texts import Texts
    from reftok.training.train import training_of

    texts = Texts.of(None, options.files, options.whole_files)
    lines = explanation(training_of(options.trainer, texts, options.pipeline, given), options.explain)
    for line in lines:
        print(harmless(line))


class _Line(logging.Handler):
    """The line that says how far a training is. Warnings stay above it."""

    def __init__(self) -> None:
        super().__init__()
        self._line = StatusLine(sys.stderr)
        self._step = ""
        self._started, self._from = monotonic(), 0

    def __call__(self, progress: TrainingProgress) -> None:
        """Show how far it is, and how fast that goes."""
        now = monotonic()
        if progress.step != self._step:
            self._step, self._started, self._from = progress.step, now, progress.done
        seconds = now - self._started
        rate = f"  {abs(progress.done - self._from) / seconds:,.0f} {progress.unit}/s" if seconds > 0.1 else ""
        whole = "" if progress.whole is None else f" of {progress.whole:,}"
        self._line.show(f"{progress.step}  {progress.done:,}{whole} {progress.unit}{rate}")

    def emit(self, record: logging.LogRecord) -> None:
        """Prints a warning."""
        self._line.close()
        say(record.getMessage())

    def close(self) -> None:
        """Wipe the line."""
        self._line.close()
        super().close()
