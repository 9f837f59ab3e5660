"""Where a literal may begin: no place is missed, and few are found for nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.patterns import literals as literals_module
from reftok.engine.patterns.literals import beginnings

LITERALS = st.lists(st.text(st.sampled_from("ab]^-<|\n▁"), min_size=1, max_size=5), min_size=1, max_size=6)
TEXTS = st.text(st.sampled_from("ab]^-<|\n▁"), max_size=12)


@given(LITERALS, TEXTS)
def test_a_literal_may_begin_where_its_first_three_characters_or_the_last_of_the_text_are(
    literals: list[str], text: str
) -> None:
    found = beginnings(literals)
    expected = [
        place
        for place in range(len(text))
        if any(text[place : place + 3] in (literal[:3], literal[: len(text) - place]) for literal in literals)
        or any(text.startswith(literal[:3], place) for literal in literals)
    ]
    assert [place for place in range(len(text)) if found.match(text, place)] == expected


def test_of_many_literals_fewer_characters_are_looked_at() -> None:
    many = [chr(0x4E00 + number) + "bc" for number in range(literals_module._MOST_BEGINNINGS)]
    assert beginnings(many).search("一bx") is None
    assert beginnings([*many, "abc"]).search("一bx") is not None
