"""A folder as published on a hub, without a complete tokenizer.json: what its files would be as one.

vocab.json and merges.txt, or vocab.txt, hold the model. Every other stage follows from the `tokenizer_class` in
tokenizer_config.json; a class that is not known here is refused by name.
Source: transformers 5.23 models/*/tokenization_*.py. Quirk: what transformers does to a decoded text afterwards is not
done here, as `tokenizers` does not: CLIP's `</w>` stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from reftok.errors import ModelFormatError
from reftok.formats.fields import Fields
from reftok.formats.files import read_file
from reftok.formats.strict_json import parse_json
from reftok.formats.tokenizer_config import FILES, TokenizerConfig, read_named_tokens, read_tokenizer_config
from reftok.formats.vocab_merges import read_merges
from reftok.spec.types import AddedToken
from reftok.tokenizer import Tokenizer
from reftok.unicode.characters import WHITE_SPACE

Json: TypeAlias = dict[str, Any]

_QWEN2_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CLIP_PATTERN = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
_BYTE_LEVEL_DECODER = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
_ENDOFTEXT = "<|endoftext|>"
_GPT2_TOKENS = {"unk_token": _ENDOFTEXT, "bos_token": _ENDOFTEXT, "eos_token": _ENDOFTEXT}
_ROBERTA_TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>"}
_ROBERTA_TOKENS |= {"unk_token": "<unk>", "pad_token": "<pad>", "mask_token": "<mask>"}
_BERT_TOKENS = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]"}
_BERT_TOKENS |= {"mask_token": "[MASK]"}
_WHISPER_PREFIX = ("<|startoftranscript|>", "<|notimestamps|>")


@dataclass(frozen=True, slots=True)
class _Folder:
    """The files that a tokenizer class builds its stages from. ids: of every token, added ones included."""

    config: TokenizerConfig
    vocab: dict[str, int]
    ids: Mapping[str, int]

    @property
    def options(self) -> Fields:
        return self.config.options

    def id_of(self, token: str) -> int:
        if token not in self.ids:
            raise ModelFormatError(self.options.source, "", f"needs the token {token!r}, which is not in the vocab")
        return self.ids[token]

    def named(self, name: str) -> tuple[str, int]:
        """Content and id of a token with a name."""
        if name not in self.config.named:
            raise self.options.wrong(name, "is missing, and the template of this class needs it")
        content = self.config.named[name]
        return content, self.id_of(content)


def files_beside(path: Path) -> tuple[Path, ...]:
    """The files that decide, together with a model file, what its tokenizer is: those that are there.

    >>> files_beside(Path("no-such-folder/vocab.json"))
    ()
    """
    names = {"vocab.json": ("merges.txt", *FILES), "vocab.txt": FILES, "tiktoken.model": FILES[:1]}
    return tuple(beside for name in names.get(path.name, ()) if (beside := path.with_name(name)).is_file())


def hub_tokenizer_json(path: Path) -> Json:
    """The tokenizer.json that a folder stands for.

    path: of its vocab.json or vocab.txt; merges.txt and tokenizer_config.json lie beside it.
    Raises ModelFormatError where a file is missing or not sound, UnsupportedFeature for a class, a key or a value that
    is not known.
    """
    if not path.with_name(FILES[0]).is_file():
        problem = f"needs the {FILES[0]} of its model beside it: the class that this names says what the stages are"
        raise ModelFormatError(str(path), "", problem)
    config = read_tokenizer_config(path.with_name(FILES[0]), _defaults())
    vocab = _read_vocab_txt(path) if path.suffix == ".txt" else _read_vocab_json(path)
    ids = dict(vocab)
    new = [token.content for token in config.tokens if token.content not in vocab]
    if new and path.suffix == ".txt" and max(vocab.values(), default=-1) >= len(vocab):
        raise ModelFormatError(str(path), "", f"repeats a token: the library gives {new[0]!r:.60} an id that is taken")
    for content in new:
        ids.setdefault(content, len(ids))
    stages = _CLASSES[config.tokenizer_class][1](_Folder(config, vocab, ids))
    if (stages["model"]["type"] == "WordPiece") != (path.suffix == ".txt"):
        raise config.options.unsupported("tokenizer_class", f"{config.tokenizer_class} with a {path.name}")
    if path.suffix != ".txt":
        stages["model"]["merges"] = _read_merges(path.with_name("merges.txt"))
    for key in ("add_bos_token", "add_eos_token", "add_prefix_space", "do_lower_case"):
        config.options.optional_boolean(key)
    config.options.done()
    added = [{"id": ids[token.content], **asdict(token)} for token in _tokens(config)]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None, **stages}


def named_ids(folder: Path, tokenizer: Tokenizer) -> dict[str, int | None]:
    """The named ids by the files of a folder: None where they name no token, or none that is there."""
    named = read_named_tokens(folder, _defaults())
    return {name: None if content is None else tokenizer.token_to_id(content) for name, content in named.items()}


def _defaults() -> dict[str, Mapping[str, str]]:
    return {name: tokens for name, (tokens, _) in _CLASSES.items()}


def _tokens(config: TokenizerConfig) -> list[AddedToken]:
    """The added tokens. Qwen2Tokenizer adds the special ones a second time, without their flags."""
    if config.tokenizer_class != "Qwen2Tokenizer":
        return list(config.tokens)
    plain = {content: AddedToken(content, normalized=False, special=True) for content in config.special}
    return [plain.get(token.content, token) for token in config.tokens]


def _read_vocab_json(path: Path) -> dict[str, int]:
    source = str(path)
    return Fields({"vocab": parse_json(read_file(path), source, vocab_at=())}, source, "").vocab("vocab")


def _read_vocab_txt(path: Path) -> dict[str, int]:
    """A token a line, without white space at its end; the number of the line is its id, of a repeated one the last.

    Source: tokenizers 0.23 models/wordpiece/mod.rs `WordPiece::read_file`.
    """
    try:
        text = read_file(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFormatError(str(path), f"byte {error.start}", "is not UTF-8") from None
    lines = text.removesuffix("\n").split("\n") if text else []
    return {line.rstrip("".join(WHITE_SPACE)): number for number, line in enumerate(lines)}


def _read_merges(path: Path) -> list[tuple[str, str]]:
    return read_merges(read_file(path), str(path))


def _bpe(folder: _Folder, unk_token: str | None = None, end_of_word_suffix: str = "") -> Json:
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": unk_token,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": end_of_word_suffix,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": folder.vocab,
    }


def _byte_level(folder: _Folder, use_regex: bool = True) -> Json:
    prefix = folder.options.optional_boolean("add_prefix_space")
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": use_regex}


def _template(before: Sequence[tuple[str, int]], after: Sequence[tuple[str, int]]) -> Json:
    def piece(token: str) -> Json:
        return {"SpecialToken": {"id": token, "type_id": 0}}

    sequences = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}]
    return {
        "type": "TemplateProcessing",
        "single": [*(piece(token) for token, _ in before), sequences[0], *(piece(token) for token, _ in after)],
        "pair": sequences,
        "special_tokens": {
            token: {"id": token, "ids": [token_id], "tokens": [token]} for token, token_id in (*before, *after)
        },
    }


def _bos_and_eos(folder: _Folder) -> Json:
    """A token that is to be added and is not named is left out."""
    around: list[list[tuple[str, int]]] = []
    for name in ("bos_token", "eos_token"):
        added = folder.options.optional_boolean(f"add_{name}")
        around.append([folder.named(name)] if added and name in folder.config.named else [])
    return _template(*around)


def _gpt2(folder: _Folder) -> Json:
    return {
        "pre_tokenizer": _byte_level(folder),
        "post_processor": _bos_and_eos(folder),
        "decoder": _BYTE_LEVEL_DECODER,
        "model": _bpe(folder),
    }


def _qwen2(folder: _Folder) -> Json:
    split = {"type": "Split", "pattern": {"Regex": _QWEN2_PATTERN}, "behavior": "Isolated", "invert": False}
    byte_level = _byte_level(folder, use_regex=False)
    return {
        **_gpt2(folder),
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
    }


def _roberta(folder: _Folder) -> Json:
    processing = {
        "type": "RobertaProcessing",
        "sep": list(folder.named("sep_token")),
        "cls": list(folder.named("cls_token")),
        "trim_offsets": folder.options.optional_boolean("trim_offsets", True),
        "add_prefix_space": folder.options.optional_boolean("add_prefix_space"),
    }
    return {**_gpt2(folder), "post_processor": processing}


def _whisper(folder: _Folder) -> Json:
    for key in ("language", "task", "predict_timestamps"):
        if folder.options.any(key, None):
            raise folder.options.unsupported(key, "a prefix of its own")
    before = [(token, folder.id_of(token)) for token in _WHISPER_PREFIX]
    return {**_gpt2(folder), "post_processor": _template(before, [folder.named("eos_token")])}


def _clip(folder: _Folder) -> Json:
    if not folder.options.optional_boolean("do_lower_case", True):
        raise folder.options.unsupported("do_lower_case", "false")
    spaces = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
    split = {"type": "Split", "pattern": {"Regex": _CLIP_PATTERN}, "behavior": "Removed", "invert": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, spaces, {"type": "Lowercase"}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": list(folder.named("eos_token")),
            "cls": list(folder.named("bos_token")),
            "trim_offsets": False,
            "add_prefix_space": False,
        },
        "decoder": _BYTE_LEVEL_DECODER,
        "model": _bpe(folder, folder.named("unk_token")[0], "</w>"),
    }


def _bert(folder: _Folder) -> Json:
    options = folder.options
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": options.optional_boolean("tokenize_chinese_chars", True),
        "strip_accents": None if options.any("strip_accents", None) is None else options.boolean("strip_accents"),
        "lowercase": options.optional_boolean("do_lower_case", True),
    }
    for key, usual in (("do_basic_tokenize", True), ("never_split", None)):
        if options.any(key, usual) not in (usual, []):
            raise options.unsupported(key, "another value than the usual one")
    return {
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": _template([folder.named("cls_token")], [folder.named("sep_token")]),
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": folder.named("unk_token")[0],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": folder.vocab,
        },
    }


_CLIP_TOKENS = {"unk_token": _ENDOFTEXT, "bos_token": "<|startoftext|>", "eos_token": _ENDOFTEXT}
_CLIP_TOKENS |= {"pad_token": _ENDOFTEXT}
_QWEN2_TOKENS = {"unk_token": _ENDOFTEXT, "eos_token": _ENDOFTEXT, "pad_token": _ENDOFTEXT}
_CLASSES: Mapping[str, tuple[Mapping[str, str], Callable[[_Folder], Json]]] = {
    "GPT2Tokenizer": (_GPT2_TOKENS, _gpt2),
    "CodeGenTokenizer": (_GPT2_TOKENS, _gpt2),
    "Qwen2Tokenizer": (_QWEN2_TOKENS, _qwen2),
    "RobertaTokenizer": (_ROBERTA_TOKENS, _roberta),
    "BartTokenizer": (_ROBERTA_TOKENS, _roberta),
    "LEDTokenizer": (_ROBERTA_TOKENS, _roberta),
    "LongformerTokenizer": (_ROBERTA_TOKENS, _roberta),
    "WhisperTokenizer": (_GPT2_TOKENS, _whisper),
    "CLIPTokenizer": (_CLIP_TOKENS, _clip),
    "BertTokenizer": (_BERT_TOKENS, _bert),
    "DistilBertTokenizer": (_BERT_TOKENS, _bert),
    "ElectraTokenizer": (_BERT_TOKENS, _bert),
}
"""By class the tokens that it has when no file names them, and its stages."""
