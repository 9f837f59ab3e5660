"""OpenAI `tiktoken`: the oracle for rank files. An extra: pip install "reftok[tiktoken]"."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.core.observation import Encoded, Encoding
from conformance.core.settings import Answer, Question
from conformance.subjects.base import Adapter, Format, Ids, InBulk, UnavailableError, one_line, refusal
from conformance.subjects.library import LibrarySubject
from reftok.formats.tiktoken.encodings import ENCODINGS
from reftok.formats.tiktoken.rank_file import rank_encoding, read_ranks

NAME = "tiktoken"


def version() -> str:
    """The installed version."""
    import tiktoken

    return str(tiktoken.__version__)


class TiktokenSubject(LibrarySubject):
    """The library itself; the pattern and special tokens, which a rank file lacks, are those that reftok names.

    Raises UnavailableError where the library refuses them.
    """

    name = NAME
    has_batch = True

    def __init__(self, path: Path, encoding_name: str = "") -> None:
        import tiktoken

        data = path.read_bytes()
        encoding = rank_encoding(data, path, encoding_name or None)
        ranks = read_ranks(data, str(path))
        try:
            self._encoding = tiktoken.Encoding(
                encoding.name,
                pat_str=encoding.pattern,
                mergeable_ranks=ranks,
                special_tokens=dict(encoding.special_tokens),
            )
        except Exception as error:
            raise UnavailableError(f"tiktoken refuses the model: {one_line(error)}") from None
        self._special_ids = frozenset(encoding.special_tokens.values())

    def encoding(self, text: str | bytes) -> Encoded:
        return Encoded(tuple(self._ids(text)))

    def encodings(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        answers = self._encoding.encode_batch(list(map(_text, texts)), num_threads=1, allowed_special="all")
        return [Encoded(tuple(ids)) for ids in answers]

    def encode_with(self, questions: Sequence[Question]) -> list[Answer]:
        return [*map(self._answer, questions)]

    def _answer(self, question: Question) -> Answer:
        special = question.special_in_text
        if special is None or question.needs != {"special_in_text"}:
            return None
        texts = [str(text) for (text,) in question.inputs]
        allowed: Any = "all" if special.allowed is None else {*special.allowed}
        disallowed: Any = "all" if special.disallowed is None else {*special.disallowed}
        try:
            ids = [
                self._encoding.encode(text, allowed_special=allowed, disallowed_special=disallowed) for text in texts
            ]
        except BaseException as error:
            return refusal(error)
        return tuple(Encoded(tuple(one)) for one in ids)

    def text(self, ids: Ids, skip_special_tokens: bool) -> str:
        skipped = self._special_ids if skip_special_tokens else ()
        return self._encoding.decode([token_id for token_id in ids if token_id not in skipped])

    def in_bulk(self) -> InBulk:
        return self.one_by_one(self._ids)

    def _ids(self, text: str | bytes) -> Ids:
        return self._encoding.encode(_text(text), allowed_special="all")


def _text(text: str | bytes) -> str:
    """Only str: tiktoken takes no bytes, and the harness gives it none."""
    if isinstance(text, bytes):
        raise TypeError("tiktoken takes str, not bytes")
    return text


def load(path: Path, model_format: str, encoding: str = "") -> TiktokenSubject:
    """The subject with a model."""
    return TiktokenSubject(path, encoding)


_REPRODUCTION = """\
class Official:
    def __init__(self, path):
        import tomllib

        from tiktoken import Encoding

        with open(os.path.splitext(path)[0] + ".toml", "rb") as file:
            encoding = tomllib.load(file)["encoding"]
        with open(path, "rb") as file:
            ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, file)}
        pattern, self.special = encoding["pattern"], encoding["special_tokens"]
        self.encoding = Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens=self.special)

    def encode(self, text):
        return parts(self.encoding.encode(as_text(text), allowed_special="all"))

    def encode_batch(self, texts):
        return self.encoding.encode_batch(texts, allowed_special="all")

    def decode(self, ids):
        kept = [token_id for token_id in ids if token_id not in self.special.values()]
        return [self.encoding.decode(kept), self.encoding.decode(ids)]
"""

ADAPTER = Adapter(
    NAME,
    package="tiktoken",
    extra="tiktoken",
    reads=("tiktoken",),
    version=version,
    load=load,
    official=(Format("tiktoken", "ranks.tiktoken", reproduction=_REPRODUCTION, encodings=ENCODINGS.keys()),),
)
