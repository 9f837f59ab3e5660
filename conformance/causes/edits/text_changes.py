"""Changes of the input before encoding, or of the text after decoding, learnt from pairs of right and wrong texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from string import punctuation
from unicodedata import category

from conformance.causes.edits.fault import DecodingFault, Fault, TextAnswer, of_decoded, of_text, predicted
from conformance.causes.edits.inputs import ZERO_WIDTH
from conformance.checks.base import first_difference
from conformance.core.observation import Decoded
from reftok import Tokenizer

SEVERAL = "some characters become others"

_MOST_OF_AN_ANSWER = 4
_LONGEST = 3
"""The longest replacement of one character, in code points."""
_LONGEST_STRING = 12
"""The longest string, in code points, that is learnt as replaced by another."""
_LEAST_TIMES, _MOST_STRINGS = 2, 8
"""The number of answers that must show a replaced string or a single stripped character; the most strings learnt."""
_MOST_LOST, _LONGEST_RUN, _LONGEST_AFFIX, _MOST_REMOVED = 3, 3, 8, 8
"""The most characters lost at an end, kept of a run, added at an end, and removed from one text."""

Change = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class TextChange:
    """One change of texts. rule: names it. kind: `learnt` of its fault."""

    rule: str
    change: Change
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """One wrong answer of a subject.

    text: the text to which a change is applied. due, given: the right text, and the subject's. is_given_by: whether a
    change explains the whole answer.
    """

    text: str
    due: str
    given: str
    is_given_by: Callable[[Change], bool]


def of_changed_texts(tokenizer: Tokenizer, answers: Iterable[TextAnswer]) -> Iterator[Fault]:
    """The faults that change a text before it is encoded.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> ids = tokenizer.encode_ids
    >>> [fault.rule for fault in of_changed_texts(tokenizer, [("a+b", ids("a+b"), ids("a b"))])]
    ['“+” becomes U+0020']
    """
    shown: list[Shown] = []
    for text, right, observed in answers:
        due, given = (predicted(partial(tokenizer.decode, ids)) for ids in (right, observed))
        if due is not None and given is not None:
            shown.append(Shown(text, due, given, partial(_encodes, tokenizer, text, tuple(observed))))
    for one in text_changes(shown):
        yield replace(of_text("Input", one.rule, tokenizer, one.change), learnt=one.kind)


def _encodes(tokenizer: Tokenizer, text: str, observed: tuple[int, ...], change: Change) -> bool:
    return predicted(lambda: tuple(tokenizer.encode_ids(change(text)))) == observed


def of_changed_decodings(
    tokenizer: Tokenizer, answers: Iterable[tuple[Sequence[int], Decoded, Decoded]]
) -> Iterator[DecodingFault]:
    """The faults that change a text after it is decoded.

    answers: ids, each with the right text and that of a subject.
    """
    shown: list[Shown] = []
    for _, right, observed in answers:
        due = right.text if observed.with_special is None else right.kept
        shown.append(Shown(due, due, observed.kept, partial(_becomes, due, observed.kept)))
    for one in text_changes(shown):
        yield of_decoded(one.rule, tokenizer, one.change, one.kind)


def _becomes(due: str, given: str, change: Change) -> bool:
    return change(due) == given


def text_changes(shown: Sequence[Shown]) -> Iterator[TextChange]:
    """The changes that explain at least one answer each, the simplest first."""
    named = set[str]()
    for made in (_of_characters, _of_removed, _of_stripped, _of_ends, _of_runs, _of_strings):
        for one in made(shown):
            if one.rule not in named:  # a replaced string of one character is also found as a replaced character
                named.add(one.rule)
                yield one


# --- characters

_ASCII_CONTROLS = frozenset(map(chr, (*range(0x20), 0x7F)))
_CLASSES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("ASCII control characters", _ASCII_CONTROLS.__contains__),
    ("ASCII control characters other than TAB and LF", (_ASCII_CONTROLS - {*"\t\n"}).__contains__),
    ("ASCII control characters other than TAB, LF and CR", (_ASCII_CONTROLS - {*"\t\n\r"}).__contains__),
    ("control characters", lambda one: category(one) == "Cc"),
    ("control characters other than TAB, LF and CR", lambda one: category(one) == "Cc" and one not in "\t\n\r"),
    ("control and format characters", lambda one: category(one) in ("Cc", "Cf")),
    ("format characters", lambda one: category(one) == "Cf"),
    ("combining marks", lambda one: category(one)[0] == "M"),
    ("characters that are not ASCII", lambda one: one > "\x7f"),
    ("characters that are not Latin-1", lambda one: one > "\xff"),
    ("characters above U+FFFF", lambda one: one > "\uffff"),
    ("private use characters", lambda one: category(one) == "Co"),
    ("digits", lambda one: "0" <= one <= "9"),
    ("punctuation of ASCII", punctuation.__contains__),
)
"""Classes by which programs remove or replace characters, the narrower first: one answer shows a member or two."""
_LEAST_OF_A_CLASS = 3
"""The number of members that must be seen before all others are tried."""


def _classes(seen: Collection[str]) -> Iterator[tuple[str, Callable[[str], bool]]]:
    """The classes that all of these characters are of."""
    if len(seen) >= _LEAST_OF_A_CLASS:
        yield from ((rule, is_member) for rule, is_member in _CLASSES if all(map(is_member, seen)))


def _with_members(is_member: Callable[[str], bool], instead: str, text: str) -> str:
    return "".join(instead if is_member(character) else character for character in text)


def _of_characters(shown: Iterable[Shown]) -> Iterator[TextChange]:
    """Replacements of single characters: all as one change, then one by one, since some may be learnt by mistake."""
    table: dict[str, str] = {}
    for one in shown:
        pairs = {old: new for old, new in _pairs(one.due, one.given) if old in one.text}
        more = {**pairs, **table}
        if pairs.keys() - table and one.is_given_by(partial(_with_others, more)):
            table = more
    targets = dict.fromkeys(table.values())
    for new in targets if len(targets) < len(table) else ():
        for rule, is_member in _classes([old for old, instead in table.items() if instead == new]):
            yield TextChange(f"{rule} become {_name(new)}", partial(_with_members, is_member, new))
    if len(table) > 1:
        yield TextChange(SEVERAL, partial(_with_others, table))
    for old, new in table.items():
        yield TextChange(f"{_name(old)} becomes {_name(new)}", partial(_with_others, {old: new}), "character")


def _with_others(table: Mapping[str, str], text: str) -> str:
    return "".join(table.get(character, character) for character in text)


def _pairs(right: str, observed: str) -> list[tuple[str, str]]:
    """The characters of the right text that differ in the observed one, if it is clear which corresponds to which.

    A missing character counts as replaced by a space, because decoders drop a space at the start.

    >>> _pairs("a-b-", "a_b_"), _pairs("straße", "strasse"), _pairs("+", ""), _pairs("ab", "ba and more")
    ([('-', '_')], [('ß', 'ss')], [('+', ' ')], [])
    """
    if len(right) == len(observed):
        found = dict.fromkeys(pair for pair in zip(right, observed, strict=True) if pair[0] != pair[1])
        return [*found] if len(found) == len(dict(found)) <= _MOST_OF_AN_ANSWER else []
    same = next((place for place in range(len(right)) if right[place] != observed[place : place + 1]), len(right))
    rest = len(right) - same - 1
    if rest < 0 or right[same + 1 :] != observed[len(observed) - rest :]:
        return []
    instead = observed[same : len(observed) - rest] or " "
    return [(right[same], instead)] if len(instead) <= _LONGEST and instead != right[same] else []


def _of_removed(shown: Iterable[Shown]) -> Iterator[TextChange]:
    """Removed characters: all as one change, then one by one."""
    found = _removed(shown)
    for rule, is_member in _classes(found):
        yield TextChange(f"{rule} are removed", partial(_with_members, is_member, ""))
    if len(found) > 1:
        is_zero_width = all(map(ZERO_WIDTH.__contains__, map(ord, found)))
        rule = "zero-width characters are removed" if is_zero_width else "some characters are removed"
        yield TextChange(rule, partial(_without, "".join(found)))
    for character in found:
        yield TextChange(f"{_name(character)} is removed", partial(_without, character), "removed")


def _removed(shown: Iterable[Shown]) -> dict[str, None]:
    """The characters that are removed from the middle of a text; missing at its ends, they may be stripped instead."""
    found = dict[str, None]()
    for one in shown:
        lost = [character for character in dict.fromkeys(one.text) if character not in one.given][:_MOST_REMOVED]
        for some in (lost, *([character] for character in lost)):
            if some and one.is_given_by(partial(_without, "".join(some))):
                within = one.text.strip("".join(some))
                found |= dict.fromkeys(character for character in some if character in within)
                break
    return found


def _without(characters: str, text: str) -> str:
    return text.translate(dict.fromkeys(map(ord, characters)))


# --- ends


def _each_line(strip: Callable[[str, str], str], text: str, characters: str) -> str:
    return "\n".join(strip(line, characters) for line in text.split("\n"))


_SIDES: tuple[tuple[str, Callable[[str, str], str]], ...] = (
    ("the end", str.rstrip),
    ("the start", str.lstrip),
    ("the ends", str.strip),
    ("the ends of lines", partial(_each_line, str.rstrip)),
    ("the starts of lines", partial(_each_line, str.lstrip)),
)

_ONCE: tuple[tuple[str, Callable[[str, str], str]], ...] = (
    ("the end", str.removesuffix),
    ("the start", str.removeprefix),
)


def _of_stripped(shown: Sequence[Shown]) -> Iterator[TextChange]:
    """Characters stripped at the ends of texts or lines, either the whole run or one; not those removed everywhere."""
    removed = _removed(shown)
    for side, strip in _SIDES:
        found = dict[str, None]()
        for one in shown:
            is_of_lines = side.endswith("lines")
            lines = one.text.split("\n") if is_of_lines else [one.text]
            ends = dict.fromkeys(filter(None, chain.from_iterable((line[:1], line[-1:]) for line in lines)))
            outer = [character for character in ends if is_of_lines or character not in removed]
            changes = {characters: partial(_stripped, strip, characters) for characters in (*outer, "".join(outer))}
            fitting = (some for some, change in changes.items() if change(one.text) != one.text)
            found |= dict.fromkeys(next((some for some in fitting if one.is_given_by(changes[some])), ""))
        if found:
            characters = "".join(found)
            rule = f"{_some(characters)} at {side} {_are(characters)} stripped"
            yield TextChange(rule, partial(_stripped, strip, characters), "ends")
    for side, strip in _ONCE:
        times = Counter[str]()
        for one in shown:
            for character in dict.fromkeys(filter(None, (one.text[:1], one.text[-1:]))):
                change = partial(_stripped, strip, character)
                times[character] += one.text != change(one.text) and one.is_given_by(change)
        for character in (one for one, count in times.items() if count >= _LEAST_TIMES):
            rule = f"one {_some(character).removesuffix('s')} at {side} is stripped"
            yield TextChange(rule, partial(_stripped, strip, character), "ends")


def _stripped(strip: Callable[[str, str], str], characters: str, text: str) -> str:
    return strip(text, characters)


def _some(characters: str) -> str:
    return "spaces" if characters == " " else _name(characters) if len(characters) == 1 else "some characters"


def _are(characters: str) -> str:
    return "is" if len(characters) == 1 and characters != " " else "are"


def _of_ends(shown: Iterable[Shown]) -> Iterator[TextChange]:
    """A fixed number of characters lost at an end, or a fixed string added there."""
    changes: dict[str, Change] = {}
    for count in range(1, _MOST_LOST + 1):
        lost = "character is" if count == 1 else f"{count} characters are"
        changes[f"the first {lost} lost"] = partial(_without_first, count)
        changes[f"the last {lost} lost"] = partial(_without_last, count)
    for one in shown:
        more = len(one.given) - len(one.due)
        if 0 < more <= _LONGEST_AFFIX:
            first, last = one.given[:more], one.given[len(one.due) :]
            if one.given.endswith(one.due):
                changes[f"{_name(first)} is added at the start"] = first.__add__
            if one.given.startswith(one.due):
                changes[f"{_name(last)} is added at the end"] = partial(_with_last, last)
    for rule, change in changes.items():
        if any(one.is_given_by(change) for one in shown):
            yield TextChange(rule, change, "ends")


def _without_first(count: int, text: str) -> str:
    return text[count:]


def _without_last(count: int, text: str) -> str:
    return text[: max(0, len(text) - count)]


def _with_last(last: str, text: str) -> str:
    return text + last


# --- runs and strings


def _of_runs(shown: Iterable[Shown]) -> Iterator[TextChange]:
    """Runs of one character that are shortened to a fixed length."""
    found = dict[tuple[str, int], None]()
    for one in shown:
        for character in dict.fromkeys(run[1] for run in re.finditer(r"(?s)(.)\1", one.text)):
            for kept in range(1, _LONGEST_RUN + 1):
                if character * (kept + 1) in one.text and one.is_given_by(partial(_with_runs, character, kept)):
                    found[character, kept] = None
    for character, kept in found:
        few = "one" if kept == 1 else str(kept)
        more = "repeated" if kept == 1 else f"more than {kept} repeated"
        yield TextChange(f"{more} {_name(character)} become {few}", partial(_with_runs, character, kept), "run")


def _with_runs(character: str, kept: int, text: str) -> str:
    return re.sub(f"{re.escape(character)}{{{kept + 1},}}", lambda _: character * kept, text)


def _of_strings(shown: Iterable[Shown]) -> Iterator[TextChange]:
    """A string replaced by another, tried with and without its neighbouring characters.

    At least two answers must show it, and one of them inside a word; otherwise it may be a mistake with whole words.
    """
    times = Counter[tuple[str, str]]()
    within = set[tuple[str, str]]()
    for one in shown:
        for pair in _strings(one.text, one.given):
            if one.is_given_by(partial(_with_other, *pair)):
                times[pair] += 1
                within |= {pair} if _is_within_a_word(pair[0], one.text) else set()
    for pair, count in times.most_common(_MOST_STRINGS):
        if count >= _LEAST_TIMES and pair in within:
            becomes = f"becomes {_name(pair[1])}" if pair[1] else "is removed"
            yield TextChange(f"{_name(pair[0])} {becomes}", partial(_with_other, *pair), "string")


def _strings(text: str, given: str) -> Iterator[tuple[str, str]]:
    """What lies between the first and the last difference of two texts, with up to two characters around it."""
    first = first_difference(text, given)
    rest = first_difference(text[:first:-1], given[:first:-1])
    end, end_given = len(text) - rest, len(given) - rest
    if not 0 < end - first <= _LONGEST_STRING:
        return
    for before, after in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)):
        if before <= first and after <= rest:
            yield text[first - before : end + after], given[first - before : end_given + after]


def _is_within_a_word(string: str, text: str) -> bool:
    """Whether a string of letters touches another letter; always true for a string without letters."""
    before, _, after = text.partition(string)
    return not any(map(str.isalnum, string)) or (string.isalnum() and (before[-1:] + after[:1]).isalnum())


def _with_other(one: str, other: str, text: str) -> str:
    return text.replace(one, other)


def _name(text: str) -> str:
    r"""A character or a string as a rule names it.

    >>> _name("+"), _name(" "), _name("\n"), _name(" x")
    ('“+”', 'U+0020', 'U+000A', 'U+0020 U+0078')
    """
    if all("!" <= character <= "~" for character in text):
        return f"“{text}”"
    return " ".join(f"U+{ord(character):04X}" for character in text)
