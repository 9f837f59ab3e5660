r"""The values of `tokenizer.ggml.pre`: what each means to llama.cpp.

Source: llama.cpp src/llama-vocab.cpp (`llama_vocab::impl::load`, `llm_tokenizer_bpe`), as in llama-cpp-python 0.3.36;
`k2-horizon` and `mmbert`, which are newer, as xllamacpp 2026.10.11549 answers, which has llama.cpp b11549.
The expressions are written as there, less what means the same in folded text: `((?=[\p{L}])([^a-z]))` is a letter that
is not a to z, and `\p{Lu}` to `\p{Lo}` are all `\p{L}`. The expressions that llama.cpp has a splitter by hand for are
written as the expression that the splitter amounts to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from reftok.rules.llama_cpp.characters import HAN_LETTER, LETTER, MARK, OTHER_HAN
from reftok.rules.llama_cpp.pre_tokenizers import DigitGroups, LineWords, Reading, RegexSplit, ThousandsSplit
from reftok.rules.stages import PreTokenizer


@dataclass(frozen=True, slots=True)
class PreType:
    """The meaning of a value of `tokenizer.ggml.pre`.

    steps: what cuts the text into words.
    ignore_merges: a word that is in the vocab is one token.
    add_bos: the default of `add_bos_token`.
    clean_spaces: whether decoded text loses the space before some punctuation.
    has_default_bos: whether BOS is id 11 where the file names none.
    is_byte_level: whether words are written in the characters of their bytes; if not, spaces become `▁`, and a
        character outside the vocab becomes tokens such as <0xE2>.
    takes_newlines_whole: a run of line feeds that is in the vocab is one token.
    always_adds_bos: BOS is added even where the file says no.
    """

    steps: tuple[PreTokenizer, ...]
    ignore_merges: bool = False
    add_bos: bool = False
    clean_spaces: bool = True
    has_default_bos: bool = True
    is_byte_level: bool = field(default=True, kw_only=True)
    takes_newlines_whole: bool = field(default=False, kw_only=True)
    always_adds_bos: bool = field(default=False, kw_only=True)


def _categories(*expressions: str, reading: Reading = "categories") -> tuple[PreTokenizer, ...]:
    return tuple(RegexSplit(expression, reading) for expression in expressions)


def _code_points(*expressions: str) -> tuple[PreTokenizer, ...]:
    return _categories(*expressions, reading="code points")


_CONTRACTION = r"'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])"
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_BLANKS = r"\s+(?!\S)|\s+"
_LINES = rf"\s*[\r\n]+|{_BLANKS}"
_ASCII_SIGN_AND_LETTERS = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"""
_CHINESE_OR_KANA = r"[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
_CHINESE_OR_KOREAN = r"[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = rf"{_CONTRACTION}|{_WORD}|\p{{N}}{{1,3}}|{_SIGNS}|{_LINES}"
_QWEN2 = rf"{_CONTRACTION}|{_WORD}|\p{{N}}|{_SIGNS}|{_LINES}"
_QWEN35 = (
    rf"{_CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_LINES}"
)
# Read with the joiners U+200C and U+200D as marks, which llama.cpp has in the same class.
_K2_HORIZON = rf"{_CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}{{1,3}}|{_SIGNS}|{_LINES}"
_EXAONE_MOE = (
    rf"{_CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]?|\s*[\r\n]|{_BLANKS}"
)
_KIMI_K2 = (
    rf"[{HAN_LETTER}{OTHER_HAN}]+|{_WORD}(?:{_CONTRACTION})?|\p{{N}}{{1,3}}"
    rf"| ?[^\s\p{{L}}\p{{N}}{HAN_LETTER}]+[\r\n]*|{_LINES}"
)
_DEEPSEEK3_WORDS = rf"{_ASCII_SIGN_AND_LETTERS}|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+"
_DEEPSEEK3_REST = rf"{_DEEPSEEK3_WORDS}| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_LINES}"
_TALKED_ABOUT = r"[^(\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"

_CASED_LETTERS = (
    "A-Za-z\xb5\xc0-\xd6\xd8-\xf6\xf8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376\u0377"
    "\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556"
    "\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a"
    "\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4"
    "\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc"
    "\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f"
    "\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b"
    "\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a"
    "\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2"
    "\U000118a0-\U000118df\U0001e900-\U0001e943"
)
_ASIAN_SCRIPTS = (
    "\u4e00-\u9fff\u3400-\u4dbf\u8c48-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf\u0e40-\u0e7f"
    "\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af\u1100-\u11ff"
)


def _cased(upper: str, lower: str, ending: str, numbers: str) -> str:
    """Words that change from upper to lower case once, as GPT-4o has them."""
    start = r"[^\r\n\p{L}\p{N}]?"
    return (
        rf"{start}[{upper}]*[{lower}]+{ending}|{start}[{upper}]+[{lower}]*{ending}|{numbers}"
        rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_LINES}"
    )


