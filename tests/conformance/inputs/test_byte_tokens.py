"""Cases that name tokens to decode: each model is given its own ids for them, or not given the case."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.core.case import ids_case, text_case, tokens_case
from conformance.core.errors import InputError
from conformance.inputs.corpora import read_corpus
from conformance.inputs.shards import Inputs, corpus_cases, shard_cases, shards


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "decoder.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_a_line_may_name_tokens_to_decode(tmp_path: Path) -> None:
    path = written(tmp_path, '{"id": "a", "tokens": ["\\u2581a", "<0xE4>"], "fault": "f"}')
    assert read_corpus(path) == [tokens_case(("▁a", "<0xE4>"), f"{tmp_path.name}/decoder.jsonl:1")]


def test_tokens_beside_a_text_are_another_key_to_ignore(tmp_path: Path) -> None:
    path = written(tmp_path, '{"text": "a b", "tokens": ["a", "b"]}')
    assert read_corpus(path) == [text_case("a b", f"{tmp_path.name}/decoder.jsonl:1", "decoder")]


@pytest.mark.parametrize("tokens", ['"ab"', "[]", "[1]", "null", "{}", '{"a": 1}', '["\\ud800"]', "[[]]"])
def test_what_is_no_list_of_tokens_is_refused_with_its_line(tmp_path: Path, tokens: str) -> None:
    with pytest.raises(InputError, match='line 2 is not an object with "text", "bytes_hex" or a list "tokens"'):
        read_corpus(written(tmp_path, '{"text": "a"}', f'{{"tokens": {tokens}}}'))


def test_each_model_is_given_its_own_ids_and_only_where_it_has_all_tokens(tmp_path: Path) -> None:
    path = written(tmp_path, '{"text": "a"}', '{"tokens": ["b", "a", "b"]}', '{"tokens": ["a", "c"]}')
    inputs = Inputs((path,), ("corpora",), fuzz=0, seed=0)
    (shard,) = shards(inputs, "m", 2)
    origin = f"{tmp_path.name}/decoder.jsonl"
    text = text_case("a", f"{origin}:1", "decoder")
    assert shard_cases(inputs, shard, {3: "a", 7: "b"}) == [text, ids_case((7, 3, 7), f"{origin}:2")]
    assert shard_cases(inputs, shard, {0: "c", 5: "a"}) == [text, ids_case((5, 0), f"{origin}:3")]
    assert shard_cases(inputs, shard, {}) == [text]
    assert len(corpus_cases(inputs.files)) == 3
