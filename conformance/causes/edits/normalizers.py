"""Ways to get the normalizer wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, pairwise
from typing import Literal, TypeAlias
from unicodedata import combining, is_normalized, normalize

import regex

from conformance.causes.edits.added_tokens import with_normalizers
from conformance.causes.edits.fault import Fault, Faults, around, of_rules, of_text, with_steps
from conformance.causes.edits.parameters import in_other_order, with_other_options
from reftok import Tokenizer
from reftok.rules.huggingface.normalizers import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    BertNormalizer,
    Lowercase,
    Precompiled,
    Prepend,
    Replace,
    UnicodeForm,
)
from reftok.rules.huggingface.pre_tokenizers import ByteLevel, Metaspace
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import PrefixMatcher
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import PrependScheme
from reftok.unicode.characters import WHITE_SPACE, lower_case
from reftok.unicode.charsmap import Charsmap

Pattern: TypeAlias = "re.Pattern[str] | regex.Pattern[str]"
_SCHEMES: tuple[PrependScheme, ...] = ("always", "first")
_WHITE_SPACE = re.compile(f"[{''.join(sorted(WHITE_SPACE))}]")
_SPACES = re.compile("  +")
_SPACES_BETWEEN = re.compile("(?<=[^ ])  +(?=[^ ])")
_FORMS: dict[_Form, Callable[[], UnicodeForm]] = {"NFC": NFC, "NFD": NFD, "NFKC": NFKC, "NFKD": NFKD}


def of_normalizers(tokenizer: Tokenizer) -> Faults:
    """Steps that are missing, or others than they should be; then steps that the model does not have."""
    for index, step in enumerate(tokenizer.rules.normalizers):
        if isinstance(step, SentencePieceNormalizer):
            yield from _of_sentencepiece(tokenizer, step)
            continue
        yield _with(tokenizer, f"{type(step).__name__} is missing", index, ())
        yield from _in_place(tokenizer, index, step)
        for rule, other in with_other_options(step):
            yield _with(tokenizer, rule, index, (other,))
    for rule, steps in in_other_order(tokenizer.rules.normalizers):
        yield of_rules("Normalizer", rule, tokenizer, partial(with_normalizers, tokenizer.rules, steps))
    yield from _of_spaces(tokenizer)
    yield from _of_lower_case(tokenizer)
    yield from _of_chinese(tokenizer)
    yield from _of_mapped_case(tokenizer)
    yield from _added(tokenizer)


def _of_spaces(tokenizer: Tokenizer) -> Faults:
    """Spaces that become `▁`, and the one that is put before the text, by the rules of another component."""
    steps = tokenizer.rules.normalizers
    at = [index for index, step in enumerate(steps) if isinstance(step, Replace) and step.pattern == " "]
    for index in at:
        replaced = steps[index]
        assert isinstance(replaced, Replace)
        first = Rewritten(partial(_first_replaced, replaced.content))
        yield _with(tokenizer, "only the first space is replaced", index, (first,))
        every = Rewritten(partial(_WHITE_SPACE.sub, replaced.content))
        yield _with(tokenizer, "all white space is replaced as a space", index, (every,))
        others = tuple(step for step in steps if not isinstance(step, Prepend) and step is not replaced)
        if len(others) < len(steps) - 1 and not tokenizer.rules.pre_tokenizers:
            for scheme in _SCHEMES:
                for split in (False, True):
                    build = partial(
                        _with_pre_tokenizers, tokenizer, others, (Metaspace(replaced.content, scheme, split),)
                    )
                    yield of_rules("Normalizer", "Metaspace in place of Prepend and Replace", tokenizer, build)
    for index, step in enumerate(steps):
        if isinstance(step, Prepend):
            yield _with(tokenizer, "Prepend only at the start of the text", index, (PrependOnce(step),))
            yield _with(tokenizer, "Prepend only where there is none yet", index, (PrependIfNone(step),))
    for metaspace in tokenizer.rules.pre_tokenizers:
        if isinstance(metaspace, Metaspace):
            other = tuple(one for one in tokenizer.rules.pre_tokenizers if one is not metaspace)
            apart = (*steps, Prepend(metaspace.replacement), Replace(" ", metaspace.replacement))
            build = partial(_with_pre_tokenizers, tokenizer, apart, other)
            yield of_rules("PreTokenizer", "Prepend and Replace in place of Metaspace", tokenizer, build)
    for index, metaspace in enumerate(tokenizer.rules.pre_tokenizers):
        for rule, prefixing in _of_prefix(metaspace):
            instead = with_steps(tokenizer.rules.pre_tokenizers, index, (prefixing,))
            build = partial(_with_pre_tokenizers, tokenizer, tokenizer.rules.normalizers, instead)
            yield of_rules("PreTokenizer", rule, tokenizer, build)


def _of_prefix(step: PreTokenizer) -> Iterator[tuple[str, PreTokenizer]]:
    if isinstance(step, Metaspace) and step.prepend_scheme == "first":
        yield "the prefix goes to the first text even behind an added token", _FirstText(step)
    if isinstance(step, Metaspace) and step.prepend_scheme != "never":
        again = _PrependsAgain(step.replacement, step.prepend_scheme, step.split)
        yield "the prefix is added even to a text that begins with a space", again


@dataclass(frozen=True, slots=True)
class _FirstText:
    """Metaspace that prepends to the first part that is not an added token."""

    step: Metaspace

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        first = next((index for index, part in enumerate(parts) if part.tokens is None), None)
        always, never = replace(self.step, prepend_scheme="always"), replace(self.step, prepend_scheme="never")
        cut = ((always if index == first else never).pre_tokenize([part]) for index, part in enumerate(parts))
        return [*chain.from_iterable(cut)]


class _PrependsAgain(Metaspace):
    """Metaspace that prepends to what begins with a space as well."""

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        if self._prepends(normalized) and normalized.text.startswith((" ", self.replacement)):
            normalized = normalized.prepend(self.replacement)
        return super()._cut(normalized)


@dataclass(frozen=True, slots=True)
class PrependOnce:
    """Prepend for the part of a text that begins where it does."""

    step: Prepend

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return normalized if normalized.original_start else self.step.normalize(normalized)


@dataclass(frozen=True, slots=True)
class _Skipped:
    """A step that is skipped for some texts."""

    step: Normalizer
    is_skipped: Callable[[str], bool]

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return normalized if self.is_skipped(normalized.text) else self.step.normalize(normalized)


@dataclass(frozen=True, slots=True)
class PrependIfNone:
    """Prepend for what does not begin with it, or with a space."""

    step: Prepend

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return normalized if normalized.text.startswith((self.step.prepend, " ")) else self.step.normalize(normalized)


def _first_replaced(content: str, text: str) -> str:
    return text.replace(" ", content, 1)


def _with_pre_tokenizers(
    tokenizer: Tokenizer, normalizers: tuple[Normalizer, ...], pre_tokenizers: tuple[PreTokenizer, ...]
) -> Pipeline:
    return replace(with_normalizers(tokenizer.rules, normalizers), pre_tokenizers=pre_tokenizers)


_DIACRITICS = re.compile("[\u0300-\u036f]")
_TURKISH = str.maketrans({"I": "\u0131", "\u0130": "i"})


def _of_lower_case(tokenizer: Tokenizer) -> Faults:
    """Lower case as other languages have it."""
    for index, step in enumerate(tokenizer.rules.normalizers):
        lowers = isinstance(step, Lowercase) or (isinstance(step, BertNormalizer) and step.lowercase)
        if lowers:
            changes: tuple[tuple[str, Callable[[str], str]], ...] = (
                ("lower case is Turkish", lambda text: text.translate(_TURKISH)),
                ("lower case by context: a sigma at the end of a word is another", str.lower),
                ("lower case by folding", str.casefold),
                ("characters above U+FFFF are not lower-cased", partial(_kept, lambda one: one > "\uffff")),
                ("only ASCII is lower-cased", partial(_kept, lambda one: not one.isascii())),
            )
            for rule, change in changes:
                is_instead = isinstance(step, Lowercase) and isinstance(change, partial)
                yield _with(tokenizer, rule, index, (Rewritten(change),) if is_instead else (Rewritten(change), step))


def _of_mapped_case(tokenizer: Tokenizer) -> Faults:
    """A Turkish lower case before normalizers that lower the case by a map, as nmt_nfkc_cf does."""
    normalized = NormalizedString("I")
    for step in tokenizer.rules.normalizers:
        normalized = step.normalize(normalized)
    if "i" in normalized.text and not any(
        isinstance(one, Lowercase | BertNormalizer) for one in tokenizer.rules.normalizers
    ):
        yield of_text("Normalizer", "lower case is Turkish", tokenizer, lambda text: text.translate(_TURKISH))


_COMMON_CHINESE = re.compile("[\u4e00-\u9fff]")


def _of_chinese(tokenizer: Tokenizer) -> Faults:
    """BertNormalizer that puts spaces around the ideographs of one block alone."""
    for index, step in enumerate(tokenizer.rules.normalizers):
        if isinstance(step, BertNormalizer) and step.handle_chinese_chars:
            spaced = Rewritten(partial(_COMMON_CHINESE.sub, r" \g<0> "))
            steps = (spaced, replace(step, handle_chinese_chars=False))
            yield _with(tokenizer, "only U+4E00..U+9FFF are Chinese characters", index, steps)


def _lower_case_of_each(text: str) -> str:
    return _kept(lambda _: False, text)


def _kept(is_kept: Callable[[str], bool], text: str) -> str:
    """Lower case but for some characters."""
    return "".join(one if is_kept(one) else lower_case(one) for one in text)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A step that rewrites the text as a whole: each character that comes of it stands for all of the text."""

    change: Callable[[str], str]

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = self.change(normalized.text)
        if text == normalized.text:
            return normalized
        span = normalized.original_span(0, len(normalized.text))
        return NormalizedString(text, span[0], [span] * len(text))


