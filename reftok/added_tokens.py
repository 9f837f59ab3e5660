"""Added tokens: cut out of the text before the model sees it.

Source: `AddedVocabulary`, tokenizers 0.23 tokenizer/added_vocabulary.rs. Quirks that follow from it:

- Matching is leftmost-longest; a match that `single_word` rejects is consumed, and no shorter one is tried there.
- `lstrip` reaches back to the end of the previous match at most, but `rstrip` does not move the matcher: the token
  that starts inside the stripped white space matches as well, and the two spans overlap.
- A token with `normalized` is matched by its *normalized* content in normalized text, and `id_to_token` gives that
  form too, so that `skip_special_tokens` misses it (0.23; 0.22 gave the content).
- The id in the file is not used. A content that the vocab has keeps the vocab's id, others get the next free one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import regex

from reftok.errors import UnsupportedFeature
from reftok.text import NormalizedString, Split
from reftok.types import AddedToken, Span, Token
from reftok.unicode import RUST

AddedMatch = tuple[int | None, Span]


class AddedVocabulary:
    """The added tokens of one tokenizer, with their ids.

    tokens: in the order of the file.
    vocab: the model's vocab, whose ids come first.
    normalize: what the tokenizer's normalizers make of a text.
    encode_special_tokens: treat special tokens as ordinary text.
    model_size: the first free id; None for the size of the vocab.
    source: the file's name, for messages.
    Raises UnsupportedFeature for tokens whose normalized forms are equal or empty.

    >>> added = AddedVocabulary([AddedToken("<s>", lstrip=True, normalized=False, special=True)], {"a": 0}, str)
    >>> [(part.normalized.text, part.tokens and part.tokens[0].id)
    ...  for part in added.split_raw([Split(NormalizedString("a <s>a"))])]
    [('a', None), (' <s>', 1), ('a', None)]
    """

    def __init__(
        self,
        tokens: Iterable[AddedToken] = (),
        vocab: Mapping[str, int] | None = None,
        normalize: Callable[[str], str] = str,
        encode_special_tokens: bool = False,
        model_size: int | None = None,
        source: str = "",
    ) -> None:
        self.encode_special_tokens = encode_special_tokens
        self._by_id: dict[int, AddedToken] = {}
        self._ids: dict[str, int] = {}
        self._normalized: dict[int, str] = {}
        named = [token for token in tokens if token.content]
        self._special = frozenset(token.content for token in named if token.special)
        self._assign_ids(named, vocab or {}, normalize, len(vocab or {}) if model_size is None else model_size)
        self._refuse_unsound(source)

    def _assign_ids(
        self, tokens: Sequence[AddedToken], vocab: Mapping[str, int], normalize: Callable[[str], str], next_id: int
    ) -> None:
        for token in tokens:
            token_id = self._ids.get(token.content, vocab.get(token.content))
            if token_id is None:
                token_id, next_id = next_id, next_id + 1
            if token.normalized:
                self._normalized[token_id] = normalize(token.content)
            self._ids[token.content] = token_id
            self._by_id[token_id] = token

    def _refuse_unsound(self, source: str) -> None:
        """Refuse what the library answers by chance (it hashes the tokens) or with a panic (it cuts at every byte)."""
        owners: dict[str, AddedToken] = {}
        for token_id, normalized in self._normalized.items():
            token = self._by_id[token_id]
            if token.normalized and not normalized:
                raise UnsupportedFeature(
                    source, "added_tokens", f"nothing is left of {token.content!r} when normalized"
                )
            if token.normalized and owners.setdefault(normalized, token) is not token:
                both = f"{owners[normalized].content!r} and {token.content!r}"
                raise UnsupportedFeature(source, "added_tokens", f"{both} both become {normalized!r} when normalized")

    @property
    def contents(self) -> Iterable[str]:
        """The contents of all added tokens."""
        return self._ids.keys()

    @property
    def tokens(self) -> Mapping[int, AddedToken]:
        """The added tokens by id."""
        return self._by_id

    def token_to_id(self, token: str) -> int | None:
        """The id of an added token by its content."""
        return self._ids.get(token)

    def id_to_token(self, token_id: int) -> str | None:
        """The text that the added token of this id is matched by."""
        token = self._by_id.get(token_id)
        return None if token is None else self._normalized.get(token_id, token.content)

    def is_special(self, token: str) -> bool:
        """Whether this is the content of a special token."""
        return token in self._special

    def split_raw(self, splits: Sequence[Split]) -> list[Split]:
        """Cut the tokens with `normalized=False` out of raw text."""
        return self._split(splits, self._raw_pattern)

    def split_normalized(self, splits: Sequence[Split]) -> list[Split]:
        """Cut the tokens with `normalized=True` out of normalized text."""
        return self._split(splits, self._normalized_pattern)

    @cached_property
    def _raw_pattern(self) -> _Pattern | None:
        return _pattern({token.content: i for i, token in self._by_id.items() if not token.normalized})

    @cached_property
    def _normalized_pattern(self) -> _Pattern | None:
        return _pattern({self._normalized[i]: i for i, token in self._by_id.items() if token.normalized})

    def _split(self, splits: Sequence[Split], pattern: _Pattern | None) -> list[Split]:
        result: list[Split] = []
        for split in splits:
            if split.tokens is not None:
                result.append(split)
            elif pattern is None:
                if split.normalized.text:
                    result.append(Split(split.normalized.slice(0, len(split.normalized))))
            else:
                result += self._cut(split.normalized, pattern)
        return result

    def _cut(self, normalized: NormalizedString, pattern: _Pattern) -> Iterator[Split]:
        for token_id, (start, end) in self._matches(normalized.text, pattern):
            part = normalized.slice(start, end)
            if part.text:
                tokens = None if token_id is None else (Token(token_id, part.text, (0, len(part))),)
                yield Split(part, tokens)

    def _matches(self, text: str, pattern: _Pattern) -> Iterator[AddedMatch]:
        """The matches and what lies between them, as `AddedVocabulary::find_matches` gives them."""
        covered = 0
        for token_id, start, stop in pattern.find(text):
            token = self._by_id[token_id]
            if self.encode_special_tokens and token.content in self._special:
                continue
            if token.single_word and not _stands_alone(text, start, stop):
                continue
            if token.lstrip:
                start = max(_start_of_white_space_before(text, start), covered)
            if token.rstrip:
                stop = _end_of_white_space_after(text, stop)
            if covered < start:
                yield None, (covered, start)
            yield token_id, (start, stop)
            covered = stop
        if covered != len(text):
            yield None, (covered, len(text))


class _Pattern:
    """Leftmost-longest search for a set of strings."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = ids
        longest_first = sorted(ids, key=len, reverse=True)
        self._regex = regex.compile("|".join(map(regex.escape, longest_first)))

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        """The id, start and end of each match."""
        for match in self._regex.finditer(text):
            yield self._ids[match.group()], match.start(), match.end()


def _pattern(ids: Mapping[str, int]) -> _Pattern | None:
    return _Pattern(ids) if ids else None


def _stands_alone(text: str, start: int, stop: int) -> bool:
    after_word = start > 0 and RUST.is_word(text[start - 1])
    before_word = stop < len(text) and RUST.is_word(text[stop])
    return not after_word and not before_word


def _start_of_white_space_before(text: str, start: int) -> int:
    while start > 0 and RUST.is_space(text[start - 1]):
        start -= 1
    return start


def _end_of_white_space_after(text: str, stop: int) -> int:
    while stop < len(text) and RUST.is_space(text[stop]):
        stop += 1
    return stop
