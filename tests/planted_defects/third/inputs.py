"""Mistakes before the tokenizer: input that is cleaned up by someone who does not know tokenizers."""

from __future__ import annotations

import re

from tests.planted_defects.official import OtherInput


class StripsSpaces(OtherInput):
    """`strip(" ")`: tabs and line ends are kept."""

    def before(self, text: str) -> str:
        return text.strip(" ")


class TabsAreFourSpaces(OtherInput):
    """`expandtabs` by hand."""

    def before(self, text: str) -> str:
        return text.replace("\t", "    ")


class BlankLinesOnce(OtherInput):
    """Several blank lines are reduced to one."""

    def before(self, text: str) -> str:
        return re.sub("\n\n+", "\n\n", text)


class JoinersDropped(OtherInput):
    """The joiner U+200D is removed as noise."""

    def before(self, text: str) -> str:
        return text.replace("\u200d", "")


class BlankIsNothing(OtherInput):
    """A text of only white space is treated as empty."""

    def before(self, text: str) -> str:
        return text if text.strip() else ""


class EllipsisSpelledOut(OtherInput):
    """The ellipsis becomes three full stops."""

    def before(self, text: str) -> str:
        return text.replace("\u2026", "...")


class FullWidthIsAscii(OtherInput):
    """The full-width forms of ASCII become ASCII."""

    def before(self, text: str) -> str:
        return "".join(chr(ord(one) - 0xFEE0) if "\uff01" <= one <= "\uff5e" else one for one in text)


class SpecialTokensSwallowSpace(OtherInput):
    """The text is split at special tokens, and the part after each one is left-stripped."""

    def before(self, text: str) -> str:
        return re.sub(r"(<\|im_end\|>|<\|im_start\|>|<\|endoftext\|>)\s+", r"\1", text)