_SINGLE = "the charsmap by single characters"
_SHORTEST = "the charsmap by the shortest rule at each place"
_KEPT = "characters that the charsmap removes are kept"
_LONGEST_KEY = 16
"""Characters that are looked up at each place; the shortest rule has fewer."""


class _OfReplacements(Charsmap):
    """A charsmap without the rules that remove characters."""

    def __init__(self, charsmap: Charsmap) -> None:
        vars(self).update(vars(charsmap))

    def shortest_prefix(self, text: str) -> str | None:
        return super().shortest_prefix(text) or None


class _KeepingRemoved(Precompiled):
    """A subclass, so that the fast path falls back to `normalize`."""

    def __init__(self, charsmap: Charsmap) -> None:
        super().__init__(_OfReplacements(charsmap))


class _WithoutRemoval(SentencePieceNormalizer):
    """Keeps the characters that the charsmap removes."""

    def prefix(self, text: str, position: int) -> tuple[str, int]:
        part, length = super().prefix(text, position)
        return (part, length) if part else (text[position], 1)


class _ByShortestRule(SentencePieceNormalizer):
    """Applies the shortest matching rule of the charsmap."""

    def prefix(self, text: str, position: int) -> tuple[str, int]:
        part, length = super().prefix(text, position)
        key = text[position : position + _LONGEST_KEY].encode("utf-8", "surrogateescape")
        if self.charsmap is None or (self.symbols is not None and self.symbols.length_at(text, position)):
            return part, length
        for size, replacement in self.charsmap.prefixes(key):
            return replacement, len(key[:size].decode("utf-8", "surrogateescape"))
        return part, length


