"""Make the files of vectors that are committed: those of the embedded models, and of the real ones.

    python tools/make_vectors.py                      corpora/vectors/, of the embedded models
    python tools/make_vectors.py --models path/to/models
                                                      reports/published/vectors/, of the real models in that folder
    python tools/make_vectors.py --only bpe-qwen      of some models alone

Of the embedded models there are smoke and core, and full where it is under 300 kB; of the real ones smoke and core.
REFTOK_MODELS stands for --models. Each file is made from the official library that is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from conformance.engine.plan import ModelPlan
from conformance.inputs.vector_file import Tier, VectorFile, packed, schema, written
from conformance.runs.models import plan_models
from conformance.vectors.making import Maker
from reftok import embedded_models

ROOT = Path(__file__).resolve().parent.parent
MOST_OF_FULL = 300_000
SCHEMA = "tokenizer-vectors-1.schema.json"
REAL = {
    "qwen3": "qwen3/tokenizer.json",
    "gpt2": "gpt2/vocab.json",
    "llama3": "llama3/tokenizer.model",
    "cl100k": "cl100k/cl100k_base.tiktoken",
    "llama2": "llama2/tokenizer.model",
    "mistral-v0.1": "mistral-v0.1/tokenizer.json",
    "t5-small": "t5-small/tokenizer.json",
    "whisper-large-v3": "whisper-large-v3/tokenizer.json",
    "marian": "marian/tokenizer.json",
}


def make(plan: ModelPlan, tiers: tuple[Tier, ...], folder: Path, jobs: int) -> Iterator[str]:
    """Write the files of a model; gives a line of a table for each."""
    since, cpu = time.monotonic(), cpu_seconds()
    made = Maker(plan, jobs, lambda sentence: print(sentence, file=sys.stderr)).made_tiers(tiers)
    seconds, cpu = time.monotonic() - since, cpu_seconds() - cpu
    for tier, vectors in made.items():
        data = packed(written(vectors))
        path = folder / plan.name / f"{tier}.json.gz"
        if tier == "full" and len(data) > MOST_OF_FULL:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        yield row(plan.name, tier, vectors, len(data), seconds, cpu)


def cpu_seconds() -> float:
    """Of this process and of its workers that have ended."""
    return sum(os.times()[:4])


KINDS = ("pattern alternatives", "seams between alternatives", "charsmap rules", "added tokens", "added-token flags",
         "bytes", "decoder branches", "known bugs", "merges", "vocab entries")  # fmt: skip


def row(name: str, tier: str, vectors: VectorFile, size: int, seconds: float, cpu: float) -> str:
    """A line of the table of coverage; the seconds are those of all tiers of a model together."""
    reached = {one.kind: f"{one.reached:,}/{one.total:,}" for one in vectors.coverage}
    cells = [name, tier, f"{vectors.number_of_tests:,}", f"{size:,}", f"{seconds:.0f}", f"{cpu:.0f}"]
    return "| " + " | ".join([*cells, *(reached.get(kind, "") for kind in KINDS)]) + " |"


def main() -> None:
    """Make them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=os.environ.get("REFTOK_MODELS"), help="a folder of real models")
    parser.add_argument("--only", action="append", default=[], help="a model; repeatable")
    parser.add_argument("--real", action="store_true", help="the real models alone")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="worker processes")
    options = parser.parse_args()
    heading = ("model", "tier", "vectors", "bytes", "seconds", "CPU s", *KINDS)
    print("| " + " | ".join(heading) + " |\n|---|---|" + "--:|" * (len(heading) - 2))
    if not options.real:
        folder = ROOT / "corpora" / "vectors"
        folder.mkdir(exist_ok=True)
        (folder / SCHEMA).write_text(json.dumps(schema(), indent=2) + "\n", "ascii")
        for name in sorted(embedded_models()):
            if not options.only or name in options.only:
                (plan,) = plan_models((name,))
                for line in make(plan, ("smoke", "core", "full"), folder, options.jobs):
                    print(line, flush=True)
    for name, file in REAL.items() if options.models else ():
        path = Path(options.models) / file
        if path.exists() and (not options.only or name in options.only):
            (plan,) = plan_models((str(path),))
            plan = ModelPlan(name, plan.path, plan.format, plan.oracle, plan.encoding)
            for line in make(plan, ("smoke", "core"), ROOT / "reports" / "published" / "vectors", options.jobs):
                print(line, flush=True)


if __name__ == "__main__":
    main()
