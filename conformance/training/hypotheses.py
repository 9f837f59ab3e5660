"""What could be wrong with a trainer: reftok's, with one thing changed, foretells what such a trainer learns.

A hypothesis exchanges a function or a number of the reference while it trains, or gives it other options. Most faults
are an option that is not looked at or is off by one: these are made of the options of a case.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import Any

from conformance.subjects.training_subject import RANKS
from conformance.training import ranks
from conformance.training.case import Result, TrainingCase
from conformance.training.reference import reference_training
from reftok.rules.byte_level import CHARACTER_TO_BYTE
from reftok.training.bpe import BpeTrainer
from reftok.training.merging import MergeLoop
from reftok.training.minbpe import FirstSeenLoop
from reftok.training.options import contents
from reftok.training.sentencepiece import bpe as pieces_bpe
from reftok.training.sentencepiece import char as pieces_char
from reftok.training.sentencepiece import corpus as pieces_corpus
from reftok.training.sentencepiece import seeds as pieces_seeds
from reftok.training.sentencepiece import shape as pieces_shape
from reftok.training.sentencepiece import trainer as pieces_trainer
from reftok.training.sentencepiece import unigram as pieces_unigram
from reftok.training.sentencepiece import word as pieces_word
from reftok.training.suffix_tree import common_characters
from reftok.training.unigram import TrainedUnigram, UnigramTrainer
from reftok.training.wordlevel import WordLevelTrainer
from reftok.unicode.characters import script

Change = Callable[[TrainingCase], TrainingCase | None]

HF_BPE = ("hf-bpe", "wordpiece")
PIECES = ("sentencepiece-bpe", "unigram", "word", "char")


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A fault that a trainer may have.

    rule: what it says of such a trainer. trainers: that may have it.
    change: the case as such a trainer takes it, None where it would take it as it is.
    swaps: what the reference has otherwise while it trains: owner, name, value.
    """

    rule: str
    trainers: tuple[str, ...]
    change: Change = field(default=lambda case: case)
    swaps: tuple[tuple[Any, str, Any], ...] = ()

    def foretold(self, case: TrainingCase, given: Result) -> Result | None:
        """What such a trainer learns; None where it would take the case as the reference does.

        given: what the subject learned, of which the free choices are taken.
        """
        changed = self.change(case)
        if changed is None:
            return None
        with swapped(self.swaps):
            try:
                return reference_training(changed, given)
            except (LookupError, ArithmeticError, ValueError):  # such a trainer breaks on this case
                return None


def together(hypotheses: Sequence[Hypothesis]) -> Hypothesis:
    """A trainer with all of these faults."""

    def change(case: TrainingCase) -> TrainingCase | None:
        changes = [changed for one in hypotheses if (changed := one.change(case)) is not None]
        if not changes:
            return None
        for one in hypotheses:
            case = one.change(case) or case
        return case

    swaps = tuple(swap for one in hypotheses for swap in one.swaps)
    return Hypothesis(" and ".join(one.rule for one in hypotheses), hypotheses[0].trainers, change, swaps)


@contextmanager
def swapped(swaps: Iterable[tuple[Any, str, Any]]) -> Iterator[None]:
    """The reference with other parts; with its own again afterwards."""
    with ExitStack() as undone:
        for owner, name, value in swaps:
            undone.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, value)
        yield


# --- options


def without(option: str) -> Change:
    """As if an option were not given."""

    def change(case: TrainingCase) -> TrainingCase | None:
        if option not in case.options:
            return None
        return replace(case, options={name: value for name, value in case.options.items() if name != option})

    return change


def with_value(option: str, value: Callable[[Any, TrainingCase], Any], default: Any = None) -> Change:
    """An option with another value. default: that it has where it is not given, None for no change then."""

    def change(case: TrainingCase) -> TrainingCase | None:
        given = case.options.get(option, default)
        if given is None:
            return None
        return replace(case, options={**case.options, option: value(given, case)})

    return change


