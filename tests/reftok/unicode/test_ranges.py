from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reftok.unicode.ranges import CharacterSearch

CHARACTERS = st.characters(exclude_categories=[]) | st.sampled_from("-]^\\a\uffff\U00010000")


@given(st.sets(CHARACTERS, max_size=6), st.lists(CHARACTERS, max_size=4))
def test_what_is_looked_for_is_found_where_it_is(characters: set[str], others: list[str]) -> None:
    for text in ("".join(others), "".join([*others, *characters])):
        assert CharacterSearch(characters).is_absent(text) == characters.isdisjoint(text)
