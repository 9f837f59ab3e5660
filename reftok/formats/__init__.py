"""From a file, a folder or a name to a Tokenizer."""

from __future__ import annotations

from pathlib import Path

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.sentencepiece_model import read_sentencepiece_model
from reftok.formats.tiktoken import ENCODINGS, RankEncoding, read_tiktoken
from reftok.formats.tokenizer_json import read_tokenizer_json
from reftok.formats.vocab_merges import read_vocab_merges
from reftok.tokenizer import Tokenizer

FILE_NAMES = ("tokenizer.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "vocab.json")
"""What a folder is searched for, in this order, before files that end in .model, .spm or .tiktoken."""

KNOWN_FILES = "tokenizer.json, a sentencepiece .model, a .tiktoken rank file, vocab.json with merges.txt"

_MODEL_PROTO_TAGS = frozenset({b"\x0a", b"\x12", b"\x1a", b"\x22", b"\x2a"})
"""What a serialized sentencepiece model can begin with: the tag of one of the five messages of ModelProto."""

_ENDINGS = (".model", ".spm", ".tiktoken")


def load(source: str | Path, encoding: str | None = None) -> Tokenizer:
    """The tokenizer of a file or folder, or of an embedded model.

    source: a tokenizer.json, a sentencepiece .model or .spm, a .tiktoken rank file, vocab.json (with merges.txt
        beside it), a folder with one of these, or a name of `embedded_models()`. What a file is shows in its content.
    encoding: for a rank file that is not one of the published ones, whose pattern and special tokens it uses:
        r50k_base, p50k_base, cl100k_base, o200k_base or llama3.
    Raises ModelFormatError where there is no such file or it is not sound, UnsupportedFeature where it asks for
    something that reftok does not know.

    >>> load("bpe-gpt2").library
    'tokenizers'
    """
    path = find_model(source)
    data = _read(path)
    name = str(path)
    if path.name == "vocab.json":
        merges = path.with_name("merges.txt")
        return read_vocab_merges(data, _read(merges), vocab_source=name, merges_source=str(merges))
    if encoding is not None:
        return read_tiktoken(data, name, _encoding(encoding))
    match file_format(data):
        case "empty":
            raise ModelFormatError(name, "", "is empty")
        case "unknown":
            raise ModelFormatError(name, "", f"is none of the known files: {KNOWN_FILES}")
        case "tokenizer.json":
            return read_tokenizer_json(data, name)
        case "tiktoken":
            return read_tiktoken(data, name)
        case "gguf":
            raise UnsupportedFeature(name, "", "GGUF files are not supported yet")
        case _:
            return read_sentencepiece_model(data, name)


def file_format(data: bytes) -> str:
    r"""What a model file is, told by its first bytes: tokenizer.json, tiktoken, gguf, sentencepiece, empty or unknown.

    >>> file_format(b'{"version": "1.0"}'), file_format(b"IQ== 0\n"), file_format(b"GGUF\x03")
    ('tokenizer.json', 'tiktoken', 'gguf')
    """
    if not data:
        return "empty"
    if data.lstrip()[:1] == b"{":
        return "tokenizer.json"
    if data.startswith(b"GGUF"):
        return "gguf"
    first = data.split(b"\n", 1)[0].split()
    if len(first) == 2 and first[1].isdigit() and len(first[0]) % 4 == 0:
        return "tiktoken"
    return "sentencepiece" if data[:1] in _MODEL_PROTO_TAGS else "unknown"


def find_model(source: str | Path) -> Path:
    """The model file that `source` means."""
    path = Path(source)
    if path.is_dir():
        return _model_in(path)
    if path.is_file():
        return path.with_name("vocab.json") if path.name == "merges.txt" else path
    embedded = embedded_models()
    if str(source) in embedded:
        return embedded[str(source)]
    names = ", ".join(embedded) or "none: the installation is incomplete"
    raise ModelFormatError(str(source), "", f"no such file or folder, and no embedded model; there are: {names}")


def models_in(folder: Path) -> list[Path]:
    """Every model file of a folder: a folder as published may hold one tokenizer in two formats."""
    found = [folder / name for name in FILE_NAMES if (folder / name).is_file()]
    found += [
        path for path in sorted(folder.iterdir()) if path.suffix in _ENDINGS and path.is_file() and path not in found
    ]
    if any(path.name == "tokenizer.json" for path in found):
        found = [path for path in found if path.name != "vocab.json"]
    return [path for path in found if path.name != "vocab.json" or path.with_name("merges.txt").is_file()]


def embedded_models() -> dict[str, Path]:
    """The models that come with reftok, by name; trained on the project's own corpora."""
    for folder in (Path(__file__).parents[1] / "embedded", Path(__file__).parents[2] / "corpora" / "models"):
        if folder.is_dir():
            return {path.name: models_in(path)[0] for path in sorted(folder.iterdir()) if path.is_dir()}
    return {}


def _model_in(folder: Path) -> Path:
    found = models_in(folder)
    if not found:
        wanted = ", ".join(FILE_NAMES)
        raise ModelFormatError(str(folder), "", f"holds no model: none of {wanted}, nor a .model, .spm or .tiktoken")
    return found[0]


def _encoding(name: str) -> RankEncoding:
    if name not in ENCODINGS:
        raise UnsupportedFeature("", f"encoding {name!r}", f"is not known; there are {', '.join(ENCODINGS)}")
    return ENCODINGS[name]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelFormatError(str(path), "", f"cannot be read: {error.strerror}") from None
