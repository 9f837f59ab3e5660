"""Readers of model files: each returns the rules of a tokenizer, of which `reftok.load` makes a Tokenizer."""

from __future__ import annotations

from pathlib import Path

from reftok.errors import ModelFormatError
from reftok.formats.chat_templates import with_chat_templates
from reftok.formats.collection import collecting_later
from reftok.formats.files import read_file
from reftok.formats.huggingface.hub_folder import hub_tokenizer_json
from reftok.formats.huggingface.tokenizer_json import build_rules
from reftok.formats.huggingface.vocab_merges import read_vocab_merges
from reftok.formats.model_files import (
    KNOWN_FILES,
    SETTINGS_FILES,
    find_model,
    find_rank_file,
    model_format,
    models_in,
)
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.formats.settings import CONFIG, with_named_ids
from reftok.formats.strict_json import VOCAB_AT, parse_json
from reftok.formats.tiktoken.rank_file import rank_encoding, read_tiktoken
from reftok.formats.tiktoken.tekken import read_tekken
from reftok.rules.pipeline import Pipeline


@collecting_later()
def load_rules(source: str | Path, encoding: str | None = None) -> Pipeline:
    """The rules of a file or folder, or of an embedded model, with the arguments and errors of `reftok.load`.

    They can be run as they are, and import no fast path.

    >>> rules = load_rules("bpe-gpt2")
    >>> rules.library, rules.encode_ids("Hello world")
    ('tokenizers', [40, 3525, 341, 291, 2118])
    """
    path = find_model(source) if encoding is None else find_rank_file(source)
    return _with_files_beside(_read_rules(path, encoding), path.parent)


def rules_of_json(value: object, path: Path) -> Pipeline:
    """The rules of the value of a tokenizer.json, with the files beside one.

    path: of that file; it need not exist.
    Raises ModelFormatError if the value or a file is not sound, UnsupportedFeature for what reftok does not know.
    """
    return _with_files_beside(build_rules(value, str(path)), path.parent)


def _with_files_beside(rules: Pipeline, folder: Path) -> Pipeline:
    return with_chat_templates(with_named_ids(rules, folder), folder)


def _read_rules(path: Path, encoding: str | None) -> Pipeline:
    name = str(path)
    if path.name in SETTINGS_FILES:
        raise ModelFormatError(name, "", _settings_problem(path))
    match "tiktoken" if encoding is not None else model_format(path):
        case "gguf":  # few files are in this format, and its modules take a while to import
            from reftok.formats.llama_cpp.gguf import read_gguf

            return read_gguf(path)
        case "vocab_merges":
            return _from_vocab_file(path)
        case "tokenizer.json":
            return _from_tokenizer_json(path)
        case "tekken":
            return read_tekken(read_file(path), name)
        case "tiktoken":
            data = read_file(path)
            return read_tiktoken(data, rank_encoding(data, path, encoding), name)
        case "sentencepiece":
            return read_sentencepiece_model(read_file(path), name)
        case "empty":
            raise ModelFormatError(name, "", "is empty")
        case _:
            raise ModelFormatError(name, "", _unknown_problem(path))


def _from_vocab_file(path: Path) -> Pipeline:
    """The stages of the class that tokenizer_config.json names; without that file, those of GPT-2."""
    if path.name == "vocab.txt" or path.with_name(CONFIG).is_file():
        return build_rules(hub_tokenizer_json(path), str(path))
    merges = path.with_name("merges.txt")
    return read_vocab_merges(read_file(path), read_file(merges), vocab_source=str(path), merges_source=str(merges))


def _from_tokenizer_json(path: Path) -> Pipeline:
    """The rules of a tokenizer.json; a model or a stage that it does not have is read from the files beside it."""
    value = parse_json(read_file(path), str(path), VOCAB_AT)
    _check_is_tokenizer(path, value)
    vocab = path.with_name("vocab.json")
    if isinstance(value, dict) and value.get("model") is None and vocab.is_file():
        value = hub_tokenizer_json(vocab) | {key: stage for key, stage in value.items() if stage is not None}
    return build_rules(value, str(path))


def _settings_problem(path: Path) -> str:
    """The message for a file of settings: the kind of file, and the one to name instead."""
    beside = [found.name for found in models_in(path.parent)]
    instead = f"name {beside[0]}, which is beside it" if beside else f"name a model file: {KNOWN_FILES}"
    return f"holds settings, and no vocab: {instead}"


def _unknown_problem(path: Path) -> str:
    if path.name.endswith("merges.txt"):
        return "holds merges alone: put it and its vocab into a folder of their own, as merges.txt and vocab.json"
    return f"is none of the known files: {KNOWN_FILES}"


def _check_is_tokenizer(path: Path, value: object) -> None:
    """Raise ModelFormatError for a vocab that is not called vocab.json: it is not known which merges belong to it."""
    if not isinstance(value, dict) or not value or not all(type(item) is int for item in value.values()):
        return
    merges = path.with_name(path.name.replace("vocab.json", "merges.txt"))
    rest = f"{merges.name} has its merges: " if merges != path and merges.is_file() else ""
    raise ModelFormatError(
        str(path), "", f"is a vocab alone; {rest}put both into a folder of their own, as vocab.json and merges.txt"
    )
