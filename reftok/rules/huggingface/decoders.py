"""The decoders of tokenizer.json.

Source: tokenizers 0.23, folder decoders/; for those that are another stage too, the file of that stage. Each class has
the name of its `type` in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import regex

from reftok.limits.growth import refuse_expansion
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.byte_level import from_byte_characters
from reftok.rules.patterns import pattern_matches
from reftok.rules.types import PrependScheme
from reftok.unicode.characters import REPLACEMENT_CHARACTER

SPACES_BEFORE = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)
"""The replacements of `cleanup`, in this order."""

BYTE_TOKEN = regex.compile("<0x([+0-9a-fA-F][0-9a-fA-F])>")
"""Tokens that stand for bytes, with the number in the group."""


@dataclass(frozen=True, slots=True)
class BPEDecoder:
    """The suffix of words becomes a space; in the last token it is removed.

    Quirk: the suffix is replaced everywhere in a token; an empty one matches around every character.

    >>> BPEDecoder("</w>").decode_chain(["a", "b</w>", "c</w>"])
    ['a', 'b ', 'c']
    """

    suffix: str

    def decode_chain(self, tokens: list[str]) -> list[str]:
        spaced = [token.replace(self.suffix, " ") for token in tokens[:-1]]
        return spaced + [token.replace(self.suffix, "") for token in tokens[-1:]]


@dataclass(frozen=True, slots=True)
class WordPiece:
    """Tokens with the prefix are joined to the token before, the others are separated from it by a space.

    cleanup: remove spaces before English punctuation and contractions.

    Quirk: the first token keeps its prefix. Each token is cleaned by itself, together with the space before it.

    >>> WordPiece("##", True).decode_chain(["un", "##able", "!", "I", "'m"])
    ['un', 'able', '!', ' I', "'m"]
    """

    prefix: str
    cleanup: bool

    def decode_chain(self, tokens: list[str]) -> list[str]:
        joined = tokens[:1] + [self.continued(token) for token in tokens[1:]]
        return [cleaned(token) for token in joined] if self.cleanup else joined

    def continued(self, token: str) -> str:
        """A token that is not the first: without its prefix, or with a space."""
        return token[len(self.prefix) :] if token.startswith(self.prefix) else " " + token


def cleaned(text: str) -> str:
    """The text without the spaces before English punctuation and contractions."""
    for spaced, clean in SPACES_BEFORE:
        text = text.replace(spaced, clean)
    return text


@dataclass(frozen=True, slots=True)
class CTC:
    """Repeated tokens once, without the padding between them: the output of speech recognition (CTC).

    pad_token: removed everywhere in a token.
    word_delimiter_token: becomes a space.
    cleanup: remove spaces before English punctuation and contractions.

    Quirk: without `cleanup` the word delimiter stays.

    >>> CTC("<pad>", "|", True).decode_chain(["a", "a", "<pad>", "a", "|", "b", "b"])
    ['a', 'a', ' ', 'b']
    """

    pad_token: str
    word_delimiter_token: str
    cleanup: bool

    def decode_chain(self, tokens: list[str]) -> list[str]:
        result = [token.replace(self.pad_token, "") for token, _ in groupby(tokens)]
        if self.cleanup:
            result = [cleaned(token).replace(self.word_delimiter_token, " ") for token in result]
        return [token for token in result if token]


@dataclass(frozen=True, slots=True)
class ByteLevel:
    """Byte characters back to bytes, bytes to text, with one U+FFFD for each maximal part that is not UTF-8.

    Quirk: a token with any character outside the byte map stands for its own UTF-8 as a whole.

    >>> ByteLevel().decode_chain(["ä½", "łA", "Ġa€"])
    ['你AĠa€']
    """

    def decode_chain(self, tokens: list[str]) -> list[str]:
        data = from_byte_characters("".join(tokens))
        if data is None:  # some token has a character outside the map
            data = b"".join([from_byte_characters(token) or token.encode("utf-8") for token in tokens])
        return [data.decode("utf-8", "replace")]


@dataclass(frozen=True, slots=True)
class TekkenBytes:
    """As ByteLevel, but bytes on both sides of a special token never become one character, even if it is skipped.

    A skipped special token arrives here as an empty token.
    Source: mistral-common 1.13.1 tokens/tokenizers/tekken.py `Tekkenizer._decode_all`.

    >>> TekkenBytes().decode_chain(["Ã", "©", "Ã", "", "©"])
    ['é\ufffd\ufffd']
    """

    def decode_chain(self, tokens: list[str]) -> list[str]:
        runs = [list(run) for is_there, run in groupby(tokens, bool) if is_there]
        return ["".join(text for run in runs for text in ByteLevel().decode_chain(run))]


@dataclass(frozen=True, slots=True)
class ByteFallback:
    """Tokens such as `<0xE4>` back to characters.

    Quirks: a run of byte tokens is decoded as a whole; if it is not UTF-8, every byte of it becomes U+FFFD, even ASCII.
    The two digits are whatever Rust's `from_str_radix` accepts: also lower case, and `+` before one digit.

    >>> ByteFallback().decode_chain(["<0xC3>", "<0xA9>", "!", "<0xC3>", "<0x41>"])
    ['é', '!', '�', '�']
    """

    def decode_chain(self, tokens: list[str]) -> list[str]:
        result: list[str] = []
        run = bytearray()
        for token, byte in zip(tokens, map(byte_of_token, tokens), strict=True):
            if byte is None:
                result += decoded_run(run)
                run.clear()
                result.append(token)
            else:
                run.append(byte)
        return result + decoded_run(run)


def byte_of_token(token: str) -> int | None:
    """The byte of a token such as `<0xE4>`; None for any other token."""
    match = BYTE_TOKEN.fullmatch(token)
    return int(match[1], 16) if match else None


def decoded_run(run: bytearray) -> list[str]:
    """The text of a run of bytes; if it is not UTF-8, U+FFFD for each byte."""
    try:
        return [run.decode("utf-8")] if run else []
    except UnicodeDecodeError:
        return [REPLACEMENT_CHARACTER] * len(run)


@dataclass(frozen=True, slots=True)
class Metaspace:
    """The visible character back to a space.

    Quirk: in the first token *every* one of them is removed, unless the prepend scheme is "never".

    >>> Metaspace("▁", "always").decode_chain(["▁a▁", "▁b"])
    ['a', ' b']
    """

    replacement: str
    prepend_scheme: PrependScheme

    def decode_chain(self, tokens: list[str]) -> list[str]:
        result = [token.replace(self.replacement, " ") for token in tokens]
        if tokens and self.prepend_scheme != "never":
            result[0] = tokens[0].replace(self.replacement, "")
        return result


@dataclass(frozen=True, slots=True)
class Fuse:
    """All tokens as one.

    >>> Fuse().decode_chain(["a", "b"])
    ['ab']
    """

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return ["".join(tokens)]


@dataclass(frozen=True, slots=True)
class Strip:
    """Up to `start` times `content` is removed from the start of each token, up to `stop` times from its end.

    The library panics on an empty token if `stop` is set, and if both ends meet; here such a token is empty.

    >>> Strip(" ", 1, 0).decode_chain(["  a", "b"])
    [' a', 'b']
    """

    content: str
    start: int
    stop: int

    def decode_chain(self, tokens: list[str]) -> list[str]:
        result: list[str] = []
        for token in tokens:
            # The library counts from both ends of the token; here the end is that of what the start has left.
            token = token[min(self.start, len(token) - len(token.lstrip(self.content))) :]
            kept = token.rstrip(self.content)
            result.append(kept + self.content * max(0, len(token) - len(kept) - self.stop))
        return result


@dataclass(frozen=True, slots=True)
class Replace:
    """Every match of a pattern in each token becomes a fixed text.

    pattern: a str is matched literally.
    Raises ModelFormatError if it makes the tokens too long.

    >>> Replace("▁", " ").decode_chain(["▁a"])
    [' a']
    """

    pattern: str | Pattern
    content: str

    def decode_chain(self, tokens: list[str]) -> list[str]:
        if isinstance(self.pattern, str) and len(self.content) <= len(self.pattern):  # it cannot make them longer
            return [token.replace(self.pattern, self.content) for token in tokens]
        found = [pattern_matches(self.pattern, token) for token in tokens]
        # Before the texts are built: a single match may become a million characters.
        old_size = sum(map(len, tokens))
        size = old_size + len(self.content) * sum(is_match for matches in found for _, _, is_match in matches)
        refuse_expansion(size, old_size, "decoder")
        return [
            "".join(self.content if is_match else token[start:end] for start, end, is_match in matches)
            for token, matches in zip(tokens, found, strict=True)
        ]
