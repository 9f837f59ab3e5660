"""tekken.json: special tokens first, then the ranks; mistral-common is asked the same where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok import Tokenizer, load
from reftok.errors import InvalidIds, ModelFormatError, UnsupportedFeature
from reftok.formats.tiktoken.tekken import read_tekken

from ...tekken_writer import TOKENS, special, tekken, vocab_of
from ...tokenizers_strategies import texts

PARTS = ["<s>", "[INST]", "ab", " ab", "é", "  ", "\ud800", "<SPECIAL_7>"]
TEXTS = texts | st.lists(st.sampled_from(PARTS)).map("".join)
IDS = st.lists(st.integers(0, len(TOKENS) + 9) | st.sampled_from([1, 10 + 0xC3, 10 + 0xA9, 10 + 0xE6, 10 + 0xBC]))


def test_ranks_come_behind_the_special_tokens_which_no_text_has() -> None:
    tokenizer = Tokenizer(read_tekken(tekken()))
    assert tokenizer.encode_ids("ab<s> ab") == [266, 270, 10 + ord(">"), 272]
    assert tokenizer.decode([1, 266, 2], skip_special_tokens=False) == "<s>ab</s>"
    assert tokenizer.decode([1, 266, 2]) == "ab"
    assert [tokenizer.id_to_token(token_id) for token_id in (3, 4, 9)] == ["[INST]", "<SPECIAL_4>", "<SPECIAL_9>"]
    with pytest.raises(InvalidIds):
        tokenizer.decode([273])


def test_a_token_of_the_vocab_with_the_text_of_a_special_one_is_not_skipped() -> None:
    assert Tokenizer(read_tekken(tekken())).decode([1, 271]) == "<s>"


def test_a_skipped_special_token_is_between_the_bytes_of_no_character() -> None:
    tokenizer = Tokenizer(read_tekken(tekken()))
    lead, trail = (10 + byte for byte in "é".encode())
    assert tokenizer.decode([lead, trail]) == "é"
    assert tokenizer.decode([lead, 1, trail]) == "\ufffd\ufffd"
    stream = tokenizer.stream_decoder()
    assert "".join([*map(stream.feed, [lead, 1, trail]), stream.finish()]) == "\ufffd\ufffd"


def test_the_vocab_is_cut_to_the_size_that_the_file_gives() -> None:
    cut = Tokenizer(read_tekken(tekken({"default_vocab_size": 268})))
    assert cut.encode_ids("ab ab a") == [266, 10 + ord(" "), 266, 267]
    assert cut.vocab_size == 268


def test_a_file_without_special_tokens_has_those_of_its_time() -> None:
    old = {"default_num_special_tokens": 22, "default_vocab_size": 280, "version": "v3"}
    tokenizer = Tokenizer(read_tekken(tekken(old, without="special_tokens")))
    assert [tokenizer.id_to_token(number) for number in (1, 19, 20)] == ["<s>", "[TOOL_CONTENT]", "<SPECIAL_20>"]


def test_a_file_is_known_by_its_name_and_found_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "tekken.json").write_bytes(tekken())
    assert load(tmp_path).library == "mistral-common"
    assert load((tmp_path / "tekken.json").rename(tmp_path / "my_tekken_1.json")).encode_ids("ab") == [266]


def changed(number: int, **keys: Any) -> dict[str, Any]:
    vocab = vocab_of()
    vocab[number] |= keys
    return {"vocab": vocab}


@pytest.mark.parametrize(
    ("config", "keys", "problem"),
    [
        ({"version": "v4"}, {}, "config.version: v4 is not supported"),
        ({"version": 3}, {}, "config.version: is not a string"),
        ({"bos": True}, {}, "config.bos: this key is not known"),
        ({}, {"name": 1}, "name: this key is not known"),
        ({}, {"without": "config"}, "config: is missing"),
        ({}, {"vocab": {}}, "vocab: is not a list but an object"),
        ({}, {"without": "special_tokens"}, "special_tokens: is missing in a file of version v11"),
        ({"version": "v13"}, {"multimodal": {"a": 1}}, "multimodal: this key in a file of version v13"),
        ({}, {"model_settings_builder": {}}, "model_settings_builder: this key in a file of version v11"),
        ({"default_vocab_size": 274}, {}, "config.default_vocab_size: is not between 256 and 263 more than the 10"),
        ({"default_vocab_size": 265}, {}, "config.default_vocab_size: is not between 256"),
        (
            {"default_num_special_tokens": 3},
            {},
            "special_tokens: has 4 tokens, more than default_num_special",
        ),
        ({"default_num_special_tokens": 4_000_000_000}, {}, "config.default_num_special_tokens: more than 100000"),
        ({"default_num_special_tokens": -1}, {}, "config.default_num_special_tokens: is not a whole number"),
        ({"pattern": r"\b"}, {}, r"config.pattern: pattern '\\b': at character 0"),
        ({"pattern": "a*"}, {}, "config.pattern: pattern 'a*': may match nothing"),
        ({}, {"special_tokens": special("<s>", "<s>")}, "special_tokens: has the token '<s>' twice"),
        ({}, {"special_tokens": special("<SPECIAL_5>")}, "special_tokens: has the token '<SPECIAL_5>' twice"),
        ({}, {"special_tokens": special("")}, "special_tokens[0].token_str: the text '' is not supported"),
        ({}, {"special_tokens": special("é")}, "special_tokens[0].token_str: the text 'é' is not supported"),
        ({}, {"special_tokens": special("a") + special("b")}, "special_tokens[1].rank: is not 1, its place"),
        ({}, {"special_tokens": [{**special("a")[0], "id": 0}]}, "special_tokens[0].id: this key is not known"),
        ({}, changed(260, rank=3), "vocab[260].rank: is not its place in the list"),
        ({}, changed(1, rank=True), "vocab[1].rank: is not its place in the list"),
        ({}, changed(7, token_bytes="YQ=="), "vocab[7].token_bytes: is not the byte 07"),
        ({}, changed(260, token_bytes="YWI="), "vocab[260].token_bytes: is also that of 256"),
        ({}, changed(260, token_bytes="Y!"), "vocab[260].token_bytes: is not base64"),
        ({}, changed(260, token_bytes=None), "vocab[260].token_bytes: is not base64"),
        ({}, changed(260, score=1), "vocab[260]: is not an object with the keys rank, token_bytes and"),
        ({}, {"vocab": [*vocab_of()[:260], 3, 4, 5]}, "vocab[260]: is not an object with the keys"),
    ],
)
def test_what_is_not_sound_is_refused_by_name(config: dict[str, Any], keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        read_tekken(tekken(config, **keys), "tekken.json")
    assert str(refused.value).startswith("tekken.json: ")
    assert problem in str(refused.value)


def test_a_version_that_is_not_known_is_no_damaged_file() -> None:
    with pytest.raises(UnsupportedFeature):
        read_tekken(tekken({"version": "v99"}))


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The library with the small file."""
    pytest.importorskip("mistral_common")
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    path = tmp_path_factory.mktemp("tekken") / "tekken.json"
    path.write_bytes(tekken())
    return Tekkenizer.from_file(path)


