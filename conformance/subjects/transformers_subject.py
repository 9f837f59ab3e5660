"""HuggingFace `transformers`: what `AutoTokenizer` makes of the folder of a model. An extra: "reftok[transformers]".

It need not be what tokenizer.json says: the class that tokenizer_config.json names may build other stages, add tokens
and clean up decoded text. So it is a subject beside `tokenizers`, which reads the file alone, and it can be official in
its place: then the reference is read from what the class has made.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.core.observation import Encoded, Encoding, Failure
from conformance.subjects.base import Adapter, Ids, InBulk, UnavailableError, one_line
from conformance.subjects.library import LibrarySubject, each
from conformance.subjects.tokenizers_subject import encoded
from reftok import ReftokError
from reftok.formats import rules_of_json
from reftok.rules.pipeline import Pipeline

LIBRARY = "transformers"
NAME = "transformers-auto"
"""Not the library's name: the adapter in adapters/transformers has that one."""
PACKAGE = "transformers jinja2"

CLEANED_UP = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")
"""What `clean_up_tokenization` of transformers and of its ports strips of spaces, in its order."""

_STEPS = (
    *("__call__", "_encode_plus", "_batch_encode_plus", "_decode", "decode", "convert_tokens_to_string"),
    "clean_up_tokenization",
)
"""The methods that encode and decode. If a class overrides one, its backend alone does not give its answers."""


def version() -> str:
    """The installed version."""
    return str(_library().__version__)


def _library() -> Any:
    # It reads these when it is imported: else it tells of PyTorch, which no tokenizer needs, and of long texts.
    os.environ |= {"TRANSFORMERS_NO_ADVISORY_WARNINGS": "1", "TRANSFORMERS_VERBOSITY": "critical"}
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import transformers

    return transformers


def _auto_tokenizer(path: Path) -> Any:
    """The tokenizer that AutoTokenizer makes of the folder of a file, without running code of the folder.

    Raises ImportError if transformers is missing.
    """
    library = _library()
    try:
        return library.AutoTokenizer.from_pretrained(path.parent, local_files_only=True)
    except Exception as error:
        raise UnavailableError(f"transformers refuses the folder: {one_line(error)}") from None


def read_rules(path: Path) -> Pipeline:
    """The rules of the tokenizer that AutoTokenizer makes of a folder, with its clean-up of decoded texts.

    Raises UnavailableError where transformers is not installed or refuses the folder, and for a class with encoding or
    decoding code of its own.
    """
    try:
        made = _auto_tokenizer(path)
    except ImportError:
        raise UnavailableError(f"{LIBRARY} is not installed: python -m pip install {PACKAGE}") from None
    name = type(made).__name__
    if not made.is_fast:
        raise UnavailableError(f"{name} of transformers has no backend of tokenizers: reftok cannot follow it")
    base = _library().PreTrainedTokenizerFast
    if own := [step for step in _STEPS if getattr(type(made), step, None) is not getattr(base, step, None)]:
        raise UnavailableError(f"{name} of transformers has its own {', '.join(own)}, which reftok does not follow")
    value = json.loads(made.backend_tokenizer.to_str())
    # transformers 5 leaves BPE alone unless this is set; 4 has no such attribute, and cleans up texts of every model.
    cleans_bpe = getattr(made, "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", True)
    if made.clean_up_tokenization_spaces and (cleans_bpe or value["model"]["type"] != "BPE"):
        if value["decoder"] is None:
            raise UnavailableError(
                f"{name} of transformers cleans up texts without a decoder, which reftok does not do"
            )
        cleaned = [{"type": "Replace", "pattern": {"String": one}, "content": one.strip()} for one in CLEANED_UP]
        value["decoder"] = {"type": "Sequence", "decoders": [value["decoder"], {"type": "Fuse"}, *cleaned]}
    try:
        rules = rules_of_json({**value, "truncation": None, "padding": None}, path)
    except ReftokError as error:
        raise UnavailableError(f"reftok cannot read the backend of {name} of transformers: {error}") from None
    return replace(rules, encode_special_tokens=bool(made.split_special_tokens))


class TransformersSubject(LibrarySubject):
    """The tokenizer that `AutoTokenizer.from_pretrained` gives for the folder of a file; no code of the folder is run.

    Texts are not padded or truncated. A class without a fast backend has no offsets.
    Raises UnavailableError where the library refuses the folder.
    """

    name = NAME

    def __init__(self, path: Path) -> None:
        self._tokenizer = _auto_tokenizer(path)
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
    package=PACKAGE,
    extra="transformers",
    reads=("tokenizer.json", "vocab_merges", "sentencepiece"),
    version=version,
    load=load,
)
