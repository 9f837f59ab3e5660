"""Ids while the text is still coming.

    feed ─AddedTokens─▶ ─Normalizer─▶ ─AddedTokens─▶ ─PreTokenizer─▶ ─Model─▶ ids

is the line of `reftok.tokenizer` with a streamed twin in the place of every stage. Each twin hands on what no
continuation can change any more and holds the rest, so that the ids of all chunks together are those of the whole text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reftok.errors import StreamFinished
from reftok.llama.special_tokens import LlamaSpecialTokens
from reftok.normalizers import BertNormalizer, ByteLevel, Lowercase, Nmt, Strip, StripAccents, UnicodeForm
from reftok.pretokenizers import Metaspace
from reftok.streaming.encoding.added_tokens import stream_added_tokens
from reftok.streaming.encoding.chunks import ChunkReader
from reftok.streaming.encoding.llama_special_tokens import StreamedLlamaSpecialTokens
from reftok.streaming.encoding.models import stream_model
from reftok.streaming.encoding.normalizers import stream_normalizer
from reftok.streaming.encoding.post_processors import surroundings
from reftok.streaming.encoding.pre_tokenizers import stream_pre_tokenizer
from reftok.streaming.sinks import StreamedStage, TextSink
from reftok.text import refuse_expansion

if TYPE_CHECKING:
    from reftok.tokenizer import Tokenizer

_OF_LITTLE_GROWTH = (BertNormalizer, ByteLevel, Lowercase, Nmt, Strip, StripAccents, UnicodeForm)


class StreamEncoder:
    """The ids of one text that comes in chunks; made by `Tokenizer.stream_encoder`.

    The ids that `feed` and `finish` give are together those of `encode_ids`, wherever the text is cut, and each comes
    as soon as nothing that may follow can change it. An encoder belongs to one stream; a tokenizer may have many at a
    time. After an error it is of no use until `reset`.

    >>> import reftok
    >>> encoder = reftok.load("bpe-gpt2").stream_encoder()
    >>> encoder.feed("Hello wor"), encoder.held, encoder.feed("ld"), encoder.finish()
    ([40, 3525], 4, [], [341, 291, 2118])
    """

    def __init__(self, tokenizer: Tokenizer, add_special_tokens: bool = True) -> None:
        self._tokenizer = tokenizer
        self._add_special_tokens = add_special_tokens
        self._surroundings = surroundings(tokenizer, add_special_tokens)
        self._asks_for_start = any(
            isinstance(step, Metaspace) and step.prepend_scheme == "first" for step in tokenizer.pre_tokenizers
        )
        self.reset()

    def reset(self) -> None:
        """Forget everything: what comes next is another text."""
        self._ids: list[int] = list(self._surroundings.before)
        self._reader = ChunkReader(self._tokenizer.library)
        self._stages = _chain(self._tokenizer, self._ids)
        self._text = self._stages[0].text
        self._takes_ascii = False
        self._is_begun = False
        self._is_finished = False

    @property
    def held(self) -> int:
        """How many code points have come whose ids have not been given; behind ByteLevel each byte counts as one."""
        return sum(stage.held for stage in self._stages) + self._reader.waiting

    @property
    def held_until_end(self) -> tuple[str, ...]:
        """Which stages cannot decide anything before the end of a text or of a part of it, and why.

        >>> import reftok
        >>> reftok.load("bpe-gpt2").stream_encoder().held_until_end
        ()
        """
        reasons = (self._surroundings.held_by, *(stage.holds_parts for stage in self._stages))
        return tuple(filter(None, reasons))

    def feed(self, text: str) -> list[int]:
        """The ids that have become final with this chunk.

        Raises InvalidText and ModelFormatError as `encode_ids` does for the whole text, StreamFinished after `finish`.
        """
        if self._takes_ascii and type(text) is str and text.isascii():
            if text:
                self._text(text)
        else:
            self._refuse_if_finished()
            self._take(self._reader.from_str(text))
        return self._taken() if self._ids else []

    def feed_bytes(self, data: bytes) -> list[int]:
        """The same for bytes of UTF-8, which may be cut within a character.

        Bytes that are not UTF-8 are what they are to `encode` of sentencepiece and llama.cpp; for the others they raise
        InvalidText.
        """
        self._refuse_if_finished()
        self._take(self._reader.from_bytes(data))
        return self._taken()

    def finish(self) -> list[int]:
        """The ids that were held, and those that the post-processor puts behind the text."""
        self._refuse_if_finished()
        self._is_finished = True
        self._take(self._reader.end())
        self._takes_ascii = False
        self._stages[0].end_part()
        if self._surroundings.held_by:
            return self._tokenizer.ids_behind_model(self._ids, self._add_special_tokens)
        return [*self._taken(), *self._surroundings.after]

    def encode(self, text: str) -> list[int]:
        """The ids of a whole text that has been checked; the encoder is then ready for the next one."""
        if text:
            self._text(text, int(self._asks_for_start))
        self._stages[0].end_part()
        ids = self._ids[:]
        self._ids[:] = self._surroundings.before
        if self._surroundings.held_by:
            return self._tokenizer.ids_behind_model(ids, self._add_special_tokens)
        ids += self._surroundings.after
        return ids

    def _refuse_if_finished(self) -> None:
        if self._is_finished:
            raise StreamFinished("the stream is finished: reset() makes it ready for another text")

    def _take(self, text: str) -> None:
        if text:
            self._text(text, int(self._asks_for_start and not self._is_begun))
            self._is_begun = True
        self._takes_ascii = self._is_begun and not self._reader.waiting

    def _taken(self) -> list[int]:
        if self._surroundings.held_by:
            return []
        taken = self._ids[:]
        self._ids.clear()
        return taken


class _Bounded(StreamedStage):
    """Refuses what blows the text up, as `Tokenizer.encode` does. fed: how many code points of it have come."""

    def __init__(self, sink: TextSink) -> None:
        super().__init__(sink)
        self.fed = 0
        self.size = 0

    def text(self, fragment: str, at_start: int = 0) -> None:
        self.size += len(fragment)
        refuse_expansion(self.size, self.fed)
        self.sink.text(fragment, at_start)

    def end_part(self) -> None:
        self.sink.end_part()


class _Counting(StreamedStage):
    """Counts the code points of a text for the stage that bounds them."""

    def __init__(self, bounded: _Bounded, sink: TextSink) -> None:
        super().__init__(sink)
        self._bounded = bounded

    def text(self, fragment: str, at_start: int = 0) -> None:
        self._bounded.fed += len(fragment)
        self.sink.text(fragment, at_start)

    def end_part(self) -> None:
        self.sink.end_part()
        self._bounded.fed = self._bounded.size = 0


def _chain(tokenizer: Tokenizer, ids: list[int]) -> tuple[TextSink, ...]:
    """The stages in the order in which the text goes through them; the last one puts its ids into `ids`."""
    added_tokens = tokenizer.added_tokens
    ignored = added_tokens.special_ids() if tokenizer.encode_special_tokens else frozenset()
    stages: list[TextSink] = [stream_model(tokenizer.model, ids)]
    for pre_tokenizer in reversed(tokenizer.pre_tokenizers):
        stages.append(stream_pre_tokenizer(pre_tokenizer, stages[-1]))
    stages += stream_added_tokens(added_tokens.normalized_pattern, ignored, stages[-1])
    bounded = _Bounded(stages[-1])
    grows = not all(isinstance(normalizer, _OF_LITTLE_GROWTH) for normalizer in tokenizer.normalizers)
    if grows:
        stages.append(bounded)
    for normalizer in reversed(tokenizer.normalizers):
        stages.append(stream_normalizer(normalizer, stages[-1]))
    if isinstance(added_tokens, LlamaSpecialTokens):
        stages.append(StreamedLlamaSpecialTokens(added_tokens, tokenizer.encode_special_tokens, stages[-1]))
    else:
        stages += stream_added_tokens(added_tokens.raw_pattern, ignored, stages[-1])
    if grows:
        stages.append(_Counting(bounded, stages[-1]))
    return tuple(reversed(stages))
