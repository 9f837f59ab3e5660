"""Strategies for Hypothesis that know a model: texts and bytes to encode, ids to decode. An extra: reftok[hypothesis].

They draw what `conformance run` is given, by the same generators: strings on which two merges compete, the seams of the
split pattern, added tokens beside their neighbours, what a charsmap rewrites, truncated bytes, ids that no vocab has.
What fails shrinks to the few plain characters, bytes or ids that it needs.

    from hypothesis import given
    from conformance import strategies

    @given(strategies.texts("path/to/tokenizer.json"))
    def test_mine(text):
        assert mine.decode(mine.encode(text)) == text
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, TypeVar

from conformance.causes.shrinking.cases import plainer
from conformance.core.errors import UsageError
from conformance.generators import generators
from conformance.generators.base import Generator, in_turn
from conformance.generators.byte_strings import ByteStrings
from conformance.generators.knowledge import model_knowledge
from conformance.generators.token_ids import TokenIds
from conformance.inputs.corpora import QUICK_PARTS, corpus_files
from conformance.inputs.shards import corpus_lines
from conformance.runs.hub import is_hub_name
from conformance.runs.models import plan_models
from reftok import Tokenizer, load

try:
    from hypothesis import reject
    from hypothesis import strategies as st
except ImportError:
    raise UsageError("conformance.strategies needs hypothesis: python -m pip install hypothesis") from None

Model: TypeAlias = "str | PathLike[str] | Tokenizer"
"""A path, or the name of an embedded model or of one on the hub, or what `reftok.load` gives."""

_Item = TypeVar("_Item")
_SEED_BYTES = 8
_MOST_PARTS = 64
_DRAWS = 40
"""One draw in so many, or fewer, is empty."""


def texts(model: Model) -> st.SearchStrategy[str]:
    """Texts for a model, without lone surrogates.

    Raises ReftokError for a model that cannot be read.
    """
    makers = [one for one in _generators(model) if not isinstance(one, ByteStrings | TokenIds)]
    return _drawn(makers, plainer).map("".join)


def byte_strings(model: Model) -> st.SearchStrategy[bytes]:
    """Bytes for a model, many of which are no UTF-8.

    Raises ReftokError for a model that cannot be read.
    """
    makers = [one for one in _generators(model) if isinstance(one, ByteStrings)]
    return st.one_of(_drawn(makers, _plain_bytes).map(bytes), texts(model).map(str.encode))


def ids(model: Model) -> st.SearchStrategy[list[int]]:
    """Ids for a model, a few of which are not in its vocab.

    Raises ReftokError for a model that cannot be read.
    """
    makers = [one for one in _generators(model) if isinstance(one, TokenIds)]
    return _drawn(makers, lambda token_id: [0] if token_id else [])


def _named(model: str | PathLike[str]) -> str | Path:
    """A model as `reftok.load` takes it. Raises UsageError where a name on the hub is of several."""
    if not isinstance(model, str) or not is_hub_name(model):
        return model if isinstance(model, str) else Path(model)
    plans = plan_models((model,))
    if len(plans) > 1:
        raise UsageError(f"{model}: holds {len(plans)} models, {', '.join(plan.name for plan in plans)}; name a file")
    return plans[0].path


def _generators(model: Model) -> list[Generator]:
    """The generators of a model, each as often as it has its turn."""
    tokenizer = model if isinstance(model, Tokenizer) else load(_named(model))
    return in_turn(generators(model_knowledge(tokenizer), corpus_lines(tuple(corpus_files(QUICK_PARTS)))))


def _drawn(makers: Sequence[Generator], plain: Callable[[_Item], Sequence[_Item]]) -> st.SearchStrategy[list[_Item]]:
    """A generator's input as a list. Its own choices are a seed, whose order says nothing of what is simpler.

    So each part, and at last each item, gets a number that says what becomes of it: nearly always nothing, but 0 leaves
    it out, and the next few make it plainer. Hypothesis shrinks towards 0. Seed and numbers are drawn as bytes, since
    of these each is as likely; small integers and the ends of a range are not.

    Nothing at all has a draw of its own, the simplest: else Hypothesis, which tries all numbers at 0 with one seed
    after the other, would often draw that.
    """

    @st.composite
    def inputs(draw: st.DrawFn) -> list[_Item]:
        """Without arguments, which Hypothesis would show with all that they hold: the whole model."""
        maker = draw(choices)
        if maker is None:
            return []
        made: list[Any] = list(maker.draw(Random(draw(st.binary(min_size=_SEED_BYTES, max_size=_SEED_BYTES)))))
        items = made
        for _ in range(_rounds(len(made))):
            width = -(-len(items) // _MOST_PARTS) or 1
            parts = [items[start : start + width] for start in range(0, len(items), width)]
            numbers = draw(st.binary(min_size=2 * len(parts), max_size=2 * len(parts)))
            what = zip(parts, numbers[::2], numbers[1::2], strict=True)
            items = [item for part, high, low in what for item in _become(part, high << 8 | low, plain)]
            if not items:
                reject()
        return items

    choices = st.sampled_from((None, *[*makers] * (_DRAWS // max(1, len(makers)) or 1)))
    return inputs()


def _rounds(count: int) -> int:
    """The number of times so many items must be cut into parts until each part is one item.

    >>> _rounds(0), _rounds(64), _rounds(65), _rounds(5_000)
    (0, 1, 2, 3)
    """
    rounds = 0
    while _MOST_PARTS**rounds < count or (count and not rounds):
        rounds += 1
    return rounds


def _become(part: list[_Item], number: int, plain: Callable[[_Item], Sequence[_Item]]) -> Sequence[_Item]:
    if number == 0:
        return []
    plainer_items = plain(part[0]) if len(part) == 1 else ()
    return [plainer_items[number - 1]] if number <= len(plainer_items) else part


def _plain_bytes(byte: int) -> list[int]:
    """As characters of Latin-1: ASCII letters are plain among bytes too."""
    return [ord(character) for character in plainer(chr(byte))]
