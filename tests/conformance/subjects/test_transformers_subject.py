"""What transformers makes of a folder, beside what tokenizers reads in its tokenizer.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="transformers is not installed: python -m pip install '.[transformers]'")

from conformance.core.observation import Decoded, Encoded, Failure
from conformance.subjects.base import Subject, UnavailableError
from conformance.subjects.transformers_subject import load, read_rules
from reftok import Tokenizer

VOCAB = {"a": 0, "b": 1, "ab": 2, "▁": 3, "<s>": 4}


def subject(folder: Path, **config: Any) -> Subject:
    """The subject with a model of five tokens."""
    path = folder / "tokenizer.json"
    model = {"type": "BPE", "vocab": VOCAB, "merges": [["a", "b"]]}
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [4], "tokens": ["<s>"]}},
    }
    special = {"id": 4, "content": "<s>", "single_word": False, "lstrip": False, "rstrip": False}
    added = [{**special, "normalized": False, "special": True}]
    path.write_text(json.dumps({"added_tokens": added, "model": model, "post_processor": template}), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return load(path, "tokenizer.json")


def test_it_answers_with_offsets_and_with_and_without_special_tokens(tmp_path: Path) -> None:
    found = subject(tmp_path)
    whole = Encoded((4, 2), ("<s>", "ab"), ((0, 0), (0, 2)), (1, 0))
    assert found.encode("ab") == whole
    assert found.encode_batch(["ab", "ab"]) == [whole, whole]
    assert found.encode_bare(["ab"]) == [Encoded((2,), ("ab",), ((0, 2),), (0,))]
    assert found.decode([4, 2]) == Decoded("ab", "<s> ab")


def test_text_that_is_no_text_is_refused(tmp_path: Path) -> None:
    found = subject(tmp_path)
    assert isinstance(found.encode(b"ab"), Failure)
    assert isinstance(found.encode("\ud800"), Failure)


def test_the_class_that_the_folder_names_counts_and_not_only_the_file(tmp_path: Path) -> None:
    """LlamaTokenizer builds its own stages around the vocab: a space symbol stands before the text."""
    assert subject(tmp_path, tokenizer_class="LlamaTokenizer", add_bos_token=True).encode("ab") != subject(
        tmp_path
    ).encode("ab")


def test_a_folder_that_it_refuses_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="transformers refuses the folder"):
        subject(tmp_path, tokenizer_class="NoSuchTokenizer", auto_map={"AutoTokenizer": ["mine.Mine", None]})


def write_model(folder: Path, decoder: object = None, **config: Any) -> Path:
    """A WordLevel model of three words in a folder, which transformers takes as it is but for the settings."""
    path = folder / "tokenizer.json"
    model = {"type": "WordLevel", "vocab": {"a": 0, ".": 1, "?": 2}, "unk_token": "?"}
    value = {"added_tokens": [], "model": model, "pre_tokenizer": {"type": "Whitespace"}, "decoder": decoder}
    path.write_text(json.dumps(value), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return path


def test_the_reference_follows_the_stages_that_the_class_builds(tmp_path: Path) -> None:
    made = subject(tmp_path, tokenizer_class="LlamaTokenizer", add_bos_token=True, bos_token="<s>")
    rules = read_rules(tmp_path / "tokenizer.json")
    assert [rules.encode(text).ids for text in ("ab", "a")] == [list(made.encode(text).ids) for text in ("ab", "a")]
    assert rules.encode("ab").ids == [4, 3, 2]


@pytest.mark.parametrize("cleans", [True, False])
def test_the_reference_cleans_up_decoded_texts_where_the_class_does(tmp_path: Path, cleans: bool) -> None:
    path = write_model(
        tmp_path, {"type": "WordPiece", "prefix": "##", "cleanup": False}, clean_up_tokenization_spaces=cleans
    )
    decoded = Tokenizer(read_rules(path)).decode([0, 1])
    assert decoded == load(path, "tokenizer.json").text([0, 1], False) == ("a." if cleans else "a .")


def test_padding_and_truncation_of_the_file_are_left_to_the_call_as_transformers_leaves_them(tmp_path: Path) -> None:
    path = write_model(tmp_path)
    value = json.loads(path.read_text("utf-8"))
    value["truncation"] = {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0}
    path.write_text(json.dumps(value), "utf-8")
    assert read_rules(path).encode("a a").ids == [0, 0] == list(load(path, "tokenizer.json").encode("a a").ids)


def test_a_class_whose_texts_come_from_its_own_code_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="WhisperTokenizer of transformers has its own _decode, decode"):
        read_rules(write_model(tmp_path, tokenizer_class="WhisperTokenizer"))
    with pytest.raises(UnavailableError, match="ByT5Tokenizer of transformers has no backend"):
        read_rules(write_model(tmp_path, tokenizer_class="ByT5Tokenizer"))
