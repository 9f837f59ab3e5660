"""Texts aimed at the rules."""

from __future__ import annotations

from hypothesis import strategies as st

CONTRACTIONS = ["'s", "'S", "'ſ", "'RE", "don't", "’s", "'"]
SPACES = [" ", "  ", "   ", "\n", "\r\n", "\t", "\x85", "\xa0", "\u3000", "\u2009", "\x1c", " \n "]
MARKS = ["e\u0301", "\u0301", "\u0323", "\u0327\u0301", "\u0301\u0327", "\u0345\u0301", "é\u0323", "\u0f71\u0f72\u0f74"]
JAMO = ["\u1100", "\u1161", "\u11a8", "가\u11a8", "각", "\u1100\u1161\u11a8", "ㄱ"]
CLUSTERS = ["👩\u200d🚀", "🇩🇪🇫", "क\u094dष", "👍🏽", "\u200d", "\r\n", "ｶﾞ", "각\u0301"]
COMPATIBLE = ["ﬁ", "①", "Å", "Ω", "ǅ", "²", "Ⅳ", "½", "ﷺ", "\ufb1d", "\u0958", "\u0344"]
NEWER = [*"\u0897\U00010d4a\U0001e6e3\U00032000\u0378\U0010ffff\u0295\U00011f42", "\u1dfa\u0301"]
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
