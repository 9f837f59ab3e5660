"""Small GGUF models, and what llama.cpp is asked about each: the recipes of the vectors in vectors/llama_cpp/."""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from reftok.formats.llama_cpp.pre_types import PRE_TYPES
from reftok.rules.byte_level import BYTE_TO_CHARACTER, to_byte_characters

from .gguf_writer import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Entry, bpe, spm, vocab


@dataclass(frozen=True, slots=True)
class Recipe:
    """A model and its questions.

    entries: the metadata of the file.
    texts: to encode, with and without `add_special` and `parse_special`.
    ids: to decode, both ways.
    """

    entries: Mapping[str, Entry]
    texts: Sequence[str | bytes]
    ids: Sequence[Sequence[int]] = ()


WORDS = {
    "▁": -20.0, "h": -21.0, "e": -22.0, "l": -23.0, "o": -24.0, "w": -25.0, "r": -26.0, "d": -27.0, "ll": -5.0,
    "he": -6.0, "▁h": -7.0, "llo": -8.0, "▁he": -4.0, "▁hello": -1.0, "hello": -2.0, "hell": -3.0, "▁w": -9.0,
    "or": -10.0, "▁wor": -11.0, "▁world": -1.5, "ld": -12.0, "▁▁": -3.5, "▁▁▁▁": -2.5, "é": -30.0, "你": -31.0,
    "\n": -32.0, "\n\n": -33.0,
}  # fmt: skip
"""Tokens with scores as a trainer could give them, one step of a merge each."""

PLAIN_TEXTS = (
    "", " ", "hello", " hello", "hello world", "hello  world", "    hello", "hello ", "helloworld", "hell", "llol",
    "▁hello", "hello▁world", "é你🙂", "e\u0301", "\n\nhello\n", "hello\0world", "\t", "<0x41>", "<s>", "a<s>hello</s>",
    "<unk>hello", "hello\u3000world", "\ufeff", "wor ld", "o" * 40, "Hello", "hello.", " <s> hello",
)  # fmt: skip

WRONG_UTF8 = (
    b"\xff", b"hello\xe2", b"\xe2hello", b"\xe2\x82", b"\xf0\x9f\x99", b"\xc3\xe2\x82\xac", b"\xed\xa0\x80",
    b"\xc0\x80", b"\x80\x80", b"\xf0hell", b"he\x80llo", b"\xe2\x96 hello", b"\xc3 hello", b"\xe4\xbd<s>", b"a\xf8b",
)  # fmt: skip

DECODED = ((), (1,), (1, 2), (0,), (2, 1), (1, 1, 259), (259, 260), (1, 259, 2), (3, 4, 200, 261))


def _spm_recipes() -> dict[str, Recipe]:
    shown = range(259, 259 + len(WORDS))
    decoded = [*DECODED, *[(token_id,) for token_id in shown], *[(1, token_id, token_id) for token_id in shown]]
    ties = dict.fromkeys(["▁", "a", "b", "c", "ab", "ba", "aa", "bc", "abc", "aab", "bca", "aaaa"], -1.0)
    kinds = {
        "<|im_start|>": CONTROL, "<|im|>": CONTROL, "im_st": USER_DEFINED, "  ": USER_DEFINED, "▁▁": USER_DEFINED,
        "<sp>": USER_DEFINED, "ab": USER_DEFINED, "bcd": USER_DEFINED, "[unk]": UNKNOWN, "<none>": UNUSED, "<odd>": 0,
        "a": NORMAL, "▁": NORMAL, "▁a": NORMAL, "<x>": 77,
    }  # fmt: skip
    special_texts = (
        *PLAIN_TEXTS, "<|im_start|>a<|im|>", "im_start", "a  a", "  ", "▁▁a", "<sp> a <sp>a", "abcd", "[unk]a",
        "<none>", "<odd>", "a<|im_start|>\n a", "<x>", "<|im_start|><|im_start|>", "<|im_<|im|>start|>",
    )  # fmt: skip
    special = {token: -float(index) for index, token in enumerate(kinds)}
    special_ids = [*DECODED, *[(token_id,) for token_id in range(259, 259 + len(kinds))], (1, 269, 270), (271, 271)]
    return {
        "spm": Recipe(spm(WORDS), (*PLAIN_TEXTS, *WRONG_UTF8), decoded),
        "spm-ties": Recipe(spm(ties), ("aaaaa", "abab", "bcabca", "aabaab aab", "abcabc", "a a")),
        "spm-signed-zero": Recipe(spm({"▁": -1.0, "ab": -0.0, "bc": 0.0, "cd": -0.0}), ("abcd", "abc", "bcd")),
        "spm-no-prefix": Recipe(spm(WORDS, add_space_prefix=("bool", False)), PLAIN_TEXTS, decoded),
        "spm-with-ends": Recipe(
            spm(WORDS, add_bos_token=("bool", True), add_eos_token=("bool", True)), PLAIN_TEXTS, decoded
        ),
        "spm-without-begin": Recipe(spm(WORDS, add_bos_token=("bool", False)), PLAIN_TEXTS, decoded),
        "spm-other-ids": Recipe(
            spm(WORDS, bos_token_id=("uint32", 260), eos_token_id=("uint32", 9999), add_eos_token=("bool", True)),
            PLAIN_TEXTS,
            [*decoded, (260, 261, 2)],
        ),
        "spm-specials": Recipe(spm(special, kinds), special_texts, special_ids),
        "spm-without-byte-tokens": _without_byte_tokens(),
        "spm-wrong-utf8-tokens": Recipe(
            spm({b"\xe2": -1.0, b"\x82\xac": -2.0, b"a\xff": -3.0, "▁": -4.0}, {b"a\xff": NORMAL}),
            (b"\xe2\x82", "€", b"a\xff", b"\x82\xac"),
            [(259,), (260,), (259, 260)],
        ),
        "spm-phi3": _phi3(),
        "spm-ordinary-end": Recipe(
            spm({"▁": -1.0, "a": -2.0, "<|tool_response>": -3.0}),
            ("a</s>a<|tool_response>a",),
            [(1, 2, 260, 261)],
        ),
        "spm-corrected": _corrected(),
    }


