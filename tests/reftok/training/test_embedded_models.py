"""What tools/train_models.py trains by `tokenizers` is trained by reftok: the same bytes, of one of the models.

`python -m tests.reftok.training.embedded_models` takes all three.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_a_byte_level_model_is_trained_to_the_same_bytes() -> None:
    """In a process of its own: the tools are scripts, and no package imports them."""
    command = [sys.executable, "-m", "tests.reftok.training.embedded_models", "bpe-qwen"]
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("bpe-qwen same\n", 0), done.stderr
