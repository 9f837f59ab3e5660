"""Where in the original text the characters of each stage came from; llama.cpp itself does not tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.rules.huggingface.normalizers import Prepend, Replace
from reftok.rules.llama_cpp.pre_tokenizers import ByteCharacters, DigitGroups
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.ugm_normalizer import UGMNormalizer
from reftok.rules.llama_cpp.wpm import BertText, BertWords, LlamaWPM
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString, Part
from reftok.unicode.charsmap import Charsmap

from ...llama_recipes import CHARSMAP

NORMALIZERS = [
    Prepend(" "),
    Replace(" ", "▁"),
    ReadCodePoints(),
    BertText(lowercase=True, strip_accents=True),
    BertText(lowercase=False, strip_accents=False),
    UGMNormalizer(add_space_prefix=True, remove_extra_whitespaces=True, charsmap=Charsmap(CHARSMAP)),
    UGMNormalizer(add_space_prefix=True, remove_extra_whitespaces=False, user_defined=["<x>", "é"]),
]
ORIGINAL = "xy"
texts = st.binary(max_size=12).map(lambda data: data.replace(b"\xf4", b"").replace(b"\xf5", b"")) | st.text().map(
    str.encode
)


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=lambda normalizer: type(normalizer).__name__)
@given(data=texts.filter(lambda data: not {0xF4, 0xF5, 0xF6, 0xF7} & set(data)))
def test_spans_are_in_order_and_within_the_part_of_the_original(normalizer: Normalizer, data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    spans = normalizer.normalize(NormalizedString(ORIGINAL + text).slice(2, 2 + len(text))).spans()
    assert list(spans) == sorted(spans)
    assert all(2 <= start < end <= 2 + len(text) for start, end in spans)


@pytest.mark.parametrize(
    ("normalizer", "text", "normalized", "spans"),
    [
        (NORMALIZERS[3], "\u200dÉ\u0301a", "ea", [(1, 2), (3, 4)]),
        (NORMALIZERS[5], " e\u0301…", "▁é...", [(1, 3), (1, 3), (3, 4), (3, 4), (3, 4)]),
        (NORMALIZERS[2], "a\udcc0\udc80b", "a\0b", [(0, 1), (1, 3), (3, 4)]),
    ],
)
def test_what_is_rewritten_stands_for_what_it_was(
    normalizer: Normalizer, text: str, normalized: str, spans: list[tuple[int, int]]
) -> None:
    found = normalizer.normalize(NormalizedString(text))
    assert (found.text, list(found.spans())) == (normalized, spans)


def test_the_steps_of_a_pre_tokenizer_keep_the_spans() -> None:
    def spans(splits: list[Part]) -> list[tuple[str, tuple[int, int]]]:
        return [(split.normalized.text, split.normalized.original_span(0, len(split.normalized))) for split in splits]

    assert spans(DigitGroups().pre_tokenize([Part(NormalizedString("a1234"))])) == [("a1", (0, 2)), ("234", (2, 5))]
    assert spans(ByteCharacters().pre_tokenize([Part(NormalizedString("é"))])) == [("Ã©", (0, 1))]
    assert spans(BertWords().pre_tokenize([Part(NormalizedString("a, b"))])) == [
        ("a", (0, 1)),
        (",", (1, 2)),
        ("b", (3, 4)),
    ]


def test_a_token_of_wpm_stands_for_the_characters_it_touches_and_the_mark_of_a_word_for_none() -> None:
    model = LlamaWPM({"[UNK]": 0, "▁": 1, "▁a": 2, "é": 3, "b": 4}, unk_id=0)
    assert [token.span_normalized for token in model.tokenize("éb")] == [(0, 0), (0, 1), (1, 2)]
    assert [token.span_normalized for token in model.tokenize("aé")] == [(0, 1), (1, 2)]
