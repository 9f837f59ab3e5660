from __future__ import annotations

from reftok.rules.llama_cpp.bpe import LlamaBPE, LlamaBPEOptions


def test_what_is_not_in_the_vocab_falls_apart_into_ascii_and_the_rest_is_lost() -> None:
    model = LlamaBPE({"a": 0, "Ġ": 1}, {("a", "b"): 0, ("Ġ", "b"): 1, ("Ã", "©"): 2})
    assert [token.id for token in model.tokenize("ab")] == [0]
    assert [token.id for token in model.tokenize("Ġb")] == []
    assert [token.id for token in model.tokenize("Ã©a")] == [0]


def test_over_characters_what_is_not_in_the_vocab_becomes_byte_tokens_as_far_as_they_are_there() -> None:
    options = LlamaBPEOptions(is_byte_level=False)
    model = LlamaBPE({"<0xC3>": 0, "<0xA9>": 1, "<0xE2>": 2}, {}, options)
    assert [(token.id, token.span_normalized) for token in model.tokenize("é€")] == [
        (0, (0, 1)),
        (1, (0, 1)),
        (2, (1, 2)),
    ]


def test_a_word_of_the_vocab_is_one_token_only_where_merges_are_ignored() -> None:
    tokens, ranks = {"a": 0, "b": 1, "ab": 2, "\n": 3, "\n\n": 4}, {}
    plain, ignoring, newlines = (
        [[token.id for token in LlamaBPE(tokens, ranks, options).tokenize(word)] for word in ("ab", "\n\n")]
        for options in (
            LlamaBPEOptions(),
            LlamaBPEOptions(ignore_merges=True),
            LlamaBPEOptions(takes_newlines_whole=True),
        )
    )
    assert (plain, ignoring, newlines) == ([[0, 1], [3, 3]], [[2], [4]], [[0, 1], [4]])
