from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.inputs.corpora import corpus_files, read_corpus

from ...official import Json, added, assert_same_encoding, bpe, chain, official_parts, own_parts, tokenizer_json
from ...tokenizers_strategies import NORMALIZERS, pre_tokenizers, texts

BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
METASPACE: Json = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
WORDS: Json = {"type": "WhitespaceSplit"}
WORDS_AND_SIGNS: Json = {"type": "Whitespace"}
BERT: Json = {"type": "BertPreTokenizer"}
PUNCTUATION: Json = {"type": "Punctuation", "behavior": "Isolated"}
DIGITS: Json = {"type": "Digits", "individual_digits": True}
NUMBERS: Json = {"type": "Digits", "individual_digits": False}
DELIMITER: Json = {"type": "CharDelimiterSplit", "delimiter": "a"}
SCRIPTS: Json = {"type": "UnicodeScripts"}
FIXED: Json = {"type": "FixedLength", "length": 2}


def assert_same(pre_tokenizer: Json, text: str) -> list[str]:
    parts = own_parts(pre_tokenizer, text)
    assert parts == official_parts(pre_tokenizer, text)
    return [part for part, _ in parts]


def sequence(*steps: Json) -> Json:
    return {"type": "Sequence", "pretokenizers": list(steps)}


@settings(max_examples=800)
@given(st.lists(pre_tokenizers, min_size=1, max_size=3), texts)
def test_chains_of_pre_tokenizers_cut_as_in_the_library(steps: list[Json], text: str) -> None:
    pre_tokenizer = chain("pretokenizers", steps)
    assert pre_tokenizer is not None
    assert_same(pre_tokenizer, text)


@settings(max_examples=250)
@given(st.lists(st.sampled_from(NORMALIZERS), min_size=1, max_size=2), pre_tokenizers, texts)
def test_normalized_text_is_cut_and_aligned_as_in_the_library(
    normalizers: list[Json], pre_tokenizer: Json, text: str
) -> None:
    a_token_a_character = bpe(["<unk>"], unk_token="<unk>")
    normalizer = chain("normalizers", normalizers)
    assert_same_encoding(tokenizer_json(a_token_a_character, normalizer=normalizer, pre_tokenizer=pre_tokenizer), text)


@cache
def corpora() -> list[str]:
    """The lines of the project's texts in all languages, and its edge cases."""
    cases = [case for path in corpus_files(("languages", "edge_cases")) for case in read_corpus(path)]
    return [case.readable_text for case in cases if ":" in case.origin]


@pytest.mark.parametrize(
    "pre_tokenizer", [WORDS_AND_SIGNS, BERT, NUMBERS, SCRIPTS, FIXED], ids=lambda component: component["type"]
)
def test_the_corpora_are_cut_as_by_the_library(pre_tokenizer: Json) -> None:
    for text in corpora():
        assert_same(pre_tokenizer, text)


@settings(max_examples=300)
@given(texts)
def test_the_pattern_of_gpt2_cuts_as_in_the_library(text: str) -> None:
    assert_same(BYTE_LEVEL, text)


def split(behavior: str, invert: bool = False, **pattern: str) -> Json:
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def words_and(scheme: str) -> Json:
    return sequence(WORDS, {**METASPACE, "prepend_scheme": scheme})


