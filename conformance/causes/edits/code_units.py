"""Ways to take code units or bytes for characters: UTF-16 of Java, C# and JavaScript, the signed bytes of C."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller

from conformance.causes.edits.changed_models import ChangedModel, by_words, is_byte_level
from conformance.causes.edits.fault import Faults, is_not_ascii, of_rules, of_text
from conformance.causes.edits.translated import splits_by_class, with_other_splits
from reftok import Tokenizer
from reftok.rules.byte_level import CHARACTER_TO_BYTE, from_byte_characters, to_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import BYTE_PIECES
from reftok.rules.stages import Model, PreTokenizer
from reftok.rules.text import NormalizedString, Part, resplit
from reftok.rules.types import Token

_ABOVE_UTF_16 = re.compile("[\U00010000-\U0010ffff]")
_MAY_BE_ABOVE = re.compile("[\U00010000-\U0010ffff\ufa6c\ufacf-\ufad1\ufad5-\ufad7]")
"""The seven ideographs that every normalization form makes characters above U+FFFF, too."""
_HALVES = re.compile("[\ud800-\udfff]")
_HIGH_BYTES = "".join(one for one, byte in CHARACTER_TO_BYTE.items() if byte > 0x7F)
_WITHOUT_HIGH_BYTES = dict.fromkeys(map(ord, _HIGH_BYTES))


def _with_other_high_bytes(change: Callable[[int], int]) -> dict[int, str]:
    return {
        ord(one): to_byte_characters(bytes([change(byte)])) for one, byte in CHARACTER_TO_BYTE.items() if byte > 0x7F
    }


_OTHER_HIGH_BYTES = (
    ("bytes lose their highest bit", _with_other_high_bytes(lambda byte: byte & 0x7F)),
    ("bytes are signed: those from 0x80 on lose their sign", _with_other_high_bytes(lambda byte: 0x100 - byte)),
)
"""The rules, and the byte characters that are others."""

_HALVES_REPLACED = "halves of surrogate pairs are encoded one by one: each becomes {}"
_REPLACED_HALVES = (("U+FFFD", "\ufffd"), ("?", "?"))
"""What encoders make of half a surrogate pair: a TextEncoder of JavaScript the first, getBytes of Java the second."""

_PIECES_ASCII = "what ASCII does not have becomes ? after the text is split"
_PIECES_LATIN_1 = "bytes are those of Latin-1: what it does not have becomes ?"
_ENCODINGS: tuple[tuple[str, Callable[[str], bytes]], ...] = (
    (_PIECES_ASCII, lambda text: text.encode("ascii", "replace")),
    (_PIECES_ASCII, lambda text: _ABOVE_UTF_16.sub("??", text).encode("ascii", "replace")),
    (_PIECES_LATIN_1, lambda text: text.encode("latin-1", "replace")),
    (_PIECES_LATIN_1, lambda text: _ABOVE_UTF_16.sub("??", text).encode("latin-1", "replace")),
)
"""The bytes of a pre-token in another encoding: of half a surrogate pair, C# makes a ?, of a whole one Java."""


_OF_BYTES = ((2, "\x80-\u07ff"), (3, "\u0800-\uffff"), (4, "\U00010000-\U0010ffff"))
"""The number of bytes in UTF-8, and the range of characters with that many."""


