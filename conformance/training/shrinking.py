"""The smallest training that still differs: fewer texts, single words, shorter ones, fewer options, a smaller vocab."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from conformance.causes.shrinking.cases import smallest_part
from conformance.training.case import TrainingCase
from reftok.training.train import SENTENCEPIECE_TRAINERS

MOST_ATTEMPTS = 600
_PLAIN = "abcdefghijklmnopqrstuvwxyz"

Item = TypeVar("Item")


class _EnoughError(Exception):
    pass


def shrunk(case: TrainingCase, differs: Callable[[TrainingCase], bool], attempts: int = MOST_ATTEMPTS) -> TrainingCase:
    """The smallest case found. differs: whether one still shows the difference; it is asked `attempts` times at most.

    >>> case = TrainingCase("", "wordlevel", ("a b c", "d e"), {"vocab_size": 9, "min_frequency": 1})
    >>> found = shrunk(case, lambda one: "d" in " ".join(one.texts))
    >>> found.texts, found.options
    (('d',), {'vocab_size': 0})
    """
    search = _Search(case, differs, attempts)
    try:
        before = None
        while before != search.case:
            before = search.case
            for step in (_options, _texts, _words, _vocab_size, _characters):
                step(search)
    except _EnoughError:
        pass
    return search.case


class _Search:
    """The smallest case so far, and how often one may still be offered."""

    def __init__(self, case: TrainingCase, differs: Callable[[TrainingCase], bool], attempts: int) -> None:
        self.case = case
        self._differs = differs
        self._left = attempts
        self._tried: set[str] = set()

    def offer(self, **changes: Any) -> bool:
        """Take the case with these changes if it still differs."""
        case = replace(self.case, **changes)
        key = repr((case.texts, case.options))
        if key in self._tried:
            return False
        if not self._left:
            raise _EnoughError
        self._left -= 1
        self._tried.add(key)
        if not self._differs(case):
            return False
        self.case = case
        return True


def _fewest(items: Sequence[Item], keep: Callable[[Sequence[Item]], bool]) -> None:
    """Offer the items without parts of them, but never none."""
    smallest_part(items, lambda part: bool(part) and keep(part))


def _texts(search: _Search) -> None:
    _fewest(search.case.texts, lambda texts: search.offer(texts=tuple(texts)))


def _words(search: _Search) -> None:
    words = [word for text in search.case.texts for word in text.split()]
    if words and search.offer(texts=tuple(words)):
        _texts(search)
        return
    for place, text in enumerate(search.case.texts):

        def offered(words: Sequence[str], place: int = place) -> bool:
            texts = list(search.case.texts)
            texts[place] = " ".join(words)
            return search.offer(texts=tuple(texts))

        _fewest(text.split(), offered)


def _characters(search: _Search) -> None:
    for word in dict.fromkeys(search.case.texts):
        if word in search.case.texts:
            _shorten(search, word)
    for character in sorted({*"".join(search.case.texts)} - {*_PLAIN}, reverse=True):
        unused = [plain for plain in _PLAIN if plain not in "".join(search.case.texts)]
        if unused:
            search.offer(texts=tuple(text.replace(character, unused[0]) for text in search.case.texts))


def _shorten(search: _Search, word: str) -> None:
    """Take characters from a word, wherever it stands, as often as it does."""
    now = word

    def offered(characters: Sequence[str]) -> bool:
        nonlocal now
        shorter = "".join(characters)
        if search.offer(texts=tuple(shorter if text == now else text for text in search.case.texts)):
            now = shorter
            return True
        return False

    _fewest(list(word), offered)


def _options(search: _Search) -> None:
    if "pipeline" not in search.case.options and search.case.trainer in SENTENCEPIECE_TRAINERS:
        search.offer(options={**search.case.options, "normalization_rule_name": "identity"})
    for name in list(search.case.settings):
        if name not in ("vocab_size", "normalization_rule_name", "pattern"):
            search.offer(options={key: value for key, value in search.case.options.items() if key != name})
            _fewer(search, name)
    pipeline = search.case.options.get("pipeline")
    if isinstance(pipeline, Mapping):
        bare = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
        for stages in (bare, {**bare, "pre_tokenizer": {"type": "WhitespaceSplit"}}):
            if search.offer(options={**search.case.options, "pipeline": {**pipeline, **stages}}):
                break


def _fewer(search: _Search, name: str) -> None:
    values = search.case.options.get(name)
    if isinstance(values, list) and len(values) > 1:
        _fewest(values, lambda fewer: search.offer(options={**search.case.options, name: list(fewer)}))


def _vocab_size(search: _Search) -> None:
    size = search.case.options.get("vocab_size")
    if not isinstance(size, int):
        return
    step = size
    while step:
        while size - step >= 0 and search.offer(options={**search.case.options, "vocab_size": size - step}):
            size -= step
        step //= 2
