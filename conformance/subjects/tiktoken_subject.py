"""OpenAI `tiktoken`: the oracle for rank files. An extra: pip install "reftok[tiktoken]"."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformance.core.observation import Decoded, Decoding, Encoded, Encoding
from conformance.core.streaming import Feeding, Streaming
from conformance.subjects.base import Adapter, Format, Ids, InBulk, refusal
from conformance.subjects.in_bulk import each
from reftok.formats.tiktoken import rank_encoding, read_ranks

NAME = "tiktoken"


def version() -> str:
    """The installed version."""
    import tiktoken

    return str(tiktoken.__version__)


class TiktokenSubject:
    """The library itself; the pattern and special tokens, which a rank file lacks, are those that reftok names."""

    name = NAME
    takes_bytes = False
    has_batch = True

    def __init__(self, path: Path, encoding_name: str = "") -> None:
        import tiktoken

        data = path.read_bytes()
        encoding = rank_encoding(data, path, encoding_name or None)
        self._encoding = tiktoken.Encoding(
            encoding.name,
            pat_str=encoding.pattern,
            mergeable_ranks=read_ranks(data, str(path)),
            special_tokens=dict(encoding.special_tokens),
        )
        self._special_ids = frozenset(encoding.special_tokens.values())

    def encode(self, text: str | bytes) -> Encoding:
        try:
            return Encoded(tuple(self._encoding.encode(_text(text), allowed_special="all")))
        except BaseException as error:
            return refusal(error)

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        try:
            answers = self._encoding.encode_batch(list(map(_text, texts)), num_threads=1, allowed_special="all")
            return [Encoded(tuple(ids)) for ids in answers]
        except BaseException as error:
            refusal(error)
            return [self.encode(text) for text in texts]

    def decode(self, ids: Sequence[int]) -> Decoding:
        try:
            ordinary = [token_id for token_id in ids if token_id not in self._special_ids]
            return Decoded(self._encoding.decode(ordinary), self._encoding.decode(list(ids)))
        except BaseException as error:
            return refusal(error)

    def in_bulk(self) -> InBulk:
        return InBulk(
            lambda texts: each(self._ids, texts),
            lambda questions: each(self._encoding.decode, questions),
            lambda questions: each(self._without_special, questions),
        )

    def _ids(self, text: str | bytes) -> Ids:
        found: Ids = self._encoding.encode(_text(text), allowed_special="all")
        return found

    def _without_special(self, ids: Ids) -> str:
        return str(self._encoding.decode([token_id for token_id in ids if token_id not in self._special_ids]))

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        return [None] * len(feedings)

    def renew(self) -> None:
        pass

    def close(self) -> None:
        pass


def _text(text: str | bytes) -> str:
    """Only str: tiktoken takes no bytes, and the harness gives it none."""
    if isinstance(text, bytes):
        raise TypeError("tiktoken takes str, not bytes")
    return text


def load(path: Path, model_format: str, encoding: str = "") -> TiktokenSubject:
    """The subject with a model."""
    return TiktokenSubject(path, encoding)


ADAPTER = Adapter(
    NAME, package="tiktoken", reads=("tiktoken",), version=version, load=load, official=(Format("tiktoken"),)
)
