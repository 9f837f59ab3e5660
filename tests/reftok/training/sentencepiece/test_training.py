"""What the trainers make is what the official ones make, byte for byte; and the oddities that users have reported."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from sentencepiece import SentencePieceTrainer

import reftok
from reftok.errors import InvalidOption, InvalidText, TrainingStopped, VocabularyTooLarge
from reftok.training.monitor import Monitor, TrainingProgress, TrainingTrace
from reftok.training.sentencepiece.options import TrainerOptions, trainer_options
from reftok.training.sentencepiece.seeds import repeated_texts
from reftok.training.sentencepiece.shape import PieceShapes
from reftok.training.sentencepiece.trainer import train
from reftok.training.train import SENTENCEPIECE_TRAINERS

from .official_trainer import check_training, official_largest, official_model, pieces
from .strategies import corpora, lines_of, options

HUGS = ["hug hugs pug", "bun pun bun hugs", "the pug hugs the bun"]
IDENTITY = {"normalization_rule_name": "identity"}


SOFT = {"hard_vocab_limit": False}
ODDITIES: dict[str, tuple[Sequence[str], dict[str, Any]]] = {
    "pieces of count 0 end a large vocabulary": (HUGS, {"model_type": "bpe", "vocab_size": 500, **SOFT}),
    "lines with U+2585 are left out": (["ab ▅ ab", "cd cd"], {"model_type": "word", "vocab_size": 10, **SOFT}),
    # By the time that symbols are looked for, the text has ▁.
    "a user-defined symbol with a space is not found": (
        HUGS, {"model_type": "bpe", "vocab_size": 22, "user_defined_symbols": ["g h"], **SOFT},
    ),
    # HuggingFace's trainer takes the number of all pieces instead (huggingface/tokenizers 1536).
    "a piece is lost by the length of its own second way": (
        lines_of("en-Latn"), {"vocab_size": 150, "shrinking_factor": 0.5, "num_threads": 1},
    ),
    # 1579 is the first number whose logarithm differs from the rounded double one.
    "word models have single precision logarithms": (
        ["a " * 1579 + "b"], {"model_type": "word", "vocab_size": 5, "max_sentence_length": 9999},
    ),
    "a character that is required but does not occur scores minus infinity": (
        HUGS, {"model_type": "char", "vocab_size": 40, "required_chars": "z"},
    ),
    "characters are weighed against merges": (
        [*lines_of("ja-Jpan"), *lines_of("en-Latn")],
        {"model_type": "bpe", "vocab_size": 600, "byte_fallback": True, "auto_character_coverage": True},
    ),
    "the first sentences are taken without a shuffle": (
        [*lines_of("en-Latn"), *lines_of("de-Latn")] * 3,
        {"model_type": "bpe", "vocab_size": 150, "input_sentence_size": 101, "shuffle_input_sentence": False},
    ),
    "no sentence": ([], {"vocab_size": 10}),
    "no usable sentence": (["", " ", "▅"], {"vocab_size": 10}),
}  # fmt: skip


@pytest.mark.parametrize("oddity", ODDITIES)
def test_both_make_the_same_where(oddity: str) -> None:
    check_training(*ODDITIES[oddity])


@settings(max_examples=40, deadline=None)
@given(corpora(9), options("bpe", "bpe", "word", "char"))
def test_the_model_is_the_official_one(sentences: list[str | bytes], chosen: dict[str, Any]) -> None:
    check_training(sentences, chosen)


@settings(max_examples=20, deadline=None)
@given(corpora(9), options("unigram"))
def test_the_unigram_model_is_the_official_one(sentences: list[str | bytes], chosen: dict[str, Any]) -> None:
    check_training(sentences, chosen)


@pytest.mark.parametrize("language", ["cr-Cans", "ja-Jpan", "mn-Mong", "th-Thai", "ti-Ethi", "zgh-Tfng"])
@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_a_language_gives_the_official_model(model_type: str, language: str) -> None:
    check_training(
        lines_of(language),
        {"model_type": model_type, "vocab_size": 700, "hard_vocab_limit": False, "character_coverage": 0.98},
    )


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_unigram_sums_in_the_order_of_the_threads(threads: int) -> None:
    check_training(lines_of("fi-Latn"), {"vocab_size": 200, "num_threads": threads})


def test_files_end_lines_with_the_line_feed_only_and_are_named_in_the_model(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"a b\rc\r\n\nab c\x85d\n" * 3 + b"no end")
    chosen = {"input": str(path), "model_type": "bpe", "vocab_size": 20, "hard_vocab_limit": False, **IDENTITY}
    prefix = tmp_path / "official"
    SentencePieceTrainer.train(model_prefix=str(prefix), minloglevel=3, **chosen)
    assert train(None, trainer_options(**chosen, model_prefix=str(prefix))) == Path(f"{prefix}.model").read_bytes()


@pytest.mark.parametrize("trainer", SENTENCEPIECE_TRAINERS)
@pytest.mark.parametrize("scores", [True, False])
def test_the_vocab_beside_a_model_has_the_official_bytes(tmp_path: Path, trainer: str, scores: bool) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines_of("mn-Mong")), "utf-8")
    chosen = {"vocab_size": 400, "byte_fallback": trainer.endswith("bpe"), "pad_id": 3, "hard_vocab_limit": False}
    chosen |= {"vocabulary_output_piece_score": scores, "user_defined_symbols": "a b,\t"}
    files = {"input": str(path), "model_prefix": str(tmp_path / "official")}
    kind = trainer.removeprefix("sentencepiece-")
    SentencePieceTrainer.train(**files, model_type=kind, minloglevel=3, **chosen)
    reftok.train(trainer, files=path, output=tmp_path / "made.model", **chosen)
    assert (tmp_path / "made.vocab").read_bytes() == (tmp_path / "official.vocab").read_bytes()


@pytest.mark.parametrize(
    "files",
    [
        [b"a\nb", b"", b"c\n"],
        [b"a\nb", b"", b"", b"c"],
        [b"a\nb\n", b"", b"c"],
        [b"a\nb", b"\n", b"", b"c"],
        [b"", b"a\nb", b""],
        [b"a\nb", b"", b""],
        [b"a\nb", b"c"],
    ],
)
def test_an_empty_file_between_others_repeats_the_last_line_before_it(files: list[bytes], tmp_path: Path) -> None:
    """Fault of the library: the line is the one that no line feed ended."""
    paths = [tmp_path / f"{number}.txt" for number in range(len(files))]
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)
    chosen: dict[str, Any] = {"model_type": "word", "vocab_size": 9, "hard_vocab_limit": False, **IDENTITY}
    chosen["input"] = [*map(str, paths)]
    model = io.BytesIO()
    SentencePieceTrainer.train(model_writer=model, minloglevel=3, **chosen)
    assert train(None, trainer_options(**chosen)) == model.getvalue()


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(TrainingStopped, match=r"nowhere\.txt cannot be read"):
        train(None, trainer_options(input="nowhere.txt", vocab_size=10))


def test_sentences_and_files_exclude_each_other() -> None:
    with pytest.raises(InvalidOption, match="input"):
        train(HUGS, trainer_options(input="corpus.txt"))
    with pytest.raises(InvalidOption, match="input"):
        train(None, trainer_options(vocab_size=10))


def test_counts_of_a_tsv_count() -> None:
    sentences = ["the bun\t3", "a pug\t1", "the pug\t 20 ", "the end\t+2"]
    for model_type in ("bpe", "word", "char", "unigram"):
        check_training(
            sentences,
            {"model_type": model_type, "input_format": "tsv", "vocab_size": 18, "hard_vocab_limit": False},
        )


@pytest.mark.parametrize("sentence", ["no tab", "two\ttabs\t1", "none\t0", "word\tmany", ""])
def test_a_tsv_without_a_count_is_refused_by_both(sentence: str) -> None:
    check_training(["a\t1", sentence], {"input_format": "tsv", "vocab_size": 10})


@pytest.mark.parametrize("model_type", ["bpe", "unigram", "word"])
def test_vocabulary_too_high_names_the_largest(model_type: str) -> None:
    chosen = {"model_type": model_type, "vocab_size": 1000}
    with pytest.raises(RuntimeError) as official:
        official_model(HUGS, **chosen)
    with pytest.raises(VocabularyTooLarge, match="ask for") as own:
        train(HUGS, trainer_options(**chosen))
    assert own.value.largest == official_largest(official.value)
    check_training(HUGS, {**chosen, "vocab_size": own.value.largest})
    check_training(HUGS, {**chosen, "vocab_size": own.value.largest + 1})


def test_vocabulary_smaller_than_the_characters_is_refused_by_both() -> None:
    check_training(HUGS, {"model_type": "bpe", "vocab_size": 5})
    with pytest.raises(TrainingStopped, match="5 is too few, there are 13"):
        train(HUGS, trainer_options(model_type="bpe", vocab_size=5))


def test_a_text_at_the_end_of_sentences_counts_twice_as_a_seed() -> None:
    shapes = PieceShapes(TrainerOptions())
    assert dict(repeated_texts([("xab", 1), ("yab", 1), ("zab", 1), ("abc", 1)], shapes))["ab"] == 4 + 3


def test_a_draw_of_sentences_is_always_the_same() -> None:
    options = trainer_options(model_type="bpe", vocab_size=150, input_sentence_size=101, hard_vocab_limit=False)
    sentences = [*lines_of("en-Latn"), *lines_of("de-Latn"), *lines_of("fr-Latn")] * 3
    assert train(sentences, options) == train(sentences, options)


def test_rules_of_a_file_are_compiled_to_the_same_charsmap(tmp_path: Path) -> None:
    rules = tmp_path / "rules.tsv"
    rules.write_text("41\t61\nU+62 U+63\t64\n62\t\n63\n41\t7A\tignored\n", "utf-8")
    chosen = {"model_type": "char", "vocab_size": 30, "normalization_rule_tsv": str(rules)}
    check_training(["Abc bcb A c", "cab"], {**chosen, "denormalization_rule_tsv": str(rules)})


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("4G\t61", "line 1: '4G' is not a code point"),
        ("41\t61\n\t62", "line 2: there is no text to replace"),
        ("D800\t61", r"line 1: U\+D800"),
        ("41\t41", "the rule for 'A' changes nothing"),
        ("", "there are no rules"),
    ],
)
def test_a_file_of_rules_that_is_wrong_is_refused(tmp_path: Path, lines: str, problem: str) -> None:
    rules = tmp_path / "rules.tsv"
    rules.write_text(lines, "utf-8")
    with pytest.raises(InvalidOption, match=problem):
        train(HUGS, trainer_options(vocab_size=20, normalization_rule_tsv=str(rules)))


def test_the_seeds_of_a_file_are_taken(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.tsv"
    seeds.write_text("▁hug\t10\nhug\t5\n▁the\t2\n▁pug\t3\nug\t 4\n▁bun\t7\nhug\t9\nn▁p\t3\n", "utf-8")
    check_training(HUGS * 5, {"vocab_size": 20, "seed_sentencepieces_file": str(seeds), "hard_vocab_limit": False})


@pytest.mark.parametrize("sentence", ["\ud800", 7])
def test_what_is_no_text_is_refused(sentence: Any) -> None:
    with pytest.raises(InvalidText, match="sentence 2"):
        train(["a", sentence], trainer_options(vocab_size=10))


def test_progress_tells_what_is_done() -> None:
    told: list[TrainingProgress] = []
    options = trainer_options(model_type="bpe", vocab_size=400)
    train(lines_of("en-Latn"), options, Monitor(lambda progress, state: told.append(progress)))
    assert list(dict.fromkeys(one.step for one in told)) == ["preparing", "merging"]
    for step in ("preparing", "merging"):
        done = [one.done for one in told if one.step == step]
        assert done == [*range(1, len(done) + 1)]


def test_a_trace_tells_the_rivals_of_a_merge() -> None:
    trace = TrainingTrace()
    train(
        ["ab cd ab cd"], trainer_options(model_type="bpe", vocab_size=11, hard_vocab_limit=False), Monitor(trace=trace)
    )
    first = trace.merges[0]
    assert (first.piece, first.count, first.rivals) == ("ab", 2, (("c", "d"), ("▁", "a"), ("▁", "c")))


def test_a_trace_changes_nothing() -> None:
    for model_type in ("bpe", "unigram"):
        options = trainer_options(model_type=model_type, vocab_size=200)
        assert train(lines_of("en-Latn"), options, Monitor(trace=TrainingTrace())) == train(
            lines_of("en-Latn"), options
        )


def test_a_trace_tells_why_a_piece_went() -> None:
    why: dict[str, str] = {}

    class OfAll(TrainingTrace):
        def note_pruned(self, piece: str, why_it_went: str) -> None:
            why[piece] = why_it_went

    options = trainer_options(vocab_size=150)
    made = train(lines_of("en-Latn"), options, Monitor(trace=OfAll()))
    assert not {piece for piece, _ in pieces(made) if len(piece) > 1} & why.keys()
    for reason in ("no sentence is best cut with it", "the corpus loses little with"):
        assert any(reason in told for told in why.values())
    trace = TrainingTrace("ere")
    train(lines_of("en-Latn"), options, Monitor(trace=trace))
    assert trace.story[0].startswith("seed: score")
    assert trace.pruned == "round 2 of EM: it is expected less than half a time"