def _without_byte_tokens() -> Recipe:
    """Characters and a part of the bytes, one of them as itself."""
    tokens = {"<unk>": 0.0, "<s>": 0.0, "▁": -1.0, "a": -2.0, "b": -3.0, "ab": -1.5, "<0xC3>": 0.0, b"\xa9": 0.0}
    kinds = [UNKNOWN, CONTROL, NORMAL, NORMAL, NORMAL, NORMAL, BYTE, NORMAL]
    entries = vocab("llama", list(tokens), scores=("float32[]", list(tokens.values())), token_type=("int32[]", kinds))
    return Recipe(entries, ("ab", "a b", "é", "aéb", "", " "), [(6, 7), (7,), (6,), (1, 2, 3)])


def _phi3() -> Recipe:
    tokens = {**WORDS, "<|endoftext|>": -50.0, "<|user|>": -51.0, "<|end|>": -52.0, "<sep>": -53.0}
    kinds = {"<|endoftext|>": CONTROL, "<|user|>": CONTROL, "<|end|>": CONTROL, "<sep>": USER_DEFINED}
    entries = {**spm(tokens, kinds), "general.name": ("string", "My Phi-3 mini")}
    texts = (
        "<|user|>\nhello<|end|>\n<|user|> hello", "<|endoftext|> hello", "</s> \t\n\v\f\r hello", "<s> hello",
        "<|user|>   ", "<sep>  hello", "hello <|user|>", "<|user|>\u3000hello", "<|user|> <|end|>",
    )  # fmt: skip
    return Recipe(entries, texts)


def _corrected() -> Recipe:
    """Types that llama.cpp corrects by the text of the token."""
    names = (
        "▁", "a", "<|im_end|>", "<|channel|>", "<|start|>", "<|return|>", "<|call|>", "<|end|>", "<PRE>", "<|fim_pad|>",
        "[EOS]", "<eos>", "<|file_sep|>", "<|im_end|>x", "",
    )  # fmt: skip
    kinds = {"<|channel|>": CONTROL, "<|start|>": CONTROL}
    tokens = {name: -float(index) for index, name in enumerate(names)}
    texts = [f"a{name} a" for name in names] + ["[EMPTY_273]"]
    return Recipe(spm(tokens, kinds), texts, [(1, token_id, 260) for token_id in range(259, 259 + len(names))])


