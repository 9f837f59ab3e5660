"""A model as generators know it: its vocab as text, merges, scores, patterns, rules and added tokens, read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from conformance.generators.charsmap_rules import charsmap_rules
from reftok import ReftokError, Tokenizer
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.oniguruma.syntax_tree import Node
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.byte_level import from_byte_characters
from reftok.rules.huggingface import decoders, normalizers, pre_tokenizers
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.decoders import byte_of_token
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.llama_cpp.bpe import LlamaBPE
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL, PieceType
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE
from reftok.rules.types import AddedToken

Notation: TypeAlias = Literal["byte-level", "metaspace", "plain"]
"""The way entries of the vocab stand for text: each byte as a character, `▁` for a space, or as they are."""

Pair: TypeAlias = tuple[str, str]

_MOST_MERGED = 8_000
"""Vocab entries to merge again, to find some that merging splits."""
_RESERVED = (PieceType.CONTROL, PieceType.UNKNOWN, PieceType.UNUSED)


@dataclass(frozen=True, slots=True)
class ModelKnowledge:
    """A model as generators see it.

    tokens: id to entry of the vocab, added tokens included, in ascending order of the ids.
    texts: what the entries stand for, each once; what is no text (parts of characters) is left out.
    special_ids: what decoding may skip. byte_ids: a byte token's id to its byte.
    pairs: the two symbols of each merge, in the notation of the vocab, in the order of the merges where they have one.
    scores: of each piece.
    patterns: the syntax trees of the patterns that the pre-tokenizers cut by.
    rules: what the charsmap replaces, and by what.
    added: the added tokens.
    symbols: the user-defined symbols. reserved: the pieces that no text becomes by their names, by type.
    unmerged: what the entries stand for that merges do not make: only as a whole pre-token are they found, if at all.
    template: the tokens that the post-processor adds to a text.
    """

    notation: Notation
    tokens: Mapping[int, str] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    special_ids: tuple[int, ...] = field(repr=False)
    byte_ids: Mapping[int, int] = field(repr=False)
    pairs: tuple[Pair, ...] = field(repr=False)
    scores: Mapping[str, float] = field(repr=False)
    patterns: tuple[Node, ...] = field(repr=False)
    rules: tuple[Pair, ...] = field(repr=False)
    added: tuple[AddedToken, ...] = field(repr=False)
    symbols: tuple[str, ...] = field(repr=False)
    reserved: tuple[tuple[str, ...], ...] = field(repr=False)
    unmerged: tuple[str, ...] = field(repr=False)
    template: tuple[str, ...] = field(repr=False)

    def text(self, tokens: str) -> str:
        """The text that entries of the vocab, written one after the other, stand for.

        Of bytes that are no whole character, as much as can be read is kept.
        """
        return _text(self.notation, tokens)

    def is_partial(self, token: str) -> bool:
        """Whether the bytes of an entry of the vocab are no whole characters."""
        data = from_byte_characters(token) if self.notation == "byte-level" else None
        return data is not None and not data.isascii() and "\ufffd" in data.decode("utf-8", "replace")


def model_knowledge(tokenizer: Tokenizer) -> ModelKnowledge:
    """All that can be known of a model.

    >>> import reftok
    >>> knowledge = model_knowledge(reftok.load("bpe-qwen"))
    >>> knowledge.notation, knowledge.text("Ġthe"), len(knowledge.patterns), knowledge.rules
    ('byte-level', ' the', 1, ())
    """
    tokens = {token_id: _encodable(token) for token_id, token in vocab_by_id(tokenizer).items()}
    byte_ids = {token_id: byte for token_id, token in tokens.items() if (byte := byte_of_token(token)) is not None}
    notation, added = _notation(tokenizer), tokenizer.rules.added_tokens.tokens
    texts = (token if token_id in added else _text(notation, token) for token_id, token in tokens.items())
    pairs = tuple(_pairs(tokenizer))
    return ModelKnowledge(
        notation=notation,
        tokens=tokens,
        texts=tuple(filter(None, dict.fromkeys(texts))),
        special_ids=tuple(_special_ids(tokenizer)),
        byte_ids=byte_ids,
        pairs=pairs,
        scores=_scores(tokenizer),
        patterns=tuple(_patterns(tokenizer)),
        rules=tuple(_rules(tokenizer)),
        added=tuple(added.values()),
        symbols=tuple(_written(notation, _pieces(tokenizer, PieceType.USER_DEFINED))),
        reserved=(*(tuple(_pieces(tokenizer, kind)) for kind in _RESERVED), tuple(map(tokens.__getitem__, byte_ids))),
        unmerged=tuple(_written(notation, _unmerged(tokenizer, pairs))),
        template=tuple(dict.fromkeys(filter(None, map(tokens.get, tokenizer.encode_ids(""))))),
    )


def vocab_by_id(tokenizer: Tokenizer) -> dict[int, str]:
    """Id to token, in ascending order of the ids, which need not be contiguous.

    All at once, since there are hundreds of thousands.

    >>> import reftok
    >>> [*vocab_by_id(reftok.load("bpe-gpt2")).items()][:3]
    [(0, '<|endoftext|>'), (1, '!'), (2, '"')]
    """
    added = ((token_id, tokenizer.id_to_token(token_id) or "") for token_id in tokenizer.rules.added_tokens.tokens)
    entries = {token_id: token for token, token_id in tokenizer.rules.model.vocab.items()} | dict(added)
    return {token_id: entries[token_id] for token_id in sorted(entries)}


def _encodable(token: str) -> str:
    """A token without the lone surrogates that stand for bytes in GGUF files."""
    return token if token.isascii() else token.encode("utf-8", "ignore").decode("utf-8")


def _text(notation: Notation, tokens: str) -> str:
    if notation == "metaspace":
        return tokens.replace(SPACE_SYMBOL, " ")
    data = from_byte_characters(tokens) if notation == "byte-level" else None
    return tokens if data is None else data.decode("utf-8", "ignore")


def _notation(tokenizer: Tokenizer) -> Notation:
    steps = (*tokenizer.rules.pre_tokenizers, *tokenizer.rules.normalizers, *(tokenizer.rules.decoders or ()))
    kinds = pre_tokenizers.ByteLevel | normalizers.ByteLevel | decoders.ByteLevel
    if isinstance(tokenizer.rules.model, RankBPE | LlamaBPE) or any(isinstance(step, kinds) for step in steps):
        return "byte-level"
    return "metaspace" if any(token.startswith(SPACE_SYMBOL) for token in tokenizer.rules.model.vocab) else "plain"


def _special_ids(tokenizer: Tokenizer) -> list[int]:
    special = {token_id for token_id, token in tokenizer.rules.added_tokens.tokens.items() if token.special}
    if isinstance(tokenizer.rules.model, PieceModel):
        reserved = (PieceType.CONTROL, PieceType.UNKNOWN)
        pieces = enumerate(tokenizer.rules.model.table.pieces)
        special |= {token_id for token_id, piece in pieces if piece.type in reserved}
    return sorted(special)


def _pieces(tokenizer: Tokenizer, kind: PieceType) -> list[str]:
    model = tokenizer.rules.model
    return [piece.piece for piece in model.table.pieces if piece.type is kind] if isinstance(model, PieceModel) else []


def _written(notation: Notation, tokens: Iterable[str]) -> Iterator[str]:
    """Tokens as what they stand for; what has two readings in both."""
    return (text for token in tokens for text in dict.fromkeys((_text(notation, token), token)) if text)


def _unmerged(tokenizer: Tokenizer, pairs: Iterable[Pair]) -> list[str]:
    model = tokenizer.rules.model
    if not isinstance(model, BPE | RankBPE | LlamaBPE):
        return []
    known = {left + right for left, right in pairs} | {
        token.content for token in tokenizer.rules.added_tokens.tokens.values()
    }
    entries = [token for token in model.vocab if len(token) > 1]
    return [*(token for token in entries if token not in known), *_merged_otherwise(model, entries)]


def _merged_otherwise(model: Model, entries: Sequence[str]) -> Iterator[str]:
    """Some of the entries that merging does not produce, although merges for them exist: ignore_merges finds them."""
    merging = merging_words(model)
    if merging is not None:
        some = entries[:: 1 + len(entries) // _MOST_MERGED]
        yield from (token for token in some if len(merging.tokenize(token)) > 1)


class _MergingRanks(RankBPE):
    def takes_whole(self, text: str) -> bool:
        return False


def merging_words(model: Model) -> Model | None:
    """The model that merges words which are in the vocab too; None for one that does so by itself."""
    if isinstance(model, RankBPE):
        return _MergingRanks(model.vocab)
    if not isinstance(model, BPE) or not model.options.ignore_merges:
        return None
    merging = copy(model)
    merging.options = replace(model.options, ignore_merges=False)
    return merging


def _pairs(tokenizer: Tokenizer) -> list[Pair]:
    model = tokenizer.rules.model
    if isinstance(model, BPE):
        in_order = sorted(model.merges.items(), key=lambda item: item[1])
        tokens = {token_id: token for token, token_id in model.vocab.items()}
        return [(tokens[first], tokens[second]) for (first, second), _ in in_order]
    if not isinstance(model, RankBPE | LlamaBPE | LlamaSPM | SentencePieceBPE):
        return []
    vocab = model.table.text_ids if isinstance(model, SentencePieceBPE) else model.vocab
    return [
        (token[:end], token[end:])
        for token in vocab
        for end in range(1, min(len(token), 64))
        if token[:end] in vocab and token[end:] in vocab
    ]


def _scores(tokenizer: Tokenizer) -> dict[str, float]:
    model = tokenizer.rules.model
    if isinstance(model, Unigram):
        return dict(model.pieces)
    if isinstance(model, SentencePieceBPE | SentencePieceUnigram):
        return {piece: model.table.pieces[token_id].score for piece, token_id in model.table.text_ids.items()}
    if isinstance(model, LlamaSPM):
        return {_encodable(token): model.scores[token_id] for token, token_id in model.vocab.items()}
    return {}


def _patterns(tokenizer: Tokenizer) -> list[Node]:
    trees = map(tree_of_step, tokenizer.rules.pre_tokenizers)
    return [tree for tree in trees if tree is not None]


def tree_of_step(step: object) -> Node | None:
    """The syntax tree of the pattern that a pre-tokenizer cuts by, also where it is Rust's and can be read as such."""
    pattern = step.pattern if isinstance(step, pre_tokenizers.Split) else None
    if isinstance(step, pre_tokenizers.ByteLevel) and step.use_regex:
        pattern = compile_oniguruma(pre_tokenizers.GPT2_PATTERN)
    return tree_of_pattern(pattern) if isinstance(pattern, Pattern) else None


def tree_of_pattern(pattern: Pattern) -> Node | None:
    """The syntax tree of a pattern; None if it is of another dialect and cannot be read as Oniguruma's."""
    try:
        return pattern.tree or parse(pattern.source)
    except ReftokError:
        return None


def _rules(tokenizer: Tokenizer) -> list[Pair]:
    return [
        rule
        for step in tokenizer.rules.normalizers
        if isinstance(step, SentencePieceNormalizer | normalizers.Precompiled) and step.charsmap is not None
        for rule in charsmap_rules(step.charsmap)
    ]
