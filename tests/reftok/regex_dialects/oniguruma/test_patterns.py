"""Patterns against the official library: the constructs and the properties one by one."""

from __future__ import annotations

import pytest
import tokenizers

from reftok.errors import UnsupportedFeature
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.unicode.tables import ONIGURUMA_PROPERTIES as NAMES

from ...official import EVERY_CHARACTER
from ...oniguruma_comparison import assert_same, matches

CONSTRUCTS = [
    r"\t\n\r\f\v\a\e", r"\0", r"\101", r"\o{141}", r"\x61", r"\xC3\xA9", r"\x{1F600}", r"\u00e9", r"\cA",
    r"\C-a", r"\M-a",
    r"\d+", r"\D+", r"\w+", r"\W+", r"\s+", r"\S+", r"\h+", r"\H+", r"\R", r"\N+", r"\O", r"(?m:.)+", ".+",
    r"\b", r"\B", r"\A", r"\z", r"\Z", r"\Ga", "^", "$", r"a\Kb", r"\pL", r"\p",
    "(?i)a|b", "x(?i)a|b", "(?:a(?i)b|c)d", "(?x) a b # c", "(?W:\\w+)", "(?D:\\d)", "(?S:\\s)", "(?P:[[:alpha:]]+)",
    "(?<n>a)(b)\\k<n>", "(a)(b)\\2", "(a)\\k<-1>", "(?'n'a)\\k'n'", "(?>a|ab)c", "(?=a).", "(?!a).",
    "(?<=a|bc).", "(?<!a).",
    "(a)?(?(1)b|c)", "(?<n>a)?(?(<n>)b|c)", "(?(a)b|c)", "(?(a|b)c)", "(a)?(?(1))",
    "a{2}?", "a{2}+", "a{1,2}+", "a{,2}", "a{2,}", "a{2,1}", "a{1,2}?", "a?+", "a**", "(?:a??)*", "(?:a+)??",
    "a{2}{3}",
    "[[^a][^b]]+", "(?<=ab*)c", "(?<=a*)b", "(?<=a+b*)c", "(?<!a*b+)c", "(?<=(?:a*|b)c*)b",
    r"\c\M-a+", "(?<=(?i:ß)).", "(?<=(?i:ss)).",
    "(?:a*)??", "(?:a*)??b", "(?:a*)*?b", "(?:a??)+b",
    "\\" + "9" * 5000, "{", "a{", "a{,}", "a{x}", "a{1", "]", "}",
    "[]a]", "[^]a]", "[a-]", "[-a]", "[!--]", "[a-c-]", "[a-b-c]", "[a&&b]", "[a-c&&b-d]", "[&&a]", "[a&&]",
    "[a[bc]]+",
    "[^a[bc]]+", "[[a-c]&&[^b]]", r"[\b]", r"[\]]", r"[^\S\s]", r"[^\S\s\n]", r"[\S\s]", "[[:^lower:]]",
    "[[=a=]]", "[:a:]",
    r"[\x{10000}-\x{7fffffff}]", r"[\uD800-\uDFFF]", r"\p{ L - u_}", r"\P{^Lu}", r"\p{^Lu}",
    "(?i)ss", "(?i)ß", "(?i)[ß]", "(?i)[^ß]+", "(?i)(?:s)s", "(?i)s+", "(?i)ŉ", "(?i)ʼn", "(?i)ffi", "(?i)ﬁ",
    "(?i)k", "(?i)ſ",
    r"(?i)\p{Lu}", r"(?i)[\p{Lu}]", "(?i)[^[^a]]", "(?i)[^[:^lower:]]", "(?<=(?i:ss))x", "(?i:'s|'t)",
    "a(?#comment)b", "(?:)", "()", "a|", "|a",
]  # fmt: skip
REFUSED_BY_BOTH = [
    "*a", "a|*", "(a", "a)", "^*", "(?=a)*", r"\b+", "(?:a|^)*", "[a", "[]", "[^]", "[z-a]", r"[a-\d]",
    r"[\d-a]", "[[:foo:]]",
    r"\p{Nope}", r"\p{Script=Latin}", r"\p{L", r"\xE9", r"\u12", "\\", r"(a)\2", r"(?<n>a)(b)\1", r"\k<n>",
    "(?s:.)", "(?P<n>a)",
    "(?<=a{,2}b*)x", "(?<!c|a??b{0})x", "(?<!a{2}?b?)x", "(?i)(?<=s*[b]?)x", r"(?<=\d*.?)x",
    "(?<!(a))x", "(?<=(?=a)a)x", r"(?<=\Z)x", "a{100001}", "(?#x", "a{" + "9" * 5000 + "}", "(?|a)", "(?<>a)",
    r"(a)?\k<3>",
]  # fmt: skip
REFUSED_HERE = {
    r"[^[^\p{^ascii}]]": "a negated class around a negated one that leaves nothing beyond ASCII is not supported",
    "(?~ab)": "at character 0, '(?~': the absent operator is not supported",
    r"ab\X": r"at character 2, '\\X': text segments are not supported",
    "a(*FAIL)": "at character 1, '(*': a callout is not supported",
    r"(?i)(a)\1": "without regard to case is not supported",
    r"(?<=(?>a))b": "atomic in a lookbehind is not supported",
    r"(a)\g<1>": "a call of a group",
    "[a-[b]]": "a range cannot end with a class",
    r"(?:\Aa?|b){2}": "a repetition of what may match nothing and depends on its place is not supported",
    r"(?:(a)|b?)*\1": "a repetition of what may match nothing, with a group that is referred to is not supported",
}
SAMPLES = [
    "aAbBc ab abc aab aaaaaaa",
    "ssSſßẞ ʼnŉ ﬃffi ﬁfi kKK x\tss x's'S",
    "a\nb\r\n\n\v\x85\u2028c\n",
    "\t\n\r\f\v\a\x1b \0 \x01 \x81 áé😀 ]}-&{ [=:] a{x}a{,}a{1",
    "Ab١2²Ⅳ \u200d_e\u0301 中文かな ʕ\U0001e6c0\U0001f6d8 pL",
]


