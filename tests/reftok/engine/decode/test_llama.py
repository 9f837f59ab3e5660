from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

import reftok
from reftok.engine.decode.llama import without_spaces
from reftok.engine.decode.stages import Output, link
from reftok.rules.llama_cpp.stages import Detokenizer, clean_spaces
from reftok.tokenizer import Tokenizer

from ..decoding import assert_streams

TOKENS = ["<unk>", "<s>", "</s>", "▁", "a", "▁a", "'", "s", "re", ".", "▁.", "▁'", "?▁", "é", "▁'▁", "�", "▁▁"]
TOKENS += [f"<0x{byte:02X}>" for byte in (0x20, 0x27, 0x41, 0x80, 0xA9, 0xC3, 0xE4, 0xBD, 0xED, 0xF0, 0x9F, 0xFF)]
PLAIN = reftok.llama_spm(TOKENS, [0.0] * len(TOKENS), unk_id=0, bos_id=1, eos_id=2)
id_lists = st.lists(st.integers(0, len(TOKENS) - 1) | st.integers(1, 2), max_size=8)


def tokenizer(
    removes_space: bool, cleans_spaces: bool, add_bos: bool, add_eos: bool, eos_id: int = 2, bos_id: int = 1
) -> Tokenizer:
    vocab = replace(PLAIN.rules.detokenizer.vocab, add_bos=add_bos, add_eos=add_eos, eos_id=eos_id, bos_id=bos_id)
    return Tokenizer(replace(PLAIN.rules, detokenizer=Detokenizer(vocab, removes_space, cleans_spaces)))


@settings(max_examples=150)
@given(
    st.builds(
        tokenizer,
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.sampled_from([2, 5, 1]),
        st.sampled_from([1, 5]),
    ),
    id_lists,
    st.lists(id_lists, max_size=4),
    st.booleans(),
)
def test_the_texts_are_together_what_detokenize_gives(
    llama: Tokenizer, ids: list[int], continuations: list[list[int]], skip_special_tokens: bool
) -> None:
    assert_streams(llama, ids, [(), *continuations], skip_special_tokens)


@settings(max_examples=150)
@given(st.lists(st.text(" '?!.,smrvet", min_size=1, max_size=4), max_size=8))
def test_one_literal_after_the_other_is_what_clean_spaces_does_in_three_passes(fragments: list[str]) -> None:
    output = Output()
    stages = without_spaces()
    link([*stages, output])
    for fragment in fragments:
        stages[0].feed(fragment, False)
    stages[0].feed("", True)
    assert output.taken() == clean_spaces("".join(fragments).encode()).decode()


def test_an_eos_that_has_text_is_held_until_it_is_known_not_to_be_the_last() -> None:
    llama = tokenizer(True, False, add_bos=True, add_eos=True, eos_id=5)
    assert assert_streams(llama, [1, 5, 5, 4, 5]) == ["", "", " a", " aa", "", ""]
    decoder = llama.stream_decoder()
    decoder.feed_all([1, 5])
    assert (decoder.held, decoder.pending_bytes) == (2, b" a")


def test_the_first_piece_keeps_its_space_behind_a_bos() -> None:
    llama = tokenizer(True, False, add_bos=True, add_eos=False)
    assert assert_streams(llama, [1, 5]) == ["", " a", ""]
    assert assert_streams(llama, [5, 5]) == ["a", " a", ""]
