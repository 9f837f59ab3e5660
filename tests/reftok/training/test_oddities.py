"""What users have reported of the official trainers, each named after its fault: reftok makes the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import AddedToken, models, pre_tokenizers, trainers

import reftok
from reftok.training.bpe import BpeTrainer
from reftok.training.pipelines import pipeline_of

from ..pipeline_comparison import Tally
from .comparison import Json, check_training, given_choices, official, trained

WORDS = "whitespace"


def both(name: str, texts: list[str], pipeline: Json | str = WORDS, **options: Any) -> tuple[Json, Json]:
    """The model of the official trainer and that of reftok."""
    stages = pipeline_of(pipeline, {"hf-bpe": "BPE", "wordlevel": "WordLevel"}.get(name, "Unigram"))
    expected = official(name, stages, texts, options)
    return expected, trained(name, stages, texts, given_choices(name, stages, texts, options, expected))[0]


def test_2320_a_negative_count_wins_the_queue() -> None:
    """With max_token_length a pair that was never counted up is counted down: a merge of what occurs nowhere."""
    expected, made = both("hf-bpe", ["abab"] * 2, vocab_size=40, continuing_subword_prefix="a", max_token_length=2)
    assert made == expected
    trainer = BpeTrainer(vocab_size=40, continuing_subword_prefix="a", max_token_length=2)
    assert max(trainer.train({"abab": 2}).counts) > 1 << 63


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_1461_a_max_token_length_of_1_still_gives_tokens_of_two_characters(limit: int) -> None:
    expected, made = both("hf-bpe", ["abab abc"], vocab_size=20, max_token_length=limit)
    assert made == expected
    assert max(map(len, made["model"]["vocab"])) == 2


def test_1169_tokens_added_before_training_become_words_and_keep_ids_that_collide() -> None:
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.add_tokens([AddedToken("<s>", normalized=False)])
    pipeline = {**pipeline_of("none", "BPE"), "added_tokens": official_added(tokenizer)}
    expected, made = both("hf-bpe", ["<s>ab<s>ab"], pipeline, vocab_size=20)
    assert made == expected
    assert made["model"]["vocab"]["<s>"] != made["added_tokens"][0]["id"] == 0
    assert {"<s", "<s>"} & made["model"]["vocab"].keys()


def official_added(tokenizer: tokenizers.Tokenizer) -> Any:
    import json

    return json.loads(tokenizer.to_str())["added_tokens"]


def test_670_the_alphabet_may_make_the_vocab_larger_than_asked_for() -> None:
    expected, made = both("hf-bpe", ["abcdef"], vocab_size=3)
    assert made == expected
    assert len(made["model"]["vocab"]) == 6


def test_a_model_that_is_trained_again_answers_from_a_stale_cache() -> None:
    """The trap is in the official object; a fresh load of its file, and reftok's tokenizer, are right."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=8, show_progress=False)
    tokenizer.train_from_iterator(["zz zz zz hello"], trainer)
    before = tokenizer.encode("hello").ids
    tokenizer.train_from_iterator(["hello hello hell"], trainer)
    fresh = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    assert tokenizer.encode("hello").ids == before != fresh.encode("hello").ids
    again = reftok.train("hf-bpe", ["hello hello hell"], pipeline=WORDS, vocab_size=8)
    assert again.encode_ids("hello") == fresh.encode("hello").ids


def test_a_word_that_is_a_special_token_keeps_the_later_id_in_wordlevel() -> None:
    expected, made = both("wordlevel", ["b a b c"], vocab_size=4, special_tokens=["b", "<unk>"])
    assert made == expected
    assert made["model"]["vocab"] == {"<unk>": 1, "b": 2, "a": 3}


def test_the_order_of_derived_characters_decides_what_is_merged() -> None:
    """In the library that order is of chance; given it, the rest is determined."""
    counts = {"caa": 1, "cca": 1}
    orders = [["##b", "##c", "##a"], ["##a", "##b", "##c"]]
    made = [
        BpeTrainer(vocab_size=7, continuing_subword_prefix="##", derived_order=order).train(counts) for order in orders
    ]
    assert made[0].merges != made[1].merges
    for _ in range(5):
        check_training("wordpiece", pipeline_of(WORDS, "WordPiece"), ["abc cab bca"] * 3, {"vocab_size": 9}, Tally())


def test_a_limit_of_the_alphabet_cuts_through_equal_counts() -> None:
    expected, made = both("hf-bpe", ["ab cd dc"], limit_alphabet=3)
    assert made == expected


@pytest.mark.parametrize("kept", [["b"], ["a", "b"], []])
def test_a_choice_that_the_limit_of_the_alphabet_does_not_leave_is_refused(kept: list[str]) -> None:
    """Fault: a trainer that counted each word once for its limit passed, as if that were left to chance."""
    with pytest.raises(reftok.TrainingStopped, match="kept_alphabet: must be limit_alphabet characters, none rarer"):
        BpeTrainer(limit_alphabet=1, kept_alphabet=kept).alphabet({"aab": 1})


