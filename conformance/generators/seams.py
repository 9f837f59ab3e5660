r"""Seams: places in this model where two rules want the same characters, each with an input that meets it.

A table, not a draw: a composing mark behind the last character of an added token, or a letter that is newer than some
tables before `'s`, would be drawn once in a million inputs. Runs ask the whole table, sessions ask it first, vectors
are chosen from it, and coverage counts it.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, product, zip_longest
from random import Random

import regex

from conformance.core.unicode_ages import age_of, of_each_age
from conformance.generators.added_tokens import flag_names, flags_of
from conformance.generators.alphabets import NEARLY_SPACES, SPACES, decomposable
from conformance.generators.base import Generator, grouped, pick
from conformance.generators.contents import NEIGHBOURS
from conformance.generators.knowledge import ModelKnowledge
from conformance.generators.pattern_texts import branches_of, text_maker
from reftok.regex_dialects.oniguruma.syntax_tree import Node
from reftok.rules.types import AddedToken

MOST_SEAMS = 1_750
"""The most seams of one model, shared evenly by the kinds."""
ENDS, STARTS = "ends of added tokens", "starts of added tokens"
BESIDE_TOKENS, BESIDE_ALTERNATIVES = "neighbours of added tokens", "neighbours of alternatives"
NEWER, CASED, WHITE = "Unicode ages", "case mappings between classes", "white space"
KINDS = (ENDS, STARTS, BESIDE_TOKENS, BESIDE_ALTERNATIVES, NEWER, CASED, WHITE)

_OF_A_SORT = 100
"""The most added tokens with the same flags and end character that get a seam each."""
_DRAWS, _MOST_PAIRS = 4, 100
"""Texts for each pair of alternatives; the most pairs of one pattern."""
_SIZES = (300, 600, 1_100, 2_100, 4_200)
"""Code points, a little more than buffers are long."""
_EXTENDERS = "\u0301\u0345\u0338\u0903\u200d\u20dd\u3099\ufe0f\U0001f3fb"
"""Each extends the grapheme cluster before it: marks of every category, a joiner, a selector, a skin tone."""
_CASED = "\u0345ßẞıİſ\u212a\u212bŉǰΐﬀﬁﬅⅷⓐΣ"
"""Characters whose upper, lower or folded case is of another class, of ASCII or several characters. U+0345 is a mark
whose upper case is a letter: JavaScript's `/\\p{L}/iu` matches it."""


@dataclass(frozen=True, slots=True)
class Seam:
    """A place, and the input that meets it.

    kind: which rules meet, one of KINDS. sort: a group of seams that one mistake would break together, such as all
    tokens with the same flags. place: where in this model it is, for coverage.
    """

    kind: str
    sort: str
    place: str
    text: str


def seams(knowledge: ModelKnowledge) -> tuple[Seam, ...]:
    r"""The seams of a model, always in the same order: the first of each kind, then the second of each.

    >>> import reftok
    >>> from conformance.generators.knowledge import model_knowledge
    >>> found = seams(model_knowledge(reftok.load("bpe-qwen")))
    >>> [seam.text for seam in found if seam.place == "<|im_end|> U+0338"]
    ['<|im_end|≯']
    """
    added = [token for token in knowledge.added if token.content]
    kinds = (
        _at_ends(added),
        _at_starts(added),
        _beside_tokens(added),
        _beside_template(knowledge.template),
        _newer(),
        _cased(),
        _white(),
        *map(_alternatives, range(len(knowledge.patterns)), knowledge.patterns),
    )
    found: dict[str, Seam] = {}
    for seam in filter(None, chain.from_iterable(zip_longest(*kinds))):
        found.setdefault(seam.text, seam)
    return tuple(found.values())[:MOST_SEAMS]


