"""python -m benchmarks: ratios, measured in one process, as a table in Markdown."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.encode_file import encode_file_rows
from benchmarks.loading import loading_rows
from benchmarks.slow_inputs import slow_input_rows
from benchmarks.speed import speed_rows
from benchmarks.streaming import stream_rows
from benchmarks.texts import corpus, from_file
from benchmarks.training import training_rows
from benchmarks.worst_cases import worst_case_rows
from reftok import ReftokError

EMBEDDED = ("bpe-qwen", "spm-bpe", "spm-unigram", "spm-unigram-hf")
DEFAULT_MODELS = {
    "speed": EMBEDDED,
    "streaming": EMBEDDED,
    "worst-cases": EMBEDDED,
    "slow-inputs": EMBEDDED,
    "loading": EMBEDDED,
    "encode-file": ("bpe-qwen",),
    "harness": ("bpe-qwen", "spm-unigram"),
    "training": ("",),
}

EXAMPLES = """examples:
  python -m benchmarks speed --model path/to/tokenizer.json --text english=novel.txt
      encode_ids against the official library: empty caches, caches filled by other documents, by the same
  python -m benchmarks worst-cases --model path/to/tokenizer.json
      100,000 characters of trouble, against the official library and against a tenth of the length
  python -m benchmarks slow-inputs --model path/to/tokenizer.json --minutes 60
      a search for texts whose time grows much faster than their length
  python -m benchmarks loading --model path/to/tokenizer.json
  python -m benchmarks streaming
      the embedded models on the project's own corpora
  python -m benchmarks streaming --model path/to/tokenizer.json --text english=novel.txt
      another model on another text
  python -m benchmarks encode-file --size 1000
      throughput, memory and the ratio to HF's encode on a file of 1 GB
  python -m benchmarks harness --model bpe-qwen --rounds 3
      what a run of the harness takes beside the official library
  python -m benchmarks training --rounds 3
      the trainers on a mix of all corpora: times, growth from 1 to 10 MB, memory
"""


def main() -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Speed, as ratios that were measured in one process: medians of rounds in turn.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=list(DEFAULT_MODELS), help="what is measured")
    parser.add_argument("--model", action="append", help="a file or the name of an embedded model; repeatable")
    parser.add_argument("--text", action="append", metavar="NAME=FILE", help="instead of the corpora; repeatable")
    parser.add_argument("--rounds", type=int, default=5, help="of which the median is taken (default: 5)")
    parser.add_argument("--size", type=int, default=50, help="of encode-file's file, in MB (default: 50)")
    parser.add_argument("--minutes", type=float, default=1.0, help="of slow-inputs, for each model (default: 1)")
    options = parser.parse_args()
    if options.rounds < 1 or options.size < 1 or not options.minutes > 0:
        parser.error("--rounds and --size are at least 1, --minutes are more than 0")
    try:
        texts = dict(map(_named_text, options.text or ()))
        print("| model | text | what | figure |\n|---|---|---|---|")
        for model in options.model or DEFAULT_MODELS[options.what]:
            for text, what, figure in _rows(options, model, texts):
                print(f"| {_short(model)} | {text} | {what} | {figure} |", flush=True)
    except OSError as error:
        print(f"benchmarks: {f'{error.filename}: {error.strerror}' if error.filename else error}", file=sys.stderr)
        return 2
    except (ValueError, ReftokError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _rows(options: argparse.Namespace, model: str, texts: dict[str, list[str]]) -> Iterator[tuple[str, str, str]]:
    """Text, what was measured, and the figure."""
    match options.what:
        case "encode-file":
            yield from (("made", *row) for row in encode_file_rows(model, options.size))
        case "harness":
            from benchmarks.harness import harness_rows

            yield from (("corpora, vocab, fuzz", *row) for row in harness_rows(model, options.rounds))
        case "training":
            yield from training_rows(options.rounds)
        case "worst-cases":
            yield from (("made", *row) for row in worst_case_rows(model, options.rounds))
        case "slow-inputs":
            yield from (("searched", *row) for row in slow_input_rows(model, options.minutes))
        case "loading":
            yield from (("", *row) for row in loading_rows(model, options.rounds))
        case what:
            rows = speed_rows if what == "speed" else stream_rows
            for name, documents in (texts or _own_texts(what)).items():
                yield from ((name, *row) for row in rows(model, documents, options.rounds))


def _own_texts(what: str) -> dict[str, list[str]]:
    """The corpora; for speed, where the same line again is in the cache, no line twice."""
    if what == "speed":
        return {name: corpus(name, repeat=False) for name in ("english", "japanese", "multilingual")}
    return {name: corpus(name) for name in ("english", "japanese")}


def _short(model: str) -> str:
    """A file by its folder's name."""
    path = Path(model)
    return f"{path.parent.name}/{path.name}" if path.exists() else model


def _named_text(argument: str) -> tuple[str, list[str]]:
    name, separator, path = argument.partition("=")
    if not separator:
        raise ValueError(f"--text {argument}: NAME=FILE is expected")
    return name, from_file(Path(path))


if __name__ == "__main__":
    sys.exit(main())
