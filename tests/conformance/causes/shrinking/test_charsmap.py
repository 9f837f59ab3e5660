"""A charsmap of few rules is one that sentencepiece loads, and that has these rules and no others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.shrinking.charsmap import charsmap, offer_smaller_charsmaps
from conformance.generators.charsmap_rules import charsmap_rules
from reftok.formats.sentencepiece.charsmap_check import check_charsmap
from reftok.unicode.charsmap import Charsmap

TEXTS = st.text(st.sampled_from("abé①漢\u0301😀\u0301"), min_size=1, max_size=4)
RULES = st.dictionaries(TEXTS, st.text(max_size=3).filter(lambda text: "\0" not in text), min_size=1, max_size=12)


@given(RULES)
def test_the_library_would_load_it(rules: dict[str, str]) -> None:
    check_charsmap(Charsmap(charsmap([*rules.items()])))


@given(RULES, st.binary(max_size=12) | TEXTS.map(str.encode))
def test_the_rules_that_match_are_those_that_were_given(rules: dict[str, str], key: bytes) -> None:
    found = Charsmap(charsmap([*rules.items()])).prefixes(key)
    wanted = {len(text.encode()): new for text, new in rules.items() if key.startswith(text.encode())}
    assert found == sorted(wanted.items())


@given(RULES)
def test_the_rules_come_back(rules: dict[str, str]) -> None:
    assert charsmap_rules(Charsmap(charsmap([*rules.items()]))) == sorted(rules.items())


def test_only_rules_for_parts_of_the_text_are_offered() -> None:
    offered: list[list[tuple[str, str]]] = []

    def offer(blob: bytes) -> bool:
        offered.append(charsmap_rules(Charsmap(blob)))
        return ("b", "2") in offered[-1]

    offer_smaller_charsmaps(charsmap([("a", "1"), ("b", "2"), ("c", "3")]), "ab", offer)
    assert offered[0] == [("a", "1"), ("b", "2")]
    assert [("b", "2")] in offered


def test_where_no_rule_is_for_the_text_one_is_left() -> None:
    offered: list[bytes] = []
    offer_smaller_charsmaps(charsmap([("a", "1"), ("b", "2")]), "x", lambda blob: bool(offered.append(blob)))
    assert charsmap_rules(Charsmap(offered[0])) == [("a", "1")]


def test_a_charsmap_that_cannot_be_read_is_left_alone() -> None:
    def offer(blob: bytes) -> bool:
        raise AssertionError(blob)

    offer_smaller_charsmaps(b"cut", "a", offer)
