"""Random texts aimed at the rules, random components and whole random pipelines of tokenizer.json."""

from __future__ import annotations

import base64

from hypothesis import strategies as st

from reftok.types import AddedToken

from .official import Json, bpe, chain, precompiled_charsmap, tokenizer_json, unigram

CONTRACTIONS = ["'s", "'S", "'ſ", "'RE", "don't", "’s", "'"]
SPACES = [" ", "  ", "   ", "\n", "\r\n", "\t", "\x85", "\xa0", "\u3000", "\u2009", "\x1c", " \n "]
MARKS = ["e\u0301", "\u0301", "\u0323", "\u0327\u0301", "\u0301\u0327", "\u0345\u0301", "é\u0323", "\u0f71\u0f72\u0f74"]
JAMO = ["\u1100", "\u1161", "\u11a8", "가\u11a8", "각", "\u1100\u1161\u11a8", "ㄱ"]
CLUSTERS = ["👩\u200d🚀", "🇩🇪🇫", "क\u094dष", "👍🏽", "\u200d", "\r\n", "ｶﾞ", "각\u0301"]
COMPATIBLE = ["ﬁ", "①", "Å", "Ω", "ǅ", "²", "Ⅳ", "½", "ﷺ", "\ufb1d", "\u0958", "\u0344"]
NEWER = [
    "\u0897",
    "\u1dfa\u0301",
    "\U00010d4a",
    "\U0001e6e3",
    "\U00032000",
    "\u0378",
    "\U0010ffff",
    "\u0295",
    "\U00011f42",
]
SPECIAL = ["<s>", "<a>", "</w>", "##a", "<unk>", "<0xC3>", "▁", "▁a", "_", "Ġ", "Ã©", "\ufffd", "\0", "\xad"]
WORDS = ["a", "b", "c", "ab", "abc", "A", "é", "中", "中国", "ß", "12", "345", "٣", "-", "--", "!", "😀"]

texts = st.lists(
    st.one_of(
        st.sampled_from([*WORDS, *SPACES, *SPECIAL]),
        st.sampled_from([*CONTRACTIONS, *SPACES, *MARKS, *JAMO, *CLUSTERS, *COMPATIBLE, *NEWER]),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=10,
).map("".join)

words = st.text(st.sampled_from([*"aaabbcé中▁Ġx"]), max_size=12)

NORMALIZERS: list[Json] = [
    {"type": "NFC"},
    {"type": "NFD"},
    {"type": "NFKC"},
    {"type": "NFKD"},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Prepend", "prepend": "é\u0301x"},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": ""},
    {"type": "Replace", "pattern": {"String": "ab"}, "content": "e\u0301b"},
    {"type": "Replace", "pattern": {"String": "."}, "content": "-"},
    {"type": "Replace", "pattern": {"Regex": r"\s+|▁+"}, "content": " "},
    {"type": "Replace", "pattern": {"Regex": r"\p{N}+$"}, "content": "0\u0301"},
    {"type": "Replace", "pattern": {"Regex": r"(?<=a)b"}, "content": "é"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "Strip", "strip_left": False, "strip_right": True},
    {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(precompiled_charsmap()).decode("ascii")},
]

QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
PATTERNS: list[Json] = [
    {"String": " "},
    {"String": "a"},
    {"String": "ab"},
    {"String": "."},
    {"String": ""},
    {"Regex": r"\s"},
    {"Regex": r"\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]"},
    {"Regex": QWEN},
    {"Regex": r"\p{M}|(?<=a)"},
    {"Regex": r"b*"},
    {"Regex": r"^|\n"},
    {"Regex": r"(?=[A-Z])|$"},
]