def of_options(case: TrainingCase) -> Iterator[Hypothesis]:
    """Each option of a case, ignored, or off by one."""
    trainers = (case.trainer,)
    for name, value in case.settings.items():
        if value in ([], (), None):
            continue
        if name != "hard_vocab_limit":
            yield Hypothesis(f"{name} is ignored", trainers, without(name))
        if isinstance(value, int) and not isinstance(value, bool):
            for step, said in ((1, "one more"), (-1, "one less")):
                yield Hypothesis(f"{name} is {said}", trainers, with_value(name, partial(_plus, step)))
    if isinstance(case.options.get("pipeline"), Mapping):
        for stage in ("normalizer", "pre_tokenizer"):
            if case.options["pipeline"].get(stage) is not None:

                def bare(pipeline: Any, _: TrainingCase, stage: str = stage) -> Any:
                    return {**pipeline, stage: None}

                yield Hypothesis(f"the {stage} is ignored", trainers, with_value("pipeline", bare))


def _plus(step: int, value: int, case: TrainingCase) -> int:
    return value + step


def _special_count(case: TrainingCase) -> int:
    return len({*contents(case.options.get("special_tokens", ()))})


def _merges_counted(size: int, case: TrainingCase) -> int:
    """A vocab_size that counts only merges, as the reference counts."""
    base = reference_training(replace(case, options={**case.options, "vocab_size": 0}))
    return size + len(getattr(base, "entries", ()))


# --- the loop of merges of tokenizers

Rank = Callable[[MergeLoop, str, list[int]], Any]


def _with_ranks(rank_of: Rank) -> tuple[Any, str, Any]:
    """Other ties. rank_of: of a loop, a pair and its words, of which the smaller is the better."""

    class Ranked(MergeLoop):
        def rank(self, pair: str, words: list[int]) -> Any:
            return rank_of(self, pair, words)

    return _with_loop(Ranked)


def _with_loop(kind: type[MergeLoop]) -> tuple[Any, str, Any]:
    def loop(self: BpeTrainer, words: Iterable[str], counts: Sequence[int], tokens: list[str]) -> MergeLoop:
        return kind(words, counts, tokens, self.max_token_length)

    return BpeTrainer, "loop", loop


class _CountedAnew(MergeLoop):
    """A loop that counts all pairs of all words anew for each merge."""

    def merge(self, pair: str, new_id: int, words: Sequence[int]) -> None:
        new = chr(new_id)
        self.words = [self._written(word, pair, new) for word in self.words]
        self.pair_counts.clear()
        self.count_pairs()

    def _written(self, word: str, pair: str, new: str) -> str:
        return word.replace(pair, new)


