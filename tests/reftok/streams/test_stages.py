"""A stage makes of a text in chunks what its rule makes of the whole, wherever it is cut, and hands it on early."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.huggingface import normalizers as norm
from reftok.rules.huggingface import pre_tokenizers as pre
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.llama_cpp.pre_tokenizers import DigitGroups, RegexSplit, ThousandsSplit
from reftok.rules.llama_cpp.special_tokens import LlamaSpecialTokens
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.vocab import Attribute, LlamaVocab
from reftok.rules.llama_cpp.wpm import BertText, BertWords, SimpleLowercase
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import PrefixMatcher
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import JOINED, NormalizedString, Part
from reftok.streams.cuts.added_tokens import token_searches
from reftok.streams.cuts.normalizers import NORMALIZERS
from reftok.streams.cuts.patterns import Cuts
from reftok.streams.cuts.pre_tokenizers import PRE_TOKENIZERS
from reftok.streams.stages import Cutting, CuttingOut, Folding, Item, Rewriting, Stage
from reftok.unicode.charsmap import Charsmap

from ..official import precompiled_charsmap
from ..protobuf_writer import compile_charsmap
from ..tokenizers_strategies import texts

BERTS = [
    norm.BertNormalizer(*options)
    for options in product((True, False), (True, False), (None, True, False), (True, False))
]
REPLACED: list[tuple[str | Pattern, str]] = [
    ("a", ""), ("ab", "e\u0301b"), ("aab", "x"), ("abab", ""), ("e\u0301", "é"), ("", "-"), ("a", "b" * 1001),
    *((compile_oniguruma(source), "-") for source in (r"\s+|▁+", r"\p{N}+$", "(?<=a)b", "a+b", "a(?!b)", "ab(?=c)|a")),
]  # fmt: skip
SPACE_OPTIONS = [NormalizerOptions(*flags) for flags in product((True, False), repeat=4)]
RULES = Charsmap(
    compile_charsmap({"A": "a", "e\u0301": "é", "\u3000": " ", "\u200b": "", "…": " . ", "ab ": "b", " a": "▁"})
)
NORMALIZED: list[Normalizer] = [
    *(norm.NFC(), norm.NFD(), norm.NFKC(), norm.NFKD(), norm.Nmt(), norm.StripAccents(), norm.Lowercase()),
    *(
        norm.ByteLevel(),
        norm.Prepend("é\u0301x"),
        BertText(True, True),
        SimpleLowercase(),
        ReadCodePoints(),
        *BERTS[::3],
    ),
    *(norm.Strip(left, right) for left, right in product((True, False), repeat=2)),
    *(norm.Replace(*replaced) for replaced in REPLACED),
    *(norm.Precompiled(Charsmap(precompiled_charsmap())), norm.Precompiled(RULES)),
    norm.Precompiled(Charsmap(compile_charsmap({"\u0301": "'", "\u0301\u0302": "^", "a": "A"}))),
    *(SentencePieceNormalizer(options, RULES) for options in SPACE_OPTIONS),
    *(SentencePieceNormalizer(options, None, PrefixMatcher(["ab", "▁", " a"])) for options in SPACE_OPTIONS[::3]),
]
SPLITS: list[str | Pattern] = [
    *("-", "--", "ab", "aab", ""),
    *map(compile_oniguruma, ("a+", r"\s+(?!\S)|a|-+", "a(?!b)", "b|ab(?=c)|a", r"(?i:ss)|\p{L}+", r"\bab", "a*")),
    *map(compile_oniguruma, (r"\s+$|\s*[\r\n]|\s+(?!\S)|\s", r"\p{N}{1,3}", "(?:ab)+", "(?<=a)b", pre.GPT2_PATTERN)),
]
CUT: list[PreTokenizer] = [
    *(pre.Split(*split) for split in product(SPLITS, JOINED, (True, False))),
    *(pre.Punctuation(behavior) for behavior in JOINED),
    *(pre.Digits(True), pre.Digits(False), pre.WhitespaceSplit(), pre.CharDelimiterSplit("a"), pre.BertPreTokenizer()),
    *(pre.UnicodeScripts(), pre.FixedLength(1), pre.FixedLength(3), pre.Whitespace(), BertWords(), DigitGroups()),
    *(ThousandsSplit(), RegexSplit(r" ?\p{L}+|\p{N}"), RegexSplit("[一-龥]+", "code points")),
    RegexSplit(r"(?<!\s)\s+\Z"),
]
TEXTS = st.one_of(
    texts,
    st.text([*"  aabA▁-.,12½٣ж漢かー\t\n\u3000é\u0301\u0323\u0302ßs\x07🇩👩\u200d\u1100\u1161…\u200b"], max_size=14),
    st.text("ab e\u0301", max_size=10),
    st.text("1234567 a½", max_size=16),
)
PLACES = st.lists(st.integers(1, 15), max_size=6)


def chunks_of(text: str, places: Sequence[int]) -> list[str]:
    return [text[start:end] for start, end in pairwise([0, *sorted({*places} & {*range(1, len(text))}), len(text)])]


def parts_of(items: Sequence[Item]) -> list[Item]:
    """The parts and the added tokens between them."""
    parts: list[Item] = []
    open_part = ""
    for item in [*items, None]:
        if isinstance(item, str):
            open_part += item
            continue
        parts += [open_part] * bool(open_part)
        parts += [] if item is None else [item]
        open_part = ""
    return parts


def check(make: Callable[[], Sequence[Stage]], text: str, places: Sequence[int], expected: Sequence[Item]) -> None:
    for chunks in (chunks_of(text, places), [*text]):
        stages = make()
        found: list[Item] = []
        for chunk in (*filter(None, chunks), None):
            items: list[Item] = [chunk]
            for stage in stages:
                items = stage.take(items)
            found += items
        assert parts_of(found) == [*expected], chunks
        assert not any(stage.held for stage in stages)


def normalizing(normalizer: Normalizer) -> Stage:
    if isinstance(normalizer, SentencePieceNormalizer):
        return Folding(normalizer)
    return Rewriting(NORMALIZERS[type(normalizer)](normalizer))


def cutting(step: PreTokenizer) -> list[Stage]:
    return [Cutting(cuts) for cuts in PRE_TOKENIZERS[type(step)](step) if isinstance(cuts, Cuts)]


@settings(max_examples=400)
@given(st.sampled_from(NORMALIZED), TEXTS, PLACES)
def test_a_normalizer(normalizer: Normalizer, text: str, places: list[int]) -> None:
    expected = normalizer.normalize(NormalizedString(text)).text if text else ""
    check(lambda: [normalizing(normalizer)], text, places, [expected] * bool(expected))


@settings(max_examples=600)
@given(st.sampled_from(CUT), TEXTS, PLACES)
def test_a_pre_tokenizer(step: PreTokenizer, text: str, places: list[int]) -> None:
    expected = [part.normalized.text for part in step.pre_tokenize([Part(NormalizedString(text))])]
    check(lambda: cutting(step), text, places, [*filter(None, expected)])


@pytest.mark.parametrize("source", ["(?<=a)b", "(?<!a)b", "(?<=(?:ba){2})b", r"\bb", r"\Bb", "^b", r"\Ab", "(?:ab)+"])
def test_a_look_behind_sees_the_text_before_the_cut_and_waits_for_nothing(source: str) -> None:
    """Fault: a decoder with such a pattern waited for the end of the stream."""
    normalizer = norm.Replace(compile_oniguruma(source), "-")
    for text in ("abbabab bab", "bb b\nb\n", "ab baba"):
        expected = normalizer.normalize(NormalizedString(text)).text
        check(lambda: [normalizing(normalizer)], text, (2, 5), [expected])
    stage = normalizing(normalizer)
    assert stage.why_uncut == ""
    assert (stage.take(["bcxx"]), stage.held) == ([normalizer.normalize(NormalizedString("bcxx")).text], 0)


def tokens_of(tokens: AddedVocabulary, text: str, ignores: bool) -> list[Item]:
    parts = tokens.split_raw([Part(NormalizedString(text))] if text else [], ignores)
    return [part.normalized.text if part.tokens is None else part.tokens[0].id for part in parts]


KINDS = st.sampled_from([Attribute.CONTROL, Attribute.USER_DEFINED, Attribute.UNKNOWN, Attribute.NORMAL])
SIDES = st.sampled_from([Attribute(0), Attribute.LSTRIP, Attribute.RSTRIP, Attribute.LSTRIP | Attribute.RSTRIP])
Vocab = dict[str, tuple[Attribute, Attribute]]
CONTENTS = st.sampled_from(["a", "ab", "b", "bcd", "abc", "cda", " ", " a", "a ", "<s>", "<s>>", "\n", "bb", "dd"])


@settings(max_examples=300)
@given(
    st.dictionaries(CONTENTS, st.tuples(KINDS, SIDES), max_size=5),
    st.text("abcd <s>\n", max_size=14),
    PLACES,
    st.booleans(),
)
def test_special_tokens_of_llama_cpp(vocab: Vocab, text: str, places: list[int], ignores: bool) -> None:
    ids = {content: token_id for token_id, content in enumerate(vocab)}
    attributes = [kind | side for kind, side in vocab.values()]
    tokens = LlamaSpecialTokens(LlamaVocab([*vocab], ids, attributes, "spaces escaped", None, None, False, False))
    search, _ = token_searches(tokens, ignores)
    check(lambda: [CuttingOut(search)] if search else [], text, places, tokens_of(tokens, text, ignores))


@pytest.mark.parametrize(
    ("stage", "text", "expected", "held"),
    [
        (normalizing(norm.NFC()), "1 a\u0327", "1 ", 2),
        (normalizing(norm.NFD()), "abc", "abc", 0),
        (normalizing(norm.Strip(True, True)), " a \n", "a", 2),
        (normalizing(norm.Replace("abc", "x")), "aabcab", "ax", 2),
        (normalizing(norm.Precompiled(RULES)), "-…", "-", 1),
        (normalizing(norm.Precompiled(RULES)), "…-", " . -", 0),
        (normalizing(SentencePieceNormalizer()), " a  b ", "▁a▁b", 1),
        (normalizing(SentencePieceNormalizer(charsmap=RULES)), "ba", "▁b", 1),
        (*cutting(pre.Digits(True)), "a12", "a12", 0),
        (*cutting(pre.ByteLevel(False, True)), "I'll go  ", "I'll go", 2),
    ],
)
def test_what_is_sure_is_handed_on_at_once(stage: Stage, text: str, expected: str, held: int) -> None:
    items = stage.take([text])
    assert ("".join(item for item in items if isinstance(item, str)), stage.held) == (expected, held)


def test_a_long_tail_without_a_cut_is_looked_at_a_few_times() -> None:
    (cut,) = (cuts for cuts in PRE_TOKENIZERS[pre.ByteLevel](pre.ByteLevel(False, True)) if isinstance(cuts, Cuts))
    stage, sizes = Cutting(cut), list[int]()
    matches = stage._matches
    stage._matches = lambda tail, before, ends: sizes.append(len(tail)) or matches(tail, before, ends)
    for _ in range(20_000):
        stage.take(["abcde"])
    assert sum(sizes) < 700_000
    assert parts_of([*stage.take([" "]), *stage.take([None])]) == ["abcde" * 20_000, " "]
