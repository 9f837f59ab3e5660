"""What the subject saves itself changes nothing of what it answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reftok
from conformance.core.observation import Decoded, Failure
from conformance.subjects.reftok_subject import ReftokSubject

MODELS = ("bpe-qwen", "bpe-llama3", "spm-unigram-hf", "spm-bpe")
SUBJECTS = {model: ReftokSubject(reftok.load(model)) for model in MODELS}


@given(st.sampled_from(MODELS), st.data())
def test_decoding_once_where_nothing_is_skipped_is_decoding_twice(model: str, data: st.DataObject) -> None:
    subject = SUBJECTS[model]
    tokenizer = subject.tokenizer
    special = sorted(tokenizer.rules.added_tokens.tokens) or [0]
    ids = data.draw(st.lists(st.one_of(st.integers(0, tokenizer.vocab_size + 9), st.sampled_from(special)), max_size=9))
    answer = subject.decode(ids)
    if tokenizer.library == "sentencepiece":
        assert isinstance(answer, Failure) or answer == Decoded(tokenizer.decode(ids, skip_special_tokens=False))
    else:
        assert answer == Decoded(*(tokenizer.decode(ids, skip_special_tokens=skip) for skip in (True, False)))


@pytest.mark.parametrize("model", ["bpe-qwen", "bpe-llama3"])
def test_special_tokens_are_kept_though_their_neighbours_were_seen_before(model: str) -> None:
    subject = SUBJECTS[model]
    special = next(token_id for token_id, token in subject.tokenizer.rules.added_tokens.tokens.items() if token.special)
    for ids in ([5], [5, special], [special], [5]):
        answer = subject.decode(ids)
        assert isinstance(answer, Decoded)
        assert (answer.text == answer.with_special) == (special not in ids)
