"""The files of settings beside a model, whatever its format, and the ids that they give the named tokens.

Of several files that name a token, the first in this order counts:

1. special_tokens_map.json, unless tokenizer_config.json has `added_tokens_decoder`: then the map is not read;
2. tokenizer_config.json, and the tokens that its `tokenizer_class` has by default. `null` says that there is no such
   token, and so does a content that the model does not have;
3. the model file itself: the pieces of a sentencepiece model, the metadata of a GGUF file;
4. generation_config.json, which has ids. Of a list of ids (`eos_token_id` of Llama 3 is one) the first that has a token
   counts, since a tokenizer has one `eos_id`.

An id without a token is passed over, as transformers never compares generation_config.json with a tokenizer: beside the
source.spm of Marian it has the ids of another vocab, and -1 stands for no token in some files.
Source: transformers 5.23 tokenization_utils_base.py `_from_pretrained`, generation/configuration_utils.py
`GenerationConfig`, and models/*/tokenization_*.py for the tokens of the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reftok.errors import ModelFormatError
from reftok.formats.fields import Fields
from reftok.formats.files import read_file
from reftok.formats.named_ids import WELL_KNOWN
from reftok.formats.strict_json import parse_json
from reftok.rules.pipeline import Pipeline

CONFIG, TOKENS_MAP, GENERATION = "tokenizer_config.json", "special_tokens_map.json", "generation_config.json"

_ENDOFTEXT = "<|endoftext|>"
_GPT2 = {"unk_token": _ENDOFTEXT, "bos_token": _ENDOFTEXT, "eos_token": _ENDOFTEXT}
_ROBERTA = {"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>"}
_ROBERTA |= {"unk_token": "<unk>", "pad_token": "<pad>", "mask_token": "<mask>"}
_BERT = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"}
_CLIP = {"unk_token": _ENDOFTEXT, "bos_token": "<|startoftext|>", "eos_token": _ENDOFTEXT, "pad_token": _ENDOFTEXT}
_QWEN2 = {"unk_token": _ENDOFTEXT, "eos_token": _ENDOFTEXT, "pad_token": _ENDOFTEXT}

_TOKENS_OF_CLASSES: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("GPT2Tokenizer", "CodeGenTokenizer", "WhisperTokenizer"), _GPT2),
    **dict.fromkeys(("RobertaTokenizer", "BartTokenizer", "LEDTokenizer", "LongformerTokenizer"), _ROBERTA),
    **dict.fromkeys(("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"), _BERT),
    "CLIPTokenizer": _CLIP,
    "Qwen2Tokenizer": _QWEN2,
}
"""By class the tokens that it has if no file names them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one tokenizer.

    folder: where the files are.
    config: tokenizer_config.json, empty if there is none.
    mapped: special_tokens_map.json in the form of tokenizer_config.json, empty if it does not count.
    defaults: the tokens of the class.
    """

    folder: Path
    config: Mapping[str, Any]
    mapped: Mapping[str, Any]
    defaults: Mapping[str, str]

    @property
    def values(self) -> dict[str, Any]:
        """The value of each key in the file that counts."""
        return {**self.defaults, **self.config, **self.mapped}

    def source(self, key: str) -> str:
        """The path of the file that gives a key its value."""
        return str(self.folder / (TOKENS_MAP if key in self.mapped else CONFIG))


def read_settings(folder: Path) -> Settings:
    """The settings in tokenizer_config.json and special_tokens_map.json of a folder, either of which may be missing.

    Raises ModelFormatError if a file is not a JSON object.

    >>> read_settings(Path("no-such-folder")).values
    {}
    """
    config = read_object(folder / CONFIG)
    mapped = read_object(folder / TOKENS_MAP) if "added_tokens_decoder" not in config else {}
    tokenizer_class = str(config.get("tokenizer_class")).removesuffix("Fast")
    return Settings(folder, config, _as_special(mapped), _TOKENS_OF_CLASSES.get(tokenizer_class, {}))


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file, empty if there is no such file. Raises ModelFormatError for anything else."""
    if not path.is_file():
        return {}
    value = parse_json(read_file(path), str(path))
    if not isinstance(value, dict):
        raise ModelFormatError(str(path), "", "is not an object")
    return value


def _as_special(tokens: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens of special_tokens_map.json in the form of tokenizer_config.json, which older files leave out."""
    return {
        key: {**value, "__type": "AddedToken", "special": True}
        if isinstance(value, dict) and "content" in value
        else value
        for key, value in tokens.items()
    }


def is_token(value: object) -> bool:
    """Whether a value of tokenizer_config.json stands for a token: a string or an object of AddedToken."""
    return isinstance(value, str) or (isinstance(value, dict) and value.get("__type") == "AddedToken")


def content_of(value: Any, source: str, place: str) -> str:
    """The content of a token, which is a string or an object of AddedToken.

    Raises ModelFormatError for anything else.

    >>> content_of({"__type": "AddedToken", "content": "<s>"}, "tokenizer_config.json", "bos_token")
    '<s>'
    """
    if not is_token(value):
        raise ModelFormatError(source, place, 'is neither a string nor an object of "__type": "AddedToken"')
    return value if isinstance(value, str) else Fields(value, source, place).text("content")


def with_named_ids(rules: Pipeline, folder: Path) -> Pipeline:
    """The rules with the ids of the tokens that the files of a folder give a name (`eos_token`, `eos_token_id`).

    What else the files hold is not looked at.
    Raises ModelFormatError if a file, a name or an id is not sound.
    """
    settings = read_settings(folder)
    values = _as_special(settings.values)
    keys = {name: f"{name}_token" for name in WELL_KNOWN if f"{name}_token" in values}
    named = {
        name: None if values[key] is None else rules.token_to_id(content_of(values[key], settings.source(key), key))
        for name, key in keys.items()
    }
    # The names in a vocab.json are only a guess; other model files say what their ids are.
    own = {} if rules.library == "tokenizers" else rules.named_ids
    ids = {name: found for name, found in _generation_ids(folder, rules).items() if own.get(name) is None}
    return replace(rules, named_ids={**rules.named_ids, **ids, **named})


def _generation_ids(folder: Path, rules: Pipeline) -> dict[str, int]:
    path = folder / GENERATION
    fields = Fields(read_object(path), str(path), "")
    found: dict[str, int] = {}
    for name in ("eos", "bos", "pad"):
        value = fields.any(key := f"{name}_token_id", None)
        ids = value if isinstance(value, list) else [value]
        if value is not None and not all(type(token_id) is int for token_id in ids):
            raise fields.wrong(key, f"is neither an id nor a list of ids: {value!r:.60}")
        found |= [(name, token_id) for token_id in ids if rules.id_to_token(token_id) is not None][:1]
    return found
