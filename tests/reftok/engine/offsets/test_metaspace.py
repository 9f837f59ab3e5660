"""What is remembered of each word gives the tokens of the plain way."""

from __future__ import annotations

from dataclasses import replace

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reftok import Tokenizer
from reftok.engine.offsets.metaspace import Words, metaspace_encoding
from reftok.rules.charsmap import Charsmap
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.normalizers import NFC, NFKD, Lowercase, Precompiled, Replace, Strip, StripAccents
from reftok.rules.huggingface.pre_tokenizers import Metaspace, WhitespaceSplit
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.patterns import rust_pattern
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import NormalizedString
from reftok.rules.types import AddedToken, Encoding
from tests.models import load

from ...official import added, assert_same_encoding, bpe, tokenizer_json
from ...protobuf_writer import compile_charsmap

RULES = {"\n": " ", "\r": "b", "\u3000": " ", "x": "", "ﬁ": "fi", "a\u0301": "á", " \u0301": "'", "cc": "c", "B": "b "}
CHARSMAP = Precompiled(Charsmap(compile_charsmap(RULES | {"\u0600": "a"})))
TO_LINE_FEED = Precompiled(Charsmap(compile_charsmap({" \u0301": "\n"})))
ALWAYS = (Metaspace("\u2581", "always", True),)
SEVERAL_SPACES = Replace(rust_pattern(regex.compile(" {2,}")), "\u2581")
PIECES = ["<unk>", "\u2581", "a", "b", "\u2581a", "ab", "\u2581b", "f", "i", "á", "\u2581ab", "'", "<s>"]
MODEL = Unigram([(piece, -float(number % 5)) for number, piece in enumerate(PIECES)], 0)
TEXTS = st.lists(
    st.sampled_from(
        [" ", " ", "  ", "\n", "\t", "\u3000", "\u2581", "a", "b", "ab", "B", "x", "ﬁ", "\u0301", "á", "cc"]
    )
    | st.sampled_from([" a", " ab", "a b", "\u0600", "\r\n", "<s>", "\u1112\u1161", "İ"]),
    max_size=10,
).map("".join)
NORMALIZERS: st.SearchStrategy[tuple[Normalizer, ...]] = st.lists(
    st.sampled_from(
        [CHARSMAP, TO_LINE_FEED, SEVERAL_SPACES, Replace("b", "a"), NFC(), NFKD(), Lowercase(), StripAccents()]
    )
    | st.builds(Strip, st.booleans(), st.booleans()),
    max_size=3,
).map(tuple)
METASPACES = st.builds(Metaspace, st.just("\u2581"), st.sampled_from(["always", "never", "first"]), st.booleans())
PRE_TOKENIZERS: st.SearchStrategy[tuple[PreTokenizer, ...]] = METASPACES.map(
    lambda step: (replace(step, split=True),)
) | METASPACES.map(lambda step: (WhitespaceSplit(), step))
ADDED = AddedVocabulary(
    [AddedToken("<s>", special=True, normalized=False), AddedToken("b a", normalized=True)], MODEL.vocab
)


def by_words(tokenizer: Tokenizer, words: Words, text: str, sequence_id: int = 0) -> Encoding | None:
    """The tokens of a text from its words; None where they are not told by these."""
    return metaspace_encoding(tokenizer.engine.fast, words, text, sequence_id)


@settings(max_examples=300)
@given(NORMALIZERS, PRE_TOKENIZERS, st.lists(TEXTS, max_size=3), st.integers(0, 1))
@example((CHARSMAP,), ALWAYS, ["xa b"], 0)
@example((CHARSMAP,), ALWAYS, ["a\u0600 b"], 0)
@example((CHARSMAP, SEVERAL_SPACES), ALWAYS, ["aB a"], 0)
@example((TO_LINE_FEED, CHARSMAP), ALWAYS, ["a b\r \u0301f b"], 0)
@example((CHARSMAP, Strip(True, True)), (Metaspace("\u2581", "first", True),), [" a b <s> a \n"], 0)
def test_the_tokens_are_those_of_the_plain_way(
    normalizers: tuple[Normalizer, ...], pre_tokenizers: tuple[PreTokenizer, ...], texts: list[str], sequence_id: int
) -> None:
    tokenizer = Tokenizer(Pipeline("tokenizers", MODEL, ADDED, normalizers=normalizers, pre_tokenizers=pre_tokenizers))
    words = Words(tokenizer.engine.fast)
    for text in texts:
        found = by_words(tokenizer, words, text, sequence_id)
        assert found is None or found == tokenizer.rules.tokens_of(text, sequence_id)


@pytest.mark.parametrize("text", ["an ab ☃", " an  ab\n", "", " ", "a<s> b"])
def test_common_texts_need_not_go_the_plain_way(text: str) -> None:
    tokenizer = load("spm-unigram-hf")
    assert by_words(tokenizer, Words(tokenizer.engine.fast), text) == tokenizer.rules.tokens_of(text)


def test_a_tokenizer_that_cuts_elsewhere_goes_the_plain_way() -> None:
    tokenizer = Tokenizer(Pipeline("tokenizers", MODEL, ADDED, pre_tokenizers=(Metaspace("\u2581", "always", False),)))
    assert by_words(tokenizer, Words(tokenizer.engine.fast), "a b") is None


def test_a_word_is_not_blown_up_before_it_is_left_to_the_plain_way() -> None:
    """Fault: its growth was looked at behind the last normalizer only, when it took gigabytes; only these bound it."""
    lengths = []

    class Doubling(Replace):
        def normalize(self, text: NormalizedString) -> NormalizedString:
            lengths.append(len(text))
            return super().normalize(text)

    tokenizer = Tokenizer(
        Pipeline("tokenizers", MODEL, ADDED, normalizers=(Doubling("a", "aa"),) * 12, pre_tokenizers=ALWAYS)
    )
    assert by_words(tokenizer, Words(tokenizer.rules), "a b") is None
    assert max(lengths) < 32


@pytest.mark.parametrize("text", ["ba", "b a", "ab a", "abba", "b<x>a", "a b<x>b a"])
def test_a_word_without_tokens_counts_as_one(text: str) -> None:
    config = tokenizer_json(
        bpe(["a"]),
        [added("a", normalized=False), added("<x>", normalized=False)],
        pre_tokenizer={"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
    )
    assert_same_encoding(config, text)
