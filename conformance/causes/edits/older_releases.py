"""The other rules of older releases of the official libraries, as changes to the reference, which follows the newest.

A run against an older release differs from the reference by these rules, and an implementation that was made from one
does. The releases were found by running them all (reports/published/releases).

| rule | until | since |
|---|---|---|
| patterns know Unicode 14 | tokenizers 0.21.1 | 0.21.2: Unicode 16 |
| grapheme clusters are those of Unicode 16 | tokenizers 0.22.2 | 0.23.1: Unicode 17 |
| added tokens are decoded by their content | tokenizers 0.22.2 | 0.23.1: by what they are matched by |
| a sum is compared before it is rounded | sentencepiece 0.2.1 | 0.2.2: after it is rounded to float32 |
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import repeat

from conformance.causes.edits.fault import DecodingFault, Fault, of_rules, of_text
from conformance.causes.edits.translated import TranslatedSplit
from reftok import Tokenizer
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.normalizers import Precompiled
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN, ByteLevel, Split
from reftok.rules.sentencepiece.pieces import PieceType
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.stages import PreTokenizer
from reftok.rules.viterbi import BEGINNING, UNREACHED, Best, to_float32
from reftok.unicode.characters import NONCHARACTER, members
from reftok.unicode.ranges import ranges_of
from reftok.unicode.tables import UNASSIGNED_IN_16

PATTERNS = "PreTokenizer", "patterns know Unicode 14, not 16"
CLUSTERS = "Normalizer", "grapheme clusters are those of Unicode 16, not 17"
CONTENT = "AddedTokens", "added tokens are decoded by their content, not by what they are matched by"
COMPARISON = "Model", "a sum of scores is compared before it is rounded to float32"


@dataclass(frozen=True, slots=True)
class Change:
    """A rule of an official library that a release changed.

    until: the last release that was seen to have it. since: the first that was seen to do as `now` says.
    """

    library: str
    until: str
    since: str
    now: str


CHANGES = {
    PATTERNS: Change("tokenizers", "0.21.1", "0.21.2", "patterns know Unicode 16"),
    CLUSTERS: Change("tokenizers", "0.22.2", "0.23.1", "grapheme clusters are those of Unicode 17"),
    CONTENT: Change("tokenizers", "0.22.2", "0.23.1", "added tokens are decoded by what they are matched by"),
    COMPARISON: Change("sentencepiece", "0.2.1", "0.2.2", "a sum of scores is compared after it is rounded to float32"),
}
"""By stage and rule."""

NEW_IN_15_AND_16 = """
    897 CF3 ECE 1B4E-1B4F 1B7F 1C89-1C8A 2427-2429 2FFC-2FFF 31E4-31E5 31EF A7CB-A7CD A7DA-A7DC 105C0-105F3 10D40-10D65
    10D69-10D85 10D8E-10D8F 10EC2-10EC4 10EFC-10EFF 1123F-11241 11380-11389 1138B 1138E 11390-113B5 113B7-113C0 113C2
    113C5 113C7-113CA 113CC-113D5 113D7-113D8 113E1-113E2 116D0-116E3 11B00-11B09 11BC0-11BE1 11BF0-11BF9 11F00-11F10
    11F12-11F3A 11F3E-11F5A 1342F 13440-13455 13460-143FA 16100-16139 16D40-16D79 18CFF 1B132 1B155 1CC00-1CCF9
    1CD00-1CEB3 1D2C0-1D2D3 1DF25-1DF2A 1E030-1E06D 1E08F 1E4D0-1E4F9 1E5D0-1E5FA 1E5FF 1F6DC 1F774-1F776 1F77B-1F77F
    1F7D9 1F8B2-1F8BB 1F8C0-1F8C1 1FA75-1FA77 1FA87-1FA89 1FA8F 1FAAD-1FAAF 1FABB-1FABF 1FAC6 1FACE-1FACF 1FADA-1FADC
    1FADF 1FAE8-1FAE9 1FAF7-1FAF8 1FBCB-1FBEF 2B739 2EBF0-2EE5D 31350-323AF