def of_code_units(tokenizer: Tokenizer) -> Faults:
    """Patterns that see UTF-16 units, surrogates that are encoded, bytes that have a sign, text in another encoding."""
    if any(map(splits_by_class, with_other_splits(tokenizer.rules.pre_tokenizers))):
        for half in ("\ufffd", "?"):
            rule = "patterns see UTF-16 units: surrogates are no letters"
            yield of_rules("PreTokenizer", rule, tokenizer, partial(_by_units, tokenizer, half), _may_be_above)
    if is_byte_level(tokenizer):
        rule = "surrogates are encoded one by one, as CESU-8"
        yield of_rules("PreTokenizer", rule, tokenizer, partial(_as_cesu_8, tokenizer), _may_be_above)
        rule = "bytes are those of Java's modified UTF-8"
        yield of_rules("PreTokenizer", rule, tokenizer, partial(_modified_utf_8, tokenizer), _may_be_modified)
        for name, half in _REPLACED_HALVES:
            rule = _HALVES_REPLACED.format(name)
            build = partial(_with_encoding, tokenizer, partial(_with_halves, half))
            yield of_rules("PreTokenizer", rule, tokenizer, build, _may_be_above)
        rule = "bytes are signed: those from 0x80 on are lost"
        yield of_rules("PreTokenizer", rule, tokenizer, partial(_ascii_bytes, tokenizer), is_not_ascii)
        for rule, other in _OTHER_HIGH_BYTES:
            build = partial(_with_bytes, tokenizer, methodcaller("translate", other))
            yield of_rules("PreTokenizer", rule, tokenizer, build, is_not_ascii)
        for rule, encode in _ENCODINGS:
            build = partial(_with_encoding, tokenizer, encode)
            yield of_rules("PreTokenizer", rule, tokenizer, build, is_not_ascii)
    elif _has_byte_fallback(tokenizer.rules.model):
        rule = "surrogates are encoded one by one, as CESU-8"
        yield of_rules("Model", rule, tokenizer, partial(_fallback_as, tokenizer, _cesu_8), _may_be_above)
        build = partial(_fallback_as, tokenizer, lambda one: chr(ord(one) & 0xFFFF).encode("utf-8", "surrogatepass"))
        yield of_rules("Model", "byte fallback cuts code points to 16 bits", tokenizer, build, _may_be_above)
        for name, half in _REPLACED_HALVES:
            build = partial(_fallback_as, tokenizer, partial(_with_halves, half))
            yield of_rules("Model", _HALVES_REPLACED.format(name), tokenizer, build, _may_be_above)
        if (unknown := tokenizer.rules.model.unk_id) is not None:
            for length, characters in _OF_BYTES:
                rule = f"characters of {length} bytes are unknown, though there are pieces for bytes"
                build = partial(_with_fallback, tokenizer, partial(_each, unknown), characters)
                yield of_rules("Model", rule, tokenizer, build, is_not_ascii)
            rule = "halves of surrogate pairs are encoded one by one: each is unknown"
            build = partial(_with_fallback, tokenizer, lambda character: [unknown] * 2, "\U00010000-\U0010ffff")
            yield of_rules("Model", rule, tokenizer, build, _may_be_above)
    changes: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("bytes of UTF-8 are taken for Latin-1", lambda text: text.encode("utf-8").decode("latin-1")),
        ("bytes of UTF-8 are taken for Windows-1252", _as_windows_1252),
        ("what Latin-1 does not have becomes ?", lambda text: text.encode("latin-1", "replace").decode("latin-1")),
        ("what ASCII does not have becomes ?", lambda text: text.encode("ascii", "replace").decode("ascii")),
        ("what ASCII does not have is removed", lambda text: text.encode("ascii", "ignore").decode("ascii")),
        ("characters above U+FFFF are removed", lambda text: _ABOVE_UTF_16.sub("", text)),
        ("characters above U+FFFF become U+FFFD", lambda text: _ABOVE_UTF_16.sub("\ufffd", text)),
        ("code points are cut to 16 bits", lambda text: _ABOVE_UTF_16.sub(lambda one: _low_half(one[0]), text)),
    )
    for rule, change in changes:
        yield of_text("Input", rule, tokenizer, change)


def _may_be_above(text: str) -> bool:
    """Whether a text has characters above U+FFFF, or would have in a normalization form."""
    return _MAY_BE_ABOVE.search(text) is not None


def _as_windows_1252(text: str) -> str:
    data = text.encode("utf-8")
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in data)


def _low_half(character: str) -> str:
    low = chr(ord(character) & 0xFFFF)
    return "\ufffd" if _HALVES.match(low) else low


def _units(text: str) -> str:
    """The UTF-16 units of a text, each as a code point.

    >>> [f"{ord(unit):X}" for unit in _units("a\U0001f937")]
    ['61', 'D83E', 'DD37']
    """
    return _ABOVE_UTF_16.sub(lambda one: _halves(one[0]), text)


def _halves(character: str) -> str:
    high, low = divmod(ord(character) - 0x10000, 0x400)
    return chr(0xD800 + high) + chr(0xDC00 + low)


# --- patterns


