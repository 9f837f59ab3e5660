"""Folders of vocab.json and merges.txt, or of vocab.txt, with tokenizer_config.json and its companions.

What each class makes of them was read off `AutoTokenizer` of transformers 5.23 (`backend_tokenizer.to_str()`).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers

from reftok import load
from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.huggingface.hub_folder import hub_tokenizer_json
from reftok.formats.model_files import files_beside

from ...official import Json, official_encoding

ALPHABET = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>", "<|startoftranscript|>", "<|notimestamps|>")
VOCAB = {token: index for index, token in enumerate([*SPECIAL, *ALPHABET, "ab", "Ġa", "b</w>", "ab</w>"])}
MERGES = "#version: 0.2\na b\nĠ a\na b</w>\n"
WORDS = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "wor", "##ld", "a", "##b", ".", "你"]) + "\n"
TEXTS = (
    "",
    "ab ab",
    "Hello <s>world</s> ab",
    " <mask> x<mask>y",
    "e\u0301 12 it's",
    "a<|endoftext|>  b",
    "hello WORLD. 你ab",
)

GPT2 = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
TEXT = {"Sequence": {"id": "A", "type_id": 0}}
ROBERTA = {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": True}


def write(folder: Path, config: object, **companions: object) -> Path:
    """The files of a folder; `added_tokens` is added_tokens.json. The path of the file that holds the vocab."""
    is_bert = isinstance(config, dict) and str(config.get("tokenizer_class")).startswith("Bert")
    (folder / "vocab.txt").write_text(WORDS, "utf-8") if is_bert else None
    if not is_bert:
        (folder / "vocab.json").write_text(json.dumps(VOCAB), "utf-8")
        (folder / "merges.txt").write_text(MERGES, "utf-8")
    for name, value in {"tokenizer_config": config, **companions}.items():
        (folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return folder / ("vocab.txt" if is_bert else "vocab.json")


def of_class(name: str, **options: object) -> Json:
    """The configuration of a class, without its `Tokenizer`."""
    return {"tokenizer_class": f"{name}Tokenizer", **options}


def inserted(token: str) -> Json:
    return {"SpecialToken": {"id": token, "type_id": 0}}


def contents(value: Json) -> list[tuple[int, str]]:
    return [(token["id"], token["content"]) for token in value["added_tokens"]]


@pytest.mark.parametrize(
    ("config", "stage", "expected"),
    [
        (of_class("GPT2"), "pre_tokenizer", GPT2),
        (of_class("GPT2"), "normalizer", None),
        ({"tokenizer_class": "CodeGenTokenizerFast"}, "pre_tokenizer", GPT2),
        (
            {"tokenizer_class": "GPT2TokenizerFast", "add_prefix_space": True},
            "pre_tokenizer",
            {**GPT2, "add_prefix_space": True},
        ),
        (of_class("Qwen2"), "normalizer", {"type": "NFC"}),
        (of_class("Roberta", add_bos_token=True), "post_processor", {**ROBERTA, "add_prefix_space": False}),
        (
            of_class("Bart", trim_offsets=False, add_prefix_space=True),
            "post_processor",
            {**ROBERTA, "trim_offsets": False, "add_prefix_space": True},
        ),
        (of_class("Bert"), "pre_tokenizer", {"type": "BertPreTokenizer"}),
        (
            of_class("Bert", do_lower_case=False, strip_accents=True),
            "normalizer",
            {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": True,
                "lowercase": False,
            },
        ),
    ],
)
def test_a_class_has_the_stages_that_transformers_gives_it(
    tmp_path: Path, config: Json, stage: str, expected: Json | None
) -> None:
    assert hub_tokenizer_json(write(tmp_path, config))[stage] == expected


@pytest.mark.parametrize(
    ("config", "single"),
    [
        (of_class("GPT2"), [TEXT]),
        (of_class("GPT2", add_bos_token=True), [inserted("<|endoftext|>"), TEXT]),
        (of_class("GPT2", add_bos_token=True, bos_token=None), [TEXT]),
        (of_class("Qwen2", add_eos_token=True), [TEXT, inserted("<|endoftext|>")]),
        (of_class("Whisper"), [*map(inserted, SPECIAL[-2:]), TEXT, inserted("<|endoftext|>")]),
        (of_class("Bert"), [inserted("[CLS]"), TEXT, inserted("[SEP]")]),
    ],
)
def test_a_class_has_the_template_that_transformers_gives_it(tmp_path: Path, config: Json, single: list[Json]) -> None:
    assert hub_tokenizer_json(write(tmp_path, config))["post_processor"]["single"] == single


@pytest.mark.parametrize("name", ["Bert", "CLIP", "CodeGen", "GPT2", "LED", "Qwen2", "Roberta", "Whisper"])
def test_a_folder_gives_what_the_library_gives_for_its_tokenizer_json(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, of_class(name, sep_token="</s>", extra_special_tokens=["<x y>"]))
    theirs = tokenizers.Tokenizer.from_str(json.dumps(hub_tokenizer_json(path)))
    ours = load(tmp_path)
    for text in (*TEXTS, "a<x y>b"):
        expected = official_encoding(theirs, text)
        encoding = ours.encode(text)
        assert (list(encoding.ids), list(encoding.offsets)) == (expected.ids, expected.offsets), text
        assert ours.decode(encoding.ids) == theirs.decode(expected.ids)


def test_named_tokens_are_added_by_their_order_and_keep_the_ids_of_the_vocab(tmp_path: Path) -> None:
    config = of_class("GPT2", unk_token=None, bos_token=None, eos_token="<x>")
    config |= {"pad_token": "<pad>", "additional_special_tokens": ["<z>"], "image_token": "<img>"}
    end = len(VOCAB)
    value = hub_tokenizer_json(write(tmp_path, config))
    assert contents(value) == [(end, "<x>"), (1, "<pad>"), (end + 1, "<img>"), (end + 2, "<z>")]
    assert all(token["special"] and not token["normalized"] for token in value["added_tokens"])


def test_the_ids_of_the_configuration_only_give_the_order(tmp_path: Path) -> None:
    listed = {"900": {"content": "<b>", "special": False}, "800": {"content": "<a>", "special": True, "lstrip": True}}
    config = of_class("GPT2", added_tokens_decoder=listed, eos_token="<b>")
    value = hub_tokenizer_json(
        write(tmp_path, config, special_tokens_map={"pad_token": "<not>"}, added_tokens={"<n>": 1})
    )
    end = len(VOCAB)
    assert contents(value) == [(end, "<a>"), (end + 1, "<b>"), (5, "<|endoftext|>")]
    flags = [(token["lstrip"], token["normalized"], token["special"]) for token in value["added_tokens"]]
    assert flags == [(True, False, True), (False, False, True), (False, False, True)]


def test_the_companions_count_where_the_configuration_lists_no_tokens(tmp_path: Path) -> None:
    config = of_class("GPT2", eos_token="<e>")
    special = {
        "eos_token": {"content": "<f>", "lstrip": True, "normalized": False},
        "additional_special_tokens": ["<g>"],
    }
    value = hub_tokenizer_json(write(tmp_path, config, special_tokens_map=special, added_tokens={"<h>": 9, "<f>": 8}))
    flags = [
        (token["content"], token["lstrip"], token["normalized"], token["special"]) for token in value["added_tokens"]
    ]
    assert flags == [
        ("<f>", False, False, True),
        ("<h>", False, True, False),
        ("<|endoftext|>", False, False, True),
        ("<g>", False, False, True),
    ]


def test_qwen2_adds_its_special_tokens_without_their_flags(tmp_path: Path) -> None:
    token = {"__type": "AddedToken", "content": "<x>", "lstrip": True, "normalized": True}
    for name, is_plain in (("Qwen2Tokenizer", True), ("GPT2Tokenizer", False)):
        value = hub_tokenizer_json(write(tmp_path, {"tokenizer_class": name, "mask_token": token}))
        added = next(token for token in value["added_tokens"] if token["content"] == "<x>")
        assert (added["lstrip"], added["normalized"]) == (not is_plain, not is_plain)


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({}, "tokenizer_class: is missing"),
        ([], "is not an object"),
        ({"tokenizer_class": 3}, "tokenizer_class: is not a string but a number"),
        (of_class("Blenderbot"), "tokenizer_class: BlenderbotTokenizer is not supported"),
        (of_class("GPT2", x=1), "x: this key is not known"),
        (of_class("GPT2", add_prefix_space=1), "add_prefix_space: is not a boolean but a number"),
        (of_class("GPT2", split_special_tokens=True), "split_special_tokens: true is not supp"),
        (of_class("GPT2", auto_map={"AutoTokenizer": []}), "auto_map: a tokenizer that comes"),
        (of_class("GPT2", eos_token=3), "eos_token: is neither a string nor an object of"),
        (of_class("GPT2", eos_token={"content": "x"}), "eos_token: is neither a string nor"),
        (of_class("GPT2", extra_special_tokens={"a": "b"}), "extra_special_tokens: other than a"),
        (of_class("GPT2", added_tokens_decoder=None), "added_tokens_decoder: is not an object but"),
        (
            {"tokenizer_class": "GPT2Tokenizer", "added_tokens_decoder": {"x": {}}},
            "added_tokens_decoder['x']: is not an id",
        ),
        (of_class("Roberta", sep_token=None), "sep_token: is missing, and the template"),
        (of_class("Whisper", language="en"), "language: a prefix of its own is not supported"),
        (of_class("CLIP", do_lower_case=False), "do_lower_case: false is not supported"),
        (of_class("Bert", never_split=["x"]), "never_split: another value than the usual"),
        (of_class("Bert", do_basic_tokenize=False), "do_basic_tokenize: another value than"),
    ],
)
def test_what_may_change_ids_and_is_not_known_is_refused_by_name(tmp_path: Path, config: object, problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        hub_tokenizer_json(write(tmp_path, config))
    assert str(refused.value).startswith(f"{tmp_path / 'tokenizer_config.json'}: {problem}")


def test_a_token_with_two_sets_of_flags_is_refused_but_where_the_list_has_it(tmp_path: Path) -> None:
    def token(lstrip: bool) -> Json:
        return {"__type": "AddedToken", "content": "<x>", "lstrip": lstrip}

    config = of_class("GPT2", pad_token=token(True), mask_token=token(True))
    assert (len(VOCAB), "<x>") in contents(hub_tokenizer_json(write(tmp_path, config)))
    for other in ({"mask_token": token(False)}, {"mask_token": "<x>"}, {"extra_special_tokens": ["<x>"]}):
        with pytest.raises(ModelFormatError, match="names the token '<x>' with other flags twice"):
            hub_tokenizer_json(write(tmp_path, {**config, **other}))
        listed = {"added_tokens_decoder": {"1": {"content": "<x>"}}}
        assert hub_tokenizer_json(write(tmp_path, {**config, **other, **listed}))["added_tokens"][0]["special"]


def test_a_default_of_the_class_yields_to_the_flags_of_the_file(tmp_path: Path) -> None:
    token = {"__type": "AddedToken", "content": "<|endoftext|>", "rstrip": True, "normalized": True}
    value = hub_tokenizer_json(write(tmp_path, of_class("GPT2", pad_token=token)))
    assert [(added["rstrip"], added["normalized"]) for added in value["added_tokens"]] == [(True, True)]


@pytest.mark.parametrize(
    "text", ["", "\n", "a\nb", "a\n\nb\n", "a\r\nb \r\n\u3000c\u3000\nd\x1c\n", "x\u2028y\rz\x85\n"]
)
def test_the_lines_of_a_vocab_txt_are_those_of_the_library(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, of_class("Bert"))
    path.write_text("[UNK]\n[CLS]\n[SEP]\n" + text, "utf-8", newline="")
    assert hub_tokenizer_json(path)["model"]["vocab"] == tokenizers.models.WordPiece.read_file(str(path))


def test_of_a_token_twice_in_a_vocab_txt_the_last_id_counts_as_in_the_library(tmp_path: Path) -> None:
    path = write(tmp_path, of_class("Bert"))
    path.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n\u00a0\na \n\u2005\nb\n", "utf-8")
    theirs = tokenizers.Tokenizer(tokenizers.models.WordPiece.from_file(str(path)))
    assert hub_tokenizer_json(path)["model"]["vocab"] == theirs.get_vocab()
    assert load(tmp_path).encode_ids("a b", add_special_tokens=False) == [7, 9]


def test_a_vocab_txt_with_a_token_twice_is_refused_where_an_added_token_would_get_an_id_that_is_taken(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, of_class("Bert"))
    path.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\na \nb\n", "utf-8")
    with pytest.raises(ModelFormatError, match=r"vocab\.txt: repeats a token: .* '\[MASK\]' an id that is taken"):
        load(tmp_path)


def test_a_vocab_txt_alone_says_that_it_needs_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text(WORDS, "utf-8")
    with pytest.raises(ModelFormatError, match=r"vocab\.txt: needs the tokenizer_config\.json of its model beside it"):
        load(tmp_path / "vocab.txt")
    with pytest.raises(ModelFormatError, match=r"holds no model; known files are .*vocab\.txt with tokenizer_config"):
        load(tmp_path)


@pytest.mark.parametrize("tokenizer_class", ["GPT2Tokenizer", "RobertaTokenizer", "Qwen2Tokenizer"])
def test_what_has_no_effect_on_a_class_of_bytes_is_read_past(tmp_path: Path, tokenizer_class: str) -> None:
    path = write(tmp_path, {"tokenizer_class": tokenizer_class})
    expected = hub_tokenizer_json(path)
    write(tmp_path, {"tokenizer_class": tokenizer_class, "do_lower_case": True, "vocab_size": 7})
    assert hub_tokenizer_json(path) == expected


def test_a_template_whose_token_is_nowhere_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, of_class("Whisper"))
    path.write_text(json.dumps({token: i for i, token in enumerate(ALPHABET)}), "utf-8")
    with pytest.raises(ModelFormatError, match=r"needs the token '<\|startoftranscript\|>', which is not in the vocab"):
        hub_tokenizer_json(path)


def test_a_class_with_the_vocab_of_another_model_is_refused(tmp_path: Path) -> None:
    write(tmp_path, of_class("GPT2"))
    (tmp_path / "vocab.txt").write_text(WORDS, "utf-8")
    with pytest.raises(UnsupportedFeature, match=r"GPT2Tokenizer with a vocab\.txt is not supported"):
        hub_tokenizer_json(tmp_path / "vocab.txt")


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("vocab.json", b"{", "line 1 column 2: is not JSON"),
        ("vocab.json", b'{"a": 0, "b": 0}', "vocab: gives the id 0 to 2 tokens"),
        ("merges.txt", b"a", "line 1: is not two tokens"),
        ("tokenizer_config.json", b"\xff", "byte 0: is not UTF-8"),
        ("special_tokens_map.json", b"[]", "is not an object"),
        ("added_tokens.json", b'{"<a>": "1"}', "'<a>': has no id"),
    ],
)
def test_a_file_that_is_not_sound_is_refused_by_its_name(tmp_path: Path, name: str, data: bytes, problem: str) -> None:
    write(tmp_path, of_class("GPT2"))
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ModelFormatError) as refused:
        load(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path / name}: {problem}")


@pytest.mark.parametrize("name", ["merges.txt", "vocab.json", "tokenizer_config.json"])
def test_a_file_that_is_missing_is_named(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, of_class("GPT2"))
    (tmp_path / name).unlink()
    with pytest.raises(ModelFormatError, match=rf"{name}: cannot be read|vocab\.json: needs the {name} of its model"):
        hub_tokenizer_json(path)


def test_the_files_beside_a_model_are_those_that_decide_it(tmp_path: Path) -> None:
    path = write(tmp_path, of_class("GPT2"), generation_config={}, added_tokens={})
    settings = ["tokenizer_config.json", "generation_config.json"]
    assert [beside.name for beside in files_beside(path)] == ["merges.txt", "added_tokens.json", *settings]
    for name in ("tiktoken.model", "tokenizer.json", "own.gguf"):
        assert [beside.name for beside in files_beside(tmp_path / name)] == settings


def test_the_toml_beside_a_rank_file_decides_it_and_beside_another_file_nothing(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.toml").write_bytes(b"")
    (tmp_path / "tokenizer.model").write_bytes(b"IQ== 0\n")
    assert [beside.name for beside in files_beside(tmp_path / "tokenizer.model")] == ["tokenizer.toml"]
    (tmp_path / "tokenizer.model").write_bytes(b"\x0a\x0b\x0a\x05")
    assert files_beside(tmp_path / "tokenizer.model") == files_beside(tmp_path / "tokenizer.json") == ()
