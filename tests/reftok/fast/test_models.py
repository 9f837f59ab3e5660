"""Faults that the fast path had: its tokens are those of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from reftok import Tokenizer
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.bpe import BPE, BPEOptions
from reftok.rules.huggingface.normalizers import BertNormalizer
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Model
from reftok.rules.text import NormalizedString
from reftok.rules.tiktoken.rank_bpe import RankBPE

VOCAB = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abcab": 5, " ": 6}
"""No two tokens make `abcab`; nothing merges with the space."""
NESTED = ["a" * length for length in range(1, 2000)]


PAIR = {"a": 0, "b": 1, "ab": 2}
FAULTS: dict[str, tuple[Model, str]] = {
    "a part of a long text is not taken whole": (RankBPE(VOCAB), "abcab " * 200),
    "a word that no merges make is taken whole": (BPE(PAIR, [], BPEOptions(ignore_merges=True)), "ab"),
    "a character that vanishes moves the spans behind it": (BPE(PAIR, [("a", "b")]), "a" + "x" * 9 + "ba"),
    "an unknown id that is that of a byte keeps its text": (
        Unigram([("<0x61>", 0.0), ("b", -1.0)], 0, byte_fallback=True),
        "abxa",
    ),
    "scores below the least of the merge order still merge": (LlamaSPM(PAIR, [0.0, 0.0, -1e30]), "abab"),
    "a token of a thousand nested merges is encoded": (
        BPE({token: index for index, token in enumerate(NESTED)}, [(token, "a") for token in NESTED[:-1]]),
        NESTED[-1],
    ),
}


@pytest.mark.parametrize(("model", "text"), FAULTS.values(), ids=FAULTS.keys())
def test_ids_and_spans_are_those_of_the_rules(model: Model, text: str) -> None:
    tokenizer = Tokenizer(Pipeline("tokenizers", model, AddedVocabulary()))
    expected = tokenizer.rules.encode(text)
    assert tokenizer.encode_ids(text) == expected.ids
    assert tokenizer.encode(text) == expected


class Unmerged(BPE):
    """Merges nothing."""

    def merge_symbols(self, symbols: Sequence[Any], merge_of: object) -> list[tuple[int, Any]]:
        return [*enumerate(symbols)]


class Reversed(BertNormalizer):
    """Reverses the text."""

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return NormalizedString(normalized.text[::-1])


def test_a_subclass_of_a_known_class_keeps_its_own_rule() -> None:
    """Fault: a subclass of a known model or normalizer got the fast path of its base class."""
    model = Tokenizer(Pipeline("tokenizers", Unmerged(PAIR, [("a", "b")]), AddedVocabulary()))
    assert model.encode_ids("ab") == model.rules.encode("ab").ids == [0, 1]
    step = Reversed(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    normalizing = Tokenizer(Pipeline("tokenizers", BPE(PAIR, []), AddedVocabulary(), normalizers=(step,)))
    assert normalizing.encode_ids("ab") == normalizing.rules.encode("ab").ids == [1, 0]
