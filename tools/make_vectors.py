"""Make the files of vectors that are committed: those of the embedded models, and of the real ones.

    python tools/make_vectors.py                      corpora/vectors/, of the embedded models
    python tools/make_vectors.py --models path/to/models
                                                      reports/published/vectors/, of the real models in that folder
    python tools/make_vectors.py --only bpe-qwen      of some models alone; `--only training` makes those of training

Of the embedded models there are smoke and core, and full where it is under 300 kB; of the real ones smoke and core.
REFTOK_MODELS stands for --models. Each file is made from the official library that is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from conformance.engine.plan import ModelPlan
from conformance.inputs.training_vector_file import TRAINING_FORM, TrainingVectorFile
from conformance.inputs.vector_file import FORM, Tier, VectorFile, packed, schema, written
from conformance.runs.models import plan_models
from conformance.training.vectors import make_training_vectors
from conformance.vectors.making import Maker
from reftok import embedded_models

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "reports" / "published" / "vectors"
TIMES = PUBLISHED / "times.json"
"""How long each model took, for tools/publish_vectors.py."""
MOST_OF_FULL = 300_000
TRAINING = "training"
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


def make(plan: ModelPlan, tiers: tuple[Tier, ...], folder: Path, jobs: int) -> None:
    """Write the files of a model, and say how long that took."""
    since, processor = time.monotonic(), processor_seconds()
    made = Maker(plan, jobs, lambda sentence: print(sentence, file=sys.stderr)).made_tiers(tiers)
    took = Took(round(time.monotonic() - since, 1), round(processor_seconds() - processor, 1), jobs)
    for tier, vectors in made.items():
        data = packed(written(vectors))
        path = folder / plan.name / f"{tier}.json.gz"
        if tier == "full" and len(data) > MOST_OF_FULL:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        print(f"{plan.name} {tier}: {vectors.number_of_tests:,} vectors, {len(data):,} bytes", flush=True)
    known = json.loads(TIMES.read_text("ascii")) if TIMES.exists() else {}
    TIMES.write_text(json.dumps({**known, plan.name: asdict(took)}, indent=1, sort_keys=True) + "\n", "ascii")
    print(f"{plan.name}: {took.seconds:.0f} s, {took.processor:.0f} s of processors", flush=True)


@dataclass(frozen=True, slots=True)
class Took:
    """How long all tiers of a model took together. processor: seconds of all processes."""

    seconds: float
    processor: float
    jobs: int


def processor_seconds() -> float:
    """Of this process and of its workers that have ended."""
    return sum(os.times()[:4])


def main() -> None:
    """Make them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=os.environ.get("REFTOK_MODELS"), help="a folder of real models")
    parser.add_argument("--only", action="append", default=[], help="a model; repeatable")
    parser.add_argument("--real", action="store_true", help="the real models alone")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="worker processes")
    options = parser.parse_args()
    if not options.real:
        folder = ROOT / "corpora" / "vectors"
        folder.mkdir(exist_ok=True)
        for form, kind in ((FORM, VectorFile), (TRAINING_FORM, TrainingVectorFile)):
            text = json.dumps(schema(kind, form), indent=2)
            (folder / f"{form}.schema.json").write_text(text + "\n", "ascii")
        if not options.only or TRAINING in options.only:
            data = packed(written(make_training_vectors(lambda sentence: print(sentence, file=sys.stderr))))
            (folder / f"{TRAINING}.json.gz").write_bytes(data)
            print(f"{TRAINING}: {len(data):,} bytes", flush=True)
        for name in sorted(embedded_models()):
            if not options.only or name in options.only:
                (plan,) = plan_models((name,))
                make(plan, ("smoke", "core", "full"), folder, options.jobs)
    for name, file in REAL.items() if options.models else ():
        path = Path(options.models) / file
        if path.exists() and (not options.only or name in options.only):
            (plan,) = plan_models((str(path),))
            plan = ModelPlan(name, plan.path, plan.format, plan.oracle, plan.encoding)
            make(plan, ("smoke", "core"), PUBLISHED, options.jobs)


if __name__ == "__main__":
    main()
