"""Random corpora and options for the trainers of sentencepiece."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

LANGUAGES = Path(__file__).resolve().parents[4] / "corpora" / "languages"
SYMBOLS = ["<sep>", "cat", "▁a", "a b", "é", "ab", "aba", "中", "<0x41>", "the"]
ODD = [
    "",
    " ",
    "▅ b",
    "a\0b",
    "a\x1fb",
    "one\r",
    "tab\there",
    "1 22 333",
    "F1 2nd ４５",
    "\u3000ﬁ \u200b",
    "a\u0301b\u0301 \u0301",
    "ー カー",
    b"\xff a\xe4\xb8",
    "a" * 30,
    "ab" * 12,
    "𝒳 😀😀",
]
FLAGS = (
    "split_by_unicode_script", "split_by_number", "split_by_whitespace", "split_digits", "add_dummy_prefix",
    "treat_whitespace_as_suffix", "allow_whitespace_only_pieces", "remove_extra_whitespaces", "byte_fallback",
)  # fmt: skip
IDS = [
    {"unk_id": 1, "bos_id": 0, "eos_id": -1},
    {"pad_id": 3},
    {"pad_id": 7, "unk_piece": "[UNK]"},
    {"bos_id": -1, "eos_id": -1},
    {"unk_id": -1},
    {"unk_id": 2, "bos_id": 2},
    {"bos_piece": "</s>"},
    {"control_symbols": ["<s>"], "pad_id": 5},
]


@cache
def lines_of(language: str) -> tuple[str, ...]:
    """The lines of a language's text that are not empty."""
    return tuple(line for line in (LANGUAGES / f"{language}.txt").read_text("utf-8").split("\n") if line)


@cache
def languages() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in LANGUAGES.glob("*.txt")))


@st.composite
def corpora(draw: st.DrawFn, most_lines: int = 60) -> list[str | bytes]:
    """Words of a few letters, lines of a language or of several, and odd lines between them."""
    lines: list[str | bytes] = []
    if draw(st.booleans()):
        alphabet = draw(st.sampled_from(["a", "ab", "abc ", "ab▁ ", "abé中1 ", "かき漢ーa0 ", "aé\u0301中日本😀 "]))
        lines += draw(st.lists(st.text(alphabet, max_size=25), min_size=1, max_size=12))
    for language in draw(st.lists(st.sampled_from(languages()), max_size=3)):
        lines += draw(st.lists(st.sampled_from(lines_of(language)), max_size=most_lines // 3))
    lines += draw(st.lists(st.sampled_from(ODD), max_size=3))
    return lines * draw(st.sampled_from([1, 1, 1, 2]))


@st.composite
def options(draw: st.DrawFn, *model_types: str) -> dict[str, Any]:
    """Options of the library, most of them not given."""
    kind = draw(st.sampled_from(model_types))
    chosen: dict[str, Any] = {"model_type": kind, "vocab_size": draw(st.sampled_from([5, 40, 150, 400, 700, 1000]))}
    chosen["vocab_size"] += draw(st.integers(0, 60))
    chosen |= {name: draw(st.booleans()) for name in draw(st.lists(st.sampled_from(FLAGS), max_size=4, unique=True))}
    chosen["hard_vocab_limit"] = draw(st.integers(0, 7)) == 0
    if draw(st.integers(0, 3)):
        chosen["character_coverage"] = draw(st.sampled_from([1.0, 0.98, 0.995]))
    chosen["normalization_rule_name"] = draw(
        st.sampled_from(["identity", "identity", "nmt_nfkc", "nfkc", "nfkc_cf", "nmt_nfkc_cf"])
    )
    if draw(st.integers(0, 2)) == 0:
        chosen["user_defined_symbols"] = draw(st.lists(st.sampled_from(SYMBOLS), max_size=3, unique=True))
    if draw(st.integers(0, 3)) == 0:
        chosen |= draw(st.sampled_from(IDS))
    if draw(st.integers(0, 3)) == 0:
        chosen["max_sentencepiece_length"] = draw(st.sampled_from([1, 2, 3, 5, 24]))
    if draw(st.integers(0, 5)) == 0:
        chosen["required_chars"] = draw(st.sampled_from(["xyz", "éa", "中 ", "▅"]))
    if draw(st.integers(0, 7)) == 0:
        chosen["max_sentence_length"] = draw(st.sampled_from([10, 40]))
    if kind in ("word", "char"):
        chosen["use_all_vocab"] = draw(st.booleans())
    elif draw(st.integers(0, 5)) == 0:
        chosen["pretokenization_delimiter"] = draw(st.sampled_from(["b", "▁", "ab"]))
    if kind == "bpe" and draw(st.integers(0, 3)) == 0:
        chosen |= {"byte_fallback": True, "auto_character_coverage": True}
        chosen["vocab_size"] += draw(st.sampled_from([0, 256, 300]))
        chosen.pop("required_chars", None)
    if kind == "unigram":
        chosen |= _of_unigram(draw)
    return chosen


def _of_unigram(draw: st.DrawFn) -> dict[str, Any]:
    chosen: dict[str, Any] = {"num_threads": draw(st.sampled_from([1, 2, 3, 16]))}
    if draw(st.integers(0, 2)) == 0:
        chosen["shrinking_factor"] = draw(st.sampled_from([0.5, 0.75, 0.95]))
    if draw(st.integers(0, 2)) == 0:
        chosen["num_sub_iterations"] = draw(st.integers(1, 4))
    if draw(st.integers(0, 3)) == 0:
        chosen["seed_sentencepiece_size"] = draw(st.sampled_from([0, 1, 50, 300]))
    return chosen
