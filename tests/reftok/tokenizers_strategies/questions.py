"""What a tokenizer.json is asked: texts, words, ids and tokens that come near to its own."""

from __future__ import annotations

from hypothesis import strategies as st

from ..official import Json
from ..pipeline_comparison import Input
from .pipelines import pipelines
from .texts import WORDS, texts, words

DECODED = ["<0xC3>", "<0xA9>", "<0x41>", "<0xc3>", "<0x+A>", "##a", "a</w>", "|", "<pad>", "▁", "▁a", " ", "", "Ġ", "Ã"]
DECODED += ["©", "n't", " .", "do not", "é", "aab"]
AIMED = [*"²½Ⅳ3!…İΣÉ\u0301漢カж가ﬁ\u200b\u200d👩\t\n", "e\u0301"]
"""What the normalizers and pre-tokenizers tell apart."""


def tokens_of(config: Json) -> list[str]:
    """The vocab and the added tokens."""
    vocab = config["model"]["vocab"]
    tokens = list(vocab) if isinstance(vocab, dict) else [piece for piece, _ in vocab]
    return [*tokens, *(token["content"] for token in config["added_tokens"])]


def texts_for(config: Json) -> st.SearchStrategy[str]:
    """Texts of the tokens of a file, among them short ones of added tokens and white space alone, and any others."""
    contents = [token["content"] for token in config["added_tokens"]]
    parts = st.sampled_from([*WORDS, *AIMED, " ", *tokens_of(config), *contents])
    close = st.lists(st.sampled_from([*contents, "a", " ", "\n"]), max_size=7)
    joined = [st.lists(parts, max_size=12).map("".join), st.lists(parts, max_size=8).map(" ".join), close.map("".join)]
    return st.one_of(texts, *joined)


def inputs_for(config: Json) -> st.SearchStrategy[Input]:
    """Everything that a file is asked at once."""
    inputs = texts_for(config)
    vocab = config["model"]["vocab"]
    known = list(vocab.values()) if isinstance(vocab, dict) else list(range(len(vocab)))
    return st.builds(
        Input,
        text=inputs,
        pair=st.none() | inputs,
        words=st.lists(words | inputs, max_size=3),
        ids=st.lists(st.sampled_from([0, *known]) | st.integers(0, 45), max_size=10),
        tokens=st.lists(st.sampled_from([*DECODED, *tokens_of(config)]), max_size=8),
        encode_special_tokens=st.booleans(),
    )


@st.composite
def questions(draw: st.DrawFn) -> tuple[Json, list[Input]]:
    """A file and what it is asked."""
    config = draw(pipelines())
    return config, draw(st.lists(inputs_for(config), min_size=1, max_size=3))
