"""The tokenizers that can be trained: a few usual ones by name, and any tokenizer.json.

A pipeline is a tokenizer.json as `tokenizers` writes it, with a model that knows nothing yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

from reftok.errors import ModelFormatError, TrainingStopped
from reftok.formats.files import read_file
from reftok.formats.model_files import find_model
from reftok.formats.strict_json import VOCAB_AT, parse_json

Json: TypeAlias = dict[str, Any]

GPT4_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""That of `RegexTokenizer` in karpathy/minbpe regex.py, which is not cl100k_base's to the letter."""

_STAGES = (
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
)
"""In the order in which the library writes them; the model is the last."""


def _byte_level(use_regex: bool) -> Json:
    stage = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}
    decoder = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    return {"pre_tokenizer": stage, "post_processor": decoder, "decoder": decoder}


def split_bytes(pattern: str | None) -> Json:
    """What the pattern matches, in bytes; with None the whole text. The rest of the text is dropped."""
    pipeline = _byte_level(False)
    if pattern is not None:
        split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
        steps = [split, pipeline["pre_tokenizer"]]
        pipeline["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    return pipeline


_METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}

PIPELINES: Mapping[str, Json] = {
    "byte-level": _byte_level(True),
    "byte-level-unsplit": _byte_level(False),
    "bert": {
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    },
    "whitespace": {"pre_tokenizer": {"type": "Whitespace"}},
    "metaspace": {"pre_tokenizer": _METASPACE, "decoder": _METASPACE},
    "none": {},
}
"""By name: GPT-2's; the same where each text is one word; BERT's; words and punctuation; words that begin with `▁`; and
none, where each text is one word of characters."""

DEFAULT_PIPELINES = {
    "hf-bpe": "byte-level",
    "wordpiece": "bert",
    "wordlevel": "whitespace",
    "hf-unigram": "metaspace",
}

BYTE_LEVEL = ("byte-level", "byte-level-unsplit")
"""Those whose alphabet is that of the bytes."""

_MODELS: Mapping[str, Json] = {
    "BPE": {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {},
        "merges": [],
    },
    "WordPiece": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {},
    },
    "WordLevel": {"type": "WordLevel", "vocab": {}, "unk_token": "<unk>"},
    "Unigram": {"type": "Unigram", "unk_id": None, "vocab": [], "byte_fallback": False},
}
"""As a new model of the library has its options, in the order in which they are written."""


def pipeline_of(source: str | Path | Mapping[str, Any], model: str) -> Json:
    """A tokenizer.json with an untrained model.

    source: a name in PIPELINES, a tokenizer.json or the name of an embedded model, or the parsed file.
    model: its type. The options of a model of this type are kept, as the library keeps them.
    Raises TrainingStopped for a source that is none of these, ModelFormatError where the file is not sound.

    >>> pipeline_of("whitespace", "WordLevel")["pre_tokenizer"]
    {'type': 'Whitespace'}
    """
    given = _given(source)
    value: Json = {"version": "1.0", **dict.fromkeys(_STAGES[1:]), "added_tokens": [], **deepcopy(dict(given))}
    before = given.get("model")
    old: Mapping[str, Any] = before if isinstance(before, Mapping) and before.get("type") == model else {}
    made = {key: old.get(key, default) for key, default in _MODELS[model].items()}
    return {key: value.get(key) for key in _STAGES} | {"model": made}


def _given(source: str | Path | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    if isinstance(source, str) and source in PIPELINES and not Path(source).is_file():
        return PIPELINES[source]
    try:
        path = find_model(source)
    except ModelFormatError:
        names = ", ".join(PIPELINES)
        raise TrainingStopped(f"pipeline {source!s:.60} is no tokenizer.json, and none of {names}") from None
    if path.suffix != ".json":
        raise TrainingStopped(f"pipeline {path}: a tokenizer.json is needed, or one of {', '.join(PIPELINES)}")
    value = parse_json(read_file(path), str(path), VOCAB_AT)
    if not isinstance(value, dict) or "model" not in value:
        raise TrainingStopped(f"pipeline {path}: is no tokenizer.json")
    return value
