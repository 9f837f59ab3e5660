"""Ways to get the model wrong in what its symbols are, in the order of equals, and in what is unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import accumulate, pairwise, product, repeat
from typing import TypeAlias
from unicodedata import is_normalized, normalize

import regex

from conformance.causes.edits.changed_models import (
    ChangedModel,
    by_words,
    is_byte_level,
    merged_otherwise,
    with_merge_of,
    words_of,
)
from conformance.causes.edits.fault import Fault, Faults, is_not_ascii, of_ids, of_rules
from conformance.generators.knowledge import merging_words
from reftok import Tokenizer
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.merging import merge_all
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, Segment
from reftok.rules.sentencepiece.unigram import RESET_THRESHOLD, SentencePieceUnigram
from reftok.rules.sentencepiece.words import SentencePieceChar
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE
from reftok.rules.types import Span, Token
from reftok.rules.viterbi import BEGINNING, UNK_PENALTY, UNREACHED, Best, PieceMatch, best_paths, to_float32
from reftok.unicode.characters import CharacterTable
from reftok.unicode.graphemes import graphemes

_CLUSTERS = "symbols are grapheme clusters, not characters"
_EQUIVALENTS = "entries of the vocab that are canonically equivalent are one"


def of_other_models(tokenizer: Tokenizer) -> Faults:
    """Other ties, clusters for characters, entries that a dictionary takes for one, sums of another precision."""
    model = tokenizer.rules.model
    models = {"": model}
    merging_whole = merging_words(model)
    if isinstance(merging_whole, RankBPE):
        yield _with(tokenizer, "words are not looked up as a whole before merging", lambda: merging_whole)
    elif merging_whole is not None:  # who merges by a loop of his own often looks up no word
        models[", and ignore_merges is not read"] = merging_whole
    for and_other, merging in models.items():
        orders = (
            ("of equal merges the last goes first", merged_otherwise(merging, from_the_end=True)),
            ("merges go from left to right, whatever their rank", merged_otherwise(merging, by_rank=False)),
        )
        for rule, tokenize in orders:
            if tokenize is not None:
                yield _with(tokenizer, rule + and_other, partial(ChangedModel, model, tokenize))
    if isinstance(model, BPE):
        yield from _of_packed_pairs(tokenizer, model)
    if not is_byte_level(tokenizer):
        for clusters in (graphemes, _CLUSTERS_OF_REGEX):
            for build in _by_clusters(model, clusters):
                yield _with(tokenizer, _CLUSTERS, build, _may_have_clusters)
        yield from _of_equivalents(tokenizer)
    if isinstance(model, SentencePieceUnigram):
        precise = partial(_with_search, model, lambda size, matches: best_paths(size, matches, float, RESET_THRESHOLD))
        yield _with(tokenizer, "scores are summed in float64", precise)
        yield _with(tokenizer, "the longest piece at each place, not the best path", partial(LongestUnigram, model))
    if isinstance(model, SentencePieceUnigram | Unigram):
        last = partial(_last_best_paths, to_float32 if isinstance(model, SentencePieceUnigram) else float)
        yield _with(tokenizer, "the last of equal paths wins", partial(_with_search, model, last))
        own = model.unknown[1] if isinstance(model, SentencePieceUnigram) else model.unknown_score
        for score, shown in ((0.0, "0"), (-10.0, "-10"), (-100.0, "-100"), (own + UNK_PENALTY, "as the lowest piece")):
            yield _with(tokenizer, f"the unknown piece scores {shown}", partial(_with_unknown_score, model, score))
    kind = model.model if isinstance(model, ChangedModel) else model
    if isinstance(kind, PieceModel | Unigram) and not kind.byte_fallback:
        for characters in (list, graphemes):
            each = partial(ChangedModel, model, partial(_each_unknown, model, characters))
            yield _with(tokenizer, "each unknown character is a token", each)
    if isinstance(model, PieceModel) and model.table.byte_fallback:
        as_bytes = partial(_unknown_words_as_bytes, tokenizer, model)
        yield _with(tokenizer, "byte fallback replaces the whole word", as_bytes)
    unknown = model.unk_id
    if unknown is not None:
        whole = partial(_unknown_words, tokenizer, unknown)
        yield _with(tokenizer, "a word with an unknown character is unknown as a whole", whole)


def _with(
    tokenizer: Tokenizer, rule: str, build: Callable[[], Model], concerns: Callable[[str], bool] = lambda text: True
) -> Fault:
    def built() -> Pipeline:
        return replace(tokenizer.rules, model=build())

    return of_rules("Model", rule, tokenizer, built, concerns)


# --- pairs of ids


_PACKED_BITS = (12, 16)
"""Bits that one id of a pair is given where both are one number: half of 32, say."""
_MOST_TOO_LARGE = 16
"""Nobody takes bits for ids that are so many times as large."""


def _of_packed_pairs(tokenizer: Tokenizer, model: BPE) -> Faults:
    for bits in _PACKED_BITS:
        if 1 << bits < model.size <= _MOST_TOO_LARGE << bits:
            large = cache(partial(_large_pairs, model, bits))
            for key, wins in product((_added, _joined, _joined_within), (max, min)):
                build = partial(_packed, model, partial(key, bits), bits, large, wins)
                yield _with(tokenizer, f"pairs of ids are packed into {2 * bits} bits", build)


def _large_pairs(model: BPE, bits: int) -> Sequence[tuple[int, int]]:
    """The pairs of merges of which an id has more bits."""
    lefts, rights, _ = model.ids_of_merges
    most = (1 << bits) - 1
    return [pair for pair in zip(lefts, rights, strict=True) if pair[0] > most or pair[1] > most]


def _added(bits: int, left: int, right: int) -> int:
    return (left << bits) + right


def _joined(bits: int, left: int, right: int) -> int:
    return (left << bits) | right


def _joined_within(bits: int, left: int, right: int) -> int:
    return _joined(bits, left, right) & ((1 << 2 * bits) - 1)


def _packed(
    model: BPE,
    key: Callable[[int, int], int],
    bits: int,
    large: Callable[[], Sequence[tuple[int, int]]],
    wins: Callable[[Iterable[tuple[int, int]]], tuple[int, int]],
) -> Model:
    """The merges by one number for both ids. wins: the last or the first of those that have the same."""
    merges, last = model.merges, (1 << bits) - 1
    doubtful: dict[int, tuple[int, int]] = {}
    for pair in large():
        number = key(*pair)
        same = (merges.get((number >> bits, number & last)), doubtful.get(number), merges[pair])
        doubtful[number] = wins(filter(None, same))

    def merge_of(left: int, right: int) -> tuple[int, int] | None:
        number = key(left, right)
        return doubtful.get(number) or merges.get((number >> bits, number & last))

    return with_merge_of(model, merge_of)


# --- grapheme clusters


Clusters: TypeAlias = Callable[[str], Sequence[str]]
"""A text cut into its grapheme clusters."""

_CLUSTERS_OF_REGEX: Clusters = regex.compile(r"\X").findall
"""Those of the installed `regex`, whose Unicode may be newer than 17."""


def _may_have_clusters(text: str) -> bool:
    """Whether some characters may be one, when they are normalized and a space stands before them."""
    return not text.isascii() or "\r\n" in text


def _by_clusters(model: Model, clusters: Clusters) -> Iterator[Callable[[], Model]]:
    """The model on clusters; of BPE, that too whose entries are found by canonical equivalence, as in Swift."""
    if isinstance(model, BPE) and _has_plain_symbols(model):
        for find in (model.vocab.get, _found_by_equivalence(model.vocab, 0)):
            yield partial(ChangedModel, model, partial(_bpe_of_symbols, model, clusters, find))
    elif isinstance(model, SentencePieceBPE | SentencePieceChar):
        yield partial(ChangedModel, model, partial(_pieces_of_clusters, model, clusters))
    elif isinstance(model, SentencePieceUnigram):
        yield partial(ClusterPieces, model, clusters)
    elif isinstance(model, Unigram):
        yield partial(ClusterUnigram, model, clusters)


def _has_plain_symbols(model: BPE) -> bool:
    """Whether a symbol is what it is wherever it stands, and no word is taken as it is."""
    options = model.options
    return not (options.ignore_merges or options.continuing_subword_prefix or options.end_of_word_suffix)


def _bpe_of_symbols(model: BPE, cut: Clusters, find: Callable[[str], int | None], text: str) -> Sequence[Token]:
    """One symbol a part of the text; one that is not found falls back to its bytes, or is unknown, as a whole."""
    symbols: list[int] = []
    bounds: list[Span] = []
    start = 0
    for cluster in cut(text):
        token_id = find(cluster)
        if token_id is not None:
            made: Sequence[int] = (token_id,)
        elif (fallback := model.byte_ids(cluster)) is not None:
            made = fallback
        elif model.options.fuse_unk and symbols and symbols[-1] == model.unk_id:
            made, bounds[-1] = (), (bounds[-1][0], start + len(cluster))
        else:
            made = () if model.unk_id is None else (model.unk_id,)
        symbols += made
        bounds += [(start, start + len(cluster))] * len(made)
        start += len(cluster)
    merged = merge_all(symbols, model.merge_of)
    stops = [*(first for first, _ in merged), len(symbols)][1:]
    return [
        Token(token_id, model.id_to_token(token_id) or "", (bounds[first][0], bounds[stop - 1][1]))
        for (first, token_id), stop in zip(merged, stops, strict=True)
    ]


def _pieces_of_clusters(model: SentencePieceBPE | SentencePieceChar, clusters: Clusters, text: str) -> Sequence[Token]:
    parts = clusters(text)
    if isinstance(model, SentencePieceBPE):
        parts = [part for _, part in merge_all(parts, model.merge_of)]
    return model.table.tokens([(part, model.table.usable_id(part)) for part in parts])


@lru_cache(maxsize=4)
def _ends(clusters: Clusters, text: str) -> Mapping[int, int]:
    """Where each cluster begins, and where it ends."""
    sizes = [len(cluster) for cluster in clusters(text)]
    stops = [*accumulate(sizes)]
    return dict(zip([0, *stops], stops, strict=False))


def _of_clusters(
    clusters: Clusters, found: Sequence[PieceMatch], text: str, start: int, unknown: tuple[int, float]
) -> list[PieceMatch]:
    """The matches that end where a cluster does; the cluster as the unknown piece where none is that alone."""
    ends = _ends(clusters, text)
    if start not in ends:
        return [(start + 1, *unknown)]
    stops = set(ends.values())
    kept = [one for one in found if one[0] in stops and one[1] != unknown[0]]
    return kept if any(one[0] == ends[start] for one in kept) else [*kept, (ends[start], *unknown)]


class ClusterPieces(SentencePieceUnigram):
    """The unigram model of sentencepiece on grapheme clusters."""

    def __init__(self, model: SentencePieceUnigram, clusters: Clusters) -> None:
        self.__dict__.update(vars(model))
        self.clusters = clusters

    def matches(self, text: str, start: int) -> list[PieceMatch]:
        return _of_clusters(self.clusters, super().matches(text, start), text, start, self.unknown)


class ClusterUnigram(Unigram):
    """The unigram model of tokenizers on grapheme clusters."""

    def __init__(self, model: Unigram, clusters: Clusters) -> None:
        self.__dict__.update(vars(model))
        self.clusters = clusters

    def matches(self, text: str, start: int) -> list[PieceMatch]:
        unknown = (self.needed_unk_id(), self.unknown_score)
        return _of_clusters(self.clusters, super().matches(text, start), text, start, unknown)


# --- canonical equivalence

_MOST_PARTS = 4
"""No character has more of them, where it is taken apart canonically."""


def _of_equivalents(tokenizer: Tokenizer) -> Iterator[Fault]:
    """Entries that are equal in Swift, which compares strings by canonical equivalence: the last or first counts."""
    vocab = tokenizer.rules.model.vocab
    forms: dict[str, list[int]] = {}
    for token, token_id in vocab.items():
        if not token.isascii() and not is_normalized("NFC", token):
            forms.setdefault(normalize("NFC", token), []).append(token_id)
    groups = [[*ids, *([vocab[form]] if form in vocab else [])] for form, ids in forms.items()]
    equal = [sorted(ids) for ids in groups if len(ids) > 1]
    for place in (-1, 0) if equal else ():
        counts = {token_id: ids[place] for ids in equal for token_id in ids}
        yield of_ids("Model", _EQUIVALENTS, tokenizer, partial(_counted, counts))
    model = tokenizer.rules.model
    for place in (0, -1) if equal else (0,):
        if isinstance(model, BPE) and _has_plain_symbols(model):
            changed = partial(_bpe_of_symbols, model, list[str], _found_by_equivalence(vocab, place))
            yield _with(tokenizer, _EQUIVALENTS, partial(ChangedModel, model, changed), is_not_ascii)
        else:
            table = _symbols_of_equivalents(vocab, place)
            yield _with(tokenizer, _EQUIVALENTS, partial(_of_translated, model, table), is_not_ascii)


def _found_by_equivalence(vocab: Mapping[str, int], place: int) -> Callable[[str], int | None]:
    """The id of the entry that is equal to a symbol, of several the first or the last.

    U+037E finds a semicolon, U+FB1F an entry of two characters.
    """

    @cache
    def entries() -> Mapping[str, int]:
        in_order = vocab.items() if place else reversed([*vocab.items()])
        return {token if token.isascii() else normalize("NFC", token): token_id for token, token_id in in_order}

    return lambda symbol: entries().get(normalize("NFC", symbol))


def _symbols_of_equivalents(vocab: Mapping[str, int], place: int) -> Mapping[int, str]:
    """Each character as the entry that is found in its place, of several the first or the last."""
    entries: dict[str, list[str]] = {}
    for token in vocab:
        if len(token) == 1 or (len(token) <= _MOST_PARTS and not token.isascii()):
            entries.setdefault(normalize("NFC", token), []).append(token)
    return CharacterTable(lambda character: entries.get(normalize("NFC", character), [character])[place])


def _of_translated(model: Model, table: Mapping[int, str]) -> Model:
    """The model on other characters, each token where those stand that it comes from."""

    def tokenize(text: str) -> Sequence[Token]:
        places = [*(place for place, one in enumerate(text) for _ in one.translate(table)), len(text)]

        def span(first: int, stop: int) -> Span:
            return places[first], places[first] if first == stop else places[stop - 1] + 1

        given = model.tokenize(text.translate(table))
        return [Token(one.id, one.value, span(*one.span_normalized)) for one in given]

    return ChangedModel(model, tokenize)


def _counted(counts: Mapping[int, int], ids: Sequence[int]) -> Sequence[int]:
    return [counts.get(token_id, token_id) for token_id in ids]


# --- scores and the unknown


Search: TypeAlias = Callable[[int, Callable[[int], Iterable[PieceMatch]]], list[Best]]
"""Finds the best paths through a text, given its length and a function from a position to the pieces there."""


def _with_search(model: SentencePieceUnigram | Unigram, search: Search) -> Model:
    searching = copy(model)
    vars(searching)["best_paths"] = lambda text: search(len(text), partial(model.matches, text))
    return ChangedModel(model, searching.tokenize)


def _with_unknown_score(model: SentencePieceUnigram | Unigram, score: float) -> Model:
    changed = copy(model)
    vars(changed).update(unknown=(model.unk_id, score), unknown_score=score)
    return ChangedModel(model, changed.tokenize)


def _last_best_paths(
    rounded: Callable[[float], float], size: int, matches: Callable[[int], Iterable[PieceMatch]]
) -> list[Best]:
    """`best_paths` with >= in place of >, and without its threshold."""
    best = [BEGINNING, *repeat(UNREACHED, size)]
    for start in range(size):
        for end, token_id, piece_score in matches(start):
            score = rounded(best[start].score + piece_score)
            if best[end].start < 0 or score >= best[end].score:
                best[end] = Best(score, start, token_id)
    return best


class LongestUnigram(SentencePieceUnigram):
    """The unigram model that takes the longest piece at each place."""

    def __init__(self, model: SentencePieceUnigram) -> None:
        self.__dict__.update(vars(model))

    def segments(self, text: str) -> Sequence[Segment]:
        """The longest pieces, in order."""
        segments: list[Segment] = []
        start = 0
        while start < len(text):
            end, token_id, _ = max(self.matches(text, start))
            segments.append((text[start:end], token_id))
            start = end
        return segments


def _each_unknown(model: Model, characters: Callable[[str], Iterable[str]], text: str) -> Sequence[Token]:
    """Splits each unknown token into one for each character. characters: cuts a text into characters."""
    tokens: list[Token] = []
    for token in model.tokenize(text):
        if token.id == model.unk_id:
            unknown = text[slice(*token.span_normalized)]
            places = accumulate(map(len, characters(unknown)), initial=token.span_normalized[0])
            tokens += [Token(token.id, text[slice(*span)], span) for span in pairwise(places)]
        else:
            tokens.append(token)
    return tokens


def _unknown_words_as_bytes(tokenizer: Tokenizer, model: PieceModel) -> Model:
    byte_ids = model.table.byte_ids
    fallback = frozenset(byte_ids)

    def of_bytes(word: str) -> list[Token]:
        data = word.encode("utf-8", "surrogatepass")
        return [Token(byte_ids[byte], BYTE_PIECES[byte], (0, len(word))) for byte in data]

    def has_bytes(word: str) -> bool:
        return any(token.id in fallback for token in model.tokenize(word))

    return ChangedModel(model, by_words(model.tokenize, words_of(tokenizer), has_bytes, of_bytes))


def _unknown_words(tokenizer: Tokenizer, unknown: int) -> Model:
    model = tokenizer.rules.model

    def is_other(word: str) -> bool:
        return any(token.id == unknown for token in model.tokenize(word))

    return ChangedModel(
        model,
        by_words(model.tokenize, words_of(tokenizer), is_other, lambda word: [Token(unknown, word, (0, len(word)))]),
    )
