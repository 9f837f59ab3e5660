"""Trainers against the official ones, on the same texts in turn; growth with the text, and the memory of a process."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from benchmarks.texts import CORPORA
from reftok.training.texts import Texts
from reftok.training.training import Training

MIXED = 1_500_000
"""Bytes of the mix of all corpora."""

UNIGRAM = 280_000


@dataclass(frozen=True, slots=True)
class Case:
    """What is trained on what. megabytes is told, size in bytes is given."""

    name: str
    size: int
    options: Mapping[str, Any]
    pipeline: str


CASES = (
    Case("hf-bpe", MIXED, {"vocab_size": 8000, "initial_alphabet": []}, "byte-level"),
    Case("wordlevel", MIXED, {"vocab_size": 8000}, "whitespace"),
    Case("hf-unigram", UNIGRAM, {"vocab_size": 4000, "special_tokens": ["<unk>"], "unk_token": "<unk>"}, "metaspace"),
)
GROWTH = (1_000_000, 10_000_000)


def training_rows(rounds: int) -> Iterator[tuple[str, str, str]]:
    """The text, what was measured, and the figure."""
    for case in CASES:
        # The unigram trainer of tokenizers panics at this text.
        texts = [text for text in mixed(case.size) if "<UNK>" not in text]
        size = sum(len(text.encode("utf-8")) for text in texts) / 1e6
        own, official, verdict = timed(case, texts, rounds)
        vocab = case.options["vocab_size"]
        yield (
            f"{size:.2f} MB of all corpora",
            f"{case.name}, vocab {vocab:,}",
            f"{own[0] / official[0]:.2f}x the processor time of tokenizers ({own[0]:.1f} s, {official[0]:.1f} s), "
            f"{own[1] / official[1]:.2f}x its time on the clock, {verdict}",
        )
    figures = {}
    for size in GROWTH:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "texts.txt"
            path.write_text("\n".join(mixed(size)), "utf-8")
            for library in ("reftok", "tokenizers"):
                seconds, peak = measured(library, path)
                figures[library, size] = seconds
                told = f"{seconds:.1f} s of processor time, {peak / 1e6:.0f} MB at most"
                yield f"{size / 1e6:.0f} MB, made of them", f"hf-bpe, vocab 8,000, {library}", told
    for library in ("reftok", "tokenizers"):
        ratio = figures[library, GROWTH[1]] / figures[library, GROWTH[0]]
        yield "10 MB against 1 MB", f"hf-bpe, vocab 8,000, {library}", f"{ratio:.1f}x the time"


def mixed(size: int, seed: int = 0) -> list[str]:
    """Lines of all corpora until there are so many bytes: whole, and then with other words in other places."""
    random = Random(seed)
    files = sorted(path for path in CORPORA.glob("*/*") if path.suffix in (".txt", ".jsonl"))
    lines = [line for path in files for line in path.read_text("utf-8").split("\n") if line]
    words = sorted({word for line in lines for word in line.split(" ")})
    made: list[str] = []
    while True:
        for line in lines:
            made.append(line)
            size -= len(line.encode("utf-8")) + 1
            if size <= 0:
                return made
        lines = [_varied(line, words, random) for line in lines]


def _varied(line: str, words: Sequence[str], random: Random) -> str:
    """The line with about a quarter of its words others, some of them joined anew of two halves."""
    parts = line.split(" ")
    for _ in range(1 + len(parts) // 4):
        first, second = random.choice(words), random.choice(words)
        new = first if random.random() < 0.7 else first[: len(first) // 2] + second[len(second) // 2 :]
        parts[random.randrange(len(parts))] = new
    return " ".join(parts)


def timed(case: Case, texts: list[str], rounds: int) -> tuple[tuple[float, float], tuple[float, float], str]:
    """Seconds of the processor and on the clock, of reftok and of tokenizers; rounds in turn, results compared."""
    training = Training.of(case.name, Texts.of(texts, None), case.pipeline, **case.options)
    seconds: dict[str, list[tuple[float, float]]] = {"reftok": [], "tokenizers": []}
    results: dict[str, Any] = {}
    runs: dict[str, Callable[[], Any]] = {
        "tokenizers": lambda: official(training, texts),
        "reftok": training.run,
    }
    for _ in range(rounds):
        for library, run in runs.items():
            gc.collect()
            start, clock = process_time(), perf_counter()
            results[library] = run()
            seconds[library].append((process_time() - start, perf_counter() - clock))
    own, other = (
        (median(cpu for cpu, _ in seconds[library]), median(clock for _, clock in seconds[library]))
        for library in ("reftok", "tokenizers")
    )
    if case.name == "hf-unigram":
        pieces = [{piece for piece, _ in results[library]["model"]["vocab"]} for library in results]
        return own, other, "the same pieces" if pieces[0] == pieces[1] else f"{len(pieces[0] ^ pieces[1])} OTHER PIECES"
    return own, other, "identical" if results["reftok"] == results["tokenizers"] else "DIFFERENT"


def official(training: Training, texts: Sequence[str]) -> Any:
    """What tokenizers makes of it."""
    import json

    import tokenizers
    from tokenizers import trainers

    kinds = {
        "hf-bpe": trainers.BpeTrainer,
        "wordlevel": trainers.WordLevelTrainer,
        "hf-unigram": trainers.UnigramTrainer,
    }
    trainer, tokenizer = training.trainer, tokenizers.Tokenizer.from_str(json.dumps(training.pipeline))
    known = kinds[training.name](show_progress=False)
    options = {name: getattr(trainer, name) for name in type(trainer).__dataclass_fields__ if hasattr(known, name)}
    given = {
        name: list(value) if isinstance(value, tuple) else value for name, value in options.items() if value is not None
    }
    tokenizer.train_from_iterator(texts, kinds[training.name](show_progress=False, **given))
    return json.loads(tokenizer.to_str())


_CHILD = """
import sys
from pathlib import Path
from time import process_time
import tokenizers
from benchmarks.training import CASES, official
from reftok.training.texts import Texts
from reftok.training.training import Training

library, path = sys.argv[1:]
case = CASES[0]
training = Training.of(case.name, Texts.of(None, path), case.pipeline, **case.options)
start = process_time()
if library == "reftok":
    training.run()
else:
    with open(path, encoding="utf-8", newline="\\n") as file:
        official(training, file)
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(process_time() - start, int(peak.split()[1]) * 1024)
"""


def measured(library: str, path: Path) -> tuple[float, float]:
    """Seconds of processor time and bytes of peak memory of a process that trains a BPE on a file; Linux only."""
    command = [sys.executable, "-c", _CHILD, library, str(path)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = answer.stdout.split()
    return float(seconds), float(peak)
