from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.errors import InvalidText
from reftok.rules.llama_cpp.characters import cut_at_lead_bytes
from reftok.rules.llama_cpp.spm import LlamaSPM

from ...gguf_writer import BYTE_TOKENS
from ...llama_recipes import WORDS

TOKENS = [*BYTE_TOKENS, *WORDS]
MODEL = LlamaSPM({token: index for index, token in enumerate(TOKENS)}, [0.0] * 256 + list(WORDS.values()))


def model(*tokens: tuple[str, float]) -> LlamaSPM:
    return LlamaSPM({token: index for index, (token, _) in enumerate(tokens)}, [score for _, score in tokens])


def test_of_equal_scores_the_leftmost_bigram_goes_first() -> None:
    ties = model(("a", -1.0), ("aa", -1.0), ("aaa", -1.0))
    assert [token.value for token in ties.tokenize("aaaaa")] == ["aaa", "aa"]
    zeros = model(("a", -1.0), ("b", -1.0), ("c", -1.0), ("ab", -0.0), ("bc", 0.0))
    assert [token.value for token in zeros.tokenize("abc")] == ["ab", "c"]


def test_a_symbol_has_as_many_bytes_as_its_first_one_announces() -> None:
    text = b"\xe2ab\xc3\xe2\x82\xff\xf0abc\x80\xf0a"
    assert cut_at_lead_bytes(text) == [
        b"\xe2ab",
        b"\xc3\xe2",
        b"\x82",
        b"\xff\xf0ab",
        b"c",
        b"\x80",
        b"\xf0a",
    ]


@pytest.mark.parametrize("text", ["x", "ax", "\0", "é"])
def test_a_byte_without_a_token_is_refused_by_name(text: str) -> None:
    spm = model(("a", -1.0), ("<0xC3>", 0.0))
    problem = r"has no token: neither <0x(78|00|A9)> nor the byte is in the vocab; llama\.cpp ends the process"
    with pytest.raises(InvalidText, match=problem):
        spm.tokenize(text)


def test_a_byte_may_be_a_token_as_itself() -> None:
    spm = model(("<0xC3>", 0.0), ("\udca9", 0.0))
    assert [(token.id, token.span_normalized) for token in spm.tokenize("é")] == [(0, (0, 1)), (1, (0, 1))]


words = st.lists(st.sampled_from([*WORDS, "x", "🙂", "\0", "▁hello▁world"])).map("".join)


@given(data=st.binary() | words.map(str.encode))
def test_the_tokens_of_bytes_cover_every_byte_in_order(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    spans = [token.span_normalized for token in MODEL.tokenize(text)]
    assert spans == sorted(spans)
    assert {index for start, end in spans for index in range(start, end)} == set(range(len(text)))
