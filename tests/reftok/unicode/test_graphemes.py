r"""Grapheme clusters against the official library and the rules of Unicode Standard Annex #29.

`\X` of `regex` has the tables of the Unicode version that it knows, and the rules: in the releases with Unicode 18 a
linker joins the consonant behind it even where there is none before it.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from itertools import pairwise, product

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.rules.text import NormalizedString
from reftok.unicode.graphemes import class_letters, graphemes

from ..official import EVERY_CHARACTER, Json, bpe, official, own, own_normalized, tokenizer_json
from ..protobuf_writer import compile_charsmap

EVERYTHING = "".join(EVERY_CHARACTER)
PROPERTIES = {
    "C": r"\p{GCB=Control}",
    "R": r"\r",
    "N": r"\n",
    "E": r"[\p{GCB=Extend}--\p{InCB=Linker}--\u200c]",
    "K": r"\p{InCB=Linker}",
    "W": r"\u200c",
    "Z": r"\p{GCB=ZWJ}",
    "S": r"\p{GCB=SpacingMark}",
    "P": r"\p{GCB=Prepend}",
    "I": r"\p{GCB=Regional_Indicator}",
    "L": r"\p{GCB=L}",
    "V": r"\p{GCB=V}",
    "T": r"\p{GCB=T}",
    "A": r"\p{GCB=LV}",
    "B": r"\p{GCB=LVT}",
    "X": r"\p{Extended_Pictographic}",
    "D": r"\p{InCB=Consonant}",
    "O": r"[\p{GCB=Other}--\p{Extended_Pictographic}--\p{InCB=Consonant}]",
}
"""The letter of each class, and the class as `regex` has it, which may know another version of Unicode."""
REPRESENTATIVES = "\u200b\r\n\u0301\u094d\u200c\u200d\u0903\u0600🇩\u1100\u1161\u11a8가각👩कX"
"""One character of each class, for as long as Unicode has it."""
LINKER = "\u094d"
MOST_OF_ANOTHER_VERSION = 2000
"""So many characters may be in a class, or no longer in it, in the version of the installed `regex`."""
CHUNK = 1 << 14


def is_boundary(before: str, after: str) -> bool:
    """Whether a cluster ends between two texts, given in letters of their classes: rule after rule of the annex."""
    pair = before[-1] + after[0]
    if pair == "RN":
        return False
    if before[-1] in "CRN" or after[0] in "CRN":
        return True
    if re.fullmatch("L[LVAB]|[AV][VT]|[BT]T|.[EKWZS]|P.", pair):
        return False
    if after[0] == "D" and re.search("D[EKZ]*K[EKZ]*$", before):
        return False
    if after[0] == "X" and re.search("X[EKW]*Z$", before):
        return False
    return not (pair == "II" and re.search("(?<!I)(II)*I$", before))


def clusters_by_rule(text: str) -> list[str]:
    letters = class_letters(text)
    ends = [end for end in range(1, len(text)) if is_boundary(letters[:end], letters[end:])]
    return [text[start:end] for start, end in pairwise((0, *ends, len(text)))]


def test_every_class_has_the_members_that_regex_gives_it_but_for_some_new_characters() -> None:
    letters = class_letters(EVERYTHING)
    assert class_letters(REPRESENTATIVES) == "".join(PROPERTIES)
    for letter, pattern in PROPERTIES.items():
        theirs = set(regex.findall(pattern, EVERYTHING, regex.V1))
        ours = {character for character, known in zip(EVERYTHING, letters, strict=True) if known == letter}
        assert len(ours ^ theirs) < MOST_OF_ANOTHER_VERSION


def test_the_classes_have_as_many_members_as_unicode_17() -> None:
    counts = Counter(class_letters(EVERYTHING))
    assert "".join(f"{letter}{counts[letter]} " for letter in PROPERTIES) == (
        "C3893 R1 N1 E2216 K20 W1 Z1 S381 P27 I26 L125 V100 T137 A399 B10773 X2848 D911 O1090204 "
    )


def test_every_four_classes_are_cut_by_the_rules() -> None:
    for four in map("".join, product(REPRESENTATIVES, repeat=4)):
        assert graphemes(four) == clusters_by_rule(four)


@settings(max_examples=1000)
@given(st.text(st.sampled_from(REPRESENTATIVES)))
def test_any_text_of_joining_characters_is_cut_by_the_rules(text: str) -> None:
    assert graphemes(text) == clusters_by_rule(text) if text else graphemes(text) == []


@settings(max_examples=1000)
@given(st.text(st.sampled_from(REPRESENTATIVES.replace(LINKER, ""))))
def test_a_text_without_conjuncts_is_cut_as_by_regex(text: str) -> None:
    assert graphemes(text) == regex.findall(r"\X", text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("\U00011a3aX", 2),
        ("\U00011a84X", 1),
        ("a\u1acf", 1),
        ("\u1000\u1039\u1001", 1),
        ("\U0001f10d\u200d\U0001f10d", 2),
    ],
)
def test_what_changed_with_unicode_17_is_cut_as_of_17(text: str, count: int) -> None:
    assert len(graphemes(text)) == count


def cluster_normalizer(*first: str) -> Json:
    """A charsmap that shows clusters: it turns `first` into a bar, and the rest of a cluster under 6 bytes goes too."""
    charsmap = compile_charsmap(dict.fromkeys(first, "|"))
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode("ascii")}


def test_every_character_joins_a_letter_before_it_or_not_as_in_the_library() -> None:
    config = tokenizer_json(bpe("a"), normalizer=cluster_normalizer("X"))
    (ours,), theirs = own(config).rules.normalizers, official(config).normalizer
    for start in range(0, len(EVERYTHING), CHUNK):
        text = "".join(f"X{character}\n" for character in EVERYTHING[start : start + CHUNK])
        assert ours.normalize(NormalizedString(text)).text == theirs.normalize_str(text)


def test_every_character_that_may_join_a_letter_after_it_does_so_as_in_the_library() -> None:
    candidates = regex.findall(r"[\p{GCB=Prepend}\p{Cf}\r\u0d4e\U0001193f\U00011a3a]", EVERYTHING)
    normalizer = cluster_normalizer(*candidates)
    theirs = official(tokenizer_json(bpe("a"), normalizer=normalizer)).normalizer
    text = "!".join(f"{character}{after}" for character in candidates for after in "X\n")
    assert own_normalized(normalizer, text).text == theirs.normalize_str(text)


JOINING = "\u0600क\u094dष\u200d\u200c\u0301\u0903👩🏽🇩🇪\u1100\u1161\u11a8가각\r\n\xad©X\u0d4e\U000110bd\u0b71"


@settings(max_examples=500)
@given(st.text(st.sampled_from(JOINING), max_size=8))
def test_clusters_are_those_of_the_library(text: str) -> None:
    normalizer = cluster_normalizer("X", "\u0600", "\r", "©", "\u200d", "\xad", "\u0301")
    theirs = official(tokenizer_json(bpe("a"), normalizer=normalizer)).normalizer
    assert own_normalized(normalizer, text).text == theirs.normalize_str(text)
    assert "".join(graphemes(text)) == text