class _FirstOverlapsOnce(MergeLoop):
    def count_pairs(self) -> None:
        super().count_pairs()
        for word, count in zip(self.words, self.counts, strict=True):
            for symbol in set(word):
                pairs = _runs(word, symbol)
                self.pair_counts[symbol * 2] -= count * sum(length - 1 - length // 2 for length in pairs)


class _OverlapsOnce(_FirstOverlapsOnce, _CountedAnew):
    """Each time that pairs are counted."""


def _runs(word: str, symbol: str) -> list[int]:
    """The lengths of the runs of a symbol that have two or more."""
    lengths, length = [], 0
    for found in (*word, ""):
        if found == symbol:
            length += 1
        else:
            lengths.append(length)
            length = 0
    return [length for length in lengths if length > 1]


class _FromTheRight(_CountedAnew):
    def _written(self, word: str, pair: str, new: str) -> str:
        return word[::-1].replace(pair[::-1], new)[::-1]


class _OwnCountReset(MergeLoop):
    def merge(self, pair: str, new_id: int, words: Sequence[int]) -> None:
        super().merge(pair, new_id, words)
        self.pair_counts[pair] = 0


class _NeverCountedDown(MergeLoop):
    def merge(self, pair: str, new_id: int, words: Sequence[int]) -> None:
        before = dict(self.pair_counts)
        super().merge(pair, new_id, words)
        for known, count in before.items():
            if known != pair:
                self.pair_counts[known] = max(count, self.pair_counts[known])


def _alphabet(order: Callable[[Mapping[str, int], list[str]], list[str]]) -> tuple[Any, str, Any]:
    """Another order of the alphabet. order: of the counts, in the order of the text, and the right alphabet."""
    right = BpeTrainer.alphabet

    def alphabet(self: BpeTrainer, word_counts: Mapping[str, int]) -> list[str]:
        return order(self.character_counts(word_counts), right(self, word_counts))

    return BpeTrainer, "alphabet", alphabet


_right_train = BpeTrainer.train


def _words_once(self: BpeTrainer, word_counts: Mapping[str, int], *others: Any) -> Any:
    return _right_train(self, dict.fromkeys(word_counts, 1), *others)


_right_character_counts = BpeTrainer.character_counts


def _characters_of_words_once(self: BpeTrainer, word_counts: Mapping[str, int]) -> dict[str, int]:
    return _right_character_counts(self, dict.fromkeys(word_counts, 1))


_right_derived = BpeTrainer.derived


def _all_derived(self: BpeTrainer, words: Mapping[str, int], vocab: Mapping[str, int]) -> list[str]:
    every = [self.symbol(character, False, False) for character in self.alphabet(words)]
    return [*dict.fromkeys((*every, *_right_derived(self, words, vocab)))]


def _prefix_everywhere(self: BpeTrainer, character: str, is_first: bool, is_last: bool) -> str:
    return (self.continuing_subword_prefix or "") + character + (self.end_of_word_suffix or "" if is_last else "")


def _suffix_never(self: BpeTrainer, character: str, is_first: bool, is_last: bool) -> str:
    return ("" if is_first else self.continuing_subword_prefix or "") + character


def _shorter_then_string(loop: MergeLoop, pair: str, words: list[int]) -> tuple[int, str]:
    token = "".join(loop.halves(pair))
    return len(token), token


def _youtokentome(loop: MergeLoop, pair: str, words: list[int]) -> tuple[str, str, int]:
    """VKCOM/YouTokenToMe bpe.cpp: the smaller larger id, then the smaller smaller id, then the larger left id."""
    return max(pair), min(pair), -ord(pair[0])


def _reversed(text: str) -> tuple[int, ...]:
    """Sorts as the text does, the other way round."""
    return (*(-ord(character) for character in text), 1)


def _byte_values(text: str) -> bytes:
    """The bytes of a token of bytes, else of its UTF-8."""
    if all(character in CHARACTER_TO_BYTE for character in text):
        return bytes(map(CHARACTER_TO_BYTE.__getitem__, text))
    return text.encode("utf-8")


_right_first = BpeTrainer.first_entries


def _special_after(self: BpeTrainer, word_counts: Mapping[str, int]) -> dict[str, int]:
    characters = dict.fromkeys(self.alphabet(word_counts))
    tokens = dict.fromkeys((*characters, *contents(self.special_tokens), *_right_first(self, word_counts)))
    return {token: token_id for token_id, token in enumerate(tokens)}


def _special_last(self: BpeTrainer, word_counts: Mapping[str, int], *others: Any) -> Any:
    special = contents(self.special_tokens)
    size = self.vocab_size - len({*special})
    trained = _right_train(replace(self, special_tokens=(), vocab_size=max(size, 0)), word_counts, *others)
    tokens = dict.fromkeys((*trained.vocab, *special))
    return replace(trained, vocab={token: token_id for token_id, token in enumerate(tokens)})


OF_BPE = (
    Hypothesis(
        "of equally frequent pairs that of the smaller byte values wins",
        HF_BPE,
        swaps=(_with_ranks(lambda loop, pair, words: tuple(map(_byte_values, loop.halves(pair)))),),
    ),
    Hypothesis(
        "the alphabet is in the order of byte values",
        HF_BPE,
        swaps=(_alphabet(lambda counts, right: sorted(right, key=_byte_values)),),
    ),
    Hypothesis(
        "special tokens come after the alphabet", HF_BPE, swaps=((BpeTrainer, "first_entries", _special_after),)
    ),
    Hypothesis("special tokens come at the end", HF_BPE, swaps=((BpeTrainer, "train", _special_last),)),
    Hypothesis(
        "of equally frequent pairs the smaller strings win",
        HF_BPE,
        swaps=(_with_ranks(lambda loop, pair, words: loop.halves(pair)),),
    ),
    Hypothesis(
        "of equally frequent pairs the larger strings win",
        HF_BPE,
        swaps=(_with_ranks(lambda loop, pair, words: tuple(map(_reversed, loop.halves(pair)))),),
    ),
    Hypothesis("of equally frequent pairs the first of the text wins", HF_BPE, swaps=(_with_loop(FirstSeenLoop),)),
    Hypothesis(
        "of equally frequent pairs the larger ids win",
        HF_BPE,
        swaps=(_with_ranks(lambda loop, pair, words: (-ord(pair[0]), -ord(pair[1]))),),
    ),
    Hypothesis(
        "of equally frequent pairs that of the smaller token wins",
        HF_BPE,
        swaps=(_with_ranks(lambda loop, pair, words: "".join(loop.halves(pair))),),
    ),
    Hypothesis(
        "of equally frequent pairs the shorter token wins, then the smaller one",
        HF_BPE,
        swaps=(_with_ranks(_shorter_then_string),),
    ),
    Hypothesis(
        "of equally frequent pairs that of YouTokenToMe wins",
        HF_BPE,
        swaps=(_with_ranks(_youtokentome),),
    ),
    Hypothesis("overlapping pairs are counted once at the start", HF_BPE, swaps=(_with_loop(_FirstOverlapsOnce),)),
    Hypothesis("overlapping pairs are counted once", HF_BPE, swaps=(_with_loop(_OverlapsOnce),)),
    Hypothesis("runs are merged from the right", HF_BPE, swaps=(_with_loop(_FromTheRight),)),
    Hypothesis("the count of the merged pair is reset", HF_BPE, swaps=(_with_loop(_OwnCountReset),)),
    Hypothesis("pairs that a merge ends are not counted down", HF_BPE, swaps=(_with_loop(_NeverCountedDown),)),
    Hypothesis(
        "the pairs are counted anew for each merge, whatever max_token_length says",
        HF_BPE,
        swaps=(_with_loop(_CountedAnew),),
    ),
    Hypothesis("each distinct word counts once", HF_BPE, swaps=((BpeTrainer, "train", _words_once),)),
    Hypothesis(
        "for limit_alphabet, each distinct word counts once",
        HF_BPE,
        swaps=((BpeTrainer, "character_counts", _characters_of_words_once),),
    ),
    Hypothesis(
        "each character of the alphabet has a form with the prefix",
        HF_BPE,
        swaps=((BpeTrainer, "derived", _all_derived),),
    ),
    Hypothesis(
        "the alphabet is in the order of counts",
        HF_BPE,
        swaps=(_alphabet(lambda counts, right: sorted(right, key=lambda c: (-counts[c], c))),),
    ),
    Hypothesis(
        "the alphabet is in the order of the text",
        HF_BPE,
        swaps=(_alphabet(lambda counts, right: [character for character in counts if character in right]),),
    ),
    Hypothesis(
        "the prefix is not removed from the right token of a merge",
        HF_BPE,
        swaps=((BpeTrainer, "merged", lambda self, left, right: left + right),),
    ),
    Hypothesis(
        "the first character of a word has the prefix too", HF_BPE, swaps=((BpeTrainer, "symbol", _prefix_everywhere),)
    ),
    Hypothesis("the last character of a word has no suffix", HF_BPE, swaps=((BpeTrainer, "symbol", _suffix_never),)),
    Hypothesis(
        "a count must be more than min_frequency",
        (*HF_BPE, "wordlevel"),
        with_value("min_frequency", lambda least, _: max(least, 1) + 1),
    ),
    Hypothesis("min_frequency is always 2", (*HF_BPE, "wordlevel"), with_value("min_frequency", lambda *_: 2, 0)),
    Hypothesis(
        "min_frequency is 2 where it is not given",
        (*HF_BPE, "wordlevel"),
        lambda case: replace(case, options={"min_frequency": 2, **case.options}),
    ),
    Hypothesis(
        "special tokens are not counted in vocab_size",
        (*HF_BPE, "wordlevel", "hf-unigram"),
        with_value("vocab_size", lambda size, case: size + _special_count(case)),
    ),
    Hypothesis(
        "only merges are counted in vocab_size",
        HF_BPE,
        with_value("vocab_size", _merges_counted),
    ),
    Hypothesis(
        "a token may be as long as max_token_length",
        ("hf-bpe",),
        with_value("max_token_length", lambda most, _: most + 1),
    ),
)


# --- words of tokenizers


def _word_level(order: Callable[[Mapping[str, int]], list[str]], first_id: bool = False) -> tuple[Any, str, Any]:
    def train(self: WordLevelTrainer, word_counts: Mapping[str, int]) -> dict[str, int]:
        words = [word for word in order(word_counts) if word_counts[word] >= self.min_frequency]
        special = contents(self.special_tokens)
        entries = [*special, *(word for word in words if not first_id or word not in special)][: self.vocab_size]
        if first_id:
            entries = list(dict.fromkeys(entries))
        return {token: token_id for token_id, token in enumerate(entries)}

    return WordLevelTrainer, "train", train


def _right_words(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda word: (-counts[word], word))


OF_WORDLEVEL = (
    Hypothesis(
        "equally frequent words are in the order of the text",
        ("wordlevel",),
        swaps=(_word_level(lambda counts: sorted(counts, key=lambda word: -counts[word])),),
    ),
    Hypothesis(
        "of equally frequent words the larger string comes first",
        ("wordlevel",),
        swaps=(_word_level(lambda counts: sorted(counts, key=lambda word: (-counts[word], _reversed(word)))),),
    ),
    Hypothesis("words are in the order of the text", ("wordlevel",), swaps=(_word_level(list),)),
    Hypothesis("words are in the order of strings", ("wordlevel",), swaps=(_word_level(sorted),)),
    Hypothesis(
        "a word that is a special token keeps the first id", ("wordlevel",), swaps=(_word_level(_right_words, True),)
    ),
)


# --- Unigram of tokenizers

_right_final = UnigramTrainer.final


def _normalized_at_the_end(self: UnigramTrainer, *arguments: Any) -> TrainedUnigram:
    trained = _right_final(self, *arguments)
    special = {*contents(self.special_tokens), self.unk_token}
    learned = [score for piece, score in trained.pieces if piece not in special and math.isfinite(score)]
    whole = math.log(math.fsum(map(math.exp, learned))) if learned else 0.0
    pieces = [(piece, score if piece in special else score - whole) for piece, score in trained.pieces]
    return replace(trained, pieces=pieces)


OF_UNIGRAM = (
    Hypothesis(
        "the probabilities of the pieces that are left sum to 1",
        ("hf-unigram",),
        swaps=((UnigramTrainer, "final", _normalized_at_the_end),),
    ),
)


# --- sentencepiece


def _piece_ranks(key: Callable[[str, tuple[int, int], tuple[int, int]], Any]) -> tuple[Any, str, Any]:
    """Other ties of BPE. key: of a pair's piece, its two ids and its first place."""
    right = pieces_bpe.PieceLoop.rank

    def rank(self: pieces_bpe.PieceLoop, pair: str, words: list[int]) -> Any:
        if right(self, pair, words) is None:
            return None
        piece, first = "".join(self.halves(pair)), self.words[words[0]]
        before = "".join(self.tokens[ord(symbol)] for symbol in first.partition(pair)[0])
        return key(piece, (ord(pair[0]), ord(pair[1])), (words[0], len(before))), piece

    return pieces_bpe.PieceLoop, "rank", rank


_right_merges = pieces_bpe.merges


def _merges_that_occur(*arguments: Any) -> Any:
    return list(takewhile(lambda made: made[1] > 0, _right_merges(*arguments)))


def _words_unsorted(sentences: Iterable[tuple[str, int]], options: Any) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for text, count in sentences:
        for word in pieces_corpus.words_of(text, options):
            counts[word] += count
    return list(counts.items())


def _required(order: Callable[[Mapping[str, int]], Iterable[str]]) -> tuple[Any, str, Any]:
    return pieces_corpus.Corpus, "required_by_count", lambda self: list(order(self.required))


_right_bpe = pieces_bpe.train_bpe


def _scores_from_one(*arguments: Any) -> Any:
    return [(piece, score - 1.0) for piece, score in _right_bpe(*arguments)]


def _double_scores(counted: Iterable[tuple[str, int]], total: int) -> list[tuple[str, float]]:
    return [(text, (math.log(count) if count else -math.inf) - math.log(total)) for text, count in counted]


def _loss_of_all(frequencies: Sequence[float], index: int, way: Sequence[int], total: float) -> float:
    """As tokenizers has it: with the number of all pieces."""
    return _right_loss(frequencies, index, way, total + frequencies[index] * (len(frequencies) - len(way)))


_right_loss = pieces_unigram._loss


def _is_short_in_characters(data: bytes, options: Any) -> bool:
    return len(data.decode("utf-8", "replace")) <= int(options.max_sentence_length)


def _kana_apart(character: str) -> str | None:
    if "\u3040" <= character <= "\u309f":
        return "Hiragana"
    return "Katakana" if "\u30a0" <= character <= "\u30ff" else _right_script(character)


_right_script = script


_BPE, _UNIGRAM = ("sentencepiece-bpe",), ("unigram",)

OF_PIECES = (
    Hypothesis(
        "of equally frequent pairs the smaller string wins, however long",
        _BPE,
        swaps=(_piece_ranks(lambda piece, ids, place: piece),),
    ),
    Hypothesis(
        "of equally frequent pairs the longer piece wins",
        _BPE,
        swaps=(_piece_ranks(lambda piece, ids, place: -len(piece)),),
    ),
    Hypothesis(
        "of equally frequent pairs the larger string of the shortest wins",
        _BPE,
        swaps=(_piece_ranks(lambda piece, ids, place: (len(piece), _reversed(piece))),),
    ),
    Hypothesis(
        "of equally frequent pairs the smaller ids win", _BPE, swaps=(_piece_ranks(lambda piece, ids, place: ids),)
    ),
    Hypothesis(
        "of equally frequent pairs the first of the text wins",
        _BPE,
        swaps=(_piece_ranks(lambda piece, ids, place: place),),
    ),
    Hypothesis("pieces of count 0 are left out", _BPE, swaps=((pieces_bpe, "merges", _merges_that_occur),)),
    Hypothesis("the scores of merges begin with -1", _BPE, swaps=((pieces_trainer, "train_bpe", _scores_from_one),)),
    Hypothesis(
        "required characters are in the order of code points",
        ("sentencepiece-bpe", "unigram"),
        swaps=(_required(sorted),),
    ),
    Hypothesis(
        "required characters are in the order in which they were taken",
        ("sentencepiece-bpe", "unigram"),
        swaps=(_required(list),),
    ),
    Hypothesis(
        "words are in the order of the text",
        ("sentencepiece-bpe", "unigram"),
        swaps=((pieces_bpe, "counted_words", _words_unsorted), (pieces_unigram, "counted_words", _words_unsorted)),
    ),
    Hypothesis("character_coverage is 1", PIECES, with_value("character_coverage", lambda share, _: 1.0, 0.9995)),
    Hypothesis("character_coverage is float64", PIECES, swaps=((pieces_corpus, "to_float32", float),)),
    Hypothesis(
        "the text is not normalized",
        PIECES,
        with_value("normalization_rule_name", lambda name, _: "identity", "nmt_nfkc"),
    ),
    Hypothesis(
        "the space before a sentence is missing", PIECES, with_value("add_dummy_prefix", lambda flag, _: False, True)
    ),
    Hypothesis(
        "spaces are kept as they are", PIECES, with_value("remove_extra_whitespaces", lambda flag, _: False, True)
    ),
    Hypothesis(
        "max_sentence_length counts characters",
        PIECES,
        swaps=((pieces_corpus, "is_short", _is_short_in_characters),),
    ),
    Hypothesis("Hiragana and Katakana are not Han", PIECES, swaps=((pieces_shape, "script", _kana_apart),)),
    Hypothesis(
        "pieces of several scripts are made", PIECES, with_value("split_by_unicode_script", lambda flag, _: False, True)
    ),
    Hypothesis(
        "pieces with digits and letters are made", PIECES, with_value("split_by_number", lambda flag, _: False, True)
    ),
    Hypothesis("pieces are made across words", PIECES, with_value("split_by_whitespace", lambda flag, _: False, True)),
    Hypothesis(
        "special pieces in the text are trained on",
        PIECES,
        swaps=((pieces_corpus, "PrefixMatcher", lambda symbols: _NoSymbols()),),
    ),
    Hypothesis(
        "logarithms are float64", ("word", "char"), swaps=((pieces_word, "log_float32", lambda count: math.log(count)),)
    ),
    Hypothesis(
        "logarithms and their differences are float64",
        ("word", "char"),
        swaps=((pieces_word, "scored", _double_scores), (pieces_char, "scored", _double_scores)),
    ),
    Hypothesis("num_threads is 1", _UNIGRAM, with_value("num_threads", lambda threads, _: 1, 16)),
    Hypothesis(
        "unreachable pieces are kept",
        _UNIGRAM,
        swaps=((pieces_unigram._Model, "prune_unreachable", lambda self: None),),
    ),
    Hypothesis("the loss has the number of all pieces", _UNIGRAM, swaps=((pieces_unigram, "_loss", _loss_of_all),)),
    Hypothesis("pieces of the lowest expectation stay", _UNIGRAM, swaps=((pieces_unigram, "LEAST_EXPECTED", 0.0),)),
    Hypothesis("pruning goes down to vocab_size at once", _UNIGRAM, swaps=((pieces_unigram, "_GROWTH", 1.0),)),
    Hypothesis("characters that come back have the same score", _UNIGRAM, swaps=((pieces_unigram, "_STEP", 0.0),)),
    Hypothesis(
        "the M step has a logarithm in the place of digamma", _UNIGRAM, swaps=((pieces_unigram, "digamma", math.log),)
    ),
    Hypothesis(
        "seeds are followed by different characters, not bytes",
        _UNIGRAM,
        swaps=((pieces_seeds, "_common", common_characters),),
    ),
)


class _NoSymbols:
    symbols: tuple[str, ...] = ()


def _ranks_with(kind: type[MergeLoop]) -> tuple[Any, str, Any]:
    return ranks, "TIES", {"": kind}


def _ranked_once(loop: type[MergeLoop], words: Sequence[str], counts: Sequence[int], size: int) -> Any:
    return _right_ranks(loop, words, [1] * len(counts), size)


_right_ranks = ranks._trained

OF_RANKS = (
    Hypothesis("overlapping pairs are counted once", (RANKS,), swaps=(_ranks_with(_OverlapsOnce),)),
    Hypothesis("runs are merged from the right", (RANKS,), swaps=(_ranks_with(_FromTheRight),)),
    Hypothesis("each distinct word counts once", (RANKS,), swaps=((ranks, "_trained", _ranked_once),)),
)

HYPOTHESES = (*OF_RANKS, *OF_BPE, *OF_WORDLEVEL, *OF_UNIGRAM, *OF_PIECES)
"""In the order in which they are preferred where they foretell the same."""


def hypotheses_for(case: TrainingCase) -> list[Hypothesis]:
    """Those that a trainer of the case may have."""
    known = [hypothesis for hypothesis in HYPOTHESES if case.trainer in hypothesis.trainers]
    return [*known, *of_options(case)]