LINES = (
    "Hello world",
    "I'm you'll he's WE'RE they'Ve 'tis 'S ſ's",
    "caf\u00e9 cafe\u0301 na\u00efve",
    "a  b   c    d",
    " lead",
    "trail ",
    "trail  ",
    "\n",
    "a\nb\r\nc\n\n\nd",
    "  \n  x",
    "\t\ttab\t x",
    "x \n",
    "1 12 123 1234 1234567 12a3b4",
    "٣٤٥٦ ½²Ⅷ",
    "$5.00 + 3% = ~<x>^|`",
    "foo_bar.baz(qux);//!?",
    "!!hello ...world",
    "#include <x>\n",
    "你好世界，再见。Ａｂ",
    "こんにちは カタカナ ー",
    "안녕 하세요 ㄱㄴ",
    "ไทย ลาว ខ្មែរ မြန်မာ",
    "हिन्दी বাংলা தமிழ்",
    "العربية، שלום",
    "Ωmega ЖЗИ жзи Ǆǅǆ",
    "HelloWorld HTTPServer iPhone aB",
    "a\u00a0b\u3000c\u2028d\x85e\u200bf",
    "a\u3000\u3000b \u00a0 c",
    "\u3000\u3000",
    "\x00\x01\x1c\x1f\x7f",
    "🙂👨‍👩‍👧🇩🇪 a🙂b",
    "\u0301a \u0301",
    "\ufffd\ufeff\ue000\U0010ffff",
    "\u1c89\U0001f6d8\u088f",
    "IMGIMGABZ <sentinel:12>",
    "a'b 'c d' it''s ''",
    "x/y\n//z /",
    "（注）「引用」…—‘’“”",
    "e\u0301\u0302x\u20dd 1\u0301",
    "  1 2",
    "ab\n\ncd \n ef",
    "'",
    "' s",
    "9" * 20,
    " " * 9 + "z",
    "\u02b0\u02c6 \u2160 \u24b6",
    "\u9fff\u3400\u4dbf\U00020000\U0002a6df\U0002a700\U0002b73a\U0002b740\U0002b81d\U0002b820\U0002ceb0\U0002ebe0a",
    "\uf900\ufad9\U0002f800\U0002fa1d\U00030000好a",
    "a,b;c:d",
    "…。，، a।b",
)
"""Lines for every pre-tokenizer: a vocab is trained on them without any cuts, so that a cut breaks its tokens."""

CLEANED = (
    "a ? b ! c . d , e", " .", "a ' b", "a ' ' ' b", "I 'm 's 't 'd 'll 're 've", " '", "' ", " ' ", "a  ' b", "a .'s",
    "x 'r", " 'v", "a ' s", "a  . ", "?  ?", "",
)  # fmt: skip
"""Texts that lose spaces when they are decoded, in the vocabs whose first 256 tokens are the bytes."""

BPE_DECODED = ((256, 1, 257, 258), tuple(b"a ' b 'm ."))


