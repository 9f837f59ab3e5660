"""From a whole text to its ids, and to its tokens with offsets: one way for both.

    text ─added tokens─▶ parts ─normalizers─▶ parts ─pre-tokenizers─▶ words ─memo─▶ ids and spans

A part is looked at by the rules only where there is something to do: most texts have no added tokens and are normalized
already. The words of a part are found at once, and each is looked up; a new one is worked out by models.py. Where a
pipeline has other pre-tokenizers than pre_tokens.py knows, the rules cut the text, and the words are looked up as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

from reftok.fast.added_tokens import QuickAddedTokens
from reftok.fast.affixes import Affixes, find_affixes, ids_behind_model
from reftok.fast.known_models import tells_tokens, word_model
from reftok.fast.memo import LONGEST
from reftok.fast.models import Word, WordModel, in_byte_characters
from reftok.fast.normalizers import fast_normalizer
from reftok.fast.pre_tokens import Place, known_pre_tokens
from reftok.regex_dialects.executor import Deadline
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import Encoding, Span

Located: TypeAlias = tuple[NormalizedString, Place, Word, Sequence[str]]
"""The text that a word stands in, where, the word, and the values of its tokens."""

_WHOLE: Place = 0, 0


class FastEncoder:
    """Encodes the texts of one pipeline; threads may share it.

    rules: the pipeline.
    model: its model with the words that it remembers, which pipelines with the same model share; made here if None.

    >>> import reftok
    >>> FastEncoder(reftok.load("bpe-gpt2").rules).ids("Hello world")
    [40, 3525, 341, 291, 2118]
    """

    def __init__(self, rules: Pipeline, model: WordModel[Any] | None = None) -> None:
        self.rules = rules
        self.model: WordModel[Any] = word_model(rules.model) if model is None else model
        self._affixes: dict[bool, Affixes] = {}
        # The rules in their order, over the fast form of each stage up to the pre-tokenizers.
        self._stages = replace(
            rules,
            added_tokens=QuickAddedTokens(rules.added_tokens),
            normalizers=tuple(map(fast_normalizer, rules.normalizers)),
            model=self.model.model,
        )
        self._pre_tokens = known_pre_tokens(rules.pre_tokenizers)
        is_raw = self._pre_tokens is not None and self._pre_tokens.is_raw
        self._ids = self.model.raw_ids if is_raw else self.model.ids
        self._shows_unknown = isinstance(rules.model, PieceModel | Unigram)
        # The value of an unknown token is its text after ByteLevel, which a raw word does not have.
        self._tells_tokens = tells_tokens(rules.model) and not (is_raw and self._shows_unknown)

    def ids(self, text: str) -> list[int]:
        """The ids of a text, which is as `Pipeline.checked_text` gives it, before the stages behind the model."""
        ids: list[int] = []
        with Deadline(len(text)):
            for part in self._stages.normalized(text):
                if part.tokens is None:
                    ids += self._ids_of_part(part.normalized)
                else:
                    ids += [token.id for token in part.tokens]
        return ids

    def _ids_of_part(self, part: NormalizedString) -> Iterable[int]:
        pre_tokens = self._pre_tokens
        if pre_tokens is None:
            return chain.from_iterable([self.ids_of(pre_token.text) for pre_token in self._cut(part)])
        words = pre_tokens.words(part)
        if pre_tokens.is_whole:
            return self.model.ids_of_text(words[0])
        return chain.from_iterable(map(self._ids.__getitem__, words))

    def ids_of(self, pre_token: str) -> Sequence[int]:
        """The ids of a pre-token as the model takes it; a long one is cut further by the model."""
        return self.model.ids[pre_token] if len(pre_token) <= LONGEST else self.model.ids_of_text(pre_token)

    def affixes(self, add_special_tokens: bool) -> Affixes:
        """The special-token prefix and suffix; found once."""
        found = self._affixes.get(bool(add_special_tokens))
        if found is None:
            found = self._affixes[bool(add_special_tokens)] = find_affixes(self.rules, add_special_tokens)
        return found

    def ids_with_affixes(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text behind all stages, as `Pipeline.encode_ids` gives them."""
        around, ids = self.affixes(add_special_tokens), self.ids(text)
        if around.buffered_by:
            return ids_behind_model(self.rules, ids, add_special_tokens)
        return [*around.prefix, *ids, *around.suffix] if around.prefix or around.suffix else ids

    def pre_tokens(self, text: str) -> list[str]:
        """The text as the model takes it, the added tokens among the pre-tokens; trainers count these.

        >>> import reftok
        >>> FastEncoder(reftok.load("bpe-gpt2").rules).pre_tokens("é b")
        ['Ã©', 'Ġb']
        """
        found: list[str] = []
        pre_tokens = self._pre_tokens
        with Deadline(len(text)):
            for part in self._stages.normalized(text):
                if part.tokens is not None:
                    found.append(part.normalized.text)
                elif pre_tokens is None:
                    found += [pre_token.text for pre_token in self._cut(part.normalized)]
                else:
                    words = pre_tokens.words(part.normalized)
                    found += map(in_byte_characters, words) if pre_tokens.is_raw else words
        return found

    def tokens_of(self, text: str, sequence_id: int = 0) -> Encoding:
        """The tokens of a text before the stages behind the model. sequence_id: 1 for the second text of a pair."""
        if not self._tells_tokens:
            return self._stages.tokens_of(text, sequence_id)
        ids: list[int] = []
        tokens: list[str] = []
        offsets: list[Span] = []
        word_ids: list[int | None] = []
        with Deadline(len(text)):
            for index, (string, place, word, values) in enumerate(self._located(text)):
                found, spans = word
                ids += found
                tokens += values
                offsets += _original_spans(string, place, spans)
                word_ids += [index] * len(found)
        size = len(ids)
        ranges = {sequence_id: (0, size)}
        return Encoding(ids, tokens, offsets, [0] * size, word_ids, [sequence_id] * size, sequence_ranges=ranges)

    def _located(self, text: str) -> Iterator[Located]:
        pre_tokens = self._pre_tokens
        for part in self._stages.normalized(text):
            string = part.normalized
            if part.tokens is not None:
                for token in part.tokens:
                    yield string, _WHOLE, ((token.id,), (token.span_normalized,)), (token.value,)
            elif pre_tokens is None:
                for pre_token in self._cut(string):
                    word = self._word(pre_token.text)
                    yield pre_token, _WHOLE, word, self._values(word, pre_token.text)
            else:
                texts, places = pre_tokens.located(string)
                if pre_tokens.is_whole:
                    words: Iterable[Word] = [self.model.word_of_text(texts[0])]
                else:
                    known = self.model.raw_words if pre_tokens.is_raw else self.model.words
                    words = map(known.__getitem__, texts)
                for place, word_text, word in zip(places, texts, words, strict=True):
                    yield string, place, word, self._values(word, word_text)

    def _values(self, word: Word, text: str) -> Sequence[str]:
        """The values of the tokens of a word: entries of the vocab, but for the unknown piece of Unigram and pieces."""
        ids, spans = word
        values = [*map(self.model.token_of, ids)]
        if self._shows_unknown and self.rules.model.unk_id in ids:
            unk_id = self.rules.model.unk_id
            for place, token_id in enumerate(ids):
                if token_id == unk_id:
                    start, end = spans[place]
                    values[place] = text[start:end]
        return values

    def _word(self, pre_token: str) -> Word:
        if len(pre_token) <= LONGEST:
            return self.model.words[pre_token]
        return self.model.word_of_text(pre_token)

    def _cut(self, part: NormalizedString) -> list[NormalizedString]:
        splits = [Part(part)]
        for pre_tokenizer in self.rules.pre_tokenizers:
            splits = pre_tokenizer.pre_tokenize(splits)
        return [split.normalized for split in splits]


def _original_spans(string: NormalizedString, place: Place, spans: Sequence[Span]) -> list[Span]:
    start, lead = place
    if lead:
        # A character that was put before the word has the span of the first one that the text has.
        spans = [(max(first - lead, 0), max(end - lead, 1)) for first, end in spans]
    alignments = string.alignments
    if alignments is None:
        start += string.original_start
        return [(start + first, start + end) for first, end in spans]
    return [
        (alignments[start + first][0], alignments[start + end - 1][1])
        if first < end
        else string.original_span(start + first, start + end)
        for first, end in spans
    ]