"""
r"""Characters of \p{L}, \p{N}, \p{M}, \p{P}, \p{S} or \w in tokenizers 0.21.4 and not in 0.21.0, over all scalar
values; no character that 0.21.0 knew changed its class."""


def release_faults(tokenizer: Tokenizer) -> Iterator[Fault]:
    """The rules of older releases that change what this tokenizer encodes."""
    if tokenizer.library == "tokenizers":
        older = tuple(part for step in tokenizer.rules.pre_tokenizers for part in _with_older_patterns(step))
        if older != tokenizer.rules.pre_tokenizers:
            yield of_rules(*PATTERNS, tokenizer, lambda: replace(tokenizer.rules, pre_tokenizers=older))
        if any(isinstance(step, Precompiled) for step in tokenizer.rules.normalizers):
            yield of_text(*CLUSTERS, tokenizer, _without_newer_than_16)
    model = tokenizer.rules.model
    if isinstance(model, SentencePieceUnigram):
        yield of_rules(*COMPARISON, tokenizer, lambda: replace(tokenizer.rules, model=OlderUnigram(model)))


def release_decoding_faults(tokenizer: Tokenizer) -> Iterator[DecodingFault]:
    """The rules of older releases that change what this tokenizer decodes."""
    changed = replace(tokenizer.rules, added_tokens=_ByContent(tokenizer.rules.added_tokens))
    if any(
        changed.id_to_token(token_id) != tokenizer.id_to_token(token_id)
        for token_id in tokenizer.rules.added_tokens.tokens
    ):
        yield DecodingFault(*CONTENT, lambda ids, skips: changed.decode(ids, skip_special_tokens=skips))


# --- tokenizers


def _with_older_patterns(step: PreTokenizer) -> tuple[PreTokenizer, ...]:
    """The step, or what does the same with the classes of Unicode 14: what is newer is taken for unassigned."""
    if isinstance(step, Split) and not isinstance(step.pattern, str):
        return (TranslatedSplit(step.pattern, step.behavior, step.invert, _unassigned_in_14()),)
    if isinstance(step, ByteLevel) and step.use_regex and not step.add_prefix_space:
        split = TranslatedSplit(compile_oniguruma(GPT2_PATTERN), "Isolated", False, _unassigned_in_14())
        return split, ByteLevel(add_prefix_space=False, use_regex=False)
    return (step,)


@cache
def _unassigned_in_14() -> dict[int, str]:
    return dict.fromkeys(map(ord, members(NEW_IN_15_AND_16)), NONCHARACTER)


def _without_newer_than_16(text: str) -> str:
    r"""The text with what Unicode 17 and later have brought made unassigned: it then joins no cluster.

    >>> ascii(_without_newer_than_16("a\u1acf"))
    "'a\\U0010ffff'"
    """
    starts, ends = _unassigned_in_16()
    return "".join(
        NONCHARACTER if not c.isascii() and ord(c) <= ends[bisect_right(starts, ord(c)) - 1] else c for c in text
    )


@cache
def _unassigned_in_16() -> tuple[list[int], list[int]]:
    """The beginnings and ends of the ranges, the first one empty."""
    ranges = [(-1, -1), *ranges_of(UNASSIGNED_IN_16)]
    return [first for first, _ in ranges], [last for _, last in ranges]


class _ByContent(AddedVocabulary):
    """Added tokens whose ids stand for their content as it is in the file."""

    def __init__(self, added: AddedVocabulary) -> None:
        self.__dict__.update(vars(added))

    def id_to_token(self, token_id: int) -> str | None:
        token = self.tokens.get(token_id)
        return None if token is None else token.content


# --- sentencepiece


class OlderUnigram(SentencePieceUnigram):
    """The unigram model as it was before 0.2.2.

    Source: sentencepiece 0.2.0 unigram_model.cc (`Model::EncodeOptimized`): the score of a piece is a float64, since
    that of a user-defined one is `length * max_score_ - 0.1`; so the sum is compared, unrounded, with sums that were
    rounded when they were stored. Nothing begins at 0 again.
    """

    def __init__(self, model: SentencePieceUnigram) -> None:
        super().__init__(model.table)
        normal = [piece.score for piece in model.table.pieces if piece.type is PieceType.NORMAL]
        self._highest = max(normal, default=0.0)

    def best_paths(self, text: str, score: float = 0.0) -> list[Best]:
        best = [replace(BEGINNING, score=score), *repeat(UNREACHED, len(text))]
        for start in range(len(text)):
            for end, token_id, _ in self.matches(text, start):
                candidate = best[start].score + self._older_score(token_id)
                if best[end].start < 0 or candidate > best[end].score:
                    best[end] = Best(to_float32(candidate), start, token_id)
        return best

    def _older_score(self, token_id: int) -> float:
        if token_id == self.unknown[0]:
            return self.unknown[1]
        piece = self.table.pieces[token_id]
        if piece.type is PieceType.USER_DEFINED:
            return to_float32(len(piece.piece.encode("utf-8")) * self._highest) - 0.1
        return piece.score
