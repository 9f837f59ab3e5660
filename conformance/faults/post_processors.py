"""Ways to get the special tokens around the text wrong."""

from __future__ import annotations

from functools import partial

from conformance.faults.fault import Fault, Faults
from reftok import Tokenizer


def of_post_processors(tokenizer: Tokenizer) -> Faults:
    """The special tokens left out, or there twice; one at the end that the template does not have."""
    empty = tokenizer.encode_ids("")
    bare = Fault(
        "PostProcessor",
        "special tokens are not added",
        lambda text: tokenizer.encode_ids(text, add_special_tokens=False),
    )
    if empty:
        yield bare
        before = _before(tokenizer)
        yield Fault("PostProcessor", "special tokens are added twice", lambda text: _doubled(tokenizer, before, text))
    for name, token_id in _ends(tokenizer).items():
        if not empty or empty[-1] != token_id:
            yield Fault(
                "PostProcessor",
                f"a special token is added at the {name}",
                partial(_with_one, tokenizer, token_id, name == "start"),
            )


def _ends(tokenizer: Tokenizer) -> dict[str, int]:
    named = {"start": tokenizer.bos_id, "end": tokenizer.eos_id}
    return {name: token_id for name, token_id in named.items() if token_id is not None}


def _before(tokenizer: Tokenizer) -> int:
    """The number of special tokens before a text."""
    bare, whole = tokenizer.encode_ids("a", add_special_tokens=False), tokenizer.encode_ids("a")
    return next((start for start in range(len(whole)) if whole[start : start + len(bare)] == bare), 0)


def _doubled(tokenizer: Tokenizer, before: int, text: str) -> list[int]:
    """Those before the text twice, those behind it once, as where the caller adds the first as well."""
    whole = tokenizer.encode_ids(text)
    return [*whole[:before], *whole]


def _with_one(tokenizer: Tokenizer, token_id: int, first: bool, text: str) -> list[int]:
    ids = tokenizer.encode_ids(text)
    return [token_id, *ids] if first else [*ids, token_id]