def _at_ends(added: Sequence[AddedToken]) -> Iterator[Seam]:
    """Marks that compose with the last character of a token or extend its cluster, and other forms of the character."""
    for last, sort, contents in _sorts(added, -1):
        for content, mark in product(contents, _composing()[0].get(last, "")):
            yield Seam(ENDS, f"{sort} {_code(mark)}", f"{content} {_code(mark)}", content + mark)
    for last, content in {token.content[-1]: token.content for token in added}.items():
        for mark in _EXTENDERS:
            yield Seam(ENDS, f"{last} extended", f"{content} {_code(mark)}", content + mark)
        for form in _forms(last):
            yield Seam(ENDS, f"{last} as another form", f"{content[:-1]}… {_code(form)}", content[:-1] + form)


def _at_starts(added: Sequence[AddedToken]) -> Iterator[Seam]:
    """Characters that compose with the first one of a token, marks before it, and other forms of the character."""
    for first, sort, contents in _sorts(added, 0):
        for content, base in product(contents, _composing()[1].get(first, "")):
            yield Seam(STARTS, f"{_code(base)} {sort}", f"{_code(base)} {content}", base + content)
    for first, content in {token.content[0]: token.content for token in added}.items():
        for mark in _EXTENDERS:
            yield Seam(STARTS, f"a mark before {first}", f"{_code(mark)} {content}", f"a{mark}{content}")
        for form in _forms(first):
            yield Seam(STARTS, f"{first} as another form", f"{_code(form)} …{content[1:]}", form + content[1:])


