"""The ids of the tokens that have a name: bos, eos, pad, unk, eot (the end of a turn), im_start, im_end.

The files come first: those of settings beside the model (see `reftok.formats.settings`), the types of the pieces of a
sentencepiece model, the metadata of a GGUF file. A name that they do not mention belongs to the first of its well-known
contents that is a special token, or else an added one; `unk` is the model's own unknown token. Ordinary entries of the
vocab never count: Qwen's vocab has `</s>`, since it was trained on text with markup.

vocab.json and merges.txt without other files do not say which tokens are special. If the vocab has `<|endoftext|>`, it
is bos, eos and unk, as for GPT2Tokenizer of transformers. Otherwise a well-known content counts if no merge makes it,
because then no text can become it.

Most files say nothing about `eot`: only `eot_token` in the files of a folder and `tokenizer.ggml.eot_token_id` of a
GGUF file name it. llama.cpp then looks for well-known contents as well (`special_eot_id`, src/llama-vocab.cpp), but of
several it takes the first of a hash table, and it counts tokens that end a text, such as `<|endoftext|>`, which are
`eos` here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reftok.rules.pipeline import Pipeline

WELL_KNOWN: Mapping[str, tuple[str, ...]] = {
    "bos": ("<s>", "<|begin_of_text|>", "<bos>", "<|startoftext|>"),
    "eos": ("</s>", "<|end_of_text|>", "<eos>", "<|endoftext|>"),
    "pad": ("<pad>", "<|pad|>", "[PAD]"),
    "unk": ("<unk>", "[UNK]"),
    "eot": (
        "<|eot_id|>",
        "<|im_end|>",
        "<|end|>",
        "<end_of_turn>",
        "<turn|>",
        "<|eot|>",
        "<|END_OF_TURN_TOKEN|>",
        "<end_of_utterance>",
    ),
    "im_start": ("<|im_start|>",),
    "im_end": ("<|im_end|>",),
}
"""Name to the contents that published models give its token, in the order of the search."""

CONTENTS = frozenset(content for contents in WELL_KNOWN.values() for content in contents)
"""Every well-known content."""

TURNS = ("eot", "im_start", "im_end")
"""The names of the tokens that mark the turns of a chat."""

MEANINGS: Mapping[str, str] = {
    "bos": "the token that begins a text",
    "eos": "the token that ends a text",
    "pad": "the token that fills a batch up",
    "unk": "the token for what the vocab does not have",
    "eot": "the token that ends a turn of a chat, such as <|im_end|> or <|eot_id|>",
    "im_start": "<|im_start|>, which begins a turn of a chat",
    "im_end": "<|im_end|>, which ends a turn of a chat",
}
"""Name to the meaning of its token, for `help`."""


def named_id(name: str, rules: Pipeline) -> int | None:
    """The id of the token with a name of `WELL_KNOWN`; None if the tokenizer has none."""
    if name in rules.named_ids:
        return rules.named_ids[name]
    if name == "unk" and rules.model.unk_id is not None:
        return rules.model.unk_id
    added = rules.added_tokens
    found = [content for content in WELL_KNOWN[name] if added.token_to_id(content) is not None]
    # Special ones first: Phi-3 has `</s>`, which is not special, and `<|endoftext|>`.
    special = [content for content in found if added.is_special(content)]
    return next(map(added.token_to_id, special or found), None)


def well_known_ids(ids: Mapping[str, int], names: Iterable[str] = WELL_KNOWN) -> dict[str, int | None]:
    """Name to the id of the first of its well-known contents; None if the vocab has none. ids: content to id.

    >>> well_known_ids({"<eos>": 7, "</s>": 2}, ("eos", "pad"))
    {'eos': 2, 'pad': None}
    """
    return {name: next((ids[content] for content in WELL_KNOWN[name] if content in ids), None) for name in names}
