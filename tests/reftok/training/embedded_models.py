"""Trains by reftok what tools/train_models.py trains by `tokenizers`, and says whether the bytes are the same:

python -m tests.reftok.training.embedded_models bpe-gpt2 bpe-qwen bpe-llama3
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, pre_tokenizers

from reftok.training.texts import Texts
from reftok.training.training import Training

ROOT = Path(__file__).resolve().parents[3]


def train(tokenizer: Tokenizer, texts: Any, vocab_size: int, special_tokens: Sequence[str] | None = None) -> None:
    """In the place of `_train` of tools/model_training/byte_level.py."""
    training = Training.of(
        "hf-bpe",
        Texts.of(texts.documents, None),
        json.loads(tokenizer.to_str()),
        vocab_size=vocab_size,
        special_tokens=list(special_tokens or ()),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
    )
    tokenizer.model = Tokenizer.from_str(json.dumps(training.run())).model
    tokenizer.add_special_tokens(list(special_tokens or ()))


def main(names: Sequence[str]) -> int:
    sys.path.append(str(ROOT / "tools"))
    from model_training import byte_level  # type: ignore[import-not-found]
    from model_training import texts as corpora  # type: ignore[import-not-found]

    byte_level._train = train
    differing = 0
    texts = corpora.Texts.read(ROOT / "corpora")
    for name in names:
        made = getattr(byte_level, name.replace("-", "_"))(texts)
        same = made == (ROOT / "corpora" / "models" / name / "tokenizer.json").read_bytes()
        print(name, "same" if same else "DIFFERENT", flush=True)
        differing += not same
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
