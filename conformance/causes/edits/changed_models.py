"""Models that answer as another does, but for some pre-tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, TypeAlias, TypeVar

from reftok import Tokenizer
from reftok.rules.huggingface import normalizers, pre_tokenizers
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.merging import MergeOf, TextMerging, merge_all
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.stages import Model
from reftok.rules.types import Token

Tokenize: TypeAlias = Callable[[str], Sequence[Token]]
MergeAll: TypeAlias = Callable[[Sequence[Any], MergeOf[Any]], Sequence[tuple[int, Any]]]
"""From symbols, whatever a model has for these, to what is left of them, each with the index of its first."""
_Symbol = TypeVar("_Symbol")


@dataclass(frozen=True, slots=True, eq=False)
class ChangedModel:
    """The vocab of a model, and another way to find the tokens."""

    model: Model
    tokenize: Tokenize

    @property
    def vocab(self) -> Mapping[str, int]:
        """Token to id."""
        return self.model.vocab

    @property
    def size(self) -> int:
        """How many ids it has."""
        return self.model.size

    @property
    def unk_id(self) -> int | None:
        """The id of the unknown token, None where there is none."""
        return self.model.unk_id

    def id_to_token(self, token_id: int) -> str | None:
        """The entry of the vocab, None for an id outside it."""
        return self.model.id_to_token(token_id)


def with_merge_of(model: BPE, merge_of: MergeOf[int]) -> ChangedModel:
    """The model that asks something else which pairs of its symbols merge, and in which order."""
    return ChangedModel(model, lambda text: _bpe(model, text, lambda symbols, _: merge_all(symbols, merge_of)))


def is_byte_level(tokenizer: Tokenizer) -> bool:
    """Whether the model is given the characters of bytes."""
    steps = (*tokenizer.rules.normalizers, *tokenizer.rules.pre_tokenizers)
    return any(isinstance(step, pre_tokenizers.ByteLevel | normalizers.ByteLevel) for step in steps)


def words_of(tokenizer: Tokenizer, are_whole: bool = False) -> Callable[[str], Iterator[str]]:
    """What cuts the text that the model is given into words: it is one where there is a pre-tokenizer, or `are_whole`.

    >>> import reftok
    >>> [*words_of(reftok.load("spm-bpe"))("▁a▁▁bc")], [*words_of(reftok.load("bpe-gpt2"))("Ġa")]
    (['▁a', '▁', '▁bc'], ['Ġa'])
    """
    if tokenizer.rules.pre_tokenizers or are_whole:
        return lambda text: iter([text])
    return _at_spaces


def _at_spaces(text: str) -> Iterator[str]:
    first, *others = text.split(SPACE_SYMBOL)
    if first:
        yield first
    for other in others:
        yield SPACE_SYMBOL + other


def by_words(
    tokenize: Tokenize, words: Callable[[str], Iterable[str]], is_other: Callable[[str], bool], other: Tokenize
) -> Tokenize:
    """Some words otherwise, and what is between them as before."""

    def tokens(text: str) -> Sequence[Token]:
        parts: list[tuple[bool, str]] = []
        for word in words(text):
            now = is_other(word)
            if parts and not now and not parts[-1][0]:
                parts[-1] = False, parts[-1][1] + word
            else:
                parts.append((now, word))
        return in_pieces([part for _, part in parts], [other if now else tokenize for now, _ in parts])

    return tokens


def in_pieces(pieces: Sequence[str], tokenize: Sequence[Tokenize]) -> list[Token]:
    """The tokens of pieces of a text, each by its own function."""
    starts = accumulate(map(len, pieces), initial=0)
    return [
        Token(token.id, token.value, (start + token.span_normalized[0], start + token.span_normalized[1]))
        for start, piece, one in zip(starts, pieces, tokenize, strict=False)
        for token in one(piece)
    ]


def merged_otherwise(model: Model, from_the_end: bool = False, by_rank: bool = True) -> Tokenize | None:
    """Merges in another order, None where the model has none.

    from_the_end: of equal merges the last goes first. by_rank: False for the first merge that is possible, whatever its
    rank.

    >>> model = BPE({"a": 0, "aa": 1}, [("a", "a")])
    >>> tokenize = merged_otherwise(model, from_the_end=True)
    >>> tokenize and [(token.value, token.span_normalized) for token in tokenize("aaa")]
    [('a', (0, 1)), ('aa', (1, 3))]
    """
    return merged_by(model, partial(_merged, from_the_end=from_the_end, by_rank=by_rank))


def merged_by(model: Model, merge: MergeAll) -> Tokenize | None:
    """The model with another way to merge its symbols, None where it has no merges."""
    if isinstance(model, BPE):
        return lambda text: _bpe(model, text, merge)
    if isinstance(model, SentencePieceBPE | TextMerging):
        return lambda text: _by_text(model, text, merge)
    return None


def _bpe(model: BPE, text: str, merge: MergeAll) -> Sequence[Token]:
    if model.takes_whole(text):
        return model.tokenize(text)
    symbols = model.symbols(text)
    merged = merge([symbol for symbol, _ in symbols], model.merge_of)
    first_bytes = [0, *accumulate(length for _, length in symbols)]
    characters = [index for index, character in enumerate(text) for _ in character.encode("utf-8", "surrogatepass")]
    bounds = pairwise([*(first_bytes[index] for index, _ in merged), first_bytes[-1]])
    return [
        Token(token_id, model.id_to_token(token_id) or "", (characters[start], characters[stop - 1] + 1))
        for (_, token_id), (start, stop) in zip(merged, bounds, strict=True)
    ]


def _by_text(model: SentencePieceBPE | TextMerging, text: str, merge: MergeAll) -> Sequence[Token]:
    if isinstance(model, SentencePieceBPE):
        merged = merge(model.symbols(text), model.merge_of)
        return model.table.tokens([(part, model.table.usable_id(part)) for _, part in merged])
    if model.takes_whole(text):
        return model.tokenize(text)
    merged = merge([*text], model.merge_of)
    return [
        Token(token_id, model.id_to_token(token_id) or "", (start, start + len(symbol)))
        for start, symbol in merged
        for token_id in model.ids_of_symbol(symbol)
    ]


def _merged(
    symbols: Sequence[_Symbol],
    merge_of: Callable[[_Symbol, _Symbol], tuple[int, _Symbol] | None],
    from_the_end: bool,
    by_rank: bool,
) -> list[tuple[int, _Symbol]]:
    """The symbols after every merge, each with the index of the first that it was made of."""

    def found(left: _Symbol, right: _Symbol) -> tuple[int, _Symbol] | None:
        merge = merge_of(right, left) if from_the_end else merge_of(left, right)
        return merge if merge is None or by_rank else (0, merge[1])

    if not from_the_end:
        return merge_all(symbols, found)
    merged = merge_all(symbols[::-1], found)[::-1]
    starts = [0, *(len(symbols) - index for index, _ in merged)]
    return [(start, symbol) for start, (_, symbol) in zip(starts, merged, strict=False)]