def test_2058_counts_wrap_as_those_of_32_bits() -> None:
    """A pair of 2 to the 31st occurrences and more is no longer the most frequent; one of 2 to the 32nd and 5 has 5."""
    many = BpeTrainer(vocab_size=5).train({"ab": (1 << 31) + 7, "cd": 3})
    assert [*many.merges] == [("c", "d")]
    more = BpeTrainer(vocab_size=6).train({"ab": (1 << 32) + 5, "cd": 7})
    assert (more.merges, more.counts) == ([("c", "d"), ("a", "b")], [7, 5])


def test_a_special_token_that_becomes_special_keeps_its_other_flags() -> None:
    token = reftok.AddedToken("<x>", lstrip=True, normalized=True, special=False)
    made, _ = trained("hf-bpe", WORDS, ["a"], {"special_tokens": [token]})
    theirs = [AddedToken("<x>", lstrip=True, normalized=True, special=False)]
    assert made == official("hf-bpe", pipeline_of(WORDS, "BPE"), ["a"], {"special_tokens": theirs})


def test_files_are_read_by_lines_with_their_ends_which_iterators_do_not_have(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_bytes("ab\r\nab\n\u2028ab\rab".encode())
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.train([str(path)], trainers.BpeTrainer(vocab_size=20, show_progress=False))
    made = reftok.train("hf-bpe", files=path, pipeline="none", vocab_size=20)
    assert made.rules.model.vocab == tokenizer.get_vocab()
    lines = reftok.train("hf-bpe", path.read_text("utf-8").splitlines(), pipeline="none", vocab_size=20)
    assert lines.rules.model.vocab != made.rules.model.vocab


@pytest.mark.parametrize("name", ["hf-bpe", "wordlevel", "hf-unigram"])
@pytest.mark.parametrize("texts", [[], [""], ["a"]])
def test_next_to_nothing_is_learned_from_next_to_nothing(name: str, texts: list[str]) -> None:
    expected, made = both(name, texts, "none", vocab_size=10)
    assert made == expected


def test_wordpiece_without_a_prefix_keeps_that_of_the_model() -> None:
    tokenizer = tokenizers.Tokenizer(models.WordPiece())
    trainer = trainers.WordPieceTrainer(show_progress=False, vocab_size=10)
    trainer.continuing_subword_prefix = None
    tokenizer.train_from_iterator(["abab"], trainer)
    made = reftok.train("wordpiece", ["abab"], pipeline="none", vocab_size=10, continuing_subword_prefix=None)
    assert made.rules.model.vocab == tokenizer.get_vocab()


def test_1536_the_loss_of_unigram_has_the_number_of_all_pieces() -> None:
    """In place of the length of the piece's own second way: with that `nd`, `ock` and `rch` would stay, not these."""
    file = Path(__file__).resolve().parents[3] / "corpora" / "languages" / "en-Latn.txt"
    texts = file.read_text("utf-8").split("\n")[:8]
    stages = pipeline_of("metaspace", "Unigram")
    expected = official("hf-unigram", stages, texts, {"vocab_size": 64})
    made, _ = trained("hf-unigram", stages, texts, {"vocab_size": 64})
    pieces = {piece for piece, _ in made["model"]["vocab"]}
    assert pieces == {piece for piece, _ in expected["model"]["vocab"]}
    assert pieces >= {"in", "▁a", "▁w"}
    assert not pieces & {"nd", "ock", "rch"}


def test_unigram_wants_room_for_all_characters() -> None:
    with pytest.raises(reftok.TrainingStopped, match="at least 5 is needed"):
        reftok.train("hf-unigram", ["abcde"], pipeline="none", vocab_size=4)
    with pytest.raises(Exception, match="not large enough"):
        official("hf-unigram", pipeline_of("none", "Unigram"), ["abcde"], {"vocab_size": 4})


def test_unigram_learns_from_a_text_at_which_the_library_panics() -> None:
    """Its own unknown piece, whose score is no number, matches the text `<UNK>`."""
    texts = ["a<UNK>b", "ab"]
    with pytest.raises(BaseException, match="likelihood is NAN"):
        official("hf-unigram", pipeline_of("none", "Unigram"), texts, {"vocab_size": 20})
    made = reftok.train("hf-unigram", texts, pipeline="none", vocab_size=20)
    assert made.decode(made.encode_ids("a<UNK>b")) == "a < U N K > b"


def test_a_score_of_unigram_that_is_no_number_is_written_as_null(tmp_path: Path) -> None:
    """Fault: the file had `Infinity`, which is no JSON. The official library writes null, and cannot read it."""
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    tokenizer.train_from_iterator(["aaaaaaaa"], trainers.UnigramTrainer(show_progress=False))
    tokenizer.save(str(tmp_path / "official.json"))
    reftok.train("hf-unigram", ["aaaaaaaa"], pipeline="none", output=tmp_path / "own.json")
    assert (tmp_path / "own.json").read_bytes() == (tmp_path / "official.json").read_bytes()
