"""Components of tokenizer.json that a stranger might put into a file: common ones, and costly ones."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.reftok.official import Json
from tests.reftok.tokenizers_strategies.decoders import DECODERS
from tests.reftok.tokenizers_strategies.normalizers import CHARACTER_NORMALIZERS, NORMALIZERS
from tests.reftok.tokenizers_strategies.post_processors import SPECIAL_TOKENS
from tests.reftok.tokenizers_strategies.pre_tokenizers import BEHAVIORS, CUTTERS, QWEN

SIZES = [0, 1, 2, 3, 7, 8, 64, 1000, 65_536, 100_000, 1_000_000, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1]
LENGTHS = [0, 1, 2, 7, 8, 8, 64, 64, 1000, 1000, 65_536, 131_072, 1_000_000, (1 << 64) - 1]
CHARACTERS = ["a", " ", "▁", "é", "中", "\U0001f600", "\u0301", "x"]
CONTENTS = ["", "a", "aa", "ab", " ", "▁", "e\u0301", "\u0301\u0323" * 40, "aa" * 400, "[UNK]", "<s>", "\0"]
LITERALS = ["a", " ", "ab", "▁", "e", "", "\u0301", "aa"]
PATTERNS = [
    *(QWEN, r"\s+", r"a+", r"b*", r"\p{L}+|\p{N}", r"(?<=a)b", r"^|$", r"(?i:ss)", r"[^a]", r"(a)\1", r"\b", "."),
    *(r"a+a+b", r"(a|aa)+$", r"(?:a*)*b", r"(\w+\s?)+!", r"a?" * 30 + "a" * 30, r"(?:a{0,100}){0,100}b"),
    *(r"(?:(?:a{1000}){1000}){1000}", r"(?:ab?){9999}", r"\s*\s*\s*x", r"(?:a|b|ab)*c", r"[a-z]{1,500}[a-z]{1,500}!"),
    *("(?:" * 40 + "a" + ")*" * 40, "(" * 49 + ")" * 49, "a" * 5000, "|".join("ab" * 50), r"\G", r"a\K"),
]  # fmt: skip
FLAGS = [False, True]


def pattern(random: Random) -> Json:
    """What Split and Replace look for."""
    return {"String": random.choice(LITERALS)} if random.random() < 0.3 else {"Regex": random.choice(PATTERNS)}


def normalizer(random: Random) -> Json:
    made: list[Json] = [
        random.choice(NORMALIZERS),
        random.choice(NORMALIZERS),
        random.choice(CHARACTER_NORMALIZERS),
        {"type": "Replace", "pattern": pattern(random), "content": random.choice(CONTENTS)},
        {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"},
        {"type": "Prepend", "prepend": random.choice(CONTENTS)},
        {"type": "Strip", "strip_left": random.choice(FLAGS), "strip_right": random.choice(FLAGS)},
        {
            "type": "BertNormalizer",
            **{name: random.choice(FLAGS) for name in ("clean_text", "handle_chinese_chars", "lowercase")},
            "strip_accents": random.choice([None, *FLAGS]),
        },
    ]
    return random.choice(made)


def pre_tokenizer(random: Random) -> Json:
    made: list[Json] = [
        random.choice(CUTTERS),
        {
            "type": "Split",
            "pattern": pattern(random),
            "behavior": random.choice(BEHAVIORS),
            "invert": random.choice(FLAGS),
        },
        {
            "type": "ByteLevel",
            **{name: random.choice(FLAGS) for name in ("add_prefix_space", "trim_offsets", "use_regex")},
        },
        {
            "type": "Metaspace",
            "replacement": random.choice(CHARACTERS),
            "prepend_scheme": random.choice(["always", "first", "never"]),
            "split": random.choice(FLAGS),
        },
        {"type": "FixedLength", "length": random.choice(SIZES)},
        {"type": "CharDelimiterSplit", "delimiter": random.choice(CHARACTERS)},
        {"type": "Punctuation", "behavior": random.choice(BEHAVIORS)},
    ]
    return random.choice(made)


def decoder(random: Random) -> Json:
    made: list[Json] = [
        random.choice(DECODERS),
        random.choice(DECODERS),
        {"type": "Replace", "pattern": pattern(random), "content": random.choice(CONTENTS)},
        {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"},
        {
            "type": "Strip",
            "content": random.choice(CHARACTERS),
            "start": random.choice(SIZES),
            "stop": random.choice(SIZES),
        },
        {"type": "BPEDecoder", "suffix": random.choice(CONTENTS)},
        {"type": "WordPiece", "prefix": random.choice(CONTENTS), "cleanup": random.choice(FLAGS)},
        {
            "type": "CTC",
            "pad_token": random.choice(CONTENTS),
            "word_delimiter_token": random.choice(CONTENTS),
            "cleanup": random.choice(FLAGS),
        },
        {"type": "Metaspace", "replacement": random.choice(CHARACTERS), "prepend_scheme": "always", "split": True},
    ]
    return random.choice(made)


def post_processor(random: Random) -> Json:
    def piece(*texts: str) -> Json:
        type_id = random.choice(SIZES[:-3])
        if random.random() < 0.6:
            return {"Sequence": {"id": random.choice(texts), "type_id": type_id}}
        return {"SpecialToken": {"id": random.choice([*SPECIAL_TOKENS]), "type_id": type_id}}

    count = random.choice([0, 1, 2, 3, 3, 3, 40])
    options = {"trim_offsets": random.choice(FLAGS), "add_prefix_space": random.choice(FLAGS)}
    made: list[Json] = [
        {"type": "ByteLevel", **options, "use_regex": True},
        {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 0]},
        {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": [" ", 5], **options},
        {
            "type": "TemplateProcessing",
            "single": [piece("A") for _ in range(count)],
            "pair": [piece("A", "B") for _ in range(count)],
            "special_tokens": SPECIAL_TOKENS,
        },
    ]
    return random.choice(made)


def truncation(random: Random) -> Json:
    return {
        "max_length": random.choice(SIZES),
        "strategy": random.choice(["LongestFirst", "OnlyFirst", "OnlySecond"]),
        "stride": random.choice(SIZES),
        "direction": random.choice(["Left", "Right"]),
    }


def padding(random: Random) -> Json:
    return {
        "strategy": random.choice(["BatchLongest", {"Fixed": random.choice(LENGTHS)}]),
        "direction": random.choice(["Left", "Right"]),
        "pad_to_multiple_of": random.choice([None, *LENGTHS]),
        "pad_id": random.choice(SIZES[:-3]),
        "pad_type_id": random.choice(SIZES[:-3]),
        "pad_token": random.choice(CONTENTS),
    }


def added_token(random: Random) -> Json:
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {
        "id": random.choice(SIZES[:-3]),
        "content": random.choice(CONTENTS),
        **{name: random.choice(FLAGS) for name in flags},
    }


CHAINS: dict[str, tuple[str, Any]] = {
    "normalizer": ("normalizers", normalizer),
    "pre_tokenizer": ("pretokenizers", pre_tokenizer),
    "post_processor": ("processors", post_processor),
    "decoder": ("decoders", decoder),
}
"""By the key of a stage: that of the children of its Sequence, and what makes a component."""
