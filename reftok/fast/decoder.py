"""From ids to the text of all of them: the token of each id is looked up once, the decoders are those of the rules."""

from __future__ import annotations

from collections.abc import Sequence

from reftok.rules.pipeline import Pipeline


class FastDecoder:
    """Decodes with one pipeline; threads may share it.

    >>> import reftok
    >>> FastDecoder(reftok.load("bpe-gpt2").rules).decoded([40, 3525], skip_special_tokens=True)
    'Hello'
    """

    def __init__(self, rules: Pipeline) -> None:
        self._rules = rules
        self._tokens: dict[bool, dict[int, str | None]] = {False: {}, True: {}}

    def decoded(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        """The text of ids, which are as `checked_ids` gives them. Raises InvalidIds as `Pipeline.decode` does."""
        if self._rules.detokenizer is not None:
            return self._rules.decoded(ids, skip_special_tokens)
        known = self._tokens[bool(skip_special_tokens)]
        try:
            tokens = [*map(known.__getitem__, ids)]
        except KeyError:
            tokens = [self._rules.decodable_token(token_id, skip_special_tokens) for token_id in ids]
            # Ids outside the vocab are not kept: there is no end to them.
            known.update(
                (token_id, token)
                for token_id, token in zip(ids, tokens, strict=True)
                if token is not None or self._rules.id_to_token(token_id) is not None
            )
        return self._rules.decode_tokens([token for token in tokens if token is not None])
