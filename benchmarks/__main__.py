"""python -m benchmarks: ratios, measured in one process, as a table in Markdown."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.encode_file import encode_file_rows
from benchmarks.streaming import stream_rows
from benchmarks.texts import corpus, from_file

EXAMPLES = """examples:
  python -m benchmarks streaming
      the embedded models on the project's own corpora
  python -m benchmarks streaming --model path/to/tokenizer.json --text english=novel.txt
      another model on another text
  python -m benchmarks encode-file --size 1000
      throughput, memory and the ratio to HF's encode on a file of 1 GB
"""


def main() -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Speed, as ratios that were measured in one process: medians of rounds in turn.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=["streaming", "encode-file"], help="what is measured")
    parser.add_argument("--model", action="append", help="a file or the name of an embedded model; repeatable")
    parser.add_argument("--text", action="append", metavar="NAME=FILE", help="instead of the corpora; repeatable")
    parser.add_argument("--rounds", type=int, default=5, help="of which the median is taken (default: 5)")
    parser.add_argument("--size", type=int, default=50, help="of encode-file's file, in MB (default: 50)")
    options = parser.parse_args()
    try:
        if options.what == "encode-file":
            _print_encode_file(options.model or ["bpe-qwen"], options.size)
            return 0
        texts = dict(map(_named_text, options.text or ())) or {name: corpus(name) for name in ("english", "japanese")}
        print("| model | text | what | figure |\n|---|---|---|---|")
        for model in options.model or ("bpe-qwen", "spm-bpe", "spm-unigram", "spm-unigram-hf"):
            for name, documents in texts.items():
                for row in stream_rows(model, name, documents, options.rounds):
                    print(f"| {row.model} | {row.text} | {row.what} | {row.figure} |", flush=True)
    except (ValueError, OSError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    return 0


def _print_encode_file(models: list[str], megabytes: int) -> None:
    print("| model | what | figure |\n|---|---|---|")
    for model in models:
        for what, figure in encode_file_rows(model, megabytes):
            print(f"| {model} | {what} | {figure} |", flush=True)


def _named_text(argument: str) -> tuple[str, list[str]]:
    name, separator, path = argument.partition("=")
    if not separator:
        raise ValueError(f"--text {argument}: NAME=FILE is expected")
    return name, from_file(Path(path))


if __name__ == "__main__":
    sys.exit(main())