_EXTRA_SPACES: Mapping[str, frozenset[str]] = {
    "extra spaces at the end are kept": frozenset({"end"}),
    "extra spaces between words are kept": frozenset({"between"}),
    "extra spaces at the ends are kept": frozenset({"start", "end"}),
    "extra spaces at the start are kept": frozenset({"start"}),
}
"""Each rule with the places in which it keeps extra spaces."""


class _KeepingSpaces(SentencePieceNormalizer):
    """Removes extra spaces in some places only."""

    def __init__(
        self,
        options: NormalizerOptions,
        charsmap: Charsmap | None,
        symbols: PrefixMatcher | None,
        keeps: frozenset[str],
    ) -> None:
        super().__init__(options, charsmap, symbols)
        plain = replace(options, remove_extra_whitespaces=False, add_dummy_prefix=False, escape_whitespaces=False)
        self.kept = SentencePieceNormalizer(plain, charsmap, symbols)
        self.whole = SentencePieceNormalizer(replace(options, remove_extra_whitespaces=False), None, symbols)
        self.keeps = keeps

    def rewrite(self, text: str) -> tuple[str, Sequence[int]]:
        text, _ = self.kept.rewrite(text)
        if "start" not in self.keeps:
            text = text.lstrip(" ")
        if "end" not in self.keeps:
            text = text.rstrip(" ")
        if "between" not in self.keeps:
            text = _SPACES_BETWEEN.sub(" ", text)
        return self.whole.rewrite(text)


class _KeepingFirstSpaces(SentencePieceNormalizer):
    """Keeps U+0020 at the start, but removes other spaces there."""

    def rewrite(self, text: str) -> tuple[str, Sequence[int]]:
        count = len(text) - len(text.lstrip(" "))
        rewritten, origins = super().rewrite(text)
        return (self._space * count + rewritten, [*range(count), *origins]) if rewritten else (rewritten, origins)


