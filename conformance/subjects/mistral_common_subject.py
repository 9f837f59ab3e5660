"""Mistral's `mistral-common`: the oracle for tekken.json. An extra: pip install "reftok[mistral]"."""

from __future__ import annotations

from pathlib import Path

from conformance.core.observation import Encoded
from conformance.subjects.base import Adapter, Format, Ids, InBulk, UnavailableError, one_line
from conformance.subjects.library import LibrarySubject

NAME = "mistral-common"


def version() -> str:
    """The installed version."""
    import mistral_common

    return str(mistral_common.__version__)


class MistralCommonSubject(LibrarySubject):
    """The library's `Tekkenizer`, without bos and eos: what a chat puts around a text is not its tokenizer's.

    Special tokens are skipped by the policy IGNORE and kept by KEEP.
    Raises UnavailableError where the library refuses the model.
    """

    name = NAME

    def __init__(self, path: Path) -> None:
        from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer

        self._policies = (SpecialTokenPolicy.KEEP, SpecialTokenPolicy.IGNORE)
        try:
            self._tokenizer = Tekkenizer.from_file(path)
        except Exception as error:
            raise UnavailableError(f"mistral-common refuses the model: {one_line(error)}") from None

    def encoding(self, text: str | bytes) -> Encoded:
        return Encoded(tuple(self._ids(text)))

    def text(self, ids: Ids, skip_special_tokens: bool) -> str:
        found: str = self._tokenizer.decode(list(ids), self._policies[skip_special_tokens])
        return found

    def in_bulk(self) -> InBulk:
        return self.one_by_one(self._ids)

    def _ids(self, text: str | bytes) -> Ids:
        if isinstance(text, bytes):
            raise TypeError("mistral-common takes str, not bytes")
        ids: Ids = self._tokenizer.encode(text, bos=False, eos=False)
        return ids


def load(path: Path, model_format: str, encoding: str = "") -> MistralCommonSubject:
    """The subject with a model."""
    return MistralCommonSubject(path)


ADAPTER = Adapter(
    NAME,
    package="mistral-common",
    extra="mistral",
    reads=("tekken",),
    version=version,
    load=load,
    official=(Format("tekken"),),
)