@dataclass(frozen=True, slots=True, eq=False)
class SplitByUnits:
    """A step that only cuts, and sees UTF-16 units; half: what a character that is cut in two becomes, twice."""

    step: PreTokenizer
    half: str

    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        return resplit(splits, self._cut)

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        characters = [index for index, one in enumerate(normalized.text) for _ in range(1 + (one > "\uffff"))]
        units = _units(normalized.text)
        found: list[NormalizedString] = []
        for part in self.step.pre_tokenize([Part(NormalizedString(units))]):
            start, stop = part.normalized.original_span(0, len(part.normalized))
            text = units[start:stop].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
            spans = normalized.spans()[characters[start] : characters[stop - 1] + 1]
            found.append(NormalizedString(_HALVES.sub(self.half, text), spans[0][0], spans))
        return found


def _by_units(tokenizer: Tokenizer, half: str) -> Pipeline:
    steps = with_other_splits(tokenizer.rules.pre_tokenizers, splits_by_class, lambda step: SplitByUnits(step, half))
    return replace(tokenizer.rules, pre_tokenizers=steps)


# --- bytes


def _with_bytes(tokenizer: Tokenizer, change: Callable[[str], str]) -> Pipeline:
    """The bytes that the model is given, in their characters, changed."""
    model = tokenizer.rules.model

    def tokenize(text: str) -> Sequence[Token]:
        changed = change(text)
        tokens = model.tokenize(changed)
        return tokens if changed == text else [replace(token, span_normalized=(0, len(text))) for token in tokens]

    return replace(tokenizer.rules, model=ChangedModel(model, tokenize))


def _cesu_8(text: str) -> bytes:
    return _units(text).encode("utf-8", "surrogatepass")


def _with_halves(half: str, text: str) -> bytes:
    return _ABOVE_UTF_16.sub(2 * half, text).encode("utf-8", "surrogatepass")


def _with_encoding(tokenizer: Tokenizer, encode: Callable[[str], bytes]) -> Pipeline:
    """The bytes of the text found otherwise."""

    def change(text: str) -> str:
        data = from_byte_characters(text)
        return text if data is None else to_byte_characters(encode(data.decode("utf-8", "surrogatepass")))

    return _with_bytes(tokenizer, change)


def _as_cesu_8(tokenizer: Tokenizer) -> Pipeline:
    return _with_encoding(tokenizer, _cesu_8)


def _modified_utf_8(tokenizer: Tokenizer) -> Pipeline:
    """As `GetStringUTFChars` of Java's native interface gives them: CESU-8, and NUL in two bytes."""
    return _with_encoding(tokenizer, lambda text: _cesu_8(text).replace(b"\0", b"\xc0\x80"))


def _may_be_modified(text: str) -> bool:
    return "\0" in text or _may_be_above(text)


def _ascii_bytes(tokenizer: Tokenizer) -> Pipeline:
    return _with_bytes(tokenizer, lambda text: text.translate(_WITHOUT_HIGH_BYTES))


def _has_byte_fallback(model: Model) -> bool:
    return isinstance(model, BPE | PieceModel | Unigram) and model.byte_fallback


def _with_fallback(tokenizer: Tokenizer, ids_of: Callable[[str], Sequence[int]], characters: str) -> Pipeline:
    """The ids of some unknown characters, a class of a pattern, found otherwise."""
    model = tokenizer.rules.model
    cut, of_class = re.compile(f"[{characters}]|[^{characters}]+"), re.compile(f"[{characters}]")

    def words(text: str) -> Iterator[str]:
        return (found[0] for found in cut.finditer(text))

    def is_other(word: str) -> bool:
        return len(word) == 1 and of_class.match(word) is not None and word not in model.vocab

    def other(word: str) -> Sequence[Token]:
        return [Token(token_id, word, (0, 1)) for token_id in ids_of(word)]

    return replace(tokenizer.rules, model=ChangedModel(model, by_words(model.tokenize, words, is_other, other)))


def _each(token_id: int, characters: str) -> Sequence[int]:
    return [token_id] * len(characters)


def _fallback_as(tokenizer: Tokenizer, encode: Callable[[str], bytes]) -> Pipeline:
    """The bytes of what the vocab does not have above U+FFFF found otherwise."""
    vocab = tokenizer.rules.model.vocab

    def ids_of(character: str) -> Sequence[int]:
        return [vocab[BYTE_PIECES[byte]] for byte in encode(character)]

    return _with_fallback(tokenizer, ids_of, "\U00010000-\U0010ffff")
