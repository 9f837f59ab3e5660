"""Mistakes on the way in: text that is tidied by somebody who knows no tokenizers."""

from __future__ import annotations

import re

from tests.planted_defects.official import Official, Spans


class Before(Official):
    """The text is another one before any stage sees it."""

    def received(self, text: str) -> str:
        return text

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(self.received(text), add_special_tokens)


class StripsSpaces(Before):
    """`strip(" ")`: tabs and line ends stay."""

    def received(self, text: str) -> str:
        return text.strip(" ")


class TabsAreFourSpaces(Before):
    """`expandtabs` by hand."""

    def received(self, text: str) -> str:
        return text.replace("\t", "    ")


class BlankLinesOnce(Before):
    """At most one blank line stays."""

    def received(self, text: str) -> str:
        return re.sub("\n\n+", "\n\n", text)


class JoinersDropped(Before):
    """The joiner U+200D alone is taken for noise."""

    def received(self, text: str) -> str:
        return text.replace("\u200d", "")


class BlankIsNothing(Before):
    """A text of white space alone is taken for empty."""

    def received(self, text: str) -> str:
        return text if text.strip() else ""


class EllipsisSpelledOut(Before):
    """The ellipsis becomes three full stops."""

    def received(self, text: str) -> str:
        return text.replace("\u2026", "...")


class FullWidthIsAscii(Before):
    """The full-width forms of ASCII become ASCII."""

    def received(self, text: str) -> str:
        return "".join(chr(ord(one) - 0xFEE0) if "\uff01" <= one <= "\uff5e" else one for one in text)


class SpecialTokensSwallowSpace(Before):
    """The text is split at special tokens, and each part behind one is stripped at its start."""

    def received(self, text: str) -> str:
        return re.sub(r"(<\|im_end\|>|<\|im_start\|>|<\|endoftext\|>)\s+", r"\1", text)
