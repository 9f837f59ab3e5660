"""The stages of a pipeline that can change a text, found by trying inputs made for them.

A stage may have nothing left to do after the stages before it: the second of two NFC, or the Split at " " of Gemma 3,
whose normalizer has turned every space into `▁`. Whether that is so is found by trying, on texts made from the stages
themselves (what their patterns match, what their charsmaps replace) and on characters of every kind.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from conformance.generators.alphabets import SPACES, alphabet, by_age, decomposable, marks_by_class
from conformance.generators.contents import FORMS
from conformance.generators.knowledge import ModelKnowledge, tree_of_pattern
from conformance.generators.pattern_texts import branches_of, text_maker
from reftok import ReftokError, Tokenizer
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.huggingface.pre_tokenizers import FixedLength
from reftok.rules.text import Part

MUST_CHANGE = ("Normalizer", "PreTokenizer", "Model")
"""The stages that a long session must see change something."""
_DRAWS = 20
"""Texts drawn for each alternative of a pattern."""
_TOGETHER = 200
"""The number of characters or rules that are put into one text."""
_MOST_RULES = 4_000
"""Rules of a charsmap that are tried, spread evenly over up to a hundred thousand."""
_LONGEST_UNIT = 10_000
_CONTEXTS = ("{0}", "a{0}b", "{0}{0}", " {0} ", "{0}\n{0}a")


def live_stages(tokenizer: Tokenizer, knowledge: ModelKnowledge) -> tuple[str, ...]:
    """The stages that can change a text, each as "number stage component", such as "2 Normalizer NFC".

    The model always can. Texts are tried until every stage has changed one, so that only a dead stage costs time.

    >>> import reftok
    >>> from conformance.generators.knowledge import model_knowledge
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> live_stages(tokenizer, model_knowledge(tokenizer))
    ('2 Normalizer NFC', '4 PreTokenizer Split', '5 PreTokenizer ByteLevel', '6 Model BPE')
    """
    model = ""
    changed: dict[str, bool] = {}
    for text in _texts(tokenizer, knowledge):
        outcomes = [*_outcomes(tokenizer, text)]
        for stage, has_changed in outcomes:
            if stage.split()[1] in MUST_CHANGE:
                changed[stage] = changed.get(stage, False) or has_changed
        if outcomes:
            model = f"{1 + len(outcomes)} Model {type(tokenizer.rules.model).__name__}"
            if all(changed.values()):
                break
    return (*(stage for stage, has_changed in changed.items() if has_changed), model)


def _outcomes(tokenizer: Tokenizer, text: str) -> Iterator[tuple[str, bool]]:
    """Each stage before the model, and whether it changed this text."""
    states: list[tuple[str, str, tuple[object, ...]]] = []

    def note(stage: str, performer: object, parts: Sequence[Part]) -> None:
        state = tuple((part.normalized.text, part.tokens) for part in parts)
        states.append((stage, type(performer).__name__, state))

    try:
        tokenizer.rules.pre_tokenized(tokenizer.rules.checked_text(text), note)
    except ReftokError:  # for example, a text that a step makes too long
        return
    before: tuple[object, ...] = ((text, None),)
    for number, (stage, component, after) in enumerate(states, 1):
        yield f"{number} {stage} {component}", after != before
        before = after


def _texts(tokenizer: Tokenizer, knowledge: ModelKnowledge) -> Iterator[str]:
    """Texts made for the stages, the cheap ones first."""
    yield " The 2nd cafe\u0301, it's\t1½ ﬁne…\n "
    for unit in _units(tokenizer, knowledge):
        yield from (context.format(unit) for context in _CONTEXTS)
    yield from _packed(decomposable())
    yield from (unicodedata.normalize(form, text) for form in FORMS for text in _packed(decomposable()))
    yield from ("a" + "".join(pair) for pair in product((marks[0] for marks in marks_by_class()), repeat=2))
    yield "".join(map("".join, product(map(chr, range(0x20, 0x7F)), repeat=2)))
    yield from _packed(alphabet() + "".join(by_age().values()))
    yield from _packed([key for key, _ in knowledge.rules[:: 1 + len(knowledge.rules) // _MOST_RULES]])


def _units(tokenizer: Tokenizer, knowledge: ModelKnowledge) -> Iterator[str]:
    """Texts that a stage acts on: matches of its pattern, what it replaces or inserts, delimiters, symbols, tokens."""
    chance = Random(0)
    for step in (*tokenizer.rules.normalizers, *tokenizer.rules.pre_tokenizers):
        if isinstance(step, FixedLength):
            yield "a" * min(1 + step.length, _LONGEST_UNIT)
        for name in ("pattern", "content", "prepend", "replacement", "delimiter"):
            named = getattr(step, name, None)
            tree = tree_of_pattern(named) if isinstance(named, Pattern) else None
            if isinstance(named, str):
                yield named
            elif tree is not None:
                makers = [*map(text_maker, branches_of(tree))]
                yield from (maker(chance) for maker in makers for _ in range(_DRAWS))
    yield from SPACES
    yield from knowledge.symbols[:_TOGETHER]
    yield from (token.content for token in knowledge.added[:_TOGETHER])


def _packed(parts: Sequence[str]) -> Iterator[str]:
    """Many characters or rules in one text, once adjacent and once as separate words."""
    for start in range(0, len(parts), _TOGETHER):
        yield from (between.join(parts[start : start + _TOGETHER]) for between in ("", " a"))
