"""The streamed forms of the decoders of tokenizer.json, whose rules stand in `reftok.rules.huggingface.decoders`."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Iterable
from typing import Any

from reftok.engine.decode.stages import LONGEST_REMEMBERED, Stage
from reftok.engine.patterns.patterns import stream_matches
from reftok.limits.growth import refuse_expansion
from reftok.rules.byte_level import from_byte_characters
from reftok.rules.huggingface.decoders import (
    BYTE_TOKEN,
    BPEDecoder,
    Metaspace,
    Replace,
    Strip,
    WordPiece,
    byte_of_token,
    cleaned,
    decoded_run,
)
from reftok.rules.patterns import literal_matches
from reftok.rules.stages import Decoder
from reftok.unicode.characters import REPLACEMENT_CHARACTER

_SAME_IN_BOTH_READINGS = "".join(map(chr, range(0x21, 0x7F)))


# --- of whole tokens


class Words(Stage):
    """Streamed form of WordPiece, which holds nothing. state: whether a token has come."""

    growth = 1
    state = False

    def __init__(self, decoder: WordPiece) -> None:
        self._decoder = decoder

    def feed(self, text: str, is_end: bool) -> None:
        text = self._decoder.continued(text) if self.state else text
        self.state = True
        self.sink.feed(cleaned(text) if self._decoder.cleanup else text, True)


class Spaces(Stage):
    """Streamed form of Metaspace, which holds nothing. state: whether a token has come."""

    state = False

    def __init__(self, decoder: Metaspace) -> None:
        self._decoder = decoder

    def feed(self, text: str, is_end: bool) -> None:
        if self.state:
            text = text.replace(self._decoder.replacement, " ")
        else:
            (text,) = self._decoder.decode_chain([text])
            self.state = True
        self.sink.feed(text, True)


class Spaced(Stage):
    """The tokens with a space between them, as they are joined without any decoder. state: whether one has come."""

    state = False

    def feed(self, text: str, is_end: bool) -> None:
        self.sink.feed(" " + text if self.state else text, True)
        self.state = True


class Groups(Stage):
    """Streamed form of CTC, which holds nothing: the first token of a group stands for it."""

    growth = 1

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder

    def feed(self, text: str, is_end: bool) -> None:
        if self.state != (text,):
            self.state = (text,)
            for token in self._decoder.decode_chain([text]):
                self.sink.feed(token, True)


class Suffixes(Stage):
    """Streamed form of BPEDecoder: holds the last token, for at the end its suffixes become nothing.

    Where the tokens are joined next, it holds it from its first suffix on.
    """

    growth = 1

    def __init__(self, decoder: BPEDecoder) -> None:
        self._suffix = decoder.suffix

    @property
    def held(self) -> int:
        """How many code points are held."""
        return sum(map(len, self.state))

    def feed(self, text: str, is_end: bool) -> None:
        self._give(" ")
        if self.sink.joins and self._suffix:
            before, _, _ = text.partition(self._suffix)
            self.sink.feed(before, False)
            text = text.removeprefix(before)
        self.state = (text,)

    def _give(self, content: str) -> None:
        for last in self.state:
            self.sink.feed(last.replace(self._suffix, content), True)
        self.state = ()

    def finish(self) -> None:
        """The last token is known."""
        self._give("")
        super().finish()


# --- of tokens, whole or in fragments


class Joined(Stage):
    """Streamed form of Fuse."""

    joins = True


class ByteCharacters(Stage):
    r"""Streamed form of ByteLevel, as far as `Utf8Text`.

    Of a token in fragments it holds all but the visible ASCII characters at the start: a character outside the byte
    map, wherever it is, makes the whole token stand for itself.

    state: whether the token is known to stand for itself; None while fragments are held.

    >>> from reftok.engine.decode.stages import Output, Utf8Text, link
    >>> stage, text, output = ByteCharacters(), Utf8Text(), Output()
    >>> link([stage, text, output])
    >>> stage.feed("ä½", True); output.taken(), text.pending_bytes
    ('', b'\xe4\xbd')
    >>> stage.feed("łA", True); output.taken()
    '你A'
    """

    joins = True
    state: bool | None = False
    held = 0
    held_until_end = "ByteLevel: a character outside the byte map makes the whole text stand for itself"

    def __init__(self) -> None:
        self._fragments: list[str] = []

    def feed(self, text: str, is_end: bool) -> None:
        data = None if self.state else from_byte_characters(text)
        if data is not None and not is_end:
            data = self._sure(text)
        elif data is None or self._fragments:
            text = "".join([*self._fragments, text])
            data = text.encode() if data is None else from_byte_characters(text) or b""
            self._fragments, self.held = [], 0
            self.state = not is_end
        self.sink.feed(data.decode("latin-1"), False)

    def _sure(self, fragment: str) -> bytes:
        """The characters at the start that are the same either way; the others are held."""
        rest = fragment if self._fragments else fragment.lstrip(_SAME_IN_BOTH_READINGS)
        if rest:
            self._fragments.append(rest)
            self.held += len(rest)
            self.state = None
        return fragment[: len(fragment) - len(rest)].encode()


class ByteRuns(Stage):
    """Streamed form of ByteFallback: holds a run of byte tokens until it ends, or until it cannot be UTF-8 any more.

    From there on every byte of the run is a U+FFFD, those that come as well. Of a token in fragments it also holds what
    may be a byte token.
    """

    def __init__(self) -> None:
        self.state = (b"", False, "", False)

    @property
    def state(self) -> Any:
        """The run, whether it is broken, the beginning of a token, and whether the token is known to be text."""
        if self.held > LONGEST_REMEMBERED:
            return None
        return (bytes(self._run), self._is_broken, self._token, self._is_text)

    @state.setter
    def state(self, state: Any) -> None:
        run, self._is_broken, self._token, self._is_text = state
        self._run = bytearray(run)
        _, self._complete = utf_8_decode(run, "strict", False)

    @property
    def held(self) -> int:
        """How much is held."""
        return len(self._run) + len(self._token)

    @property
    def pending_bytes(self) -> bytes:
        """The run so far: its characters too, which a byte that follows may still break."""
        byte = byte_of_token(self._token)
        return bytes(self._run) if byte is None else bytes([*self._run, byte])

    def feed(self, text: str, is_end: bool) -> None:
        token, self._token = self._token + text, ""
        byte = None if self._is_text else byte_of_token(token)
        if is_end and byte is not None:
            self._add(byte)
        elif not is_end and not self._is_text and BYTE_TOKEN.fullmatch(token, partial=True):
            self._token = token
        else:
            self._end_run()
            self._is_text = not is_end
            self.sink.feed(token, is_end)

    def _add(self, byte: int) -> None:
        self._run.append(byte)
        try:
            _, size = utf_8_decode(self._run[self._complete :], "strict", False)
            self._complete += size
        except UnicodeDecodeError:
            self._is_broken = True
        if self._is_broken:
            self._give()

    def _give(self) -> None:
        texts = [REPLACEMENT_CHARACTER] * len(self._run) if self._is_broken else decoded_run(self._run)
        self._run.clear()
        self._complete = 0
        for text in texts:
            self.sink.feed(text, True)

    def _end_run(self) -> None:
        if self._run or self._is_broken:
            self._give()
            self._is_broken = False

    def finish(self) -> None:
        """The end of the last run too."""
        self._end_run()
        super().finish()


class Stripped(Stage):
    """Streamed form of Strip: of a token in fragments it holds the end as long as that may have to go.

    state: how much may still go at the start, and how much at the end.
    """

    def __init__(self, decoder: Strip) -> None:
        self._decoder = decoder
        self.state: tuple[int, int] = (decoder.start, 0)

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self.state[1]

    def feed(self, text: str, is_end: bool) -> None:
        content = self._decoder.content
        most_at_start, held = self.state
        if most_at_start:
            size = min(len(text) - len(text.lstrip(content)), most_at_start)
            most_at_start = 0 if size < len(text) else most_at_start - size
            text = text[size:]
        kept = text.rstrip(content)
        at_end = len(text) - len(kept) + (0 if kept else held)
        before = content * held + kept if kept else ""
        held = min(at_end, self._decoder.stop)
        text = before + content * (at_end - held)
        self.state = (self._decoder.start, 0) if is_end else (most_at_start, held)
        if text or is_end:
            self.sink.feed(text, is_end)


class Replaced(Stage):
    """Streamed form of Replace: of a token in fragments it holds what may still be part of a match.

    >>> from reftok.engine.decode.stages import Output
    >>> stage = Replaced(Replace(" n't", "n't"))
    >>> stage.sink = output = Output()
    >>> stage.feed("does n", False); output.taken(), stage.held
    ('does', 2)
    >>> stage.feed("'t", False); output.taken()
    "n't"
    """

    def __init__(self, decoder: Replace) -> None:
        self._pattern, self._content = decoder.pattern, decoder.content
        self._literal = self._pattern if isinstance(self._pattern, str) else ""
        self._shrinks = isinstance(self._pattern, str) and len(self._content) <= len(self._pattern)
        if not self._shrinks:
            self.growth = len(self._content)
        self._matcher = stream_matches(self._pattern)
        self.held_until_end = self._matcher.held_until_end and f"Replace: {self._matcher.held_until_end}"
        self._is_open = False
        self._old_size = self._new_size = 0

    @property
    def state(self) -> str | None:
        """The text that is held; None within a token where there is more to remember."""
        if not self._is_open:
            return ""
        return self._literal[: self.held] if self._literal and self.held <= LONGEST_REMEMBERED else None

    @state.setter
    def state(self, state: Any) -> None:
        if self._is_open or state:
            self._matcher = stream_matches(self._pattern)
            self._is_open = bool(state)
            if state:
                self._matcher.feed(state)

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._matcher.held

    def feed(self, text: str, is_end: bool) -> None:
        if self._shrinks and is_end and not self._is_open:
            self.sink.feed(text.replace(self._literal, self._content), True)
            return
        if not text and not is_end:
            return
        if self._pattern == "":
            matches = literal_matches(text, "")[self._is_open :]
            found = [(text[start:end], is_match) for start, end, is_match in matches]
        else:
            found = self._matcher.feed(text) if text else []
            found += self._matcher.finish() if is_end else []
        self._is_open = not is_end
        pieces = [None if is_match else piece for piece, is_match in found]
        self._old_size += len(text)
        self._new_size += len(text) + len(self._content) * pieces.count(None)
        refuse_expansion(self._new_size, self._old_size, "decoder")
        if pieces or is_end:
            self.sink.feed("".join(self._content if piece is None else piece for piece in pieces), is_end)


def replaced(pairs: Iterable[tuple[str, str]]) -> list[Stage]:
    """The streamed form of one replacement after the other. pairs: a literal and its content."""
    return [Replaced(Replace(*pair)) for pair in pairs]