@pytest.mark.parametrize("pattern", CONSTRUCTS)
def test_a_construct_matches_what_oniguruma_matches(pattern: str) -> None:
    for text in SAMPLES:
        assert_same(pattern, text)


@pytest.mark.parametrize("pattern", REFUSED_BY_BOTH)
def test_what_oniguruma_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(Exception, match="Oniguruma error"):
        tokenizers.Regex(pattern)
    with pytest.raises(UnsupportedFeature):
        compile_oniguruma(pattern)


@pytest.mark.parametrize("pattern", REFUSED_HERE)
def test_what_is_not_reproduced_is_refused_by_name(pattern: str) -> None:
    tokenizers.Regex(pattern)
    with pytest.raises(UnsupportedFeature) as refused:
        compile_oniguruma(pattern)
    assert REFUSED_HERE[pattern] in str(refused.value)


def test_the_library_loses_what_a_twice_negated_class_has_beyond_ascii() -> None:
    """So it is refused here: `\\P{ascii}` has `é` in one notation, and has it not in the other."""
    assert_same(r"[^\p{ascii}]", "aé")
    lost = tokenizers.Regex(r"[^[^\P{ascii}]]")
    assert tokenizers.normalizers.Replace(lost, "<>").normalize_str("aé") == "aé"
    for kept in ("[^[^a]]", "[^[^é]]", r"[^[^\p{L}]]", r"[^[^\p{^L}]]", r"[^[^\p{Any}]]", r"[[^\p{^ascii}]]"):
        assert_same(kept, "aé中 ")


@pytest.mark.parametrize(
    "pattern", ["[[^a][^é]]", "[^[^a][^é]]", r"[^[:ascii:][^[^[\p{^ascii}]\p{Any}]]]", "[[^a][^b]é]"]
)
def test_several_negated_classes_in_one_are_all_of_their_members(pattern: str) -> None:
    assert_same(pattern, "abé中")


def test_a_place_in_a_group_may_be_repeated_where_only_named_groups_capture() -> None:
    assert_same(r"(?<n>a)($)?(\b)??b?", "ab\na")


def test_every_property_name_is_known_to_oniguruma_and_to_regex() -> None:
    for name in NAMES:
        tokenizers.Regex(rf"\p{{{name}}}")
        compile_oniguruma(rf"\p{{{name}}}\P{{{name}}}")


@pytest.mark.parametrize(
    "name",
    ["Word", "PosixPunct", "C", "ExtPict", "Lower", "Lo", "Dia", "CWU", "XDigit", "VS", "IDC", "In_Kawi", "Inherited"],
)
def test_a_property_has_the_members_that_oniguruma_gives_it(name: str) -> None:
    everything = "".join(EVERY_CHARACTER[:0x3400] + EVERY_CHARACTER[0xA000:0xAC00] + EVERY_CHARACTER[0xF700:0x20000])
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(rf"\p{{{name}}}+"), "removed", invert=True)
    assert matches(rf"\p{{{name}}}+", everything) == [span for _, span in split.pre_tokenize_str(everything)]
