"""Patterns of published models, and some of their kind, against the official library."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN

from ..official import EVERY_CHARACTER
from ..oniguruma_comparison import assert_same
from ..tokenizers_strategies import texts

LANGUAGES = Path(__file__).resolve().parents[3] / "corpora" / "languages"

ENGLISH = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
ENGLISH_LETTER_BY_LETTER = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
LEADING = r"[^\r\n\p{L}\p{N}]?"
UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
UPPER_NOT_HAN = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
LOWER_NOT_HAN = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
SIGNS_AND_SLASHES = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"
SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"

LLAMA_3 = rf"{ENGLISH}|{LEADING}\p{{L}}+|\p{{N}}{{1,3}}|{SIGNS}|{SPACES}"
QWEN_2 = rf"{ENGLISH}|{LEADING}\p{{L}}+|\p{{N}}|{SIGNS}|{SPACES}"
O200K = (
    rf"{LEADING}{UPPER}*{LOWER}+{ENGLISH}?|{LEADING}{UPPER}+{LOWER}*{ENGLISH}?"
    rf"|\p{{N}}{{1,3}}|{SIGNS_AND_SLASHES}|{SPACES}"
)
TEKKEN = rf"{LEADING}{UPPER}*{LOWER}+|{LEADING}{UPPER}+{LOWER}*|\p{{N}}|{SIGNS_AND_SLASHES}|{SPACES}"
PUBLISHED = {
    "gpt-2, gpt-neox, olmo, phi, falcon, starcoder, smollm, modernbert": GPT2_PATTERN,
    "llama 3, glm 4, dbrx": LLAMA_3,
    "qwen 2, qwen 3": QWEN_2,
    "qwen 3.5": (rf"{ENGLISH}|{LEADING}[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{SPACES}"),
    "o200k, llama 4": O200K,
    "tekken: mistral nemo": TEKKEN,
    "o200k, letter by letter": O200K.replace(ENGLISH, ENGLISH_LETTER_BY_LETTER),
    "kimi k2": (
        rf"[\p{{Han}}]+|{LEADING}{UPPER_NOT_HAN}*{LOWER_NOT_HAN}+{ENGLISH}?"
        rf"|{LEADING}{UPPER_NOT_HAN}+{LOWER_NOT_HAN}*{ENGLISH}?|\p{{N}}{{1,3}}|{SIGNS}|{SPACES}"
    ),
    "llama 3, letter by letter": LLAMA_3.replace(ENGLISH, ENGLISH_LETTER_BY_LETTER),
    "gpt-4 with possessive signs": (
        rf"'(?i:[sdmt]|ll|ve|re)|{LEADING}+\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]++[\r\n]*|\s+"
    ),
    "deepseek v3: words": (
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        rf"| ?[\p{{P}}\p{{S}}]+[\r\n]*|{SPACES}"
    ),
    "deepseek v3: chinese and japanese": r"[一-龥぀-ゟ゠-ヿ]+",
    "deepseek v3: digits": r"\p{N}{1,3}",
    "deepseek coder: line feeds": r"[\r\n]",
    "deepseek coder: letters": r"\s?\p{L}+",
    "deepseek coder: signs": r"\s?\p{P}+",
    "deepseek coder: chinese": r"[一-龥ࠀ-一가-퟿]+",
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "digits, one by one": r"\p{N}",
    "falcon: three digits": r"[0-9][0-9][0-9]",
    "decimal digits": r"\d",
    "a space": r" ",
    "spaces": r"\s+",
    "digits from the right": r"(?=(\d{3})+(?!\d))",
    "words, and digits from the right": r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))|[^\r\n\p{N}]+",
    "camel case": r"(?<=\p{Ll})(?=\p{Lu})|\b\w+\b",
    "clip": r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "marian: several spaces": r" {2,}",
}
RUN_AWAY = {"digits from the right", "words, and digits from the right"}


def corpus() -> str:
    """The beginning of every fourth language, with line breaks and spaces of all kinds between."""
    lines = [path.read_text(encoding="utf-8")[:300] for path in sorted(LANGUAGES.iterdir())[::4] if path.is_file()]
    return "  \r\n\t\n 1234567 I'LL It'\u017f\u00a0".join(lines)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_pattern_of_a_published_model_matches_what_oniguruma_matches(name: str) -> None:
    assert_same(PUBLISHED[name], corpus())
    assert_same(PUBLISHED[name], "".join(f"{character}a" for character in EVERY_CHARACTER[:0x3100:7]))


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_pattern_of_a_published_model_matches_any_characters_side_by_side(name: str) -> None:
    assert_same(PUBLISHED[name], "".join(EVERY_CHARACTER[:0x3100:5] + EVERY_CHARACTER[0x1F000:0x1FC00:5]))


@pytest.mark.parametrize("name", PUBLISHED)
@settings(max_examples=20)
@given(texts)
def test_the_pattern_of_a_published_model_matches_any_text_as_oniguruma_does(name: str, text: str) -> None:
    assert_same(PUBLISHED[name], text)


@pytest.mark.parametrize("name", sorted({*PUBLISHED} - RUN_AWAY))
def test_the_pattern_of_a_published_model_needs_no_timer(name: str) -> None:
    assert not compile_oniguruma(PUBLISHED[name]).may_run_away
