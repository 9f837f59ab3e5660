"""The ids of the tokens that have a name: bos, eos, pad, unk, eot (the end of a turn), im_start, im_end.

What the files say counts: tokenizer_config.json and special_tokens_map.json of a folder, the types of the pieces of a
sentencepiece model, the metadata of a GGUF file. Of a name about which they say nothing, the first of its well-known
contents has it that is a special token, or else an added one; and the model's own unknown token is `unk`. An ordinary
entry of the vocab never counts: Qwen's has `</s>`, since text with markup was trained on. Where there is none the id
is None.

vocab.json and merges.txt with nothing beside them do not say which tokens are special. Where the vocab has
`<|endoftext|>`, that is bos, eos and unk, as for GPT2Tokenizer of transformers. For the other names, and in other
vocabs, a well-known content counts that no merge makes: text never becomes such an entry.

Of `eot` most files say nothing: only `eot_token` in the files of a folder and `tokenizer.ggml.eot_token_id` in a GGUF
file name it. llama.cpp then goes by well-known contents as well (`special_eot_id`, src/llama-vocab.cpp), but where a
vocab has several it takes the first of a hash table, and it counts tokens that end a text, such as `<|endoftext|>`:
those are `eos` here.
"""

from __future__ import annotations

from collections.abc import Mapping

from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.stages import Model

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
"""By name the contents that published models give its token, in the order in which they are looked for."""

TURNS = ("eot", "im_start", "im_end")
"""The names of what marks the turns of a chat."""


MEANINGS: Mapping[str, str] = {
    "bos": "the token that begins a text",
    "eos": "the token that ends a text",
    "pad": "the token that fills a batch up",
    "unk": "the token for what the vocab does not have",
    "eot": "the token that ends a turn of a chat, such as <|im_end|> or <|eot_id|>",
    "im_start": "<|im_start|>, which begins a turn of a chat",
    "im_end": "<|im_end|>, which ends a turn of a chat",
}
"""By name what `help` says of its id."""


def named_id(name: str, named_ids: Mapping[str, int | None], model: Model, added_tokens: AddedVocabulary) -> int | None:
    """The id of the token with a name of `WELL_KNOWN`, None where there is none.

    named_ids: what the files say.
    """
    if name in named_ids:
        return named_ids[name]
    if name == "unk" and model.unk_id is not None:
        return model.unk_id
    return _id_of_added(added_tokens, name)


def _id_of_added(tokens: AddedVocabulary, name: str) -> int | None:
    """The id of a well-known added token, special ones first: Phi-3 has `</s>`, not special, beside `<|endoftext|>`."""
    found = [content for content in WELL_KNOWN[name] if tokens.token_to_id(content) is not None]
    special = [content for content in found if tokens.is_special(content)]
    return next(map(tokens.token_to_id, special or found), None)


def first_well_known(name: str, ids: Mapping[str, int]) -> int | None:
    """The id of the first of the well-known contents of a name, None where there is none. ids: by content.

    >>> first_well_known("eos", {"<eos>": 7, "</s>": 2})
    2
    """
    return next((ids[content] for content in WELL_KNOWN[name] if content in ids), None)
