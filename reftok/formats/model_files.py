"""Finding a model file, and recognising its format."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from reftok.errors import ModelFormatError
from reftok.formats.files import unreadable
from reftok.formats.settings import CONFIG, GENERATION, TOKENS_MAP

FILE_NAMES = (
    "tokenizer.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "vocab.json",
    "tekken.json",
)
"""The files that are looked for in a folder, in this order; then those that end in .model, .spm, .tiktoken or .gguf;
then vocab.txt."""

VOCAB_FILES = ("vocab.json", "vocab.txt")
"""Files with a part of a model; the rest is in the files beside them."""

_PARTS = (*VOCAB_FILES, "merges.txt")
"""Files that are no model alone, but show that a folder is meant to hold one."""

SETTINGS_FILES = (
    CONFIG,
    TOKENS_MAP,
    GENERATION,
    "added_tokens.json",
    "config.json",
)
"""Files without a vocab, as they are published beside a model; the first three concern every tokenizer."""

KNOWN_FILES = (
    "tokenizer.json, a sentencepiece .model, a .tiktoken rank file, vocab.json with merges.txt, "
    "vocab.txt with tokenizer_config.json, .gguf, tekken.json"
)

_MODEL_PROTO_TAGS = frozenset({b"\x0a", b"\x12", b"\x1a", b"\x22", b"\x2a"})
"""The first byte of a serialized sentencepiece model: the tag of one of the five messages of ModelProto."""

_BEGINNING = 4096
"""So many bytes show the format; a GGUF file may have many gigabytes."""

_ENDINGS = (".model", ".spm", ".tiktoken", ".gguf")


def model_format(path: Path) -> str:
    """The format of a model file: vocab_merges or tekken by its name, any other by its first bytes.

    Raises ModelFormatError if the file cannot be read.
    """
    if path.name in VOCAB_FILES:
        return "vocab_merges"
    if "tekken" in path.name and path.suffix == ".json":  # so mistral-common knows it: the content is JSON, too
        return "tekken"
    try:
        with path.open("rb") as file:
            return file_format(file.read(_BEGINNING))
    except OSError as error:
        raise unreadable(path, error) from None


def file_format(data: bytes) -> str:
    r"""The format of a model file by its first bytes: tokenizer.json, tiktoken, gguf, sentencepiece, empty or unknown.

    >>> file_format(b'{"version": "1.0"}'), file_format(b"IQ== 0\n"), file_format(b"GGUF\x03")
    ('tokenizer.json', 'tiktoken', 'gguf')
    """
    if not data:
        return "empty"
    if data.lstrip()[:1] == b"{":
        return "tokenizer.json"
    if data.startswith(b"GGUF"):
        return "gguf"
    line = data.split(b"\n", 1)[0].split()
    if len(line) == 2 and line[1].isdigit() and len(line[0]) % 4 == 0:
        return "tiktoken"
    return "sentencepiece" if data[:1] in _MODEL_PROTO_TAGS else "unknown"


def find_model(source: str | Path) -> Path:
    """The model file that `source` means: a file, one in a folder, or that of an embedded model.

    An embedded model is found even if there is a folder of its name, as long as nothing in it is a part of a model.
    Raises ModelFormatError if there is none, or if the system does not allow to look for it.
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
    """Whether an embedded model has this name, and neither a file nor a folder with parts of a model has it, too.

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
    if found[:1] == [folder / "tokenizer.json"] or not (folder / "merges.txt").is_file():
        found = [path for path in found if path.name != "vocab.json"]
    has_vocab_txt = (folder / "vocab.txt").is_file() and (folder / CONFIG).is_file()
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


def find_rank_file(source: str | Path) -> Path:
    """As `find_model`, but prefers a rank file in a folder with several model files."""
    found = find_model(source)
    files = models_in(Path(source)) if Path(source).is_dir() else []
    return next((path for path in files if model_format(path) == "tiktoken"), found)


def files_beside(path: Path) -> tuple[Path, ...]:
    """The existing files beside a model file that its tokenizer depends on, too.

    >>> files_beside(Path("no-such-folder/vocab.json"))
    ()
    """
    parts = {"vocab.json": ("merges.txt", "added_tokens.json"), "vocab.txt": ("added_tokens.json",)}
    beside = [path.with_name(name) for name in (*parts.get(path.name, ()), *SETTINGS_FILES[:3])]
    if path.is_file() and model_format(path) == "tiktoken":  # beside another format a .toml decides nothing
        beside.append(path.with_suffix(".toml"))
    return tuple(file for file in beside if file.is_file())
