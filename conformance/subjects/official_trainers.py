"""The trainers of `tokenizers` and `sentencepiece`, by the names that `reftok train` has for them."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from conformance.core.observation import Failure
from conformance.subjects.base import is_panic, one_line

_OF_TOKENIZERS = {
    "hf-bpe": "BpeTrainer",
    "wordpiece": "WordPieceTrainer",
    "wordlevel": "WordLevelTrainer",
    "hf-unigram": "UnigramTrainer",
}


def library_of(trainer: str) -> str:
    """The library that has the trainer.

    >>> library_of("hf-bpe"), library_of("unigram")
    ('tokenizers', 'sentencepiece')
    """
    return "tokenizers" if trainer in _OF_TOKENIZERS else "sentencepiece"


def official_training(trainer: str, texts: Sequence[str], options: Mapping[str, Any]) -> bytes | Failure:
    """The file that the official trainer makes: a tokenizer.json or a `.model`.

    options: of the trainer, and of those of tokenizers the `pipeline` that is trained, a tokenizer.json.
    """
    given = {name: value for name, value in options.items() if name != "pipeline"}
    try:
        if trainer in _OF_TOKENIZERS:
            return _of_tokenizers(trainer, texts, given, options["pipeline"])
        return _of_sentencepiece(trainer, texts, given)
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        return Failure("refused", one_line(error))


def train(texts: Sequence[str], options: Mapping[str, Any]) -> bytes:
    """The official trainer as a subject, in a process of its own. options: also the name of the `trainer`."""
    given = {name: value for name, value in options.items() if name != "trainer"}
    made = official_training(options["trainer"], texts, given)
    if isinstance(made, Failure):
        raise ValueError(made.message)
    return made


def encode(texts: Sequence[str], options: Mapping[str, Any]) -> bytes:
    """The ids of each text by a trained file, as JSON. options: the name of the `trainer`, the file in `base64`.

    An error of the library is raised on: it does not load the file.
    """
    data = base64.b64decode(options["base64"])
    if library_of(options["trainer"]) == "tokenizers":
        tokenizer = import_module("tokenizers").Tokenizer.from_buffer(data)
        return json.dumps([encoding.ids for encoding in tokenizer.encode_batch(texts)]).encode("ascii")
    processor = import_module("sentencepiece").SentencePieceProcessor()
    processor.LoadFromSerializedProto(data)
    return json.dumps(processor.EncodeAsIds([*texts])).encode("ascii")


def _of_tokenizers(trainer: str, texts: Sequence[str], options: Mapping[str, Any], pipeline: Any) -> bytes:
    tokenizers = import_module("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(pipeline))
    made = getattr(import_module("tokenizers.trainers"), _OF_TOKENIZERS[trainer])(show_progress=False, **options)
    tokenizer.train_from_iterator(texts, made)
    return str(tokenizer.to_str()).encode("utf-8")


def _of_sentencepiece(trainer: str, texts: Sequence[str], options: Mapping[str, Any]) -> bytes:
    sentencepiece = import_module("sentencepiece")
    model = io.BytesIO()
    kind = trainer.removeprefix("sentencepiece-")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=model, model_type=kind, minloglevel=3, **options
    )
    return model.getvalue()
