"""Texts that reach every entry of the vocab and every merge, packed: what full has beside core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from conformance.fuzzing.coverage import Coverage
from conformance.fuzzing.watching import MERGES, Watcher
from conformance.generators.base import NothingToDo
from conformance.generators.knowledge import ModelKnowledge
from conformance.generators.merges import Merges
from conformance.generators.scores import ScoreTies
from conformance.vectors.choosing import Choice, cover
from conformance.vectors.keys import ENTRIES, Key
from conformance.vectors.questions import Question
from reftok import ReftokError, Tokenizer
from reftok.rules.byte_level import from_byte_characters

LONGEST = 400
"""Characters of a packed text."""
COMPETING = 200
PACKED_KEY: Key = (ENTRIES, "packed")
_LEADS = (b"", b"\xc3", b"\xd0", b"\xe0\xa4", b"\xe1\x80", b"\xe3\x81", b"\xe4\xb8", b"\xea\xb0", b"\xf0\x9f\x98")
_ENDS = (b"", b"\x80", b"\xa0", b"\xbf", b"\x80\x80", b"\xa0\x80", b"\xb8\x80", b"\x90\x80\x80", b"\x9f\x98\x80")


def entry_questions(tokenizer: Tokenizer, knowledge: ModelKnowledge, watcher: Watcher) -> list[Question]:
    """Packed texts, and texts on which merges or scores compete."""
    pieces = [*dict.fromkeys((*knowledge.texts, *_whole(knowledge)))]
    choices: list[Choice[Key]] = []
    for text in pieces:
        try:
            ids = tokenizer.encode_ids(text, add_special_tokens=False)
        except ReftokError:
            ids = []
        reached = watcher.glance(Coverage(), text, ids).reached
        keys = {(kind, key) for kind in (ENTRIES, MERGES) for key in reached.get(kind, ())}
        choices.append(Choice(len(text), frozenset(keys)))
    chosen = [pieces[number] for number in cover(choices, {})]
    packed = [Question(text, frozenset({PACKED_KEY})) for text in _packed(tokenizer, chosen)]
    return [*packed, *(Question(text) for text in _competing(knowledge))]


def _packed(tokenizer: Tokenizer, pieces: Sequence[str]) -> Iterator[str]:
    """The pieces one after the other, a line each: so none joins with the next, where line ends part words."""
    some: list[str] = []
    size = 0
    for piece in pieces:
        if some and size + len(piece) + 1 > LONGEST:
            yield "\n".join(some)
            some, size = [], 0
        some.append(piece)
        size += len(piece) + 1
    if some:
        yield "\n".join(some)


def _whole(knowledge: ModelKnowledge) -> Iterator[str]:
    """Characters that have the bytes of entries which are parts of characters."""
    for token in knowledge.tokens.values():
        if not knowledge.is_partial(token):
            continue
        data = from_byte_characters(token) or b""
        tries = (before + data + behind for before, behind in product(_LEADS, _ENDS))
        texts = (whole.decode("utf-8", "replace") for whole in tries)
        yield from [text for text in texts if "\ufffd" not in text][:3]


def _competing(knowledge: ModelKnowledge) -> Iterator[str]:
    for make in (Merges, ScoreTies):
        maker = make.of(knowledge)
        if not isinstance(maker, NothingToDo):
            for number in range(COMPETING):
                drawn = maker.draw(Random(f"{maker.name}:competing:{number}"))
                if isinstance(drawn, str) and drawn:
                    yield drawn
