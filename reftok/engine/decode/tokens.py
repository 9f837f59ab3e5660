"""The streamed decoders in front of the one that joins the tokens: whole tokens in, whole tokens out.

Each is the streamed form of the class of `reftok.spec.decoders` that its docstring names; the rules stand there.
"""

from __future__ import annotations

from codecs import utf_8_decode
from typing import Any

from reftok.engine.decode.sinks import (
    LONGEST_REMEMBERED,
    FusedSink,
    HoldsBytes,
    JoiningStage,
    TokenSink,
    TokenStage,
)
from reftok.spec.decoders import (
    CTC,
    BPEDecoder,
    Metaspace,
    Replace,
    Strip,
    WordPiece,
    byte_of_token,
    bytes_of_token,
    cleaned,
)
from reftok.spec.text import refuse_expansion
from reftok.unicode.characters import REPLACEMENT_CHARACTER


class Joined(JoiningStage):
    """Streamed form of Fuse, and of the end of a chain, where the tokens are joined as well."""

    def token(self, token: str) -> None:
        if token:
            self.sink.text(token)


class Spaced(JoiningStage):
    """The tokens joined with a space, as `tokenizers` does without any decoder."""

    def __init__(self, sink: FusedSink) -> None:
        super().__init__(sink)
        self._is_first = True

    def state(self) -> bool:
        """Whether no token has come."""
        return self._is_first

    def restore(self, state: Any) -> None:
        self._is_first = state

    def token(self, token: str) -> None:
        spaced = token if self._is_first else " " + token
        self._is_first = False
        if spaced:
            self.sink.text(spaced)


class Utf8Tokens(HoldsBytes, JoiningStage):
    r"""Streamed form of ByteLevel: holds the bytes of a character that is not complete, at most three.

    >>> from reftok.engine.decode.sinks import Output
    >>> output = Output()
    >>> stage = Utf8Tokens(output)
    >>> stage.token("ä½"); output.taken(), stage.pending_bytes
    ('', b'\xe4\xbd')
    >>> stage.token("łA"); output.taken()
    '你A'
    """

    def token(self, token: str) -> None:
        data = self._pending + bytes_of_token(token)
        text, size = utf_8_decode(data, "replace", False)
        self._pending = data[size:]
        if text:
            self.sink.text(text)

    def end(self) -> None:
        """The held bytes can no longer become a character."""
        text, _ = utf_8_decode(self._pending, "replace", True)
        self._pending = b""
        if text:
            self.sink.text(text)
        super().end()


class ByteRuns(TokenStage):
    """Streamed form of ByteFallback: holds a run of byte tokens until it ends, or until it cannot be UTF-8 any more.

    From there on every byte of the run is a U+FFFD, those that come as well.
    """

    def __init__(self, sink: TokenSink) -> None:
        super().__init__(sink)
        self._forget()

    def _forget(self) -> None:
        self._run = bytearray()
        self._texts: list[str] = []
        self._decoded = 0
        self._is_broken = False

    def state(self) -> tuple[bytes, bool] | None:
        """The run."""
        return (bytes(self._run), self._is_broken) if self.held <= LONGEST_REMEMBERED else None

    def restore(self, state: Any) -> None:
        run, self._is_broken = state
        self._run = bytearray(run)
        text, self._decoded = utf_8_decode(run, "strict", False)
        self._texts = [text]

    @property
    def held(self) -> int:
        """How many bytes are held."""
        return len(self._run)

    @property
    def pending_bytes(self) -> bytes:
        """The run so far: its characters too, which a byte that follows may still break."""
        return bytes(self._run)

    def token(self, token: str) -> None:
        byte = byte_of_token(token)
        if byte is None:
            self._end_run()
            self.sink.token(token)
        elif self._is_broken:
            self.sink.token(REPLACEMENT_CHARACTER)
        else:
            self._add(byte)

    def _add(self, byte: int) -> None:
        self._run.append(byte)
        try:
            text, size = utf_8_decode(self._run[self._decoded :], "strict", False)
        except UnicodeDecodeError:
            self._break()
        else:
            self._decoded += size
            self._texts.append(text)

    def _break(self) -> None:
        size = len(self._run)
        self._forget()
        self._is_broken = True
        for _ in range(size):
            self.sink.token(REPLACEMENT_CHARACTER)

    def _end_run(self) -> None:
        if self._decoded < len(self._run):
            self._break()
        if self._run:
            self.sink.token("".join(self._texts))
        if self._run or self._is_broken:
            self._forget()

    def end(self) -> None:
        """The end of the last run too."""
        self._end_run()
        super().end()


