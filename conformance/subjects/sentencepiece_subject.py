"""Google `sentencepiece`: the oracle for .model files; releases before 0.2.2 give their offsets otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from conformance.core.observation import Encoded, Encoding
from conformance.core.releases import release
from conformance.subjects.base import Adapter, Format, Ids, InBulk, Snippets, UnavailableError
from conformance.subjects.library import LibrarySubject

NAME = "sentencepiece"


def version() -> str:
    """The installed version."""
    import sentencepiece

    return str(sentencepiece.__version__)


class SentencePieceSubject(LibrarySubject):
    """The library itself, from 0.2.2 on (its offsets come from `return_type="offset_mapping"`)."""

    name = NAME
    takes_bytes = True
    has_batch = True
    skips = False

    def __init__(self, path: Path) -> None:
        import sentencepiece

        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
        except Exception as error:
            raise UnavailableError(f"sentencepiece refuses the model: {error}") from None

    def encoding(self, text: str | bytes) -> Encoded:
        return _encoded(self._processor.Encode(text, return_type="offset_mapping"))

    def encodings(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        """Texts by the batch call; bytes one by one: with them, the library gives the pieces of texts as bytes too."""
        strings = [text for text in texts if isinstance(text, str)]
        answers = iter(self._processor.Encode(strings, return_type="offset_mapping", num_threads=1))
        return [_encoded(next(answers)) if isinstance(text, str) else self.encode(text) for text in texts]

    def text(self, ids: Ids, skip_special_tokens: bool) -> str:
        found: str = self._processor.Decode(list(ids))
        return found

    def in_bulk(self) -> InBulk | None:
        return self.one_by_one(self._processor.Encode)


def _encoded(answer: Any) -> Encoded:
    pieces = answer["pieces"]
    is_text = bytes not in map(type, pieces)
    return Encoded(
        tuple(answer["ids"]), tuple(pieces if is_text else map(_text, pieces)), tuple(map(tuple, answer["offsets"]))
    )


def _text(piece: str | bytes) -> str:
    return piece if isinstance(piece, str) else piece.decode("utf-8", "replace")


def is_older(version: str) -> bool:
    """Whether a release has no `offset_mapping`.

    >>> is_older("0.2.1"), is_older("0.2.2")
    (True, False)
    """
    return release(version) < release("0.2.2")


class OlderSentencePieceSubject(SentencePieceSubject):
    """The library as it was up to 0.2.1.

    Offsets come from `out_type="immutable_proto"`. Of bytes there are none: to ask for them ends the process (measured
    on 0.1.99, 0.2.0 and 0.2.1: a segmentation fault where the bytes are not UTF-8).
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._encode: Callable[..., Any] = self._processor.Encode

    def encoding(self, text: str | bytes) -> Encoded:
        if isinstance(text, str):
            return _from_proto(self._encode(text, out_type="immutable_proto"))
        pieces: list[bytes] = self._encode(text, out_type=str)
        ids: list[int] = self._encode(text, out_type=int)
        return Encoded(tuple(ids), tuple(piece.decode("utf-8", "replace") for piece in pieces))

    def encodings(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        strings = [text for text in texts if isinstance(text, str)]
        answers = iter(self._encode(strings, out_type="immutable_proto", num_threads=1))
        return [_from_proto(next(answers)) if isinstance(text, str) else self.encode(text) for text in texts]

    def in_bulk(self) -> InBulk | None:
        return None


def _from_proto(answer: Any) -> Encoded:
    pieces = list(answer.pieces)
    return Encoded(
        tuple(piece.id for piece in pieces),
        tuple(piece.piece for piece in pieces),
        tuple((piece.begin, piece.end) for piece in pieces),
    )


def load(path: Path, model_format: str, encoding: str = "") -> SentencePieceSubject:
    """The subject with a model."""
    return OlderSentencePieceSubject(path) if is_older(version()) else SentencePieceSubject(path)


def stages(path: Path, text: str) -> dict[str, tuple[str, ...]]:
    """The text after the normalizer. Source: `Normalize` of sentencepiece 0.2."""
    return {"Normalizer": (str(_loaded(path).Normalize(text)),)}


@lru_cache(maxsize=1)
def _loaded(path: Path) -> Any:
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_file=str(path))


_REPRODUCTION = """\
class Official:
    def __init__(self, path):
        from sentencepiece import SentencePieceProcessor

        self.processor = SentencePieceProcessor(model_file=path)

    def encode(self, text):
        answer = self.processor.Encode(text, return_type="offset_mapping")
        return parts(answer["ids"], map(as_text, answer["pieces"]), answer["offsets"])

    def encode_batch(self, texts):
        return self.processor.Encode(texts, num_threads=1)

    def decode(self, ids):
        return [self.processor.Decode(ids)]
"""

_SNIPPETS = Snippets(
    load="from sentencepiece import SentencePieceProcessor\nprocessor = SentencePieceProcessor(model_file={path})",
    encode='print(processor.Encode({input}, return_type="offset_mapping"))',
    decode="print(ascii(processor.Decode({input})))",
    takes_bytes=True,
)

ADAPTER = Adapter(
    NAME,
    package="sentencepiece",
    reads=("sentencepiece",),
    version=version,
    load=load,
    official=(Format("sentencepiece", "tokenizer.model", stages, _REPRODUCTION, _SNIPPETS),),
)