_UPPER, _LOWER = f"{LETTER}A-Z", f"{LETTER}a-z"
_ANY_LETTER = f"{LETTER}{MARK}A-Za-z"
_OPTIONAL_CONTRACTION = f"(?:{_CONTRACTION})?"
_THREE_NUMBERS = r"\p{N}{1,3}"
_GPT4O = _cased(_UPPER, _LOWER, _OPTIONAL_CONTRACTION, _THREE_NUMBERS)
_GPT4O_WITH_MARKS = _cased(_UPPER + MARK, _LOWER + MARK, _OPTIONAL_CONTRACTION, _THREE_NUMBERS)
_TINY_AYA = _cased(_ANY_LETTER, _ANY_LETTER, _OPTIONAL_CONTRACTION, _THREE_NUMBERS)
_YOUTU = _cased(_ANY_LETTER, _ANY_LETTER, _OPTIONAL_CONTRACTION, r"\p{N}")
_TEKKEN = _cased(_UPPER, _LOWER, "", r"\p{N}")
_JAIS2_BLANKS = "|".join(rf"\s{{{count}}}(?!\S)" for count in (512, 256, 128, 64, 32, 16, 8, 4, "1,2"))

_DEFAULT = PreType(_categories(r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]"))
_AS_GPT2 = PreType(_categories(_GPT2))
_AS_LLAMA3 = PreType(_categories(_LLAMA3))
_AS_QWEN2 = PreType(_categories(_QWEN2))
_AS_STARCODER = PreType(_categories(r"\p{N}", _GPT2))
_AS_BLOOM = PreType(_code_points(rf" ?{_TALKED_ABOUT}"))
_AS_DEEPSEEK3 = PreType(
    (*_categories(r"\p{N}{1,3}"), *_code_points(_CHINESE_OR_KANA), *_categories(_DEEPSEEK3_REST)), clean_spaces=False
)
_AS_GPT4O = PreType(_categories(_GPT4O), clean_spaces=False)
_AS_BAILING = PreType(_categories(rf"{_CONTRACTION}|{_WORD}|\p{{N}}|{_SIGNS}|\s*[\r\n]|{_BLANKS}"), clean_spaces=False)
_AS_GEMMA4 = PreType(
    _code_points(r"[^\n]+|\n+"), add_bos=True, is_byte_level=False, takes_newlines_whole=True, always_adds_bos=True
)
_AS_TINY_AYA = PreType((DigitGroups(), *_categories(_TINY_AYA)), clean_spaces=False)
_LLAMA3_ITSELF = replace(_AS_LLAMA3, ignore_merges=True, add_bos=True)
_AS_GLM = replace(_AS_LLAMA3, has_default_bos=False)


def _unclean(pre_type: PreType) -> PreType:
    return replace(pre_type, clean_spaces=False)


def _named(pre_type: PreType, *names: str) -> dict[str, PreType]:
    return dict.fromkeys(names, pre_type)


PRE_TYPES: Mapping[str, PreType] = MappingProxyType(
    {
        **_named(_DEFAULT, "", "default"),
        **_named(_AS_GPT2, "gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es", "jina-v2-de", "a.x-4.0"),
        **_named(_AS_GPT2, "mellum", "modern-bert", "jina-v1-en", "jina-v2-code", "roberta-bpe", "mpt", "olmo", "jais"),
        **_named(_AS_GPT2, "exaone4"),
        **_named(_unclean(_AS_GPT2), "trillion", "granite-docling"),
        **_named(_LLAMA3_ITSELF, "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0"),
        **_named(_LLAMA3_ITSELF, "lfm2", "jina-v5-nano"),
        **_named(_AS_LLAMA3, "dbrx", "smaug-bpe"),
        **_named(_AS_GLM, "chatglm-bpe"),
        **_named(replace(_AS_GLM, ignore_merges=True), "glm4", "glm5"),
        **_named(_AS_QWEN2, "stablelm2", "megrez"),
        **_named(_unclean(_AS_QWEN2), "qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "hunyuan", "solar-open"),
        **_named(_unclean(_AS_QWEN2), "grok-2"),
        **_named(_AS_STARCODER, "starcoder", "refact", "codeshell", "exaone", "minerva-7b", "mellum2"),
        **_named(_unclean(_AS_STARCODER), "command-r", "smollm"),
        **_named(_AS_BLOOM, "bloom", "gpt3-finnish"),
        **_named(_unclean(_AS_BLOOM), "poro-chat"),
        **_named(_AS_DEEPSEEK3, "deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"),
        **_named(_AS_GPT4O, "gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"),
        **_named(_AS_BAILING, "bailingmoe", "bailingmoe2", "llada-moe"),
        **_named(_AS_TINY_AYA, "tiny_aya", "cohere2moe"),
        **_named(_AS_GEMMA4, "gemma4", "granite-embed-multi-311m"),
        "sarvam-moe": PreType(_code_points(r"[^\n]+|\n+"), clean_spaces=False, is_byte_level=False),
        "mmbert": PreType((*_code_points(r"[^\n]+|\n+"), LineWords()), is_byte_level=False, takes_newlines_whole=True),
        "minicpm5": PreType(
            _categories(_THREE_NUMBERS, rf"{_CONTRACTION}|{_WORD}|\p{{N}}+|{_SIGNS}|{_LINES}"), ignore_merges=True
        ),
        "jais-2": PreType(
            _categories(rf"{_CONTRACTION}|{_WORD}|\p{{N}}{{1,3}}|{_SIGNS}|\s*[\r\n]+|{_JAIS2_BLANKS}|\s")
        ),
        "qwen35": PreType(_categories(_QWEN35), clean_spaces=False),
        "deepseek-llm": PreType(
            (
                *_code_points(r"[\r\n]", rf"\s?[{_CASED_LETTERS}]+"),
                *_code_points(r"\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+", r"(?<!\s)\s+\Z"),
                *_code_points(_CHINESE_OR_KOREAN),
                *_categories(r"\p{N}+"),
            ),
            clean_spaces=False,
        ),
        "deepseek-coder": PreType(
            (
                *_code_points(r"[\r\n]"),
                *_categories(r"\s?\p{L}+", r"\s?\p{P}+"),
                *_code_points(_CHINESE_OR_KOREAN),
                *_categories(r"\p{N}"),
            ),
            clean_spaces=False,
        ),
        "spark2_5": PreType(
            (
                *_categories(r"\p{N}{1,3}"),
                *_code_points(_CHINESE_OR_KANA),
                *_categories(rf"{_DEEPSEEK3_WORDS}| ?[\p{{P}}\p{{S}}]+|[\r\n]|{_BLANKS}", r"\p{N}"),
            ),
            clean_spaces=False,
        ),
        "youtu": PreType(
            (
                *_code_points(
                    r"[\uac00-\ud7a3\u3131-\u318e]+"
                    r"|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c\u3001-\u303f\ufe30-\ufe4f]+"
                    rf"|[\u3105-\u312f]+|{_CHINESE_OR_KANA}"
                ),
                *_categories(_YOUTU),
            ),
            ignore_merges=True,
            clean_spaces=False,
        ),
        "falcon": PreType(_categories(r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, "[0-9][0-9][0-9]")),
        "viking": PreType((*_code_points(rf" ?{_TALKED_ABOUT}"), *_categories(r"\p{N}")), clean_spaces=False),
        "tekken": PreType(_categories(_TEKKEN), ignore_merges=True, add_bos=True, clean_spaces=False),
        "chameleon": PreType(
            (
                *_code_points("<sentinel:[0-9]+>", "IMGIMG[A-I]{1,4}Z", r"[\t\n]|    |  "),
                *_categories(r"\p{N}", r"[\p{P}!-/:-@\[-`{-~]", _GPT2),
            ),
            add_bos=True,
            clean_spaces=False,
        ),
        "granite-embed-multi-97m": PreType(_categories(_GPT4O_WITH_MARKS), ignore_merges=True, clean_spaces=False),
        "kimi-k2": PreType(_categories(_KIMI_K2, reading="categories and Han"), clean_spaces=False),
        "k2-horizon": PreType(_categories(_K2_HORIZON, reading="categories and joiners"), clean_spaces=False),
        "superbpe": PreType((*_categories(r"\p{N}+"), ThousandsSplit()), clean_spaces=False),
        "seed-coder": PreType(
            _categories(rf"{_CONTRACTION}|{_WORD}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_LINES}"), clean_spaces=False
        ),
        "ufakzeka": PreType(_categories(rf"{_WORD}|\p{{N}}|{_SIGNS}|{_LINES}"), clean_spaces=False),
        "afmoe": PreType(
            (DigitGroups(), *_code_points(f"[{_ASIAN_SCRIPTS}]+"), *_categories(_DEEPSEEK3_REST)), clean_spaces=False
        ),
        "laguna": PreType((*_code_points(r"[^\n]+|\n+"), *_categories(_QWEN2)), clean_spaces=False),
        "exaone-moe": PreType(_categories(_EXAONE_MOE)),
    }
)
"""The values that reftok knows for the models gpt2 and gemma4.

`whitespace` belongs to the model of that name: with gpt2 llama.cpp ends the process at two spaces in a row.
"""