_UNPREFIXED: Mapping[str, Pattern] = {
    "no dummy prefix before a space": re.compile(" "),
    "no dummy prefix before Chinese or Japanese characters": regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]"),
    "no dummy prefix before characters outside ASCII": re.compile("[^\0-\x7f]"),
    "no dummy prefix before digits": re.compile(r"\d"),
    "no dummy prefix before punctuation": re.compile(r"[^\w\s]"),
}
"""Each rule with a pattern for the start of the texts that get no dummy prefix."""


class _Unprefixed(SentencePieceNormalizer):
    """Leaves out the dummy prefix if the text matches `start`."""

    def __init__(
        self,
        options: NormalizerOptions,
        charsmap: Charsmap | None,
        symbols: PrefixMatcher | None,
        start: Pattern,
    ) -> None:
        super().__init__(options, charsmap, symbols)
        self.bare = SentencePieceNormalizer(replace(options, add_dummy_prefix=False), charsmap, symbols)
        self.start = start

    def rewrite(self, text: str) -> tuple[str, Sequence[int]]:
        return self.bare.rewrite(text) if self.start.match(text) else super().rewrite(text)


class _BySingleCharacters(SentencePieceNormalizer):
    """Rules of several characters are not looked for."""

    def prefix(self, text: str, position: int) -> tuple[str, int]:
        if self.symbols is not None and (length := self.symbols.length_at(text, position)):
            return text[position : position + length], length
        return super().prefix(text[position], 0)


class _NotFromAscii(SentencePieceNormalizer):
    """Applies no rules that begin with an ASCII character."""

    def _longest_rule(self, charsmap: Charsmap, text: str, position: int) -> tuple[str, int] | None:
        return None if text[position].isascii() else super()._longest_rule(charsmap, text, position)


def _in_place(tokenizer: Tokenizer, index: int, step: Normalizer) -> Faults:
    if isinstance(step, UnicodeForm):
        changes: tuple[tuple[str, Callable[[str], str]], ...] = (
            (f"{step.form} without canonical order", partial(_unordered, step.form)),
            (f"{step.form} without Hangul", partial(_between, _HANGUL, step.form)),
        )
        if step.form in ("NFC", "NFKC"):
            changes += (
                (f"{step.form} leaves final consonants of Hangul apart", partial(_with_finals_apart, step.form)),
                (f"{step.form} composes without decomposing first", partial(_between, _decomposed(), step.form)),
                (f"{step.form} composes what Unicode excludes", partial(_with_excluded, step.form)),
            )
        for rule, change in changes:
            yield _with(tokenizer, rule, index, (Rewritten(change),))
        rule = f"{step.form} is skipped if no character has a combining class"
        yield _with(tokenizer, rule, index, (_Skipped(step, lambda text: not any(map(combining, text))),))
        rule = f"{step.form} is skipped if no character is in U+0300..U+036F"
        yield _with(tokenizer, rule, index, (_Skipped(step, lambda text: _DIACRITICS.search(text) is None),))
    if isinstance(step, Precompiled):
        yield _with(tokenizer, "the charsmap is not applied to texts of ASCII", index, (_Skipped(step, str.isascii),))
        yield _with(tokenizer, _KEPT, index, (_KeepingRemoved(step.charsmap),))
        longest = SentencePieceNormalizer(NormalizerOptions(False, False, False), step.charsmap)
        yield _with(tokenizer, "the charsmap by the longest rule at each place", index, (longest,))
        shortest_prefix = step.charsmap.shortest_prefix
        alone = Rewritten(
            lambda text: "".join(one if (found := shortest_prefix(one)) is None else found for one in text)
        )
        yield _with(tokenizer, _SINGLE, index, (alone,))
    named = step.form if isinstance(step, UnicodeForm) else "the charsmap" if isinstance(step, Precompiled) else ""
    for form, other in _FORMS.items():
        if named and form != named:
            yield _with(tokenizer, f"{form} in place of {named}", index, (other(),))
            own = Rewritten(partial(normalize, form))  # with the Unicode tables of Python
            yield _with(tokenizer, f"{form} in place of {named}", index, (own,))


