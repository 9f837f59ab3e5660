"""The special tokens of llama.cpp come out of a stream as they come out of the whole text, wherever it is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.encode.llama_special_tokens import StreamedLlamaSpecialTokens
from reftok.rules.llama_cpp.special_tokens import LlamaSpecialTokens
from reftok.rules.llama_cpp.vocab import Attribute, LlamaVocab
from reftok.rules.text import NormalizedString, Part

from ..recording import Item, Recorder, begins, cut_at, cuts, feed

CONTENTS = ["a", "ab", "b", "bcd", "abc", "cda", " ", " a", "a ", "<s>", "<s>>", "\n", "bb", "dd"]
TEXTS = st.text(st.sampled_from("abcd <s>\n"), max_size=14)
KINDS = st.sampled_from([Attribute.CONTROL, Attribute.USER_DEFINED, Attribute.UNKNOWN, Attribute.NORMAL])
SIDES = st.sampled_from([Attribute(0), Attribute.LSTRIP, Attribute.RSTRIP, Attribute.LSTRIP | Attribute.RSTRIP])


@st.composite
def special_tokens(draw: st.DrawFn) -> LlamaSpecialTokens:
    contents = draw(st.lists(st.sampled_from(CONTENTS), unique=True, max_size=5))
    attributes = [draw(KINDS) | draw(SIDES) for _ in contents]
    ids = {content: token_id for token_id, content in enumerate(contents)}
    return LlamaSpecialTokens(LlamaVocab(contents, ids, attributes, "spaces escaped", None, None, False, False))


def whole(tokens: LlamaSpecialTokens, text: str, encode_special_tokens: bool) -> list[Item]:
    splits = tokens.split_raw([Part(NormalizedString(text))] if text else [], encode_special_tokens)
    return [split.normalized.text if split.tokens is None else split.tokens[0].id for split in splits]


@given(special_tokens(), TEXTS, st.lists(st.integers(1, 13)), st.booleans())
def test_any_cuts_give_the_tokens_of_the_whole_text(
    tokens: LlamaSpecialTokens, text: str, places: list[int], encode_special_tokens: bool
) -> None:
    expected = whole(tokens, text, encode_special_tokens)
    for fragments in (cut_at(text, places), list(text)):
        recorder = Recorder()
        stage = StreamedLlamaSpecialTokens(tokens, encode_special_tokens, recorder)
        feed(stage, fragments)
        assert (recorder.items, stage.held) == (expected, 0)


@given(special_tokens(), TEXTS, st.lists(TEXTS, min_size=1, max_size=5))
def test_what_is_handed_on_is_final_whatever_follows(
    tokens: LlamaSpecialTokens, text: str, continuations: list[str]
) -> None:
    recorder = Recorder()
    stage = StreamedLlamaSpecialTokens(tokens, False, recorder)
    for character in text:
        stage.text(character)
    for continuation in ["", *continuations]:
        assert begins(recorder.so_far(), whole(tokens, text + continuation, False))


def test_of_tokens_that_overlap_the_longest_is_found_and_not_the_first() -> None:
    vocab = LlamaVocab(
        ["ab", "bcd"], {"ab": 0, "bcd": 1}, [Attribute.USER_DEFINED] * 2, "spaces escaped", None, None, False, False
    )
    for fragments in cuts("xabcdx", 3):
        recorder = Recorder()
        feed(StreamedLlamaSpecialTokens(LlamaSpecialTokens(vocab), False, recorder), fragments)
        assert recorder.items == ["xa", 1, "x"]
