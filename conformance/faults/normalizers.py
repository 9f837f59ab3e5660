"""Ways to get the normalizer wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Literal
from unicodedata import combining, normalize, ucd_3_2_0

from conformance.faults.added_tokens import with_normalizers
from conformance.faults.fault import Fault, Faults, of_text, of_tokenizer, with_steps
from reftok import Tokenizer
from reftok.spec.normalizers import NFC, NFD, NFKC, NFKD, Precompiled, UnicodeForm
from reftok.spec.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.spec.stages import Normalizer
from reftok.spec.text import NormalizedString

_FORMS: dict[str, Callable[[], UnicodeForm]] = {"NFC": NFC, "NFD": NFD, "NFKC": NFKC, "NFKD": NFKD}


def of_normalizers(tokenizer: Tokenizer) -> Faults:
    """Steps that are missing, or others than they should be; then steps that the model does not have."""
    for index, step in enumerate(tokenizer.normalizers):
        if isinstance(step, SentencePieceNormalizer):
            yield from _of_sentencepiece(tokenizer, step)
            continue
        yield _with(tokenizer, f"{type(step).__name__} is missing", index, ())
        yield from _in_place(tokenizer, index, step)
    yield from _added(tokenizer)


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


def _in_place(tokenizer: Tokenizer, index: int, step: Normalizer) -> Faults:
    if isinstance(step, UnicodeForm):
        changes: dict[str, Callable[[str], str]] = {
            "without canonical order": partial(_unordered, step.form),
            "by the tables of another Unicode version": partial(ucd_3_2_0.normalize, step.form),
            "by newer Unicode tables": partial(normalize, step.form),
        }
        for how, change in changes.items():
            yield _with(tokenizer, f"{step.form} {how}", index, (Rewritten(change),))
    if isinstance(step, Precompiled):
        longest = SentencePieceNormalizer(NormalizerOptions(False, False, False), step.charsmap)
        yield _with(tokenizer, "the charsmap by the longest rule at each place", index, (longest,))
    named = step.form if isinstance(step, UnicodeForm) else "the charsmap" if isinstance(step, Precompiled) else ""
    for form, other in _FORMS.items():
        if named and form != named:
            yield _with(tokenizer, f"{form} in place of {named}", index, (other(),))


def _of_sentencepiece(tokenizer: Tokenizer, step: SentencePieceNormalizer) -> Faults:
    def changed(rule: str, build: Callable[[], SentencePieceNormalizer]) -> Fault:
        return of_tokenizer("Normalizer", rule, lambda: replace(tokenizer, normalizers=(build(),)))

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
    if options.add_dummy_prefix:
        yield of_text("Normalizer", "no dummy prefix before a space", tokenizer, lambda text: text.removeprefix(" "))
    if step.charsmap is not None:
        without = partial(SentencePieceNormalizer, options, None, step.symbols)
        yield changed("the charsmap is not applied", without)
        for form in ("NFKC", "NFC"):
            plain = replace(tokenizer, normalizers=(without(),))
            yield of_text("Normalizer", f"{form} in place of the charsmap", plain, partial(normalize, form))
    if step.symbols is not None:
        build = partial(SentencePieceNormalizer, options, step.charsmap)
        yield changed("user-defined symbols are normalized", build)


def _added(tokenizer: Tokenizer) -> Faults:
    forms = {step.form for step in tokenizer.normalizers if isinstance(step, UnicodeForm)}
    for form in ("NFC", "NFKC"):
        if not forms:
            yield of_text("Normalizer", f"text is brought to {form}", tokenizer, partial(normalize, form))
    yield of_text("Normalizer", "text is lower-cased", tokenizer, str.lower)
    yield of_text("Normalizer", "a space is added before the text", tokenizer, lambda text: " " + text)
    yield of_text("Normalizer", "accents are removed", tokenizer, _without_accents)


def _unordered(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """The text normalized, but marks as they stand: cut where one would be moved before another."""
    cuts = [0, *(place for place in range(1, len(text)) if combining(text[place - 1]) > combining(text[place]) > 0)]
    return "".join(normalize(form, text[start:stop]) for start, stop in pairwise([*cuts, len(text)]))


def _without_accents(text: str) -> str:
    return "".join(character for character in normalize("NFD", text) if not "\u0300" <= character <= "\u036f")


def _with(tokenizer: Tokenizer, rule: str, index: int, steps: tuple[Normalizer, ...]) -> Fault:
    normalizers = with_steps(tokenizer.normalizers, index, steps)
    return of_tokenizer("Normalizer", rule, lambda: with_normalizers(tokenizer, normalizers))