def _of_sentencepiece(tokenizer: Tokenizer, step: SentencePieceNormalizer) -> Faults:
    def changed(rule: str, build: Callable[[], SentencePieceNormalizer]) -> Fault:
        return of_rules("Normalizer", rule, tokenizer, lambda: replace(tokenizer.rules, normalizers=(build(),)))

    options = step.options
    rules = {
        "add_dummy_prefix": ("the dummy prefix is missing", "a dummy prefix is added"),
        "remove_extra_whitespaces": ("extra spaces are kept", "extra spaces are removed"),
        "escape_whitespaces": ("spaces are not escaped", "spaces are escaped"),
        "treat_whitespace_as_suffix": ("the dummy prefix stands before the text", "the dummy prefix is a suffix"),
    }
    for option, (off, on) in rules.items():
        value = getattr(options, option)
        other = replace(options, **{option: not value})
        build = partial(SentencePieceNormalizer, other, step.charsmap, step.symbols)
        yield changed(off if value else on, build)
    if options.remove_extra_whitespaces:
        for rule, keeps in _EXTRA_SPACES.items():
            yield changed(rule, partial(_KeepingSpaces, options, step.charsmap, step.symbols, keeps=keeps))
        first_kept = partial(_KeepingFirstSpaces, options, step.charsmap, step.symbols)
        yield changed("extra spaces at the start are kept", first_kept)
    if options.add_dummy_prefix:
        rule = "no dummy prefix before a space"
        yield of_text("Normalizer", rule, tokenizer, lambda text: text.removeprefix(" "))
        for rule, start in _UNPREFIXED.items():
            yield changed(rule, partial(_Unprefixed, options, step.charsmap, step.symbols, start))
    if step.charsmap is not None:
        without = partial(SentencePieceNormalizer, options, None, step.symbols)
        yield changed("the charsmap is not applied", without)
        bare = replace(tokenizer.rules, normalizers=(without(),))
        not_of_ascii = "the charsmap is not applied to texts of ASCII"
        yield of_rules("Normalizer", not_of_ascii, tokenizer, lambda: bare, str.isascii)
        for form in ("NFKC", "NFC"):
            yield of_text("Normalizer", f"{form} in place of the charsmap", bare, partial(normalize, form))
        readings = (
            (_SINGLE, _BySingleCharacters),
            (_SHORTEST, _ByShortestRule),
            (_KEPT, _WithoutRemoval),
            ("charsmap rules that begin with ASCII are not applied", _NotFromAscii),
        )
        for rule, reading in readings:
            yield changed(rule, partial(reading, options, step.charsmap, step.symbols))
        if options.remove_extra_whitespaces:
            keeping = replace(options, remove_extra_whitespaces=False)
            kept = replace(
                tokenizer.rules, normalizers=(SentencePieceNormalizer(keeping, step.charsmap, step.symbols),)
            )
            rule = "extra spaces are removed before the charsmap is applied"
            yield of_text("Normalizer", rule, kept, lambda text: _SPACES.sub(" ", text.strip(" ")))
    if step.symbols is not None:
        build = partial(SentencePieceNormalizer, options, step.charsmap)
        yield changed("user-defined symbols are normalized", build)


def _added(tokenizer: Tokenizer) -> Faults:
    forms = {step.form for step in tokenizer.rules.normalizers if isinstance(step, UnicodeForm)}
    for form in _FORMS if not forms else ():
        yield of_text("Normalizer", f"text is brought to {form}", tokenizer, partial(normalize, form))
    yield of_text("Normalizer", "ASCII is lower-cased", tokenizer, partial(_kept, lambda one: not one.isascii()))
    for lowered in (str.lower, _lower_case_of_each):  # by its neighbours, a sigma becomes another
        yield of_text("Normalizer", "text is lower-cased", tokenizer, lowered)
    added = tokenizer.rules.added_tokens.tokens.values()
    if any(token.normalized for token in added):  # others are matched before the step
        steps = (*tokenizer.rules.normalizers, Lowercase())
        yield of_rules(
            "Normalizer", "text is lower-cased", tokenizer, partial(with_normalizers, tokenizer.rules, steps)
        )
    prefix = tokenizer.token_to_id("▁")
    if prefix is not None and not tokenizer.encode_ids("", add_special_tokens=False):
        before, after = around(tokenizer)
        prefixed = lambda text: tokenizer.encode_ids(text) if text else [*before, prefix, *after]
        yield Fault("Normalizer", "a dummy prefix is added to the empty text", prefixed)
    if prefix is not None and tokenizer.rules.added_tokens.tokens:
        rule = "a dummy prefix is added between adjacent added tokens"
        yield Fault("Normalizer", rule, partial(_prefixed_between, tokenizer, prefix))
    yield of_text("Normalizer", "a space is added before the text", tokenizer, lambda text: " " + text)
    yield of_text("Normalizer", "accents are removed", tokenizer, _without_accents)
    split = [index for index, step in enumerate(tokenizer.rules.pre_tokenizers) if not isinstance(step, ByteLevel)]
    if forms and split and len(tokenizer.rules.normalizers) == 1:
        build = partial(_after_split, tokenizer, split[-1] + 1)
        yield of_rules("Normalizer", f"{min(forms)} comes after the text is split", tokenizer, build)