@cache
def _trained() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tokens and merges: the most frequent pair of the lines first, until each line is one token."""
    return _train(tuple(to_byte_characters(line.encode()) for line in LINES))


@cache
def _trained_on_characters() -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _train(tuple(line.replace(" ", "▁") for line in LINES if "\n" not in line))


def _train(lines: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    words = [list(line) for line in lines]
    merges: list[str] = []
    tokens: dict[str, None] = {}
    while True:
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:
            return tuple(tokens), tuple(merges)
        left, right = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(f"{left} {right}")
        tokens[left + right] = None
        words = [_merged(word, left, right) for word in words]


def _merged(word: Sequence[str], left: str, right: str) -> list[str]:
    merged: list[str] = []
    for symbol in word:
        if symbol == right and merged and merged[-1] == left:
            merged[-1] = left + right
        else:
            merged.append(symbol)
    return merged


BYTES = tuple(BYTE_TO_CHARACTER.values())


def byte_level(pre: str, **fields: Entry) -> dict[str, Entry]:
    """The trained vocab: 256 bytes, two special tokens, and the merged tokens."""
    tokens, merges = _trained()
    special = {"<|bos|>": CONTROL, "<|x|>": USER_DEFINED}
    return bpe([*BYTES, *special, *tokens], merges, pre, special, bos_token_id=("uint32", 256), **fields)


def _bpe_recipes() -> dict[str, Recipe]:
    recipes: dict[str, Recipe] = {}
    seen: list[object] = []
    for name, pre_type in PRE_TYPES.items():
        if pre_type.is_byte_level and pre_type not in seen and name != "k2-horizon":  # newer than llama-cpp-python
            seen.append(pre_type)
            recipes[f"bpe-{name or 'none'}"] = Recipe(byte_level(name), LINES, BPE_DECODED)
    recipes["bpe-gpt-2-special"] = Recipe(
        byte_level("gpt-2", add_bos_token=("bool", True), add_eos_token=("bool", True), eos_token_id=("uint32", 257)),
        ("<|bos|>a<|x|> b", "", "<|x|>", "a <|bos|>", *WRONG_UTF8),
        [(256, 1, 257), (256, 220, 1, 257), (257,), (256,), *[tuple(text.encode()) for text in CLEANED]],
    )
    recipes["bpe-unknown"] = _unknown()
    mask = {"<mask>": CONTROL}
    recipes["bpe-jina-v2-de"] = Recipe(
        bpe([*BYTES, *mask], (), "jina-v2-de", mask),
        ("a <mask> a", "  <mask>", "a\t\n<mask>", "<mask> <mask> ", "a<mask>"),
    )
    recipes["bpe-odd-merges"] = Recipe(
        bpe([*BYTES, "ab", "abc", " x"], ["a b", "nospace", "ab c", "a b", " ", "x  y", "b a"]),
        ("abc", "abab", "bab", "x y", "bcab"),
    )
    return recipes | _raw_recipes()


def _unknown() -> Recipe:
    """What is merged and not in the vocab falls apart into characters, and those of more than one byte vanish."""
    tokens = ["a", "b", "c", "Ġ", "漢", "Ġa漢", "ab"]
    texts = ("abc", "bca", "a bc", "bcbc x", "é", " a", "a\nb")
    return Recipe(bpe(tokens, ["b c", "Ġ b", "a b"]), texts, [(0, 4, 1), (5,), (3, 4), (6, 3)])


def _raw_recipes() -> dict[str, Recipe]:
    """BPE over characters, as of Gemma 4."""
    tokens, merges = _trained_on_characters()
    characters = sorted({character for token in tokens for character in token})
    byte_tokens = [f"<0x{byte:02X}>" for byte in range(256) if byte != 0x7E]
    names = ["<pad>", "<eos>", "<bos>", *byte_tokens, "\n", "\n\n", *characters, *tokens]
    kinds = {"<pad>": CONTROL, "<eos>": CONTROL, "<bos>": CONTROL, **dict.fromkeys(byte_tokens, BYTE)}
    bos = {"bos_token_id": ("uint32", 2), "add_bos_token": ("bool", False)}
    texts = (*LINES, *WRONG_UTF8, "\n\n\n", "a\n\nb", "~")
    decoded = ((), (2, 300, 301), (300,), (100, 101, 4), (1, 2), (258, 259))
    return {
        "bpe-gemma4": Recipe(bpe(names, merges, "x", kinds, "gemma4", **bos), texts, decoded),
        "bpe-sarvam-moe": Recipe(bpe(names, merges, "sarvam-moe", kinds, **bos), texts, decoded),
    }


CHARSMAP_RULES = {"A": "a", "ﬁ": "fi", "e\u0301": "é", "\u3000": " ", "\u200b": "", "…": "...", "\t": " ", "Ｂ": "b"}
CHARSMAP = zlib.decompress(
    base64.b85decode(
        "c-"
        "ke?cks`390&0C_lt{jIcJlZi>#lKot2R@imXt`FMb&(N+eWYvg)Vok&?Z#BP*+ZW_~tNG$e<+$W|gAAHDA$_k54nAMd;O>m4$N5Q"
        ">J7<<SsgAtW9lJ;cK>>ulzU?D3GADMTZYAzBxVheVAKmSt9BKdZgDGK<WqC<nR8MPBldpL{$<0Sd8sb37E0g(>#`6+&?y=Lr^W38"
        "ADcK`EZ345cYYS;~_{MJn(Vm8e2xs!<i!4b^#?n$)Hib*aNM)T06QX+%RB^DIrGno_aQOg7~?n$v>kd4ZO+rWI{z!;7?|1MPW<j&"
        "$N>y3m=fyuzy_)17X-MhZRYL2r7|C#sno4}In9yg@(u^Ckm$i?<obI}Bn7gL#*syw7_KiyoH`7|uvWFq%<($QV-jh>sb|I6h$l<C"
        "(-nrZAalOyyIi^BFUk$>+@C3+6DJdCX-2^H~)20ZUlSQodw4%UH<@R<nvVe8tzSWj*WI$OgV)6I-"
        "JGV;fufmhGhR9Xr{<Zg#PkJ?!Iq_LI&*4se)59OVedImQWo;73k!il6wI)BMUWoZ&al@;m4FgY*2AFBUG!3(?uySU8)Ag-"
        "hmtMrT~+Dp$D9HEwc)+uY(G{^noqaF4s(=fCjq^CcxEX~X1@(lewj2@e1(%#g+"
    )
)
"""The rules as the official builder compiles them; it is not asked here, since llama.cpp's environment lacks it."""

