"""The special tokens of a model, for a subject that leaves them to its callers: added, skipped or matched by nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from conformance.core.observation import Encoded
from reftok import ReftokError, Tokenizer
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import PieceType

_PLAIN_TEXT = "a"


NO_TOKENS = Encoded((), (), (), ())


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """The special tokens of a model.

    ids: of those that decoding may skip. contents: their texts. before, after: what the template puts around a text.
    """

    ids: frozenset[int] = frozenset()
    contents: tuple[str, ...] = ()
    before: Encoded = NO_TOKENS
    after: Encoded = NO_TOKENS

    def in_text(self, text: str) -> str:
        """The first special token whose text stands in a text; "" where there is none."""
        found = _any_of(self.contents).search(text) if self.contents else None
        return found.group() if found else ""

    def without(self, ids: Sequence[int]) -> list[int]:
        """The ids that are of no special token."""
        return [token_id for token_id in ids if token_id not in self.ids]

    def around(self, encoded: Encoded) -> Encoded:
        """An encoding in the template.

        >>> tokens = SpecialTokens(before=Encoded((1,), ("<s>",), ((0, 0),), (1,)))
        >>> whole = tokens.around(Encoded((5,), None, ((0, 1),)))
        >>> whole.ids, whole.tokens, whole.offsets
        ((1, 5), None, ((0, 0), (0, 1)))
        """
        before, after = self.before, self.after
        return Encoded(
            (*before.ids, *encoded.ids, *after.ids),
            None if encoded.tokens is None else (*(before.tokens or ()), *encoded.tokens, *(after.tokens or ())),
            None if encoded.offsets is None else (*(before.offsets or ()), *encoded.offsets, *(after.offsets or ())),
            None
            if encoded.special_tokens_mask is None
            else (
                *(before.special_tokens_mask or ()),
                *encoded.special_tokens_mask,
                *(after.special_tokens_mask or ()),
            ),
        )


def special_tokens(tokenizer: Tokenizer) -> SpecialTokens:
    """Those of a model, as the reference has loaded it."""
    special = {token_id: token for token_id, token in tokenizer.rules.added_tokens.tokens.items() if token.special}
    skipped = frozenset(special) | _control_ids(tokenizer)
    contents = tuple(sorted((token.content for token in special.values() if token.content), key=len, reverse=True))
    try:
        encoding = tokenizer.encode(_PLAIN_TEXT)
    except ReftokError:
        return SpecialTokens(skipped, contents)
    mask = encoding.special_tokens_mask
    first = mask.index(0) if 0 in mask else len(mask)
    last = len(mask) - [*reversed(mask)].index(0) if 0 in mask else len(mask)

    def part(start: int, end: int | None) -> Encoded:
        cut = slice(start, end)
        spans = tuple((span[0], span[1]) for span in encoding.offsets[cut])
        return Encoded(tuple(encoding.ids[cut]), tuple(encoding.tokens[cut]), spans, tuple(mask[cut]))

    return SpecialTokens(skipped, contents, part(0, first), part(last, None))


def _control_ids(tokenizer: Tokenizer) -> frozenset[int]:
    """Those of the control pieces of a sentencepiece model, which its library leaves out of every text.

    In a text they are text to it: their contents are nothing that has to be matched.
    """
    if not isinstance(tokenizer.rules.model, PieceModel):
        return frozenset()
    table = tokenizer.rules.model.table
    return frozenset(table.vocab[piece] for piece in table.of_type(PieceType.CONTROL))


def _any_of(contents: tuple[str, ...]) -> regex.Pattern[str]:
    return regex.compile("|".join(map(regex.escape, contents)))