@settings(max_examples=200)
@given(text=TEXTS)
def test_ids_are_those_of_mistral_common(theirs: Any, text: str) -> None:
    assert Tokenizer(read_tekken(tekken())).encode_ids(text) == theirs.encode(text, bos=False, eos=False)


@settings(max_examples=200)
@given(ids=IDS)
def test_texts_are_those_of_mistral_common_by_both_policies(theirs: Any, ids: list[int]) -> None:
    from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy

    ours = Tokenizer(read_tekken(tekken()))
    assert ours.decode(ids) == theirs.decode(ids, SpecialTokenPolicy.IGNORE)
    assert ours.decode(ids, skip_special_tokens=False) == theirs.decode(ids, SpecialTokenPolicy.KEEP)


def test_the_files_that_come_with_mistral_common_are_read_as_by_it() -> None:
    package = pytest.importorskip("mistral_common")
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    paths = sorted((Path(package.__file__).parent / "data").glob("tekken*.json"))
    assert paths
    for path in paths:
        ours, library = load(path), Tekkenizer.from_file(path)
        assert ours.vocab_size == library.n_words
        for text in ("Hello! It's 1234", "<s>[INST] né 漢字 \U0001f600  \n\n x [/INST]", "ÀÉa\u0301 ǅ\r\n/ // "):
            ids = library.encode(text, bos=False, eos=False)
            assert ours.encode_ids(text) == ours.rules.encode_ids(text) == ids
            assert ours.decode([1, *ids, 2]) == library.decode([1, *ids, 2]) == text
