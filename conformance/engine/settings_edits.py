"""What subjects get wrong in pairs, truncation and padding: the reference asked otherwise, or its answer changed.

An edit foretells the answer to every question about a text. It explains a wrong answer that it foretells, unless it
foretells another than a right one that the subject gave as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from types import MappingProxyType
from typing import Any, TypeAlias

from conformance.core.observation import Encoded, Failure
from conformance.core.settings import Asked, Given, Question, SpecialInText, Text, Truncation, difference, is_answer
from reftok import ReftokError
from reftok.rules.encodings import joined
from reftok.rules.huggingface.post_processors import default_processing
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Encoding

Ask: TypeAlias = Callable[[Pipeline, Question], tuple[Encoded, ...]]
"""What the reference answers with some rules."""

Foretelling: TypeAlias = Callable[[Ask, Pipeline, Question], tuple[Encoded, ...]]


@dataclass(frozen=True, slots=True)
class Edit:
    """A mistake. answer: what a subject that makes it answers, where somebody else answers as `Ask` says."""

    stage: str
    rule: str
    answer: Foretelling


def with_causes(ask: Ask, rules: Pipeline, asked: Sequence[Asked], probes: Sequence[Asked]) -> tuple[Asked, ...]:
    """The questions of one text with the rule that each wrong answer follows from, the fewest for all of them.

    An edit that is found stays made while others are looked for, so that two mistakes in one answer are both named.
    probes: other questions, of which an edit must foretell as many wrong answers as it can, and no right one otherwise.
    """
    causes: dict[int, str] = {}
    every = [one for one in (*asked, *probes) if is_answer(one.given, one.question)]
    right, wrong = ([one for one in every if bool(one.differs) == is_wrong] for is_wrong in (False, True))
    for one in sorted(asked, key=lambda one: len(one.question.needs)):
        if not one.differs or id(one) in causes or not is_answer(one.given, one.question):
            continue
        fitting = [edit for edit in EDITS if _foretells(edit, ask, rules, one)]
        fitting = [edit for edit in fitting if _is_possible(edit, ask, rules, right)]
        shown = [[other for other in wrong if _foretells(edit, ask, rules, other)] for edit in fitting]
        if fitting:
            best = max(range(len(fitting)), key=lambda number: len(shown[number]))
            causes |= {id(other): fitting[best].rule for other in shown[best] if id(other) not in causes}
            ask = partial(fitting[best].answer, ask)
    return tuple(replace(one, cause=causes.get(id(one), "")) for one in asked)


def mistakes_shown(ask: Ask, rules: Pipeline, question: Question, due: Given) -> list[Edit]:
    """The mistakes whose answer to a question is not the one that is due."""
    answers = ((edit, _answer(edit.answer, ask, rules, question)) for edit in EDITS)
    return [edit for edit, found in answers if found is not None and difference(due, found)]


def _foretells(edit: Edit, ask: Ask, rules: Pipeline, asked: Asked) -> bool:
    """Whether an edit gives a wrong answer, in the part that is wrong and in all other parts that it foretells.

    What is given without the edit already follows from no edit: the reference differs from another release like that.
    """
    found, before = _answer(edit.answer, ask, rules, asked.question), _answer(_as_it_is, ask, rules, asked.question)
    if found is None or asked.given is None or (before and not difference(before, asked.given)):
        return False
    if isinstance(found, tuple) and not all(getattr(one, asked.differs, ()) is not None for one in found):
        return False
    return not difference(found, asked.given)


def _as_it_is(ask: Ask, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
    return ask(rules, question)


def _is_possible(edit: Edit, ask: Ask, rules: Pipeline, right: Sequence[Asked]) -> bool:
    """Whether an edit changes nothing that the subject has right."""
    answers = ((_answer(edit.answer, ask, rules, one.question), one.given) for one in right)
    return not any(difference(found, given) for found, given in answers if found is not None and given is not None)


def _answer(answer: Foretelling, ask: Ask, rules: Pipeline, question: Question) -> Given | None:
    try:
        return answer(ask, rules, question)
    except ReftokError:
        return None if question.special_in_text is None else Failure("refused", "")


def _asks(stage: str, rule: str, change: Callable[[Question], Question]) -> Edit:
    """The question is taken for another."""
    return Edit(stage, rule, lambda ask, rules, question: ask(rules, change(question)))


def _gives(stage: str, rule: str, change: Callable[[Encoded], Encoded]) -> Edit:
    """Each encoding is given otherwise."""
    return Edit(stage, rule, lambda ask, rules, question: tuple(map(change, ask(rules, question))))


def _part(name: str, change: Callable[[Any], Any]) -> Callable[[Encoded], Encoded]:
    """A part has something else for each token."""

    def changed(one: Encoded) -> Encoded:
        values = getattr(one, name)
        return one if values is None else replace(one, **{name: tuple(map(change, values))})

    return changed


def _truncates(rule: str, change: Callable[[Truncation], Truncation]) -> Edit:
    def changed(question: Question) -> Question:
        truncation = question.truncation
        return question if truncation is None else replace(question, truncation=change(truncation))

    return _asks("Truncation", rule, changed)


def _pads(rule: str, **changes: Any) -> Edit:
    def changed(question: Question) -> Question:
        padding = question.padding
        return question if padding is None else replace(question, padding=replace(padding, **changes))

    return _asks("Padding", rule, changed)


def _takes_special(rule: str, change: Callable[[SpecialInText], SpecialInText | None]) -> Edit:
    def changed(question: Question) -> Question:
        asked = question.special_in_text
        return question if asked is None else replace(question, special_in_text=change(asked))

    return _asks("AddedTokens", rule, changed)


# --- pairs and words


@dataclass(frozen=True, slots=True)
class _NoPairs:
    """Post-processors that know one text only: they take the texts of a pair one by one, or both as one."""

    steps: tuple[Any, ...] | None
    as_one: bool

    def added_tokens(self, is_pair: bool) -> int:
        once: int = sum(step.added_tokens(False) for step in self.steps or ())
        return 2 * once if is_pair and not self.as_one else once

    def process(self, parts: Sequence[Encoding], add_special_tokens: bool) -> list[Encoding]:
        if self.as_one:
            return self._of_one(joined(parts), add_special_tokens)
        return [joined(self._of_one(part, add_special_tokens)) for part in parts]

    def _of_one(self, part: Encoding, add_special_tokens: bool) -> list[Encoding]:
        parts = [part]
        for step in self.steps or ():
            parts = step.process(parts, add_special_tokens)
        return [default_processing(parts)] if self.steps is None else parts


def _without_pairs(rule: str, as_one: bool, has_type_ids: bool) -> Edit:
    """has_type_ids: whether the second text has type ids of its own, of which nothing is foretold; else they are 0."""

    def answer(ask: Ask, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
        if "pair" not in question.needs:
            return ask(rules, question)
        steps = (_NoPairs(rules.post_processors, as_one),)
        found = ask(replace(rules, post_processors=steps), question)
        found = tuple(map(_without_places, found))
        return tuple(replace(one, type_ids=None) if has_type_ids else _in_one_segment(one) for one in found)

    return Edit("PostProcessor", rule, answer)


def _without_places(one: Encoded) -> Encoded:
    """The encoding without predicted offsets, sequence_ids and char_to_token."""
    return replace(one, offsets=None, sequence_ids=None, char_to_token=None)


def _of_pairs(rule: str, change: Callable[[Question], Question]) -> Edit:
    """A pair is encoded as something else; offsets, sequence_ids and char_to_token are not predicted."""

    def answer(ask: Ask, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
        changed = change(question)
        found = ask(rules, changed)
        return found if changed == question else tuple(map(_without_places, found))

    return Edit("PostProcessor", rule, answer)


def _in_one_segment(one: Encoded) -> Encoded:
    pairs = zip(one.type_ids or (), one.attention_mask or (), strict=False)
    return replace(one, type_ids=one.type_ids and tuple(0 if is_text else type_id for type_id, is_text in pairs))


def _with_inputs(change: Callable[[tuple[Text, ...]], tuple[Text, ...]]) -> Callable[[Question], Question]:
    return lambda question: replace(question, inputs=tuple(map(change, question.inputs)))


def _bare_pairs(question: Question) -> Question:
    return replace(question, add_special_tokens=False) if "pair" in question.needs else question


def _joins_pairs(between: str) -> Callable[[Question], Question]:
    def joined_text(texts: tuple[Text, ...]) -> tuple[Text, ...]:
        if isinstance(texts[0], str):
            return (between.join(map(str, texts)),)
        return (tuple(word for text in texts for word in text),)

    return _with_inputs(joined_text)


def _joins_words(between: str) -> Callable[[Question], Question]:
    def changed(question: Question) -> Question:
        inputs = tuple(tuple(between.join(text) for text in texts) for texts in question.inputs)
        return replace(question, inputs=inputs, is_pretokenized=False) if question.is_pretokenized else question

    return changed


def _from_the_first_word(between: int) -> Foretelling:
    """Offsets of words are those in the whole text. between: code points between two words."""

    def answer(ask: Ask, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
        due = ask(rules, question)
        if not question.is_pretokenized:
            return due
        pairs = zip(due, question.inputs, strict=True)
        return tuple(_moved(one, partial(_start_of_word, texts, between)) for one, texts in pairs)

    return answer


def _start_of_word(texts: tuple[Text, ...], between: int, text: int, word: int) -> int:
    return sum(len(one) + between for one in texts[text][:word])


def _from_the_first_text(between: int) -> Foretelling:
    """Offsets of the second text go on after the first. between: code points between the texts."""

    def answer(ask: Ask, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
        due = ask(rules, question)
        if question.is_pretokenized:
            return due
        pairs = zip(due, question.inputs, strict=True)
        found = [_moved(one, partial(_start_of_text, len(texts[0]) + between)) for one, texts in pairs]
        return tuple(replace(one, char_to_token=None) for one in found) if "pair" in question.needs else due

    return answer


def _tokens_of(one: Encoded, text: int) -> list[int]:
    return [number for number, of in enumerate(one.sequence_ids or ()) if of == text]


def _finds_tokens(rule: str, among: Callable[[Encoded, int], Sequence[int]]) -> Edit:
    """char_to_token is looked for elsewhere. among: the tokens that are tried, in this order, for a text."""

    def changed(one: Encoded) -> Encoded:
        spans, texts = one.offsets or (), one.char_to_token or ()
        if {*(one.sequence_ids or ())} - {None} != {*range(len(texts))}:  # of a text nothing may be left
            return replace(one, char_to_token=None)
        found = []
        for text, places in enumerate(texts):
            tokens = among(one, text)
            first = (next((n for n in tokens if spans[n][0] <= at < spans[n][1]), None) for at in range(len(places)))
            found.append(tuple(first))
        return replace(one, char_to_token=texts and tuple(found))

    return _gives("PostProcessor", rule, changed)


def _numbered_without_special(one: Encoded) -> Encoded:
    numbers = [*accumulate((1 - mark for mark in one.special_tokens_mask or ()), initial=0)]
    texts = one.char_to_token and tuple(
        tuple(None if token is None else numbers[token] for token in text) for text in one.char_to_token
    )
    return replace(one, char_to_token=texts)


def _start_of_text(second: int, text: int, word: int) -> int:
    return second * text


def _moved(one: Encoded, start: Callable[[int, int], int]) -> Encoded:
    """The encoding with shifted offsets. start: the shift of a word, by the numbers of its text and of the word."""
    if one.offsets is None or one.sequence_ids is None or one.word_ids is None:
        return one
    offsets = []
    for (first, end), text, word in zip(one.offsets, one.sequence_ids, one.word_ids, strict=True):
        by = 0 if text is None or word is None else start(text, word)
        offsets.append((first + by, end + by))
    return replace(one, offsets=tuple(offsets))


def _words_as_pre_tokens(ask: Ask, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
    """The pre-tokens of all words of a text are counted through."""
    due = ask(rules, question)
    if not question.is_pretokenized:
        return due
    if question.needs & {"truncation", "padding"}:
        return tuple(replace(one, word_ids=None) for one in due)

    def word_ids(text: Text) -> list[int]:
        each = [ask(rules, Question(((word,),), False))[0].word_ids or () for word in text]
        sizes = [1 + max((number for number in one if number is not None), default=-1) for one in each]
        starts = accumulate(sizes, initial=0)
        return [start + (number or 0) for start, one in zip(starts, each, strict=False) for number in one]

    found = []
    for one, texts in zip(due, question.inputs, strict=True):
        numbers = iter([number for text in texts for number in word_ids(text)])
        own = [None if word is None else next(numbers, None) for word in one.word_ids or ()]
        found.append(replace(one, word_ids=tuple(own)))
    return tuple(found)


# --- truncation and padding


def _counts_no_special_tokens(ask: Ask, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
    truncation = question.truncation
    if truncation is not None and question.add_special_tokens:
        added = sum(step.added_tokens("pair" in question.needs) for step in rules.post_processors or ())
        question = replace(question, truncation=replace(truncation, max_length=truncation.max_length + added))
    return ask(rules, question)


def _cuts_last(ask: Ask, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
    """The finished encoding is cut, special tokens included; what overflows then is not foretold."""
    truncation = question.truncation
    if truncation is None or question.padding is not None:
        return ask(rules, question)
    most = truncation.max_length

    def cut(values: Any) -> Any:
        return values and (values[:most] if truncation.direction == "right" else values[-most:])

    fields = ("ids", "type_ids", "attention_mask", "special_tokens_mask", "word_ids", "offsets")
    whole = ask(rules, replace(question, truncation=None))
    kept = (replace(one, overflowing=None, sequence_ids=None, char_to_token=None) for one in whole)
    return tuple(replace(one, **{name: cut(getattr(one, name)) for name in fields}) for one in kept)


def _each_by_itself(ask: Ask, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
    return tuple(ask(rules, replace(question, inputs=(one,)))[0] for one in question.inputs)


def _overflows(keeps: int) -> Callable[[Encoded], Encoded]:
    """Of what overflows only the first parts are given."""
    return lambda one: replace(one, overflowing=one.overflowing and one.overflowing[:keeps])


def _mask_without_padding(one: Encoded) -> Encoded:
    pairs = zip(one.special_tokens_mask or (), one.attention_mask or (), strict=False)
    return replace(
        one, special_tokens_mask=one.special_tokens_mask and tuple(mark * is_text for mark, is_text in pairs)
    )


EDITS: tuple[Edit, ...] = (
    _of_pairs("the second text of a pair is left out", _with_inputs(lambda texts: texts[:1])),
    _asks("PostProcessor", "no special tokens are added to a pair", _bare_pairs),
    _without_pairs("a pair is encoded as two single texts", False, False),
    _without_pairs("a pair is encoded as two single texts", False, True),
    _without_pairs("a pair is put into the template of one text", True, False),
    _without_pairs("a pair is put into the template of one text", True, True),
    _of_pairs("a pair is joined to one text", _joins_pairs("")),
    _of_pairs("a pair is joined to one text with a space", _joins_pairs(" ")),
    _gives("PostProcessor", "type ids of the second text are 0", _in_one_segment),
    _gives("PostProcessor", "type ids are all 0", _part("type_ids", lambda _: 0)),
    _gives("PostProcessor", "special_tokens_mask is all 0", _part("special_tokens_mask", lambda _: 0)),
    _gives(
        "PostProcessor", "word ids are one too high", _part("word_ids", lambda word: word if word is None else word + 1)
    ),
    _gives(
        "PostProcessor",
        "word ids of inserted tokens are -1",
        _part("word_ids", lambda word: -1 if word is None else word),
    ),
    Edit("PostProcessor", "offsets of the second text go on after the first", _from_the_first_text(0)),
    Edit("PostProcessor", "offsets of the second text go on after the first", _from_the_first_text(1)),
    _gives(
        "PostProcessor",
        "sequence ids of inserted tokens are 0",
        _part("sequence_ids", lambda text: text or 0),
    ),
    _gives("PostProcessor", "sequence ids are the type ids", lambda one: replace(one, sequence_ids=one.type_ids)),
    _finds_tokens("char_to_token looks in the first text alone", lambda one, _: _tokens_of(one, 0)),
    _finds_tokens("char_to_token finds the last token of a character", lambda one, text: _tokens_of(one, text)[::-1]),
    _gives("PostProcessor", "char_to_token does not count special tokens", _numbered_without_special),
    Edit("PreTokenizer", "offsets of words are those in the whole text", _from_the_first_word(1)),
    Edit("PreTokenizer", "offsets of words are those in the whole text", _from_the_first_word(0)),
    _asks("PreTokenizer", "the words of a pre-tokenized text are joined", _joins_words("")),
    _asks("PreTokenizer", "the words of a pre-tokenized text are joined with spaces", _joins_words(" ")),
    Edit("PreTokenizer", "word ids of a pre-tokenized text count pre-tokens", _words_as_pre_tokens),
    _takes_special("disallowed special tokens are not refused", lambda one: replace(one, disallowed=())),
    _takes_special("disallowed_special is ignored", lambda one: replace(one, disallowed=None)),
    _takes_special("allowed_special is ignored: no special token is matched", lambda one: replace(one, allowed=())),
    _takes_special("allowed_special is ignored: all special tokens are matched", lambda one: None),
    _takes_special("special tokens in the text are always taken as text", lambda one: SpecialInText((), ())),
    _asks("Truncation", "truncation is ignored", lambda question: replace(question, truncation=None)),
    _truncates("truncation always cuts on the right", lambda one: replace(one, direction="right")),
    _truncates("truncation always cuts on the left", lambda one: replace(one, direction="left")),
    Edit("Truncation", "special tokens are not counted in max_length", _counts_no_special_tokens),
    Edit("Truncation", "truncation cuts what the template has added", _cuts_last),
    _truncates("max_length is one too high", lambda one: replace(one, max_length=one.max_length + 1)),
    _truncates("max_length is one too low", lambda one: replace(one, max_length=one.max_length - 1)),
    _truncates("pairs are always cut longest_first", lambda one: replace(one, strategy="longest_first")),
    _truncates("pairs are always cut only_first", lambda one: replace(one, strategy="only_first")),
    _truncates("pairs are always cut only_second", lambda one: replace(one, strategy="only_second")),
    _truncates("stride is ignored", lambda one: replace(one, stride=0)),
    _truncates("stride is one too high", lambda one: replace(one, stride=one.stride + 1)),
    _truncates("stride is one too low", lambda one: replace(one, stride=max(0, one.stride - 1))),
    _gives("Truncation", "what overflows is dropped", _overflows(0)),
    _gives("Truncation", "of what overflows only the first part is given", _overflows(1)),
    _asks("Padding", "padding is ignored", lambda question: replace(question, padding=None)),
    _pads("padding is always on the right", direction="right"),
    _pads("padding is always on the left", direction="left"),
    _pads("pad_to_multiple_of is ignored", pad_to_multiple_of=None),
    _pads("the length of padding is ignored", length=None),
    Edit("Padding", "each text of a batch is padded by itself", _each_by_itself),
    _pads("pad_id is always 0", pad_id=0),
    _pads("pad_type_id is always 0", pad_type_id=0),
    _gives("Padding", "attention_mask is 1 for padding", _part("attention_mask", lambda _: 1)),
    _gives("Padding", "special_tokens_mask is 0 for padding", _mask_without_padding),
)
"""Every mistake that is known; of those that foretell as much, the first is named."""
STAGES: Mapping[str, str] = MappingProxyType({one.rule: one.stage for one in EDITS})
"""The stage of each rule."""
