"""Metaspace with the scheme "first" in a stream: a part is given a ▁ where the whole text gives it one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode import original_start
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.huggingface.normalizers import NFC, NFKD, Lowercase, Precompiled, Prepend, Replace, Strip
from reftok.rules.huggingface.pre_tokenizers import FixedLength, Metaspace, Punctuation, Split, WhitespaceSplit
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import NormalizedString, Part
from reftok.tokenizer import Tokenizer
from reftok.unicode.charsmap import Charsmap
from tests.models import load

from ...protobuf_writer import compile_charsmap
from ..recording import cuts


class Derived(Metaspace):
    """A pre-tokenizer that is buffered."""


class Unknown:
    """A normalizer that is buffered."""

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return NormalizedString(normalized.text.swapcase(), normalized.original_start, normalized.alignments)


FIRST = Metaspace("▁", "first", True)
RULES = Precompiled(Charsmap(compile_charsmap({"ﬁ": "fi", "½": "1/2", "\u200b": "", "a\u0301": "", " ": "  "})))
NORMALIZERS: list[Normalizer] = [
    RULES, NFC(), NFKD(), Lowercase(), Prepend("xy"), Strip(True, True), Replace("ab", "-c"), Replace("a", "")
]  # fmt: skip
PRE_TOKENIZERS: list[PreTokenizer] = [
    FixedLength(1), FixedLength(2), WhitespaceSplit(), Punctuation("Removed"), FIRST, Derived("▁", "first", True),
    Split(compile_oniguruma("b|-"), "Removed", False),
]  # fmt: skip
TEXTS = st.lists(st.sampled_from([*"ab -ﬁ½\u200b\u0301", "<s>", "  "]), min_size=1, max_size=6).map("".join)


def tokenizer(normalizers: list[Normalizer], pre_tokenizers: list[PreTokenizer]) -> Tokenizer:
    loaded = load("spm-bpe-hf")
    return Tokenizer(
        replace(
            loaded.rules, normalizers=tuple(normalizers), pre_tokenizers=tuple(pre_tokenizers), post_processors=None
        )
    )


def streamed(tokenizer: Tokenizer, fragments: Iterable[str]) -> list[int]:
    stream = tokenizer.stream_encoder()
    return [*chain.from_iterable(map(stream.feed, fragments)), *stream.finish()]


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from([*NORMALIZERS, Unknown()]), max_size=2),
    st.lists(st.sampled_from(PRE_TOKENIZERS), max_size=2),
    TEXTS,
)
def test_a_stream_prepends_where_the_whole_text_does(
    normalizers: list[Normalizer], pre_tokenizers: list[PreTokenizer], text: str
) -> None:
    made = tokenizer(normalizers, [*pre_tokenizers, FIRST])
    expected = made.rules.encode_ids(text)
    assert made.encode_ids(text) == expected
    for fragments in cuts(text, 2):
        assert streamed(made, fragments) == expected, fragments


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("ﬁ", "▁f ▁i"), ("ﬁa", "▁f ▁i a"), ("ﬁ\u200b", "▁f i"), ("ﬁa\u0301", "▁f i"), ("½a\u0301", "▁ 1 ▁/ 2")],
)
def test_an_inserted_character_stands_for_what_is_removed_behind_it(text: str, tokens: str) -> None:
    made = tokenizer([RULES], [FixedLength(1), FIRST])
    assert made.rules.encode(text).tokens == tokens.split(" ")
    assert streamed(made, text) == made.rules.encode_ids(text)


def test_the_text_is_recorded_only_until_its_start_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    come: list[str] = []
    kept = original_start.OriginalStart.come

    def noted(start: original_start.OriginalStart, text: str) -> None:
        come.append(text)
        kept(start, text)

    monkeypatch.setattr(original_start.OriginalStart, "come", noted)
    stream = tokenizer([], [FIRST]).stream_encoder()
    for _ in range(5):
        stream.feed("abc " * 10)
    assert come == ["abc " * 8]


def test_the_stages_before_run_once_for_much_that_begins_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    kept = Pipeline.pre_tokenized
    made = tokenizer([Prepend("ab " * 300)], [WhitespaceSplit(), FIRST])

    def noted(pipeline: Pipeline, text: str) -> list[Part]:
        runs.append(text)
        return kept(pipeline, text)

    monkeypatch.setattr(Pipeline, "pre_tokenized", noted)
    made.encode_ids("hello world")
    assert len(runs) <= 4
