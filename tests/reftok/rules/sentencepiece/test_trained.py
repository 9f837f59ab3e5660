"""Models that the official trainer makes of a few sentences, with options drawn at random."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from typing import Any

import pytest
from sentencepiece import SentencePieceTrainer

from ...sentencepiece_strategies import load_both, official_encoding, own_encoding

SENTENCES = [
    "the cat sat on the mat  and the dog sat on the log",
    "ﬁne Ｗords, 中文 and é; 12 cats and 345 dogs",
    "наша кошка и ваша собака сидят рядом",
    "a<sep>b  c\u3000d",
] * 4
TEXTS = [*SENTENCES[:4], " the  cat<sep>sat\t", "dogcat ﾊﾟ 😀\u200b e\u0301", "", " ", "<ctl>ｈａｔ▁\0\u3000 ", "1 2 34"]
CHOICES: dict[str, Callable[[random.Random], Any]] = {
    "model_type": lambda generator: generator.choice(["unigram", "bpe", "word", "char"]),
    "byte_fallback": lambda generator: generator.random() < 0.4,
    "normalization_rule_name": lambda generator: generator.choice(["nmt_nfkc", "nfkc_cf", "identity"]),
    "add_dummy_prefix": lambda generator: generator.random() < 0.6,
    "remove_extra_whitespaces": lambda generator: generator.random() < 0.6,
    "treat_whitespace_as_suffix": lambda generator: generator.random() < 0.4,
    "allow_whitespace_only_pieces": lambda generator: generator.random() < 0.4,
    "split_by_whitespace": lambda generator: generator.random() < 0.7,
    "split_digits": lambda generator: generator.random() < 0.5,
    "character_coverage": lambda generator: generator.choice([1.0, 0.98]),
    "user_defined_symbols": lambda generator: generator.sample(["<sep>", "cat", "▁a", "  ", "é"], 2),
    "control_symbols": lambda generator: generator.choice([[], ["<ctl>"]]),
    "unk_surface": lambda generator: generator.choice([" ⁇ ", "", "▁"]),
    "unk_id": lambda generator: generator.choice([0, 3]),
    "unk_piece": lambda generator: generator.choice(["<unk>", "[UNK]"]),
    "pad_id": lambda generator: generator.choice([-1, 4]),
}


def trained(generator: random.Random) -> bytes:
    options = {name: choose(generator) for name, choose in CHOICES.items()}
    if options["unk_id"] == 3:
        options |= {"bos_id": 0, "eos_id": 1, "pad_id": 2}
    elif options["pad_id"] == 4:
        options["pad_id"] = 3
    model = io.BytesIO()
    SentencePieceTrainer.Train(
        sentence_iterator=iter(SENTENCES),
        model_writer=model,
        vocab_size=400,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=3,
        **options,
    )
    return model.getvalue()


@pytest.mark.parametrize("seed", range(16))
def test_a_model_trained_with_random_options_is_the_same_in_both(seed: int) -> None:
    tokenizer, official = load_both(trained(random.Random(seed)))
    for text in TEXTS:
        for given in (text, text.encode()[1:]):
            ids = official.Encode(given)
            assert tokenizer.encode_ids(given) == ids
            assert own_encoding(tokenizer, given) == official_encoding(official, given)
            assert tokenizer.decode(ids) == official.Decode(ids)
