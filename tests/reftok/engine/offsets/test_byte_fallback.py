from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok import Tokenizer
from reftok.engine.offsets.byte_fallback import byte_fallback_encoding
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.bpe import BPE, BPEOptions
from reftok.rules.huggingface.normalizers import Prepend, Replace
from reftok.rules.huggingface.pre_tokenizers import Metaspace
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.pieces import BYTE_PIECES
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.types import AddedToken
from tests.models import load

TOKENS = ["<s>", "b", " c", "\u2581", "\u00e9"]
TEXTS = st.lists(
    st.sampled_from([*TOKENS, "a", "ab", " ", "x y", "\u2603", "\U0001f600", "<0xE2>", "\n"]), max_size=10
).map("".join).filter(str) | st.text(max_size=20)
ADDED = st.lists(
    st.builds(AddedToken, st.sampled_from(TOKENS), *[st.booleans() for _ in range(5)]),
    max_size=3,
    unique_by=lambda token: token.content,
)
NORMALIZERS: st.SearchStrategy[tuple[Normalizer, ...]] = st.lists(
    st.sampled_from([Prepend("\u2581"), Prepend("a"), Replace(" ", "\u2581"), Replace("b", " ")]), max_size=3
).map(tuple)
PRE_TOKENIZERS: st.SearchStrategy[tuple[PreTokenizer, ...]] = st.just(()) | st.builds(
    Metaspace, st.just("\u2581"), st.sampled_from(["always", "never", "first"]), st.just(False)
).map(lambda step: (step,))


def same(tokenizer: Tokenizer, text: str, sequence_id: int = 0) -> bool:
    found = byte_fallback_encoding(tokenizer.engine.encoder, text, sequence_id)
    return found is None or found == tokenizer.rules.tokens_of(text, sequence_id)


@settings(max_examples=200)
@given(NORMALIZERS, PRE_TOKENIZERS, ADDED, st.booleans(), TEXTS, st.integers(0, 1))
def test_the_tokens_are_those_of_the_plain_way(
    normalizers: tuple[Normalizer, ...],
    pre_tokenizers: tuple[PreTokenizer, ...],
    added: list[AddedToken],
    encode_special_tokens: bool,
    text: str,
    sequence_id: int,
) -> None:
    vocabulary = AddedVocabulary(added, {token.content: 9000 + number for number, token in enumerate(added)})
    tokenizer = Tokenizer(
        replace(
            load("spm-bpe-hf").rules,
            normalizers=normalizers,
            pre_tokenizers=pre_tokenizers,
            added_tokens=vocabulary,
            encode_special_tokens=encode_special_tokens,
        )
    )
    assert same(tokenizer, text, sequence_id)


@pytest.mark.parametrize("unk_token", ["?", "<unk>", None])
@given(text=st.text("ab\u2603\u00e9?<0xE2>", max_size=8))
def test_what_is_unknown_is_not_told_by_the_ids(unk_token: str | None, text: str) -> None:
    pieces = [piece for piece in BYTE_PIECES if piece != "<0x83>"]
    vocab = {token: token_id for token_id, token in enumerate(["?", "<unk>", "a", "ab", "b", *pieces])}
    model = BPE(vocab, [("a", "b")], BPEOptions(unk_token=unk_token, fuse_unk=True, byte_fallback=True))
    assert same(Tokenizer(Pipeline("tokenizers", model, AddedVocabulary())), text)


def test_a_text_is_told_by_its_ids() -> None:
    tokenizer = load("spm-bpe-hf")
    encoding = byte_fallback_encoding(tokenizer.engine.encoder, "ab \u2603")
    assert encoding is not None
    assert encoding == tokenizer.rules.tokens_of("ab \u2603")


def test_what_looks_like_a_byte_in_the_text_goes_the_plain_way() -> None:
    vocab = {token: token_id for token_id, token in enumerate([*BYTE_PIECES, "<", "0", "x", "4", "1", ">", "<0", "x4"])}
    merges = [("<", "0"), ("x", "4"), ("<0", "x4"), ("1", ">"), ("<0x4", "1>")]
    vocab |= {"<0x4": 300, "1>": 301}
    tokenizer = Tokenizer(Pipeline("tokenizers", BPE(vocab, merges, BPEOptions(byte_fallback=True)), AddedVocabulary()))
    assert tokenizer.encode("<0x41>").offsets == [(0, 6)]
    assert byte_fallback_encoding(tokenizer.engine.encoder, "<0x41>") is None


def test_an_unknown_token_that_merges_stands_for_the_characters_before_it() -> None:
    options = BPEOptions(byte_fallback=True, unk_token="a")
    model = BPE({"<0x3F>": 0, "a": 1, "c": 2, "ac": 3}, [("a", "c")], options)
    tokenizer = Tokenizer(Pipeline(model=model, added_tokens=AddedVocabulary(), library="tokenizers"))
    assert tokenizer.encode("\u00c3?c").offsets == tokenizer.rules.encode("\u00c3?c").offsets == [(0, 1), (0, 3)]
