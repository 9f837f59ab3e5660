"""What transformers makes of a folder, beside what tokenizers reads in its tokenizer.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="transformers is not installed: python -m pip install '.[transformers]'")

from conformance.core.observation import Decoded, Encoded, Failure
from conformance.subjects.base import Subject, UnavailableError
from conformance.subjects.transformers_subject import load

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
