"""From a file, a folder or a name to the rules of a tokenizer; `reftok.load` makes a Tokenizer of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from reftok.errors import ModelFormatError
from reftok.formats.collection import collecting_later
from reftok.formats.files import begins_with, read_file, unreadable
from reftok.formats.huggingface.hub_folder import hub_tokenizer_json, named_ids
from reftok.formats.huggingface.tokenizer_json import VOCAB_AT, build_rules
from reftok.formats.huggingface.vocab_merges import read_vocab_merges
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.formats.strict_json import parse_json
from reftok.formats.tiktoken.rank_file import is_rank_file, rank_encoding, read_tiktoken
from reftok.formats.tiktoken.tekken import is_tekken, read_tekken
from reftok.rules.pipeline import Pipeline

FILE_NAMES = (
    "tokenizer.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "vocab.json",
    "tekken.json",
)
"""The files that a folder is searched for, in this order, before files that end in .model, .spm, .tiktoken or .gguf and
vocab.txt."""

VOCAB_FILES = ("vocab.json", "vocab.txt")
"""Files that hold a part of a model: what the rest is, the files beside them say."""

_PARTS = (*VOCAB_FILES, "merges.txt")
"""Files that are no model alone, but show that a folder was meant to hold one."""

SETTINGS_FILES = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "config.json",
    "generation_config.json",
)
"""Files as published beside a model that hold none."""

KNOWN_FILES = (
    "tokenizer.json, a sentencepiece .model, a .tiktoken rank file, vocab.json with merges.txt, "
    "vocab.txt with tokenizer_config.json, .gguf, tekken.json"
)

_MODEL_PROTO_TAGS = frozenset({b"\x0a", b"\x12", b"\x1a", b"\x22", b"\x2a"})
"""The first byte of a serialized sentencepiece model: the tag of one of the five messages of ModelProto."""

_GGUF = b"GGUF"
_ENDINGS = (".model", ".spm", ".tiktoken", ".gguf")


@collecting_later()
def load_rules(source: str | Path, encoding: str | None = None) -> Pipeline:
    """The rules of the tokenizer in a file or folder, or of an embedded model; arguments and errors: see `reftok.load`.

    They can be run as they are, and need nothing of the fast paths.

    >>> rules = load_rules("bpe-gpt2")
    >>> rules.library, rules.encode_ids("Hello world")
    ('tokenizers', [40, 3525, 341, 291, 2118])
    """
    path = find_model(source) if encoding is None else _rank_file(source)
    if encoding is None and begins_with(path, _GGUF):
        from reftok.formats.llama_cpp.gguf import (
            read_gguf,  # one file in many is in this format, and it takes a room of its own
        )

        return read_gguf(path)
    data = read_file(path)
    name = str(path)
    if encoding is not None:
        return read_tiktoken(data, name, rank_encoding(data, path, encoding))
    if path.name in VOCAB_FILES:
        return _with_named_ids(_from_vocab_file(path, data), path)
    if path.name in SETTINGS_FILES:
        raise ModelFormatError(name, "", _settings_problem(path))
    if is_tekken(path):
        return read_tekken(data, name)
    match file_format(data):
        case "empty":
            raise ModelFormatError(name, "", "is empty")
        case "unknown":
            raise ModelFormatError(name, "", _unknown_problem(path))
        case "tokenizer.json":
            return _with_named_ids(_from_tokenizer_json(path, data), path)
        case "tiktoken":
            return read_tiktoken(data, name, rank_encoding(data, path))
        case _:
            return read_sentencepiece_model(data, name)


def _from_vocab_file(path: Path, data: bytes) -> Pipeline:
    """By the class in tokenizer_config.json; without that file as GPT-2's."""
    if path.name == "vocab.txt" or path.with_name("tokenizer_config.json").is_file():
        return build_rules(hub_tokenizer_json(path), str(path))
    merges = path.with_name("merges.txt")
    return read_vocab_merges(data, read_file(merges), vocab_source=str(path), merges_source=str(merges))


def _from_tokenizer_json(path: Path, data: bytes) -> Pipeline:
    """One without a model has its model, and the stages that it does not name, from the files beside it."""
    value = parse_json(data, str(path), VOCAB_AT)
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
    """Raise ModelFormatError for a vocab under another name than vocab.json: what belongs to it is not known."""
    if not isinstance(value, dict) or not value or not all(type(item) is int for item in value.values()):
        return
    merges = path.with_name(path.name.replace("vocab.json", "merges.txt"))
    rest = f"{merges.name} has its merges: " if merges != path and merges.is_file() else ""
    raise ModelFormatError(
        str(path), "", f"is a vocab alone; {rest}put both into a folder of their own, as vocab.json and merges.txt"
    )


