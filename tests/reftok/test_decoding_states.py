from __future__ import annotations

import pytest

from reftok import decoding_states
from reftok.decoding_states import UNREMEMBERED, DecodingStates


def test_there_is_a_bound_to_the_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding_states, "_MOST_STATES", 2)
    states = DecodingStates()
    first, second = states.at(("a",)), states.at(("b",))
    assert states.at(("c",)) is UNREMEMBERED
    assert (states.at(("a",)), states.at(("b",))) == (first, second)
    states.keep(first, 1, "text", UNREMEMBERED)
    states.keep(UNREMEMBERED, 1, "text", first)
    assert (len(first), len(UNREMEMBERED)) == (0, 0)


def test_there_is_a_bound_to_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding_states, "_MOST_TEXTS", 2)
    states = DecodingStates()
    state = states.at(("a",))
    for token_id in range(4):
        states.keep(state, token_id, "", state)
    assert list(state) == [0, 1]
