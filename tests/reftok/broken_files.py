"""A damaged tokenizer.json, asked of reftok and of the official library: read alike, or refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import tokenizers

from reftok.errors import ModelFormatError, ReftokError, UnsupportedFeature
from reftok.formats.huggingface.tokenizer_json import read_tokenizer_json
from reftok.tokenizer import Tokenizer

from .official import as_lists
from .pipeline_comparison import EXPLOSION, Panicked, Tally, refused, without_particulars

IDS = [*range(12), 3, 4, 4]
QUESTIONS = [("", None), ("ab x y a<s>b", None), (" é 中A1", "b\n"), ("▁a b", None)]
_KILLS_THE_LIBRARY = "does not begin with the subword prefix"
"""See test_library_faults_tokenizers.py."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """The bytes of a file, and what was done to them."""

    data: bytes
    damage: tuple[str, ...]


def check_damaged(damaged: Damaged, tally: Tally) -> ModelFormatError | None:
    """Raises AssertionError where reftok raises anything but a format error, or reads what the library reads otherwise.

    A file that the library reads and reftok calls unsound or unsupported is counted, and its error returned.
    """
    try:
        ours = Tokenizer(read_tokenizer_json(damaged.data, "m.json"))
    except ModelFormatError as error:
        if not str(error).startswith("m.json: "):
            raise AssertionError(f"{error}\n{damaged}") from error
        kind = "unsupported" if isinstance(error, UnsupportedFeature) else "unsound"
        if _KILLS_THE_LIBRARY in error.problem:
            tally.skipped["the library may kill the process"] += 1
            return None
        both = "refused by both" if _library_refuses(damaged.data) else f"{kind}, but the library reads it"
        tally.compared[both] += 1
        if both == "refused by both":
            return None
        tally.skipped[f"{kind}: {without_particulars(error.problem)}"] += 1
        return error
    except Exception as error:
        raise AssertionError(f"{error!r}\n{damaged}") from error
    is_refused, theirs = refused(partial(tokenizers.Tokenizer.from_buffer, damaged.data))
    assert not is_refused, f"only the library refuses it: {theirs}\n{damaged}"
    for text, pair in QUESTIONS:
        _ask(lambda asked, text=text, pair=pair: as_lists(asked.encode(text, pair)), ours, theirs, damaged, tally)
    _ask(lambda asked: asked.decode(IDS), ours, theirs, damaged, tally)
    return None


def _library_refuses(data: bytes) -> bool:
    try:
        return refused(partial(tokenizers.Tokenizer.from_buffer, data))[0]
    except Panicked:
        return True


def _ask(ask: Callable[[Any], object], ours: Tokenizer, theirs: Any, damaged: Damaged, tally: Tally) -> None:
    try:
        is_refused, expected = refused(lambda: ask(theirs))
    except Panicked as panic:
        tally.skipped[f"the library panics: {panic}"] += 1
        return
    try:
        found = ask(ours)
    except ReftokError as error:
        if not is_refused and EXPLOSION not in str(error):
            raise AssertionError(f"reftok refuses what gives {expected}: {error}\n{damaged}") from error
    except Exception as error:
        raise AssertionError(f"{error!r} instead of {expected}\n{damaged}") from error
    else:
        assert found == expected, f"reftok:  {found}\nlibrary: {expected}\n{damaged}"
    tally.compared["read by both"] += 1
