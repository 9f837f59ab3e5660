"""Added tokens: cut out of the text before the model sees it.

Source: `AddedVocabulary`, tokenizers 0.23 tokenizer/added_vocabulary.rs. Quirks that follow from it:

- Matching is leftmost-longest. A match that `single_word` rejects is consumed: no shorter token is tried there.
- `lstrip` reaches back to the end of the previous match at most, but `rstrip` does not move the matcher: a token that
  starts inside the stripped white space matches as well, and the two spans overlap. If that token has `lstrip`, nothing
  is left of it; if the white space reaches beyond it, the library panics.
- A token with `normalized` is matched by its *normalized* content in normalized text. `id_to_token` returns that form
  too, so that `skip_special_tokens` misses it (0.23; 0.22 returned the content).
- The id in the file is not used. A content that is in the vocab keeps the vocab's id; the others get consecutive ids,
  beginning with the size of the vocab. If the vocab's ids have gaps, such an id may belong to another token already:
  the token that comes last in the file takes it, and the other is no longer matched. If normalizing changed the other
  one and does not change the last one, the last one is matched by the normalized form of the other.
- With `encode_special_tokens` a special token that matches becomes ordinary text: no shorter token is tried there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import regex

from reftok.errors import UnsupportedFeature
from reftok.limits.growth import refuse_expansion
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import AddedToken, Span, Token
from reftok.unicode.characters import RUST, WHITE_SPACE

_BLANKS = "".join(sorted(WHITE_SPACE))
_BLANK_RUN = regex.compile(f"[{_BLANKS}]*+")

AddedMatch = tuple[int | None, Span]


class AddedVocabulary:
    """The added tokens of one tokenizer, with their ids.

    tokens: in the order of the file.
    vocab: of the model; its ids come first.
    normalize: applies the tokenizer's normalizers to a text.
    model_size: the first free id; None means the size of the vocab.
    source: the file's name, for messages.
    Raises UnsupportedFeature for tokens whose normalized contents are equal or empty.

    >>> added = AddedVocabulary([AddedToken("<s>", lstrip=True, normalized=False, special=True)], {"a": 0}, str)
    >>> [(part.normalized.text, part.tokens and part.tokens[0].id)
    ...  for part in added.split_raw([Part(NormalizedString("a <s>a"))])]
    [('a', None), (' <s>', 1), ('a', None)]
    """

    def __init__(
        self,
        tokens: Iterable[AddedToken] = (),
        vocab: Mapping[str, int] | None = None,
        normalize: Callable[[str], str] = str,
        model_size: int | None = None,
        source: str = "",
    ) -> None:
        self._source = source
        self._by_id: dict[int, AddedToken] = {}
        self._ids: dict[str, int] = {}
        self._matched: dict[str, int] = {}
        self._normalized: dict[int, str] = {}
        named = [token for token in tokens if token.content]
        self._special = frozenset(token.content for token in named if token.special)
        self._assign_ids(named, vocab or {}, normalize, len(vocab or {}) if model_size is None else model_size)
        self._refuse_unsound()

    def _assign_ids(
        self, tokens: Sequence[AddedToken], vocab: Mapping[str, int], normalize: Callable[[str], str], next_id: int
    ) -> None:
        given: set[int] = set()
        for token in tokens:
            token_id = self._ids.get(token.content, vocab.get(token.content))
            if token_id is None:
                token_id, next_id = next_id, next_id + 1
                given.add(token_id)
            if token_id in given and token_id in self._by_id:
                self._matched.pop(self._by_id[token_id].content, None)  # its id belongs to this token now
            if token.normalized and (normalized := normalize(token.content)) != token.content:
                self._normalized[token_id] = normalized  # and stays if a later token takes the id
            self._ids[token.content] = self._matched[token.content] = token_id
            self._by_id[token_id] = token

    def _refuse_unsound(self) -> None:
        """Refuse equal contents, of which the library matches one by chance, and empty ones, over which it panics."""
        owners: dict[str, AddedToken] = {}
        for token_id, token in self._by_id.items():
            if not token.normalized:
                continue
            normalized = self._normalized.get(token_id, token.content)
            if not normalized:
                problem = f"nothing is left of {token.content!r} when normalized"
                raise UnsupportedFeature(self._source, "added_tokens", problem)
            if owners.setdefault(normalized, token) is not token:
                both = f"{owners[normalized].content!r} and {token.content!r}"
                problem = f"{both} both become {normalized!r} when normalized"
                raise UnsupportedFeature(self._source, "added_tokens", problem)

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
        """The text by which the added token of this id is matched; None if the id is not that of an added token.

        Quirk: the normalized form, since tokenizers 0.23.1; 0.22.2 and older return the content. So decoded text shows
        what the normalizers changed, and a special token that they changed is not skipped.
        """
        token = self._by_id.get(token_id)
        return None if token is None else self._normalized.get(token_id, token.content)

    def is_special(self, token: str) -> bool:
        """Whether this is the content of a special token."""
        return token in self._special

    def split_raw(self, parts: Sequence[Part], encode_special_tokens: bool = False) -> list[Part]:
        """Cut the tokens with `normalized=False` out of raw text.

        encode_special_tokens: treat special tokens as ordinary text.
        """
        return self._split(parts, self.raw_pattern, encode_special_tokens)

    def split_normalized(self, parts: Sequence[Part], encode_special_tokens: bool = False) -> list[Part]:
        """Cut the tokens with `normalized=True` out of normalized text."""
        return self._split(parts, self.normalized_pattern, encode_special_tokens)

    @cached_property
    def raw_pattern(self) -> AddedTokenPattern | None:
        """The tokens with `normalized=False`, by their contents."""
        return self._pattern({text: i for text, i in self._matched.items() if not self._by_id[i].normalized})

    @cached_property
    def normalized_pattern(self) -> AddedTokenPattern | None:
        """The tokens with `normalized=True`, by their normalized contents."""
        normalized = (i for i, token in self._by_id.items() if token.normalized)
        return self._pattern({self._normalized.get(i, self._by_id[i].content): i for i in normalized})

    def _pattern(self, ids: Mapping[str, int]) -> AddedTokenPattern | None:
        return AddedTokenPattern(ids, self._by_id, self._source) if ids else None

    def special_ids(self) -> frozenset[int]:
        """The ids of the special tokens, which `encode_special_tokens` treats as ordinary text."""
        return frozenset(token_id for token_id, token in self._by_id.items() if token.content in self._special)

    def _split(
        self, parts: Sequence[Part], pattern: AddedTokenPattern | None, encode_special_tokens: bool
    ) -> list[Part]:
        result: list[Part] = []
        for part in parts:
            if part.tokens is not None:
                result.append(part)
            elif pattern is None:
                if part.normalized.text:
                    # A slice of the whole: it drops what a normalizer removed at the start, as a cut would.
                    result.append(Part(part.normalized.slice(0, len(part.normalized))))
            else:
                result += self._cut(part.normalized, pattern, encode_special_tokens)
        return result

    def _cut(
        self, normalized: NormalizedString, pattern: AddedTokenPattern, encode_special_tokens: bool
    ) -> Iterator[Part]:
        for token_id, (start, end) in self._matches(normalized.text, pattern, encode_special_tokens):
            piece = normalized.slice(start, end)
            if piece.text:
                tokens = None if token_id is None else (Token(token_id, piece.text, (0, len(piece))),)
                yield Part(piece, tokens)

    def _matches(self, text: str, pattern: AddedTokenPattern, encode_special_tokens: bool) -> Iterator[AddedMatch]:
        """The matches and the text between them, as `AddedVocabulary::find_matches` gives them.

        Raises ModelFormatError if overlapping matches are too long together.
        """
        covered = size = 0
        for token_id, start, stop in pattern.find(text):
            token = self._by_id[token_id]
            if encode_special_tokens and token.content in self._special:
                continue  # the match is used up, as below
            if token.single_word and not stands_alone(text, start, stop):
                continue
            if token.lstrip:
                start = self.lstripped(text, start, covered)
            if token.rstrip:
                # From `covered` on: the match before may have stripped white space beyond this one already.
                stop = self.rstripped(text, max(stop, covered))
            if start > stop:
                continue  # it lies in the white space that the match before stripped
            size += stop - start
            refuse_expansion(size, len(text), "added_tokens")
            if covered < start:
                yield None, (covered, start)
            yield token_id, (start, stop)
            covered = stop
        if covered != len(text):
            yield None, (covered, len(text))

    def lstripped(self, text: str, start: int, lowest: int) -> int:
        """The start of the match at `start` with the white space before it; not before `lowest`."""
        return start_of_white_space_before(text, start, lowest)

    def rstripped(self, text: str, stop: int) -> int:
        """The end of the match that ends at `stop` with the white space after it."""
        return end_of_white_space_after(text, stop)


class AddedTokenPattern:
    """Leftmost-longest search for a set of strings.

    ids: matched text to the id of its token.
    tokens: id to token.
    source: the file's name, for messages.

    >>> pattern = AddedTokenPattern({"<s>": 1, "<s>x": 2}, {1: AddedToken("<s>"), 2: AddedToken("<s>x")})
    >>> list(pattern.find("a<s>x<s>"))
    [(2, 1, 5), (1, 5, 8)]
    """

    def __init__(self, ids: Mapping[str, int], tokens: Mapping[int, AddedToken], source: str = "") -> None:
        self.ids = ids
        self.tokens = tokens
        self.contents = EntriesByBeginning(ids, source, "added_tokens")
        members = "".join(map(regex.escape, sorted({content[0] for content in ids})))
        self.first_character: re.Pattern[str] | regex.Pattern[str] = regex.compile(f"[{members}]", regex.V0)

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        """The id, start and end of each match."""
        position = 0
        while (found := self.first_character.search(text, position)) is not None:
            start = found.start()
            content = next(self.contents.at(text, start), None)
            position = start + len(content or "-")  # behind the match, or one character later if no token matches
            if content is not None:
                yield self.ids[content], start, position


def stands_alone(text: str, start: int, stop: int) -> bool:
    """Whether no word character is on either side."""
    after_word = start > 0 and RUST.is_word(text[start - 1])
    before_word = stop < len(text) and RUST.is_word(text[stop])
    return not after_word and not before_word


def start_of_white_space_before(text: str, start: int, lowest: int) -> int:
    """The start of the white space that ends at `start`; not before `lowest`."""
    return lowest + len(text[lowest:start].rstrip(_BLANKS)) if lowest < start else lowest


def end_of_white_space_after(text: str, stop: int) -> int:
    """The end of the white space that begins at `stop`."""
    run = _BLANK_RUN.match(text, stop)
    return run.end() if run else stop