PIECES = {
    "▁": -2.0, "a": -3.0, "b": -3.5, "ab": -4.0, "▁a": -2.5, "▁ab": -5.0, "fi": -3.0, "é": -4.5, ".": -3.0, "...": -5.0,
    "▁▁": -6.0, "<x>": 0.0, "<xyz>": 0.0, "aa": -6.0, "ba": -6.5, "aba": -7.5, "<unused>": -1.0, "h": -1.0,
    "ix": -1.0, "A<": 0.0, "éx": 0.0,
}  # fmt: skip


def _ugm(**fields: Entry) -> dict[str, Entry]:
    """A model like T5."""
    special = ["<pad>", "</s>", "<unk>"]
    kinds = [CONTROL, CONTROL, UNKNOWN]
    kinds += [
        {"<unused>": UNUSED, **dict.fromkeys(("<x>", "<xyz>", "A<", "éx"), USER_DEFINED)}.get(piece, NORMAL)
        for piece in PIECES
    ]
    scores = [0.0] * 3 + list(PIECES.values())
    return vocab("t5", [*special, *PIECES], scores=("float32[]", scores), token_type=("int32[]", kinds), **fields)


def _wpm(**fields: Entry) -> dict[str, Entry]:
    """A model like BERT."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    pieces = [
        "▁h", "el", "lo", "▁wor", "ld", "▁W", "or", "▁,", "▁é", "▁e", "▁你", "▁caf", "e", "é", "▁$", "▁1", "2", "▁ᄒ",
    ]  # fmt: skip
    kinds = [CONTROL, UNKNOWN, CONTROL, CONTROL, *[NORMAL] * len(pieces)]
    ids: dict[str, Entry] = {
        "bos_token_id": ("uint32", 2),
        "eos_token_id": ("uint32", 3),
        "seperator_token_id": ("uint32", 3),
        "unknown_token_id": ("uint32", 1),
    }
    return vocab("bert", [*special, *pieces], token_type=("int32[]", kinds), **ids, **fields)


def _ugm_recipes() -> dict[str, Recipe]:
    texts = (
        *PLAIN_TEXTS, *WRONG_UTF8, "ab abab", " A  ﬁ ", "e\u0301\u3000a\u200bb…", "<x>a<xyz>", "<x<xya", "a <x> b",
        "<xe\u0301", "e\0\u0301", "Ｂaab\tz zz", "<unused>a", "abababa", "你好a", "fix", "A", "è",
    )  # fmt: skip
    decoded = ((), (3, 4), (0, 4, 1), (2, 1), (14, 15, 19), (7, 3, 4, 1))
    spaces: dict[str, Entry] = {"add_space_prefix": ("bool", True), "remove_extra_whitespaces": ("bool", True)}
    return {
        "ugm": Recipe(_ugm(), texts, decoded),
        "ugm-prefix": Recipe(_ugm(add_space_prefix=("bool", True)), texts, decoded),
        "ugm-charsmap": Recipe(_ugm(precompiled_charsmap=("uint8[]", CHARSMAP), **spaces), texts, decoded),
        "ugm-signed-charsmap": Recipe(
            _ugm(precompiled_charsmap=("int8[]", [byte - (byte >> 7 << 8) for byte in CHARSMAP])), texts, decoded
        ),
    }


def _wpm_recipes() -> dict[str, Recipe]:
    texts = (
        *PLAIN_TEXTS, *WRONG_UTF8, "Hello, World", "café CAFE\u0301 É", "你hello", "12$12", "hello,world,", "한",
        "[SEP] hello", "hello\u00adworld\ue000", "\ufffd", "unknownhello", "\u0301hello", "İ", "hel¨lo",
    )  # fmt: skip
    decoded = ((), (2, 4, 5, 6, 3), (4, 11, 4), (2, 3), (1, 4), (7, 8, 11))
    return {
        "wpm": Recipe(_wpm(), texts, decoded),
        "wpm-cased": Recipe(_wpm(**{"normalizer.lowercase": ("bool", False)}), texts, decoded),
        "wpm-accents": Recipe(_wpm(**{"normalizer.strip_accents": ("bool", False)}), texts, decoded),
        "wpm-without-begin": Recipe(_wpm(add_bos_token=("bool", False), add_eos_token=("bool", True)), texts, decoded),
    }


@cache
def recipes() -> dict[str, Recipe]:
    """Every recipe by name."""
    return _spm_recipes() | _bpe_recipes() | _ugm_recipes() | _wpm_recipes()