def _prefixed_between(tokenizer: Tokenizer, prefix: int, text: str) -> Sequence[int]:
    added, bare = tokenizer.rules.added_tokens.tokens, tokenizer.encode_ids(text, add_special_tokens=False)
    before, after = around(tokenizer)
    empty = {place for place, pair in enumerate(pairwise(bare), 1) if added.keys() >= {*pair}}
    return [
        *before,
        *(one for place, token in enumerate(bare) for one in [prefix] * (place in empty) + [token]),
        *after,
    ]


@dataclass(frozen=True, slots=True)
class _NormalizedParts:
    """A normalizer in the place of a pre-tokenizer."""

    step: Normalizer

    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        return [part if part.tokens is not None else Part(self.step.normalize(part.normalized)) for part in splits]


def _after_split(tokenizer: Tokenizer, index: int) -> Pipeline:
    steps = [*tokenizer.rules.pre_tokenizers]
    steps.insert(index, _NormalizedParts(tokenizer.rules.normalizers[0]))
    return replace(tokenizer.rules, normalizers=(), pre_tokenizers=tuple(steps))


def _unordered(form: _Form, text: str) -> str:
    """The text normalized, but marks as they stand: cut where one would be moved before another."""
    cuts = [0, *(place for place in range(1, len(text)) if combining(text[place - 1]) > combining(text[place]) > 0)]
    return "".join(normalize(form, text[start:stop]) for start, stop in pairwise([*cuts, len(text)]))


_Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
_HANGUL = re.compile("[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]+")


@cache
def _decomposed() -> re.Pattern[str]:
    """The characters that NFC takes apart and does not put together again."""
    found = (chr(code) for code in range(0x80, 0x30000) if not 0xD800 <= code < 0xE000)
    return re.compile(f"[{''.join(one for one in found if not is_normalized('NFC', one))}]")


@cache
def _excluded() -> tuple[re.Pattern[str], dict[str, str]]:
    """The pairs that are the decomposition of a character which NFC leaves out; by pair, that character."""
    pairs = {normalize("NFC", one): one for one in _decomposed().pattern[1:-1] if len(normalize("NFC", one)) == 2}
    return re.compile("|".join(map(re.escape, pairs))), pairs


def _between(kept: re.Pattern[str], form: _Form, text: str) -> str:
    """The text normalized but for some characters, which stand as they are."""
    places = [0, *(place for found in kept.finditer(text) for place in found.span()), len(text)]
    parts = [text[start:stop] for start, stop in pairwise(places)]
    return "".join(part if index % 2 else normalize(form, part) for index, part in enumerate(parts))


def _with_excluded(form: _Form, text: str) -> str:
    pattern, composed = _excluded()
    return pattern.sub(lambda found: composed[found[0]], normalize(form, text))


_SYLLABLES, _FINALS, _BEFORE_FINALS = range(0xAC00, 0xD7A4), 28, 0x11A7
"""The syllables of Hangul; how many final consonants a syllable may have, or none; what stands before those."""


def _with_finals_apart(form: _Form, text: str) -> str:
    """The text normalized, by a formula that composes two jamos and not a third."""
    return _SYLLABLE.sub(lambda found: _apart(ord(found[0])), normalize(form, text))


_SYLLABLE = re.compile(f"[{chr(_SYLLABLES[0])}-{chr(_SYLLABLES[-1])}]")


def _apart(syllable: int) -> str:
    final = (syllable - _SYLLABLES[0]) % _FINALS
    return chr(syllable - final) + (chr(_BEFORE_FINALS + final) if final else "")


def _without_accents(text: str) -> str:
    return "".join(character for character in normalize("NFD", text) if not "\u0300" <= character <= "\u036f")


def _with(tokenizer: Tokenizer, rule: str, index: int, steps: tuple[Normalizer, ...]) -> Fault:
    normalizers = with_steps(tokenizer.rules.normalizers, index, steps)
    return of_rules("Normalizer", rule, tokenizer, lambda: with_normalizers(tokenizer.rules, normalizers))
