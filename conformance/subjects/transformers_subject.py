"""HuggingFace `transformers`: what `AutoTokenizer` makes of the folder of a model. An extra: "reftok[transformers]".

It need not be what tokenizer.json says: the class that tokenizer_config.json names may build other stages, add tokens
and clean up decoded text. So it is a subject beside `tokenizers`, which reads the file alone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.core.observation import Encoded, Encoding, Failure
from conformance.subjects.base import Adapter, Ids, InBulk, UnavailableError, one_line
from conformance.subjects.library import LibrarySubject, each
from conformance.subjects.tokenizers_subject import encoded

NAME = "transformers-auto"


def version() -> str:
    """The installed version."""
    return str(_library().__version__)


def _library() -> Any:
    # It reads these when it is imported: else it tells of PyTorch, which no tokenizer needs, and of long texts.
    os.environ |= {"TRANSFORMERS_NO_ADVISORY_WARNINGS": "1", "TRANSFORMERS_VERBOSITY": "critical"}
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import transformers

    return transformers


class TransformersSubject(LibrarySubject):
    """The tokenizer that `AutoTokenizer.from_pretrained` gives for the folder of a file; no code of the folder is run.

    Texts are not padded or truncated. A class without a fast backend has no offsets.
    Raises UnavailableError where the library refuses the folder.
    """

    name = NAME

    def __init__(self, path: Path) -> None:
        try:
            self._tokenizer: Any = _library().AutoTokenizer.from_pretrained(path.parent, local_files_only=True)
        except Exception as error:
            raise UnavailableError(f"transformers refuses the folder: {one_line(error)}") from None
        self.has_batch = self._tokenizer.is_fast

    def encoding(self, text: str | bytes) -> Encoded:
        return self._encoded([text], True)[0]

    def encodings(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        return [*self._encoded(texts, True)]

    def encode_bare(self, texts: Sequence[str]) -> list[Encoding]:
        found = each(lambda text: self._encoded([text], False)[0], texts)
        return [Failure("refused", "") if one is None else one for one in found]

    def text(self, ids: Ids, skip_special_tokens: bool) -> str:
        found: str = self._tokenizer.decode(list(ids), skip_special_tokens=skip_special_tokens)
        return found

    def in_bulk(self) -> InBulk:
        return self.one_by_one(lambda text: self._encoded([text], True)[0].ids)

    def _encoded(self, texts: Sequence[str | bytes], add_special_tokens: bool) -> list[Encoded]:
        if any(isinstance(text, bytes) for text in texts):
            raise TypeError("transformers takes str, not bytes")
        found = self._tokenizer(list(texts), add_special_tokens=add_special_tokens)
        if self.has_batch:
            return [encoded(encoding) for encoding in found.encodings]
        tokens_of = self._tokenizer.convert_ids_to_tokens
        return [Encoded(tuple(ids), tuple(tokens_of(ids))) for ids in found["input_ids"]]


def load(path: Path, model_format: str, encoding: str = "") -> TransformersSubject:
    """The subject with a model."""
    return TransformersSubject(path)


ADAPTER = Adapter(
    NAME,
    package="transformers jinja2",
    extra="transformers",
    reads=("tokenizer.json", "vocab_merges", "sentencepiece"),
    version=version,
    load=load,
)
