"""A folder as published on a hub, without a complete tokenizer.json: what its files would be as one.

vocab.json and merges.txt, or vocab.txt, hold the model. Every other stage follows from the `tokenizer_class` in
tokenizer_config.json; the added tokens stand there, in special_tokens_map.json and in added_tokens.json. Strict: a
class or a key that is not known here is refused by name, since it may change ids.
Source: transformers 5.23 models/*/tokenization_*.py, tokenization_utils_base.py `_from_pretrained` and
tokenization_utils_tokenizers.py `TokenizersBackend.__init__`. Quirks that follow from it:

- What transformers does to a decoded text afterwards is not done here, as `tokenizers` does not: CLIP's `</w>` stays.
- The ids under `added_tokens_decoder` and in added_tokens.json only give the order: `tokenizers` assigns ids itself.
- special_tokens_map.json and added_tokens.json count only where there is no `added_tokens_decoder`.
- Every named token (`eos_token`, but also `image_token`) becomes an added token, in the vocab or not.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.fields import Fields, is_id
from reftok.formats.files import decoded, read_file
from reftok.formats.huggingface.components_json import reader
from reftok.formats.huggingface.vocab_merges import read_merges, read_vocab
from reftok.formats.settings import CONFIG, content_of, is_token, read_object, read_settings
from reftok.formats.tiktoken.encodings import QWEN_PATTERN
from reftok.rules.types import AddedToken
from reftok.unicode.characters import WHITE_SPACE

_NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_EXTRA = ("extra_special_tokens", "additional_special_tokens")
"""The second is the name before transformers 5."""

_WITHOUT_EFFECT = frozenset(
    {
        "backend", "chat_control_tokens", "chat_template", "clean_up_tokenization_spaces", "errors", "is_local",
        "legacy", "local_files_only", "max_len", "max_length", "model_input_names", "model_max_length",
        "name_or_path", "pad_to_multiple_of", "pad_token_type_id", "padding_side", "processor_class",
        "response_schema", "response_template", "return_token_type_ids", "special_tokens_map_file", "stride",
        "tokenizer_file", "truncation_side", "truncation_strategy", "use_fast", "vocab_size",
    }
)  # fmt: skip
"""Settings about batches, chats and files, which change no id."""

Json: TypeAlias = dict[str, Any]

_CLIP_PATTERN = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
_BYTE_LEVEL_DECODER = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
_WHISPER_PREFIX = ("<|startoftranscript|>", "<|notimestamps|>")


@dataclass(frozen=True, slots=True)
class _Folder:
    """The settings of one tokenizer, from all files that tell of them, and its vocab.

    tokenizer_class: without a "Fast" at its end.
    contents: of the tokens with a name, by name, in the order in which they are added.
    tokens: every added token, in the order in which they are added.
    options: what is left, for the class to ask for.
    vocab: of the model. ids: of every token, added ones included.
    """

    tokenizer_class: str
    contents: Mapping[str, str]
    tokens: tuple[AddedToken, ...]
    options: Fields
    vocab: Mapping[str, int]
    ids: Mapping[str, int]

    def id_of(self, token: str) -> int:
        if token not in self.ids:
            raise ModelFormatError(self.options.source, "", f"needs the token {token!r}, which is not in the vocab")
        return self.ids[token]

    def named(self, name: str) -> tuple[str, int]:
        """Content and id of a token with a name."""
        if name not in self.contents:
            raise self.options.wrong(name, "is missing, and the template of this class needs it")
        return self.contents[name], self.id_of(self.contents[name])


def _read_folder(path: Path) -> _Folder:
    """The settings beside a vocab.json or vocab.txt, and its vocab.

    Raises ModelFormatError where a file is not sound, UnsupportedFeature for a class or an option that is not known.
    """
    settings = read_settings(path.parent)
    config, values, source = settings.config, settings.values, str(path.with_name(CONFIG))
    options = Fields(config, source, "")
    tokenizer_class = options.text("tokenizer_class").removesuffix("Fast")
    if tokenizer_class not in _STAGES:
        raise options.unsupported("tokenizer_class", tokenizer_class)
    keys = dict.fromkeys([*_NAMED, *(key for key in values if key.endswith("_token") and is_token(values[key]))])
    named = {key: content_of(values[key], settings.source(key), key) for key in keys if values.get(key) is not None}
    special = frozenset(named.values())
    extra = _extra(config, settings.mapped, source)
    given = [(key, values[key]) for key in named] + [(f"{_EXTRA[0]}[{i}]", value) for i, value in enumerate(extra)]
    others = [_token(value, settings.source(place), place, special) for place, value in given]
    if "added_tokens_decoder" in config:
        listed = _decoder_tokens(options.object("added_tokens_decoder"), special)
    else:
        is_written = {key: isinstance(config.get(key), str) or key in settings.mapped for key in _NAMED}
        known = {named[key] for key in _NAMED if key in named and is_written[key]}
        known |= {value for value in _extra(config, {}, source) if isinstance(value, str)}
        listed = _added_tokens_file(path.with_name("added_tokens.json"), known, special)
    defaulted = settings.defaults.keys() - config.keys() - settings.mapped.keys()
    chosen = [token for token, (place, _) in zip(others, given, strict=True) if place not in defaulted]
    _refuse_contradiction(chosen, listed, source)
    _refuse_what_changes_ids(options)
    for key in {*named, *_NAMED, *_WITHOUT_EFFECT, *_EXTRA, *(key for key in config if config[key] is None)}:
        options.any(key, None)
    if tokenizer_class == "Qwen2Tokenizer":  # it adds the special ones a second time, without their flags
        plain = [AddedToken(token.content, normalized=False, special=True) for token in others]
        listed = [*_in_order(listed, others), *plain]
    tokens = _in_order(listed, others)
    vocab = _read_vocab_txt(path) if path.suffix == ".txt" else read_vocab(read_file(path), str(path))
    return _Folder(tokenizer_class, named, tokens, options, vocab, _ids(path, vocab, tokens))


def _ids(path: Path, vocab: Mapping[str, int], tokens: Sequence[AddedToken]) -> dict[str, int]:
    """The ids of all tokens: those that are not in the vocab get the next ones."""
    ids = dict(vocab)
    new = [token.content for token in tokens if token.content not in vocab]
    if new and path.suffix == ".txt" and max(vocab.values(), default=-1) >= len(vocab):
        raise ModelFormatError(str(path), "", f"repeats a token: the library gives {new[0]!r:.60} an id that is taken")
    for content in new:
        ids.setdefault(content, len(ids))
    return ids


def _in_order(listed: list[AddedToken], others: list[AddedToken]) -> tuple[AddedToken, ...]:
    """A listed token keeps its flags; of the others with one content the last that is new has them."""
    tokens = {token.content: token for token in listed}
    tokens |= {token.content: token for token in dict.fromkeys(others) if token.content not in tokens}
    return tuple(token for token in tokens.values() if token.content)


def _refuse_contradiction(tokens: list[AddedToken], listed: list[AddedToken], source: str) -> None:
    """Refuse one content with two sets of flags, of which transformers takes the one or the other."""
    first = {token.content: token for token in reversed(tokens)}
    settled = {token.content for token in listed}
    for token in tokens:
        if token != first[token.content] and token.content not in settled:
            raise ModelFormatError(source, "", f"names the token {token.content!r:.60} with other flags twice")


def _refuse_what_changes_ids(options: Fields) -> None:
    if options.optional("split_special_tokens", Fields.boolean, False):
        raise options.unsupported("split_special_tokens", "true")
    if options.any("auto_map", None) is not None:
        raise options.unsupported("auto_map", "a tokenizer that comes as code")
    if options.any("init_inputs", None):
        raise options.unsupported("init_inputs", "more than an empty list")


def _token(value: Any, source: str, place: str, special: frozenset[str]) -> AddedToken:
    """A string, which stands for a special token, or the flags of a token. special: contents with a name."""
    content = content_of(value, source, place)
    if isinstance(value, str):
        return AddedToken(content, normalized=False, special=True)
    return read_flags(Fields({key: flag for key, flag in value.items() if key != "__type"}, source, place), special)


def read_flags(fields: Fields, special: Container[str] = ()) -> AddedToken:
    """An added token of tokenizer_config.json, whose flags need not be there. special: contents that are special.

    >>> read_flags(Fields({"content": "<mask>", "lstrip": True, "special": True}, "", ""))
    AddedToken(content='<mask>', single_word=False, lstrip=True, rstrip=False, normalized=False, special=True)
    """
    token = _FLAGS(fields)
    is_special = token.special or token.content in special
    is_normalized = token.normalized if fields.has("normalized") else not is_special
    return replace(token, special=is_special, normalized=is_normalized)


_FLAGS = reader(AddedToken, single_word=False, lstrip=False, rstrip=False, normalized=False, special=False)


def _extra(config: Mapping[str, Any], mapped: Mapping[str, Any], source: str) -> list[Any]:
    """The extra tokens: of the map beside it, the old name counts only where the configuration has neither name."""
    values = config.get(_EXTRA[0]) or config.get(_EXTRA[1]) or []
    if not any(key in config for key in _EXTRA):
        values = mapped.get(_EXTRA[1]) or []
    more = mapped.get(_EXTRA[0]) or []
    if not isinstance(values, list) or not isinstance(more, list):
        raise UnsupportedFeature(source, _EXTRA[0], "other than a list is not supported")
    return [*values, *(value for value in more if value not in values)]


def _decoder_tokens(fields: Fields, special: frozenset[str]) -> list[AddedToken]:
    tokens = [(token_id, read_flags(token, special)) for token_id, token in fields.objects_by_id()]
    return [token for _, token in sorted(tokens, key=lambda pair: pair[0])]


def _added_tokens_file(path: Path, known: set[str], special: frozenset[str]) -> list[AddedToken]:
    """Content to id. known: contents that are not normalized; special: contents with a name.

    Quirk: a token is known by a string in tokenizer_config.json, not by an object there nor by a default of the class.
    """
    entries = read_object(path)
    for content, token_id in entries.items():
        if not is_id(token_id):
            raise ModelFormatError(str(path), repr(content)[:60], "has no id")
    return [
        AddedToken(content, normalized=content not in known, special=content in known or content in special)
        for content in sorted(entries, key=lambda content: int(entries[content]))
    ]


def hub_tokenizer_json(path: Path) -> Json:
    """The tokenizer.json that a folder stands for.

    path: of its vocab.json or vocab.txt; merges.txt and tokenizer_config.json lie beside it.
    Raises ModelFormatError where a file is missing or not sound, UnsupportedFeature for a class, a key or a value that
    is not known.
    """
    if not path.with_name(CONFIG).is_file():
        problem = f"needs the {CONFIG} of its model beside it: the class that this names says what the stages are"
        raise ModelFormatError(str(path), "", problem)
    folder = _read_folder(path)
    stages = _STAGES[folder.tokenizer_class](folder)
    if (stages["model"]["type"] == "WordPiece") != (path.suffix == ".txt"):
        raise folder.options.unsupported("tokenizer_class", f"{folder.tokenizer_class} with a {path.name}")
    if path.suffix != ".txt":
        merges = path.with_name("merges.txt")
        stages["model"]["merges"] = read_merges(read_file(merges), str(merges))
    for key in ("add_bos_token", "add_eos_token", "add_prefix_space", "do_lower_case"):
        folder.options.optional(key, Fields.boolean, False)
    folder.options.done()
    added = [{"id": folder.ids[token.content], **asdict(token)} for token in folder.tokens]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None, **stages}


def _read_vocab_txt(path: Path) -> dict[str, int]:
    """A token a line, without white space at its end; the number of the line is its id, of a repeated one the last.

    Source: tokenizers 0.23 models/wordpiece/mod.rs `WordPiece::read_file`.
    """
    text = decoded(read_file(path), str(path))
    lines = text.removesuffix("\n").split("\n") if text else []
    return {line.rstrip("".join(WHITE_SPACE)): number for number, line in enumerate(lines)}


def _bpe(folder: _Folder, **options: str) -> Json:
    return {"type": "BPE", **options, "vocab": folder.vocab}


def _byte_level(folder: _Folder, use_regex: bool = True) -> Json:
    prefix = folder.options.optional("add_prefix_space", Fields.boolean, False)
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
        added = folder.options.optional(f"add_{name}", Fields.boolean, False)
        around.append([folder.named(name)] if added and name in folder.contents else [])
    return _template(*around)


def _gpt2(folder: _Folder) -> Json:
    return {
        "pre_tokenizer": _byte_level(folder),
        "post_processor": _bos_and_eos(folder),
        "decoder": _BYTE_LEVEL_DECODER,
        "model": _bpe(folder),
    }


def _qwen2(folder: _Folder) -> Json:
    split = {"type": "Split", "pattern": {"Regex": QWEN_PATTERN}, "behavior": "Isolated", "invert": False}
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
        "trim_offsets": folder.options.optional("trim_offsets", Fields.boolean, True),
        "add_prefix_space": folder.options.optional("add_prefix_space", Fields.boolean, False),
    }
    return {**_gpt2(folder), "post_processor": processing}


def _whisper(folder: _Folder) -> Json:
    for key in ("language", "task", "predict_timestamps"):
        if folder.options.any(key, None):
            raise folder.options.unsupported(key, "a prefix of its own")
    before = [(token, folder.id_of(token)) for token in _WHISPER_PREFIX]
    return {**_gpt2(folder), "post_processor": _template(before, [folder.named("eos_token")])}


def _clip(folder: _Folder) -> Json:
    if not folder.options.optional("do_lower_case", Fields.boolean, True):
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
        "model": _bpe(folder, unk_token=folder.named("unk_token")[0], end_of_word_suffix="</w>"),
    }


def _bert(folder: _Folder) -> Json:
    options = folder.options
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": options.optional("tokenize_chinese_chars", Fields.boolean, True),
        "strip_accents": options.optional("strip_accents", Fields.boolean, None),
        "lowercase": options.optional("do_lower_case", Fields.boolean, True),
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


_STAGES: Mapping[str, Callable[[_Folder], Json]] = {
    "GPT2Tokenizer": _gpt2,
    "CodeGenTokenizer": _gpt2,
    "Qwen2Tokenizer": _qwen2,
    "RobertaTokenizer": _roberta,
    "BartTokenizer": _roberta,
    "LEDTokenizer": _roberta,
    "LongformerTokenizer": _roberta,
    "WhisperTokenizer": _whisper,
    "CLIPTokenizer": _clip,
    "BertTokenizer": _bert,
    "DistilBertTokenizer": _bert,
    "ElectraTokenizer": _bert,
}
"""By class the stages that it has."""