metaspaces = st.builds(
    lambda replacement, scheme: {"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme},
    st.sampled_from(["▁", "▁", "_", "é"]),
    st.sampled_from(["always", "first", "never"]),
)
splits = st.builds(
    lambda pattern, behavior, invert: {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert},
    st.sampled_from(PATTERNS),
    st.sampled_from(BEHAVIORS),
    st.booleans(),
)
byte_levels = st.builds(
    lambda prefix, trim, use_regex: {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": trim,
        "use_regex": use_regex,
    },
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
pre_tokenizers = st.one_of(
    byte_levels,
    splits,
    st.builds(lambda metaspace, split: {**metaspace, "split": split}, metaspaces, st.booleans()),
    st.just({"type": "WhitespaceSplit"}),
)

DECODERS: list[Json] = [
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True},
    {"type": "ByteFallback"},
    {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    {"type": "Strip", "content": "a", "start": 2, "stop": 0},
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
    {"type": "Replace", "pattern": {"Regex": "a|(?=b)"}, "content": "é"},
]
decoders = st.one_of(st.sampled_from(DECODERS), metaspaces)

SPECIAL_TOKENS: Json = {
    "<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]},
    "two": {"id": "two", "ids": [7, 0], "tokens": ["Ġx", " y "]},
    "none": {"id": "none", "ids": [], "tokens": []},
}
template_pieces = st.one_of(
    st.builds(lambda type_id: {"Sequence": {"id": "A", "type_id": type_id}}, st.integers(0, 2)),
    st.builds(
        lambda name, type_id: {"SpecialToken": {"id": name, "type_id": type_id}},
        st.sampled_from(sorted(SPECIAL_TOKENS)),
        st.integers(0, 2),
    ),
)
templates = st.builds(
    lambda single: {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": SPECIAL_TOKENS,
    },
    st.lists(template_pieces, max_size=4),
)


@st.composite
def post_processors(draw: st.DrawFn) -> list[Json]:
    """Some ByteLevels, and at most one template among them."""
    steps = draw(st.lists(byte_levels, max_size=2))
    if draw(st.booleans()):
        steps.insert(draw(st.integers(0, len(steps))), draw(templates))
    return steps


CONTENTS = [
    "a",
    "ab",
    "b",
    "abc",
    "bc",
    " a",
    "a ",
    " ",
    "  ",
    "<s>",
    "<a>",
    "é",
    "e\u0301",
    "▁",
    "▁a",
    "中",
    "A",
    "1",
    "_",
]
added_tokens = st.lists(
    st.builds(
        AddedToken,
        st.sampled_from(CONTENTS),
        single_word=st.booleans(),
        lstrip=st.booleans(),
        rstrip=st.booleans(),
        normalized=st.booleans(),
        special=st.booleans(),
    ),
    max_size=5,
)


@st.composite
def bpe_models(draw: st.DrawFn) -> Json:
    """Merges that grow out of a few characters: several ways to one token, ties, repetitions, all options.

    A token may have several splits; some characters of the texts are missing.
    """
    prefix = draw(st.sampled_from(["", "", "##", "é"]))
    suffix = draw(st.sampled_from(["", "", "</w>"]))
    characters = draw(st.lists(st.sampled_from([*"abcé中▁Ġ"]), min_size=1, max_size=6, unique=True))
    shapes = {("", ""), (prefix, ""), ("", suffix), (prefix, suffix)}
    vocab = [before + character + after for character in characters for before, after in sorted(shapes)]
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 10))):
        left = draw(st.sampled_from(vocab))
        right = draw(st.sampled_from([token for token in vocab if token.startswith(prefix)]))
        merges.append((left, right))
        merged = left + right.removeprefix(prefix)
        if merged not in vocab:
            vocab.append(merged)
    merges += draw(st.lists(st.sampled_from(merges), max_size=2)) if merges else []
    dropped = draw(st.sets(st.sampled_from(vocab), max_size=2))
    used = {token for pair in merges for token in (*pair, pair[0] + pair[1].removeprefix(prefix))}
    vocab = [token for token in vocab if token not in dropped or token in used]
    byte_fallback = not (prefix or suffix) and draw(st.booleans())
    if byte_fallback:
        vocab += [
            f"<0x{byte:02X}>" for byte in draw(st.sampled_from(["", "é", "é中", "xé中Ġ</w>#", "x"])).encode("utf-8")
        ]
    unk_token = draw(st.sampled_from([None, "<unk>"]))
    vocab = list(dict.fromkeys([*vocab, *(["<unk>"] if unk_token else [])]))
    return bpe(
        dict(zip(vocab, draw(st.permutations(range(len(vocab)))), strict=True)),
        merges,
        unk_token=unk_token,
        continuing_subword_prefix=prefix or draw(st.sampled_from([None, ""])),
        end_of_word_suffix=suffix or draw(st.sampled_from([None, ""])),
        fuse_unk=draw(st.booleans()),
        byte_fallback=byte_fallback,
        ignore_merges=draw(st.booleans()),
    )


@st.composite
def unigram_models(draw: st.DrawFn) -> Json:
    """Pieces with scores that tie often; sometimes without an unknown piece, sometimes a piece twice."""
    pieces = draw(st.lists(st.text([*"abé中▁Ġ"], min_size=1, max_size=4), min_size=1, max_size=12))
    pieces = pieces if draw(st.integers(0, 4)) == 0 else list(dict.fromkeys(pieces))
    if draw(st.booleans()):
        pieces += [f"<0x{byte:02X}>" for byte in draw(st.sampled_from(["é", "é中", "xé中 b"])).encode("utf-8")]
    scores = st.sampled_from([-1.0, -2.0, -3.0, -0.5, 0.0, -2.5, -20.0, 3.0])
    scored = [(piece, draw(scores)) for piece in pieces]
    unk_id = draw(st.one_of(st.none(), st.integers(0, len(scored))))
    if unk_id is not None:
        scored.insert(unk_id, ("<unk>", draw(scores)))
    return unigram(*scored, unk_id=unk_id, byte_fallback=draw(st.booleans()))


@st.composite
def pipelines(draw: st.DrawFn) -> Json:
    """A whole tokenizer.json of supported components."""
    decoder = draw(st.one_of(st.none(), st.lists(decoders, min_size=1, max_size=3)))
    return tokenizer_json(
        draw(st.one_of(bpe_models(), unigram_models())),
        draw(added_tokens),
        normalizer=chain("normalizers", draw(st.lists(st.sampled_from(NORMALIZERS), max_size=3))),
        pre_tokenizer=chain("pretokenizers", draw(st.lists(pre_tokenizers, max_size=2))),
        post_processor=chain("processors", draw(post_processors())),
        decoder=None if decoder is None else chain("decoders", decoder),
    )