class Suffixes(TokenStage):
    """Streamed form of BPEDecoder: holds the last token from its first suffix on.

    At the end the suffixes of that token become nothing.

    Where the sink needs whole tokens, it holds all of the last token.
    """

    def __init__(self, decoder: BPEDecoder, sink: TokenSink) -> None:
        super().__init__(sink)
        self._suffix = decoder.suffix
        self._part = sink.token if isinstance(sink, Joined) and decoder.suffix else None
        self._last: str | None = None

    def state(self) -> tuple[str | None] | None:
        """The last token."""
        return (self._last,) if self.held <= LONGEST_REMEMBERED else None

    def restore(self, state: Any) -> None:
        (self._last,) = state

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._last or "")

    def token(self, token: str) -> None:
        if self._last is not None:
            self.sink.token(self._last.replace(self._suffix, " "))
        if self._part is not None and (start := token.find(self._suffix)) != 0:
            end = start if start > 0 else len(token)
            self._part(token[:end])
            token = token[end:]
        self._last = token

    def end(self) -> None:
        """The last token is known."""
        if self._last is not None:
            self.sink.token(self._last.replace(self._suffix, ""))
            self._last = None
        super().end()


class Words(TokenStage):
    """Streamed form of WordPiece, which holds nothing."""

    def __init__(self, decoder: WordPiece, sink: TokenSink) -> None:
        super().__init__(sink)
        self._decoder = decoder
        self._is_first = True

    def state(self) -> bool:
        """Whether no token has come."""
        return self._is_first

    def restore(self, state: Any) -> None:
        self._is_first = state

    def token(self, token: str) -> None:
        joined = token if self._is_first else self._decoder.continued(token)
        self._is_first = False
        self.sink.token(cleaned(joined) if self._decoder.cleanup else joined)


class Groups(TokenStage):
    """Streamed form of CTC, which holds nothing: the first token of a group stands for it."""

    def __init__(self, decoder: CTC, sink: TokenSink) -> None:
        super().__init__(sink)
        self._decoder = decoder
        self._last: str | None = None

    def state(self) -> tuple[str | None]:
        """The last token."""
        return (self._last,)

    def restore(self, state: Any) -> None:
        (self._last,) = state

    def token(self, token: str) -> None:
        if token != self._last:
            self._last = token
            if replaced := self._decoder.replaced(token):
                self.sink.token(replaced)


class Spaces(TokenStage):
    """Streamed form of Metaspace, which holds nothing."""

    def __init__(self, decoder: Metaspace, sink: TokenSink) -> None:
        super().__init__(sink)
        self._decoder = decoder
        self._is_first = True

    def state(self) -> bool:
        """Whether no token has come."""
        return self._is_first

    def restore(self, state: Any) -> None:
        self._is_first = state

    def token(self, token: str) -> None:
        if self._is_first:
            self._is_first = False
            self.sink.token(self._decoder.decode_chain([token])[0])
        else:
            self.sink.token(token.replace(self._decoder.replacement, " "))


class StrippedTokens(TokenStage):
    """Streamed form of Strip, which holds nothing."""

    def __init__(self, decoder: Strip, sink: TokenSink) -> None:
        super().__init__(sink)
        self._stripped = decoder.stripped

    def token(self, token: str) -> None:
        self.sink.token(self._stripped(token))


class ReplacedTokens(TokenStage):
    """Streamed form of Replace, which holds nothing."""

    def __init__(self, decoder: Replace, sink: TokenSink) -> None:
        super().__init__(sink)
        self._decoder = decoder
        self._growth = Growth(decoder)

    def token(self, token: str) -> None:
        matches = self._decoder.matches(token)
        self._growth.add(len(token), sum(is_match for _, _, is_match in matches))
        content = self._decoder.content
        self.sink.token("".join(content if is_match else token[start:end] for start, end, is_match in matches))


class Growth:
    """Refuses a stream that Replace blows up, as Replace does for all tokens."""

    def __init__(self, decoder: Replace) -> None:
        self._of_content = len(decoder.content)
        self._old_size = self._size = 0

    def add(self, size: int, matches: int) -> None:
        """So many code points more with so many matches. Raises ModelFormatError."""
        self._old_size += size
        self._size += size + self._of_content * matches
        refuse_expansion(self._size, self._old_size, "decoder")
