"""Added tokens come out of a stream as they come out of the whole text, wherever it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.encode.added_tokens import stream_added_tokens
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import AddedToken

from ...tokenizers_strategies.pipelines import added_tokens
from ..recording import Item, Recorder, begins, cut_at, cuts, feed

TEXTS = st.text(st.sampled_from("aabbcA1_ <s>é\n\u3000▁中"), max_size=14)


WHITE_SPACE_TOKENS = st.lists(
    st.builds(
        AddedToken,
        st.sampled_from(["a", " ", "  ", "\n", "a ", " \n", "\n\n "]),
        lstrip=st.booleans(),
        rstrip=st.booleans(),
        normalized=st.just(False),
    ),
    min_size=2,
    max_size=4,
    unique_by=lambda token: token.content,
)


def items(splits: list[Part]) -> list[Item]:
    return [split.normalized.text if split.tokens is None else split.tokens[0].id for split in splits]


def whole(added: AddedVocabulary, text: str, encode_special_tokens: bool) -> list[Item]:
    return items(added.split_raw([Part(NormalizedString(text))], encode_special_tokens))


def streamed(added: AddedVocabulary, fragments: list[str], encode_special_tokens: bool) -> list[Item]:
    recorder = Recorder()
    ignored = added.special_ids() if encode_special_tokens else frozenset()
    stages = stream_added_tokens(added.raw_pattern, ignored, recorder)
    feed(stages[0] if stages else recorder, fragments)
    assert not stages or stages[0].held == 0
    return recorder.items


@given(added_tokens, TEXTS, st.lists(st.integers(1, 13)), st.booleans())
def test_any_cuts_give_the_tokens_of_the_whole_text(
    tokens: list[AddedToken], text: str, places: list[int], encode_special_tokens: bool
) -> None:
    added = AddedVocabulary(
        [AddedToken(t.content, t.single_word, t.lstrip, t.rstrip, False, t.special) for t in tokens]
    )
    expected = whole(added, text, encode_special_tokens)
    assert streamed(added, cut_at(text, places), encode_special_tokens) == expected
    assert streamed(added, list(text), encode_special_tokens) == expected


@given(WHITE_SPACE_TOKENS, st.text(st.sampled_from("a \n"), min_size=1, max_size=9))
def test_tokens_within_white_space_that_others_take_come_as_in_the_whole_text(
    tokens: list[AddedToken], text: str
) -> None:
    added = AddedVocabulary(tokens)
    expected = whole(added, text, False)
    for fragments in [list(text), *cuts(text, 1)]:
        assert streamed(added, fragments, False) == expected


def test_a_token_in_white_space_that_is_taken_does_not_end_the_taking() -> None:
    added = AddedVocabulary(
        [AddedToken("<a>", rstrip=True, normalized=False), AddedToken(" ", lstrip=True, normalized=False)]
    )
    for fragments in cuts("<a>   b", 1):
        assert streamed(added, fragments, False) == [0, "b"]


@pytest.mark.parametrize(
    ("within", "text", "expected"),
    [("\n", "<a>\n  b", [0, 1, "  b"]), ("\n\n ", "<a>\n\n \n", [0, 1, "\n"])],
)
def test_a_token_in_white_space_that_is_taken_ends_the_taking_where_it_takes_none_itself(
    within: str, text: str, expected: list[Item]
) -> None:
    added = AddedVocabulary([AddedToken("<a>", rstrip=True, normalized=False), AddedToken(within, normalized=False)])
    for fragments in [list(text), *cuts(text, 1), *cuts(text, 2)]:
        assert streamed(added, fragments, False) == expected


@given(added_tokens, st.lists(TEXTS.filter(bool), max_size=3))
def test_whole_parts_give_the_tokens_of_each(tokens: list[AddedToken], parts: list[str]) -> None:
    added = AddedVocabulary([AddedToken(t.content, t.single_word, t.lstrip, t.rstrip, False) for t in tokens])
    recorder = Recorder()
    for stage in stream_added_tokens(added.raw_pattern, frozenset(), recorder):
        stage.pre_tokens(parts)
        assert recorder.items == [item for part in parts for item in whole(added, part, False)]


@given(added_tokens, TEXTS, st.lists(TEXTS, min_size=1, max_size=5))
def test_what_is_handed_on_is_final_whatever_follows(
    tokens: list[AddedToken], text: str, continuations: list[str]
) -> None:
    added = AddedVocabulary([AddedToken(t.content, t.single_word, t.lstrip, t.rstrip, False) for t in tokens])
    recorder = Recorder()
    stages = stream_added_tokens(added.raw_pattern, frozenset(), recorder)
    for character in text:
        (stages[0] if stages else recorder).text(character)
    for continuation in ["", *continuations]:
        assert begins(recorder.so_far(), whole(added, text + continuation, False))


def test_a_token_cut_in_two_is_found() -> None:
    added = AddedVocabulary([AddedToken("<|im_start|>", normalized=False)])
    for fragments in cuts("a<|im_start|>b", 2):
        assert streamed(added, fragments, False) == ["a", 0, "b"]


def test_only_what_may_become_a_token_is_held() -> None:
    added = AddedVocabulary([AddedToken("<s>", normalized=False)])
    recorder = Recorder()
    [stage] = stream_added_tokens(added.raw_pattern, frozenset(), recorder)
    stage.text("abc <")
    assert (recorder.so_far(), stage.held) == (["abc "], 1)
    stage.text("x")
    assert (recorder.so_far(), stage.held) == (["abc <x"], 0)


def test_white_space_waits_for_a_token_that_strips_to_the_left() -> None:
    added = AddedVocabulary([AddedToken("<m>", lstrip=True, normalized=False)])
    recorder = Recorder()
    [stage] = stream_added_tokens(added.raw_pattern, frozenset(), recorder)
    for character in "ab   ":
        stage.text(character)
    assert (recorder.so_far(), stage.held) == (["ab"], 3)
    stage.text("<m>")
    assert recorder.so_far() == ["ab", 0]


def test_a_single_word_waits_for_the_character_behind_it() -> None:
    added = AddedVocabulary([AddedToken("ab", single_word=True, normalized=False)])
    assert streamed(added, ["-a", "b", "c-ab"], False) == ["-abc-", 0]


def test_a_token_that_strips_to_the_right_comes_before_the_white_space_has_ended() -> None:
    added = AddedVocabulary([AddedToken("<m>", rstrip=True, normalized=False)])
    recorder = Recorder()
    [stage] = stream_added_tokens(added.raw_pattern, frozenset(), recorder)
    for character in "a<m>   ":
        stage.text(character)
    assert (recorder.so_far(), stage.held) == (["a", 0], 0)
    stage.text(" b")
    assert recorder.so_far() == ["a", 0, "b"]
