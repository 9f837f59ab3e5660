"""Ports that split the text elsewhere."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from official import Official


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
