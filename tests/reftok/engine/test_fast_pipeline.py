from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.fast_pipeline import FastByteFallback, RememberingModel
from reftok.rules.huggingface.decoders import ByteFallback
from reftok.rules.tiktoken.rank_bpe import RankBPE

TOKENS = st.sampled_from(["<0xC3>", "<0xA9>", "<0x41>", "<0x4>", "<0xc3>", "<0x", "<0xC3>a", "a", "\u2581", ""])


def test_the_tokens_of_long_words_are_not_remembered() -> None:
    model = RememberingModel(RankBPE({"a": 0}))
    for length, is_same in ((255, True), (256, False)):
        assert (model.tokenize("a" * length) is model.tokenize("a" * length)) is is_same


def test_what_is_remembered_are_the_tokens_of_the_model() -> None:
    plain = RankBPE({"a": 0, "b": 1, "ab": 2})
    model = RememberingModel(plain)
    for _ in range(2):
        assert model.tokenize("abb") == plain.tokenize("abb")
    assert (model.vocab, model.size, model.unk_id) == (plain.vocab, plain.size, plain.unk_id)
    assert [model.id_to_token(token_id) for token_id in (2, 3)] == ["ab", None]


@given(st.lists(TOKENS | st.text(max_size=6), max_size=12))
def test_bytes_become_the_text_that_the_plain_decoder_makes_of_them(tokens: list[str]) -> None:
    assert FastByteFallback().decode_chain([*tokens]) == ByteFallback().decode_chain([*tokens])
