"""The added tokens that every tokenizer.json gets: each flag, each combination, and the contents that make trouble."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tokenizers import AddedToken, Tokenizer

FLAGS = {"single_word": "sw", "lstrip": "ls", "rstrip": "rs", "normalized": "norm"}
IN_VOCAB = "ing"
"""A token that every vocab has; alone as a word it is rare enough not to hide the model."""


def add_tokens(tokenizer: Tokenizer, special: tuple[str, ...] = ()) -> None:
    """Add the pipeline's own special tokens, then all the others, so that their ids follow each other."""
    if tokenizer.token_to_id(IN_VOCAB) is None:
        raise ValueError(f"{IN_VOCAB!r} is not in the vocab, though a token that is should be among the added ones")
    tokenizer.add_special_tokens([AddedToken(content, normalized=False, special=True) for content in special])
    for token in (*every_combination(), *troublesome()):
        add = tokenizer.add_special_tokens if token.special else tokenizer.add_tokens
        add([token])


def every_combination() -> Iterator[AddedToken]:
    """All 32 combinations of the five flags; each token is named after its own.

    >>> [token.content for token in every_combination()][:4]
    ['[plain]', '<plain>', '[norm]', '<norm>']
    """
    for *chosen, special in product((False, True), repeat=len(FLAGS) + 1):
        flags = dict(zip(FLAGS, chosen, strict=True))
        name = "-".join(FLAGS[flag] for flag, is_set in flags.items() if is_set) or "plain"
        yield AddedToken(f"<{name}>" if special else f"[{name}]", special=special, **flags)


def troublesome() -> Iterator[AddedToken]:
    """Contents that matching gets wrong, whatever the flags."""
    # What the normalizers change: NFC composes the accent, nmt_nfkc opens the ligature, Llama's spaces become ▁.
    yield AddedToken("[cafe\u0301]", normalized=True)
    yield AddedToken("[cafe\u0301-raw]", normalized=False)
    yield AddedToken("<cafe\u0301>", normalized=True, special=True)
    yield AddedToken("\ufb01n-norm-sw-ls", normalized=True, single_word=True, lstrip=True)
    yield AddedToken("[two words]", normalized=True)
    yield AddedToken("<two words>", normalized=False, special=True)
    # Characters that are themselves in the byte map, which the ByteLevel decoder reads as bytes.
    yield AddedToken("[\u00e9\u0120]", normalized=False)
    # Overlaps and prefixes: the leftmost wins, of those the longest.
    yield AddedToken("[over|lap", normalized=False)
    yield AddedToken("lap|ping]", normalized=False)
    yield AddedToken("token_1", normalized=False)
    yield AddedToken("token_10", normalized=False)
    yield AddedToken("<extra_id_1>", normalized=False, special=True)
    yield AddedToken("<extra_id_10>", normalized=False, special=True)
    yield AddedToken("<img>", normalized=False, special=True)
    yield AddedToken("<image>", normalized=True, special=True)
    # Letters at both ends, so that single_word has words to look at; the second stands inside longer words.
    yield AddedToken("soleword", single_word=True, normalized=False)
    yield AddedToken("newtoken", normalized=True)
    yield AddedToken(IN_VOCAB, single_word=True, normalized=False)
    # As BERT-like models have them: the mask takes the space before it.
    yield AddedToken("<mask>", lstrip=True, normalized=False, special=True)
    yield AddedToken("<a>", rstrip=True, normalized=False, special=True)