def _sorts(added: Sequence[AddedToken], end: int) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Groups tokens by first or last character and flags; gives the character, the group's name and some contents."""
    sorts = grouped(((token.content[end], flags_of(token)), token.content) for token in added)
    for (character, flags), contents in sorts.items():
        yield character, f"{character} {flag_names(flags)}", contents[:: 1 + (len(contents) - 1) // _OF_A_SORT]


def _beside_tokens(added: Sequence[AddedToken]) -> Iterator[Seam]:
    """Every token as a word, and one of each combination of flags beside what a flag and a pattern look at."""
    for _, sort, contents in _sorts(added, -1):
        for content in contents:
            yield Seam(BESIDE_TOKENS, f"{sort} as a word", f"{content} as a word", f"a {content} b")
    flagged = {flag: token for token in added for flag, is_set in enumerate((*flags_of(token), True)) if is_set}
    for flags, content in {flags_of(token): token.content for token in flagged.values()}.items():
        for neighbour in NEIGHBOURS:
            place = f"{content} between {' '.join(map(_code, neighbour)) or 'nothing'}"
            yield Seam(BESIDE_TOKENS, flag_names(flags), place, neighbour + content + neighbour)
    looked_at = (
        ("single_word", of_each_age() + _CASED, "{0}{1}"),
        ("lstrip", SPACES + NEARLY_SPACES, "a{0}{1}"),
        ("rstrip", SPACES + NEARLY_SPACES, "{1}{0}a"),
    )
    for flag, characters, written in looked_at:
        content = next((token.content for token in added if getattr(token, flag)), "")
        for character in characters if content else "":
            text = written.format(character, content)
            place = written.format(f"{_code(character)} ", f"{content} ").strip()
            yield Seam(BESIDE_TOKENS, f"{flag} {age_of(character)}", place, text)


def _beside_template(contents: Sequence[str]) -> Iterator[Seam]:
    """Texts that begin or end with a token of the template, which must be added nevertheless."""
    for content in contents:
        for place, text in (("start", f"{content}a"), ("end", f"a{content}"), ("start and end", content)):
            yield Seam(BESIDE_TOKENS, f"of the template, at the {place}", f"{content} at the {place}", text)


def _alternatives(number: int, tree: Node) -> Iterator[Seam]:
    """Matches of each alternative of a pattern, alone and after a match of every other one."""
    makers = [*map(text_maker, branches_of(tree))]
    pairs = [*product(range(len(makers)), repeat=2)]
    for first, second in pairs[:: 1 + (len(pairs) - 1) // _MOST_PAIRS]:
        for turn in range(_DRAWS):
            chance = Random(f"seam:{first}:{second}:{turn}")
            place = f"{1 + number}: {1 + first}, {1 + second}"
            yield Seam(BESIDE_ALTERNATIVES, place, f"{place} ({turn})", makers[first](chance) + makers[second](chance))
    for first, maker in enumerate(makers):
        for turn in range(_DRAWS):
            place, text = f"{1 + number}: {1 + first}", maker(Random(f"alternative:{first}:{turn}"))
            yield Seam(BESIDE_ALTERNATIVES, place, f"{place} ({turn})", text)
            if text.upper() != text and len(text.upper()) == len(text):  # (?i:'s) before a letter
                yield Seam(BESIDE_ALTERNATIVES, place, f"{place} ({turn}) in capitals", text.upper() + "e")


def _newer() -> Iterator[Seam]:
    """Characters added in each version of Unicode, in contexts that show how a pattern or normalization classes them.

    In front of `'s`, a letter or number leaves the contraction intact; any other character joins the apostrophe.
    """
    for character in of_each_age():
        age, place = age_of(character), _code(character)
        yield Seam(NEWER, age, f"{place} 's", f"{character}'s")
        if regex.match(r"\p{N}|\p{Cn}", character):
            yield Seam(NEWER, age, f"{place} beside digits", f"1{character}23456")
        if regex.match(r"\p{M}|\p{Cn}", character):  # next to marks with higher and with lower combining classes
            text = f"a{character}\u0316 q\u0301{character} a\u0334{character}\u0301"
            yield Seam(NEWER, age, f"{place} beside marks", text)


def _cased() -> Iterator[Seam]:
    """Characters that a case-insensitive pattern may confuse with others."""
    for character in _CASED:
        for text in (f"{character}'s", f"it'{character}", f"a{character}a", f"a{character}", f"1{character}23456"):
            yield Seam(CASED, _code(character), text.replace(character, f" {_code(character)} ").strip(), text)


def _white() -> Iterator[Seam]:
    r"""Characters that languages do not agree to be white space, where a pattern, a strip or a word would tell.

    `\s+(?!\S)` takes all white space in front of one, or all but the last; two spaces may be an added token.
    """
    for character in SPACES + NEARLY_SPACES:
        for text in ("a   {0}b", "a\t\t{0}b", "{0}a {0}!!", "1{0}2   {0}"):
            yield Seam(WHITE, _code(character), text.format(f"[{_code(character)}]"), text.format(character))
    for size in _SIZES:  # cut within, before or behind white space wherever a buffer ends, and nowhere to be stripped
        yield Seam(WHITE, "long", f"{size:,} characters", ("ab  cd  e\n\n" * size)[: size - 1] + "f")


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


@cache
def _composing() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """For each character, those that compose with it from behind, and those that compose with it from the front.

    One vowel and one final consonant stand for all of Hangul.
    """
    forms = grouped((unicodedata.normalize("NFKD", character), character) for character in decomposable())
    behind: defaultdict[str, str] = defaultdict(str)
    before: defaultdict[str, str] = defaultdict(str)
    for composed in decomposable():
        parts = unicodedata.decomposition(composed).split()
        if len(parts) == 2 and parts[0][0] != "<" and unicodedata.is_normalized("NFC", composed):
            first, second = (chr(int(part, 16)) for part in parts)
            for mark in (second, *forms.get(second, ())):  # U+0341 is another U+0301, U+FF9E a halfwidth U+3099
                behind[first] += mark
                before[mark] += first
    for initial in map(chr, range(0x1100, 0x1113)):
        behind[initial] += "\u1161"
    for syllable in map(chr, range(0xAC00, 0xD7A4, 28)):
        behind[syllable] += "\u11a8"
    return behind, before


@cache
def _forms(character: str) -> str:
    """Up to four characters that normalize to this one, alone or followed by marks."""
    found = [form for form in decomposable() if unicodedata.normalize("NFKD", form)[0] == character]
    return "".join(dict.fromkeys((*found[:2], *found[-2:])))


@dataclass(frozen=True, slots=True)
class Seams(Generator):
    """The seams of a model: sessions ask each of them once, then pairs of them in one text."""

    table: tuple[Seam, ...] = field(repr=False)
    name = "seams"

    def draw(self, chance: Random) -> str:
        return pick(chance, self.table).text + pick(chance, NEIGHBOURS) + pick(chance, self.table).text
