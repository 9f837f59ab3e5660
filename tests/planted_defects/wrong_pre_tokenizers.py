"""Ports that split the text elsewhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

import regex
from official import Official
from reference import Reference
from tokenizers.pre_tokenizers import PreTokenizer, Sequence

from conformance.core.unicode_ages import age_of
from reftok import Tokenizer
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.pre_tokenizers import ByteLevel
from reftok.rules.text import NormalizedString, Part


class _Pattern(Official):
    """The split pattern with parts of it written otherwise."""

    changes: ClassVar[dict[str, str]]

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        written = json.dumps(model["pre_tokenizer"])
        changed = written
        for part, other in self.changes.items():
            changed = changed.replace(json.dumps(part)[1:-1], json.dumps(other)[1:-1])
        assert changed != written, "the pattern has no such part"
        return {**model, "pre_tokenizer": json.loads(changed)}


class LetterTable(_Pattern):
    """A table of letters, made by hand, in place of \\p{L}: Latin, Greek, Cyrillic, CJK, kana and hangul."""

    changes: ClassVar[dict[str, str]] = {
        "\\p{L}": "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u052f"
        "\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3",
        "]?A-Z": "]?[A-Z",
        "\ud7a3+|": "\ud7a3]+|",
    }


class AsciiLetters(_Pattern):
    """Letters are A to Z: a pattern for English."""

    changes: ClassVar[dict[str, str]] = {
        "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+": "[^\\r\\nA-Za-z\\p{N}]?[A-Za-z]+",
        "[^\\s\\p{L}": "[^\\sA-Za-z",
    }


class WordCharacters(_Pattern):
    """\\w in place of \\p{L}: digits, marks and underscores are letters."""

    changes: ClassVar[dict[str, str]] = {"[^\\r\\n\\p{L}\\p{N}]?\\p{L}+": "[^\\r\\n\\w]?\\w+"}


class MarksAreLetters(_Pattern):
    """Marks belong to words."""

    changes: ClassVar[dict[str, str]] = {"]?\\p{L}+": "]?[\\p{L}\\p{M}]+"}


class ContractionCase(_Pattern):
    """Contractions in capitals are not seen: (?i:…) is lost."""

    changes: ClassVar[dict[str, str]] = {"(?i:'s|'t|'re|'ve|'m|'ll|'d)": "(?:'s|'t|'re|'ve|'m|'ll|'d)"}


class NoContractions(_Pattern):
    """No contractions: a pattern without the first alternative."""

    changes: ClassVar[dict[str, str]] = {"(?i:'s|'t|'re|'ve|'m|'ll|'d)|": ""}


class DigitsAlone(_Pattern):
    """Each digit stands alone where they go in threes."""

    changes: ClassVar[dict[str, str]] = {"|\\p{N}{1,3}|": "|\\p{N}|"}


class AllDigits(_Pattern):
    """A number is one pre-token, however long."""

    changes: ClassVar[dict[str, str]] = {"|\\p{N}{1,3}|": "|\\p{N}+|"}


class DigitsFromTheRight(_Pattern):
    """Thousands are cut as they are written: 1,234 becomes 1 and 234."""

    changes: ClassVar[dict[str, str]] = {"|\\p{N}{1,3}|": "|\\p{N}{1,2}(?=(?:\\p{N}{3})+(?!\\p{N}))|\\p{N}{1,3}|"}


class OnlyASpaceIsLeft(_Pattern):
    """White space before a word is cut by hand: only where its last character is a space is that left to the word."""

    changes: ClassVar[dict[str, str]] = {"|\\s+(?!\\S)|": "|\\s+(?= \\S)|\\s*[^\\S ](?=\\S)|\\s+(?!\\S)|"}


class AsciiDigits(_Pattern):
    """\\p{N} is taken for 0 to 9."""

    changes: ClassVar[dict[str, str]] = {"|\\p{N}{1,3}|": "|[0-9]{1,3}|", "\\p{N}]": "0-9]"}


class NoLookahead(_Pattern):
    """\\s+(?!\\S) is dropped, for an engine without lookahead: the last space stays with the others."""

    changes: ClassVar[dict[str, str]] = {"|\\s+(?!\\S)|\\s+": "|\\s+"}


class NoLineEnds(_Pattern):
    """\\s*[\\r\\n]+ is dropped."""

    changes: ClassVar[dict[str, str]] = {"|\\s*[\\r\\n]+|": "|"}


class AsciiSpace(_Pattern):
    """White space is that of ASCII."""

    changes: ClassVar[dict[str, str]] = {
        "[^\\s\\p{L}": "[^ \\t\\n\\r\\x0b\\x0c\\p{L}",
        "|\\s+(?!\\S)|\\s+": "|[ \\t\\n\\r\\x0b\\x0c]+(?![^ \\t\\n\\r\\x0b\\x0c])|[ \\t\\n\\r\\x0b\\x0c]+",
        "\\s*[": "[ \\t\\n\\r\\x0b\\x0c]*[",
    }


class NoPunctuationLineEnds(_Pattern):
    """Line ends do not belong to the punctuation before them."""

    changes: ClassVar[dict[str, str]] = {"\\p{N}]+[\\r\\n]*|": "\\p{N}]+|"}


class NoSpaceBeforePunctuation(_Pattern):
    """The space before punctuation stays alone."""

    changes: ClassVar[dict[str, str]] = {"| ?[^\\s": "|[^\\s"}


class NoSplit(Official):
    """Byte-level BPE on the whole text, without a split."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        steps = [step for step in model["pre_tokenizer"]["pretokenizers"] if step["type"] != "Split"]
        return {**model, "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps}}


class GPT2Pattern(Official):
    """GPT-2's pattern, which stands in most tutorials, in place of the model's own."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        pre_tokenizer = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
        return {**model, "pre_tokenizer": pre_tokenizer}


class PrefixSpace(Official):
    """A space before the text: `add_prefix_space` is on."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        written = json.dumps(model).replace('"add_prefix_space": false', '"add_prefix_space": true')
        prefixed: dict[str, Any] = json.loads(written)
        return prefixed


class MetaspaceFirst(Official):
    """`▁` is put before the first word only, not before what follows an added token."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "pre_tokenizer": {**model["pre_tokenizer"], "prepend_scheme": "first"}}


class MetaspaceNever(Official):
    """`▁` is not put before the text."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "pre_tokenizer": {**model["pre_tokenizer"], "prepend_scheme": "never"}}


class _Rewritten(Official):
    """The split pattern, rewritten for the classes of another engine."""

    def pattern(self, pattern: str) -> str:
        """The pattern that is compiled."""
        raise NotImplementedError

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        split, *rest = model["pre_tokenizer"]["pretokenizers"]
        pattern = self.pattern(split["pattern"]["Regex"])
        assert pattern != split["pattern"]["Regex"], "nothing in the pattern is rewritten"
        steps = [{**split, "pattern": {"Regex": pattern}}, *rest]
        return {**model, "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps}}


class _Spaces(_Rewritten):
    """White space is what the language says it is."""

    spaces: ClassVar[str]

    def pattern(self, pattern: str) -> str:
        within = pattern.replace("[^\\s", f"[^{self.spaces}")
        return within.replace("\\s", f"[{self.spaces}]").replace("\\S", f"[^{self.spaces}]")


class JavaScriptSpace(_Spaces):
    r"""ECMAScript: \s has the byte order mark, and not U+0085."""

    spaces: ClassVar[str] = "\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


class GoSpace(_Spaces):
    r"""Go: \s of its regexp is [\t\n\f\r ], without the vertical tab."""

    spaces: ClassVar[str] = "\t\n\f\r "


class JavaSpace(_Spaces):
    """Java: Character.isWhitespace has no space that does not break and no U+0085, but four controls."""

    spaces: ClassVar[str] = "\t-\r\x1c-\x1f \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000"


class PythonSpace(_Spaces):
    """Python: str.isspace and \\s of `re` have the controls U+001C to U+001F as well."""

    spaces: ClassVar[str] = "\t-\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


class CSpace(_Spaces):
    """C: iswspace of the GNU library has no space that does not break, and no U+0085."""

    spaces: ClassVar[str] = "\t-\r \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000"


class OldSpace(_Spaces):
    """.NET Framework: U+180E was a space until Unicode 6.3."""

    spaces: ClassVar[str] = "\t-\r \x85\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


class _Engine(_Rewritten):
    """An engine in which fewer characters are letters and numbers."""

    def is_known(self, character: str) -> bool:
        """Whether its tables have the character."""
        raise NotImplementedError

    def pattern(self, pattern: str) -> str:
        unknown = "".join(_ranges(ord(one) for one in _letters_and_numbers() if not self.is_known(one)))
        for name in ("\\p{L}", "\\p{N}"):
            pattern = pattern.replace(name, f"[{name}&&[^{unknown}]]")
        return pattern


class Unicode9(_Engine):
    r"""An engine with the tables of Unicode 9: what came later is neither \p{L} nor \p{N}."""

    version: ClassVar[tuple[int, ...]] = (9, 0)

    def is_known(self, character: str) -> bool:
        age = age_of(character)
        return bool(age) and tuple(map(int, age.split("."))) <= self.version


class Unicode13(Unicode9):
    """An engine with the tables of Unicode 13."""

    version: ClassVar[tuple[int, ...]] = (13, 0)


class Unicode15(Unicode9):
    """An engine with the tables of Unicode 15.0: one block of ideographs and what came after it are missing."""

    version: ClassVar[tuple[int, ...]] = (15, 0)


class PlaneZero(_Engine):
    """An engine that reads a text by its UTF-16 units: no half of a surrogate pair is a letter or a number."""

    def is_known(self, character: str) -> bool:
        return character <= "\uffff"


@cache
def _letters_and_numbers() -> list[str]:
    return regex.findall(r"[\p{L}\p{N}]", "".join(map(chr, range(sys.maxunicode + 1))))


def _ranges(codes: Iterable[int]) -> Iterator[str]:
    """Ascending code points as the inside of a class."""
    first = last = -2
    for code in [*codes, -2]:
        if code == last + 1:
            last = code
            continue
        if last >= 0:
            yield chr(first) if first == last else f"{chr(first)}-{chr(last)}"
        first = last = code


class DecimalDigits(_Rewritten):
    r"""\d in place of \p{N}: fractions, Roman numerals and circled numbers are none."""

    def pattern(self, pattern: str) -> str:
        return pattern.replace("\\p{N}", "\\d")


class _Steps(Official):
    """A step of its own between the pre-tokenizers of the model."""

    place: ClassVar[int]

    def __init__(self, model_path: str) -> None:
        super().__init__(model_path)
        given = self.tokenizer.pre_tokenizer
        steps = [given[number] for number in range(2)]
        steps.insert(self.place, PreTokenizer.custom(_Cut(self.bounds)))
        self.tokenizer.pre_tokenizer = Sequence(steps)

    def bounds(self, word: str) -> Iterable[tuple[int, int]]:
        """What becomes of a word: the parts that are kept."""
        raise NotImplementedError


class _Cut:
    def __init__(self, bounds: Callable[[str], Iterable[tuple[int, int]]]) -> None:
        self.bounds = bounds

    def pre_tokenize(self, text: Any) -> None:
        text.split(lambda _, word: [word[start:end] for start, end in self.bounds(str(word))])


class PythonPattern(_Steps):
    """The pattern is compiled by the module `regex`, whose tables are those of a later Unicode."""

    place: ClassVar[int] = 0

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        self.compiled = regex.compile(model["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"])
        return model

    def bounds(self, word: str) -> Iterable[tuple[int, int]]:
        return [found.span() for found in self.compiled.finditer(word)]


class WordsOf64(_Steps):
    """A buffer of 64 characters for a word: when it is full it is given out, and the word goes on in the next."""

    place: ClassVar[int] = 1

    def bounds(self, word: str) -> Iterable[tuple[int, int]]:
        return [(start, min(len(word), start + 64)) for start in range(0, len(word), 64)]


class WordsOf255Bytes(_Steps):
    """A buffer of 255 bytes for a word: what does not fit is lost."""

    place: ClassVar[int] = 2

    def bounds(self, word: str) -> Iterable[tuple[int, int]]:
        return [(0, min(len(word), 255))]


class _OtherBytes(Reference):
    """The bytes of a character are written otherwise than ByteLevel does."""

    def glyphs(self, character: str) -> str:
        """The visible characters that stand for the bytes."""
        raise NotImplementedError

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        steps = [
            _Bytes(self.glyphs) if isinstance(step, ByteLevel) else step for step in tokenizer.rules.pre_tokenizers
        ]
        return Tokenizer(replace(tokenizer.rules, pre_tokenizers=tuple(steps)), tokenizer)


class _Bytes:
    def __init__(self, glyphs: Callable[[str], str]) -> None:
        self.glyphs = glyphs

    def pre_tokenize(self, splits: Iterable[Part]) -> list[Part]:
        return [part if part.tokens is not None else Part(self.written(part.normalized)) for part in splits]

    def written(self, normalized: NormalizedString) -> NormalizedString:
        pairs = [
            (glyph, span)
            for character, span in zip(normalized.text, normalized.spans(), strict=True)
            for glyph in self.glyphs(character)
        ]
        return NormalizedString(
            "".join(glyph for glyph, _ in pairs), normalized.original_start, [span for _, span in pairs]
        )


class SignedBytesLost(_OtherBytes):
    """Bytes are signed, as in Java: the table has nothing for a negative one."""

    def glyphs(self, character: str) -> str:
        return to_byte_characters(bytes(byte for byte in character.encode() if byte < 0x80))


class SevenBits(_OtherBytes):
    """The sign of a byte is cut off: 0xC3 becomes 0x43."""

    def glyphs(self, character: str) -> str:
        return to_byte_characters(bytes(byte & 0x7F for byte in character.encode()))


class NegativeIndex(_OtherBytes):
    """Bytes are signed, and the table of 256 is looked up by their absolute value."""

    def glyphs(self, character: str) -> str:
        return to_byte_characters(bytes(byte if byte < 0x80 else 256 - byte for byte in character.encode()))


class AsciiBytes(_OtherBytes):
    """`m.group().getBytes(StandardCharsets.US_ASCII)` in Java: each other character of a match is the byte of ?."""

    def glyphs(self, character: str) -> str:
        return to_byte_characters(character.encode("ascii", "replace"))


class HalvesReplaced(_OtherBytes):
    """JavaScript: each half of a surrogate pair goes through TextEncoder alone, which gives U+FFFD for it."""

    def glyphs(self, character: str) -> str:
        return to_byte_characters((character if character <= "\uffff" else "\ufffd\ufffd").encode())


class HalvesEncoded(_OtherBytes):
    """Java's modified UTF-8: each half of a surrogate pair is three bytes, and NUL is two."""

    def glyphs(self, character: str) -> str:
        units = character.encode("utf-16-le")
        halves = [chr(int.from_bytes(units[start : start + 2], "little")) for start in range(0, len(units), 2)]
        data = b"".join(half.encode("utf-8", "surrogatepass") if half != "\0" else b"\xc0\x80" for half in halves)
        return to_byte_characters(data)


class SplitMetaspace(Official):
    """Metaspace in the place of Prepend and Replace, as a converter writes it: words are tokenized alone."""

    split: ClassVar[bool] = True
    scheme: ClassVar[str] = "always"

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": self.scheme, "split": self.split}
        return {**model, "normalizer": None, "pre_tokenizer": metaspace}


class WholeMetaspace(SplitMetaspace):
    """Metaspace in the place of Prepend and Replace, for the first word only and without a split."""

    split: ClassVar[bool] = False
    scheme: ClassVar[str] = "first"
