"""Decoders that the engine does not know: the tokens are buffered until the end, and the plain rule is asked then."""

from __future__ import annotations

from collections.abc import Sequence

from reftok.engine.decode.sinks import FusedSink, FusedStage, JoiningStage
from reftok.spec.stages import Decoder
from reftok.spec.text import refuse_expansion


class Sizes:
    """How many code points the tokens of a stream have so far."""

    def __init__(self) -> None:
        self.tokens = 0


class BufferedTokens(JoiningStage):
    """Takes tokens.

    decoders: the one that is not known, and those behind it, which may be given any tokens by it.
    sizes: of the tokens that the whole chain was given.
    """

    def __init__(self, decoders: Sequence[Decoder], sizes: Sizes, sink: FusedSink) -> None:
        super().__init__(sink)
        self._decoders = decoders
        self._sizes = sizes
        self._tokens: list[str] = []
        self._held = 0

    def state(self) -> None:
        """There may be much to remember."""
        return None

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._held

    @property
    def holds_parts(self) -> str:
        """Which decoder is not known."""
        return f"{type(self._decoders[0]).__name__}: its rule is asked at the end"

    def token(self, token: str) -> None:
        self._tokens.append(token)
        self._held += len(token)

    def end(self) -> None:
        """There are no more tokens."""
        tokens, self._tokens, self._held = self._tokens, [], 0
        if text := decoded_whole(self._decoders, tokens, self._sizes):
            self.sink.text(text)
        super().end()


class BufferedText(FusedStage):
    """Takes one text, behind a decoder that joins the tokens. decoders, sizes: as of `BufferedTokens`."""

    def __init__(self, decoders: Sequence[Decoder], sizes: Sizes, sink: FusedSink) -> None:
        super().__init__(sink)
        self._decoders = decoders
        self._sizes = sizes
        self._fragments: list[str] = []
        self._held = 0

    def state(self) -> None:
        """There may be much to remember."""
        return None

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._held

    @property
    def holds_parts(self) -> str:
        """Which decoder is not known."""
        return f"{type(self._decoders[0]).__name__}: its rule is asked at the end"

    def text(self, fragment: str) -> None:
        self._fragments.append(fragment)
        self._held += len(fragment)

    def end(self, is_token: bool) -> None:
        """The text is complete."""
        tokens = ["".join(self._fragments)] if is_token or self._fragments else []
        self._fragments, self._held = [], 0
        if text := decoded_whole(self._decoders, tokens, self._sizes):
            self.sink.text(text)
        super().end(True)


def decoded_whole(decoders: Sequence[Decoder], tokens: list[str], sizes: Sizes) -> str:
    """The text of tokens. Raises ModelFormatError where the decoders blow it up."""
    for decoder in decoders:
        tokens = decoder.decode_chain(tokens)
        refuse_expansion(sum(map(len, tokens)), sizes.tokens, "decoder")
    return "".join(tokens)
