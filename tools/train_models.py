"""Train the embedded models on the corpora.

    python tools/train_models.py            write corpora/models/<name>/tokenizer.json or tokenizer.model
    python tools/train_models.py --check    write nothing; exit 1 and name every file that would be another

The same versions of the trainers make the same bytes: one thread, texts in sorted order, no sampling.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

# Before the import of tokenizers, which reads them once.
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from model_training import byte_level, converted, sentencepiece_models
from model_training.texts import Texts

CORPORA = Path(__file__).resolve().parent.parent / "corpora"

TRAINED: dict[str, Callable[[Texts], bytes]] = {
    "bpe-gpt2/tokenizer.json": byte_level.bpe_gpt2,
    "bpe-qwen/tokenizer.json": byte_level.bpe_qwen,
    "bpe-llama3/tokenizer.json": byte_level.bpe_llama3,
    "spm-bpe/tokenizer.model": sentencepiece_models.spm_bpe,
    "spm-unigram/tokenizer.model": sentencepiece_models.spm_unigram,
    "spm-unigram-bytes/tokenizer.model": sentencepiece_models.spm_unigram_bytes,
    "spm-unigram-symbols/tokenizer.model": sentencepiece_models.spm_unigram_symbols,
    "spm-unigram-suffix/tokenizer.model": sentencepiece_models.spm_unigram_suffix,
    "spm-bpe-symbols/tokenizer.model": sentencepiece_models.spm_bpe_symbols,
    "spm-char/tokenizer.model": sentencepiece_models.spm_char,
    "spm-word/tokenizer.model": sentencepiece_models.spm_word,
}

CONVERTED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "spm-bpe-hf/tokenizer.json": ("spm-bpe/tokenizer.model", converted.converted_bpe),
    "spm-unigram-hf/tokenizer.json": ("spm-unigram/tokenizer.model", converted.converted_unigram),
}
"""Which model each is made of, and by what."""


def train(texts: Texts) -> Iterator[tuple[str, bytes]]:
    """The path and the bytes of each model."""
    made: dict[str, bytes] = {}
    for path, recipe in TRAINED.items():
        made[path] = recipe(texts)
        yield path, made[path]
    for path, (origin, convert) in CONVERTED.items():
        yield path, convert(made[origin])


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that it is never seen half-written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; the exit code is 1 where --check found a difference."""
    parser = argparse.ArgumentParser(description="train the embedded models on the corpora")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file would be another")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="the folder of the corpora")
    options = parser.parse_args(arguments)
    models: Path = options.corpora / "models"
    total = differing = 0
    started = perf_counter()
    for path, data in train(Texts.read(options.corpora)):
        target = models / path
        same = target.exists() and target.read_bytes() == data
        differing += not same
        total += len(data)
        print(f"{path:38} {len(data):9,} bytes {perf_counter() - started:5.1f} s  {'same' if same else 'CHANGED'}")
        if not options.check:
            write_atomically(target, data)
        started = perf_counter()
    print(f"{'together':38} {total:9,} bytes")
    return 1 if options.check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
