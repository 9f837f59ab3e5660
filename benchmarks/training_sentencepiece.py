"""python -m benchmarks.training_sentencepiece: reftok's sentencepiece trainers against the official ones, in turn."""

from __future__ import annotations

import argparse
import gc
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

from benchmarks.texts import CORPORA
from reftok.training.sentencepiece.options import trainer_options
from reftok.training.sentencepiece.trainer import train


@dataclass(frozen=True, slots=True)
class Case:
    """So many bytes of all corpora, trained on with these options."""

    size: int
    options: Mapping[str, Any]


CASES = (
    Case(1_500_000, {"model_type": "bpe", "vocab_size": 8000, "character_coverage": 1.0}),
    Case(280_000, {"model_type": "unigram", "vocab_size": 3000, "character_coverage": 0.98}),
)


def mixed(size: int) -> list[str]:
    """Lines of all corpora, an equal share of each, until there are so many bytes; from the start again if need be."""
    files = sorted(path for path in CORPORA.glob("*/*") if path.suffix in (".txt", ".jsonl"))
    lines = [line for path in files for line in path.read_text("utf-8").split("\n") if line]
    total = sum(len(line.encode("utf-8")) + 1 for line in lines)
    return lines[:: max(total // size, 1)] * -(-size // total)


def sentencepiece_rows(rounds: int, sentences: Sequence[str] | None = None) -> Iterator[tuple[str, str, str]]:
    """The text, what was trained, and the figure.

    sentences: instead of the corpora.
    """
    for case in CASES:
        texts = mixed(case.size) if sentences is None else sentences
        size = sum(len(text.encode("utf-8")) for text in texts) / 1e6
        runs = {"reftok": partial(own, texts, case.options), "sentencepiece": partial(official, texts, case.options)}
        seconds, models = timed(runs, rounds)
        mine, other = seconds["reftok"], seconds["sentencepiece"]
        verdict = "identical" if models["reftok"] == models["sentencepiece"] else "DIFFERENT"
        yield (
            f"{size:.2f} MB",
            f"{case.options['model_type']}, vocab {case.options['vocab_size']:,}",
            f"{mine[1] / other[1]:.1f}x the time of sentencepiece on the clock ({mine[1]:.1f} s, {other[1]:.1f} s), "
            f"{mine[0] / other[0]:.1f}x its processor time, {verdict}",
        )


def own(sentences: Sequence[str], options: Mapping[str, Any]) -> bytes:
    """The model that reftok trains."""
    return train(sentences, trainer_options(**options))


def official(sentences: Sequence[str], options: Mapping[str, Any]) -> bytes:
    """The model that the official trainer makes."""
    from sentencepiece import SentencePieceTrainer

    model = io.BytesIO()
    SentencePieceTrainer.train(sentence_iterator=iter(sentences), model_writer=model, minloglevel=3, **options)
    return model.getvalue()


def timed(
    runs: Mapping[str, Callable[[], bytes]], rounds: int
) -> tuple[dict[str, tuple[float, float]], dict[str, bytes]]:
    """Seconds of the processor and on the clock of each, the medians of rounds in turn; and what each gives."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    results: dict[str, bytes] = {}
    for _ in range(rounds):
        for name, run in runs.items():
            gc.collect()
            start, clock = process_time(), perf_counter()
            results[name] = run()
            seconds[name].append((process_time() - start, perf_counter() - clock))
    medians = {name: (median(cpu for cpu, _ in times), median(c for _, c in times)) for name, times in seconds.items()}
    return medians, results


def main() -> int:
    """Print the figures as a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training_sentencepiece", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="of which the median is taken (default: 3)")
    parser.add_argument("--text", metavar="FILE", help="a file of UTF-8, a sentence a line, instead of the corpora")
    options = parser.parse_args()
    try:
        sentences = None
        if options.text:
            with open(options.text, encoding="utf-8") as file:
                sentences = [line.rstrip("\n") for line in file]
        print("| text | what | figure |\n|---|---|---|")
        for row in sentencepiece_rows(options.rounds, sentences):
            print(f"| {' | '.join(row)} |", flush=True)
    except (OSError, ValueError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
