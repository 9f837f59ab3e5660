"""Runs one plan under the release of an official library that is installed, as the tox environments of releases do.

    python tools/release_run.py tokenizers-0.21.4

The argument names the run folder in reports/runs/, and by its beginning the library whose models are asked: embedded
ones, and those of REFTOK_MODELS, where that is set. Findings do not fail it: they are the result.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "reports" / "runs"
PLAN = ["--corpus", "edge_cases", "--corpus", "known_bugs", "--corpus", "domains"]
PLAN += ["--inputs", "corpora", "--inputs", "fuzz", "--fuzz", "1000", "--quiet"]
EMBEDDED = {
    "tokenizers": ("bpe-gpt2", "bpe-llama3", "bpe-qwen", "spm-bpe-hf", "spm-unigram-hf"),
    "sentencepiece": (
        *("spm-bpe", "spm-bpe-symbols", "spm-char", "spm-unigram", "spm-unigram-bytes", "spm-unigram-suffix"),
        *("spm-unigram-symbols", "spm-word"),
    ),
}
REAL = {
    "tokenizers": ("qwen3/tokenizer.json", "llama2/tokenizer.json", "t5-small/tokenizer.json"),
    "sentencepiece": ("llama2/tokenizer.model",),
}


def main() -> None:
    """Run, and end with 0 where the run was finished, whatever it found."""
    name = sys.argv[1]
    library = name.partition("-")[0]
    models = list(EMBEDDED[library])
    if folder := os.environ.get("REFTOK_MODELS"):
        models += [str(path) for model in REAL[library] if (path := Path(folder) / model).is_file()]
    shutil.rmtree(RUNS / name, ignore_errors=True)
    out = (RUNS / name).relative_to(ROOT)
    named = [word for model in models for word in ("--model", model)]
    command = [sys.executable, "-m", "conformance", "run", "--out", str(out), *PLAN, *named]
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, "RUST_BACKTRACE": "0"}, check=False).returncode
    sys.exit(0 if code == 1 else code)


if __name__ == "__main__":
    main()