INNER = sequence(FIXED, NUMBERS)
CUT: dict[str, tuple[Json, str, list[str]]] = {
    "a prefix space goes before each part": (
        sequence(WORDS, {**BYTE_LEVEL, "add_prefix_space": True}), "a b", ["Ġa", "Ġb"],
    ),
    "but before none that has one": ({**BYTE_LEVEL, "add_prefix_space": True}, " a", ["Ġa"]),
    "contractions have a straight apostrophe": (BYTE_LEVEL, "don't don’t", ["don", "'t", "Ġdon", "âĢĻ", "t"]),
    "and are in lower case": (BYTE_LEVEL, "DON'T", ["DON", "'", "T"]),
    "the last of several spaces goes with the word": (BYTE_LEVEL, "a   b  ", ["a", "ĠĠ", "Ġb", "ĠĠ"]),
    "only the space becomes a metaspace": (METASPACE, "a\tb\u3000c d", ["▁a\tb\u3000c", "▁d"]),
    "metaspaces that are written out cut too": (METASPACE, "a▁b ▁c", ["▁a", "▁b", "▁", "▁c"]),
    "every part gets a metaspace": (words_and("always"), "a b", ["▁a", "▁b"]),
    "or the first one": (words_and("first"), "a b", ["▁a", "b"]),
    "or none": (words_and("never"), "a b", ["a", "b"]),
    "without split the text stays whole": ({**METASPACE, "split": False}, "a b", ["▁a▁b"]),
    "white space goes and information separators stay": (
        WORDS, " a\x1cb\x85c\u2003\u3000d ", ["a\x1cb", "c", "d"],
    ),
    "matches of nothing cut": (split("Isolated", Regex="(?=b)"), "abab", ["a", "ba", "b"]),
    "a string is no regular expression": (split("Removed", String="."), "a.b", ["a", "b"]),
    "inverted the gaps are the delimiters": (split("Removed", True, Regex=r"\p{L}+"), "1ab2c", ["ab", "c"]),
    "numbers are whole": (NUMBERS, "a12b3", ["a", "12", "b", "3"]),
    "or digit by digit": (DIGITS, "a12b3", ["a", "1", "2", "b", "3"]),
    "fractions, superscripts and letters that are numbers": (NUMBERS, "½²Ⅳ٣ 一", ["½²Ⅳ٣", " 一"]),
    "numbers that are new in Unicode 17": (NUMBERS, "a\U00011de0\U00016ff4", ["a", "\U00011de0\U00016ff4"]),
    "a delimiter goes each time": ({**DELIMITER, "delimiter": "."}, ".a..b c.", ["a", "b c"]),
    "symbols of ASCII are punctuation, others are not": (PUNCTUATION, "a$b€c—d", ["a", "$", "b€c", "—", "d"]),
    "punctuation that is new in Unicode 9 is none": (PUNCTUATION, "a\u2e43\U0001e95e", ["a\u2e43\U0001e95e"]),
    "nor is it for Bert": (BERT, "a\u2e43\U0001e95e", ["a\u2e43\U0001e95e"]),
    "Bert drops white space and isolates punctuation": (
        BERT, " a,b...\u3000c ", ["a", ",", "b", ".", ".", ".", "c"],
    ),
    "words have marks, joiners and underscores but no superscripts": (
        WORDS_AND_SIGNS, "a_1e\u0301\u200d, b²\x1c", ["a_1e\u0301\u200d", ",", "b", "²\x1c"],
    ),
    "letters that are new in Unicode 17 are in no word": (WORDS_AND_SIGNS, "a\U0001e6c0", ["a", "\U0001e6c0"]),
    "a cut where the script changes": (
        SCRIPTS, "漢字かなカナーaж1.e\u0301t", ["漢字かなカナー", "a", "ж", "1.", "e", "\u0301", "t"],
    ),
    "what has no script goes with the part before it": (SCRIPTS, " \u0560a b\u0560 ж ", ["a b\u0560 ", "ж "]),
    "and is lost at the start": (SCRIPTS, " ", []),
    "a fixed length counts code points": (FIXED, "é中😀a\u0301", ["é中", "😀a", "\u0301"]),
    "a length may be the greatest of the library": ({**FIXED, "length": (1 << 64) - 1}, "abc", ["abc"]),
    "a sequence runs in the order of its members": (INNER, "a12b", ["a", "1", "2", "b"]),
    "and so does one in another": (
        sequence(NUMBERS, sequence(), INNER, WORDS), "a12b c", ["a", "12", "b", "c"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CUT)
def test_a_text_is_cut_as_by_the_library(name: str) -> None:
    pre_tokenizer, text, parts = CUT[name]
    assert assert_same(pre_tokenizer, text) == parts


def test_every_byte_shares_the_span_of_its_character() -> None:
    assert own_parts({**BYTE_LEVEL, "use_regex": False}, "é") == [("Ã©", (0, 1))]


def test_first_means_first_in_the_original_text() -> None:
    pre_tokenizer: Json = {**METASPACE, "prepend_scheme": "first"}
    vocab = ["▁", "▁a", "a", "▁b", "b", "▁x", "x", " "]
    config = tokenizer_json(
        bpe(vocab, [("▁", "a"), ("▁", "b"), ("▁", "x")]),
        [added("<s>")],
        normalizer={"type": "Replace", "pattern": {"Regex": "^ +"}, "content": ""},
        pre_tokenizer=pre_tokenizer,
    )
    for text in ("a", " a", "<s>a", " <s>a b", "a<s>b"):
        assert_same_encoding(config, text)