def _with_named_ids(rules: Pipeline, path: Path) -> Pipeline:
    """With the ids of the tokens that tokenizer_config.json and special_tokens_map.json beside a file name."""
    return replace(rules, named_ids={**rules.named_ids, **named_ids(path.parent, rules)})


def file_format(data: bytes) -> str:
    r"""The format of a model file by its first bytes: tokenizer.json, tiktoken, gguf, sentencepiece, empty or unknown.

    >>> file_format(b'{"version": "1.0"}'), file_format(b"IQ== 0\n"), file_format(b"GGUF\x03")
    ('tokenizer.json', 'tiktoken', 'gguf')
    """
    if not data:
        return "empty"
    if data.lstrip()[:1] == b"{":
        return "tokenizer.json"
    if data.startswith(_GGUF):
        return "gguf"
    if is_rank_file(data):
        return "tiktoken"
    return "sentencepiece" if data[:1] in _MODEL_PROTO_TAGS else "unknown"


def find_model(source: str | Path) -> Path:
    """The model file that `source` means: a file, one in a folder, or that of an embedded model.

    A folder without anything of a model does not hide the embedded model of its name.
    Raises ModelFormatError where there is none, or where the system does not let look for it.
    """
    given: object = source
    if not isinstance(given, str | Path) or not str(source):
        raise ModelFormatError("", f"source {source!r:.60}", "is no path and no name of an embedded model")
    try:
        return _find(source)
    except OSError as error:
        raise unreadable(source, error) from None


def _find(source: str | Path) -> Path:
    path = Path(source)
    if path.is_file():
        return path.with_name("vocab.json") if path.name == "merges.txt" else path
    if names_embedded_model(source):
        return embedded_models()[str(source)]
    if path.is_dir():
        return _model_in(path)
    names = ", ".join(embedded_models()) or "none: the installation is incomplete"
    raise ModelFormatError(str(source), "", f"no such file or folder, and no embedded model; there are: {names}")


def names_embedded_model(source: str | Path) -> bool:
    """Whether an embedded model is meant: one has the name, and no file has it, nor a folder with anything of a model.

    >>> names_embedded_model("bpe-gpt2"), names_embedded_model("./bpe-gpt2")
    (True, False)
    """
    path = Path(source)
    if str(source) not in embedded_models() or path.is_file():
        return False
    folders = [path, *(child for child in path.iterdir() if child.is_dir())] if path.is_dir() else []
    return not any(models_in(folder) or any((folder / name).is_file() for name in _PARTS) for folder in folders)


def models_in(folder: Path) -> list[Path]:
    """Every model file of a folder: a folder as published may hold one tokenizer in two formats."""
    found = [folder / name for name in FILE_NAMES if (folder / name).is_file()]
    found += [
        path for path in sorted(folder.iterdir()) if path.suffix in _ENDINGS and path.is_file() and path not in found
    ]
    if any(path.name == "tokenizer.json" for path in found):
        found = [path for path in found if path.name != "vocab.json"]
    found = [path for path in found if path.name != "vocab.json" or path.with_name("merges.txt").is_file()]
    has_vocab_txt = (folder / "vocab.txt").is_file() and (folder / "tokenizer_config.json").is_file()
    return found or ([folder / "vocab.txt"] if has_vocab_txt else [])


def embedded_models() -> dict[str, Path]:
    """The models that come with reftok, by name; trained on the project's own corpora."""
    return dict(_embedded())


@cache
def _embedded() -> tuple[tuple[str, Path], ...]:
    for folder in (Path(__file__).parents[1] / "embedded", Path(__file__).parents[2] / "corpora" / "models"):
        if folder.is_dir():
            found = {path.name: models_in(path) for path in sorted(folder.iterdir()) if path.is_dir()}
            return tuple((name, models[0]) for name, models in found.items() if models)
    return ()


def _model_in(folder: Path) -> Path:
    found = models_in(folder)
    if not found and (folder / "vocab.json").is_file():
        raise ModelFormatError(str(folder), "", "holds vocab.json, but no merges.txt beside it")
    if not found:
        raise ModelFormatError(str(folder), "", f"holds no model; known files are {KNOWN_FILES}")
    if len(found) > 1 and found[0].name not in FILE_NAMES:
        names = ", ".join(path.name for path in found)
        raise ModelFormatError(str(folder), "", f"holds several models, {names}: name one of them")
    return found[0]


def _rank_file(source: str | Path) -> Path:
    """As `find_model`; of a folder with several files the first that is a rank file."""
    found = find_model(source)
    files = models_in(Path(source)) if Path(source).is_dir() else []
    return next((path for path in files if file_format(read_file(path)) == "tiktoken"), found)
