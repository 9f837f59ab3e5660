"""What tools/train_models.py trains by `tokenizers` is trained by reftok: the same bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

TRAIN_BY_REFTOK = """
import json, sys
from pathlib import Path
from tokenizers import Tokenizer
from model_training import byte_level
from model_training.texts import Texts
from reftok.training.feeding import Texts as Given
from reftok.training.run import Run
from reftok.training.training import Training

def train(tokenizer, texts, vocab_size, special_tokens=None):
    options = {"vocab_size": vocab_size, "special_tokens": special_tokens or []}
    alphabet = sorted(byte_level.pre_tokenizers.ByteLevel.alphabet())
    source = Given.of(texts.documents, None)
    training = Training.of("hf-bpe", source, json.loads(tokenizer.to_str()), initial_alphabet=alphabet, **options)
    tokenizer.model = Tokenizer.from_str(json.dumps(Run(training, None).run())).model
    tokenizer.add_special_tokens(special_tokens or [])

byte_level._train = train
corpora = Path(sys.argv[1])
texts = Texts.read(corpora)
for name in ("bpe_gpt2", "bpe_qwen", "bpe_llama3"):
    made = getattr(byte_level, name)(texts)
    print(name, made == (corpora / "models" / name.replace("_", "-") / "tokenizer.json").read_bytes())
"""


def test_the_byte_level_models_are_trained_to_the_same_bytes() -> None:
    """In a process of its own: the tools are scripts, and no package imports them."""
    command = [sys.executable, "-c", TRAIN_BY_REFTOK, str(ROOT / "corpora")]
    paths = {"PYTHONPATH": f"{ROOT / 'tools'}:{ROOT}", "PATH": ""}
    done = subprocess.run(command, env=paths, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines() == ["bpe_gpt2 True", "bpe_qwen True", "bpe_llama3 True"], done.stderr
