"""The files of a trained tokenizer: tokenizer.json, vocab.json with merges.txt, and rank files of tiktoken.

Source: tokenizers 0.23 tokenizer/serialization.rs, tokenizer/added_vocabulary.rs `add_tokens`, models/bpe/model.rs
`save`; tiktoken 0.14 load.py.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from reftok.errors import TrainingStopped
from reftok.rules.byte_level import BYTE_TO_CHARACTER, from_byte_characters
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.types import AddedToken
from reftok.training.options import SpecialTokens, special_token
from reftok.training.pipelines import Json


def added_tokens(
    before: AddedVocabulary, special_tokens: SpecialTokens, ids: Mapping[str, int], size: int
) -> list[Json]:
    """The `added_tokens` of the file: those from before the training, then the trainer's special tokens.

    before: of the tokenizer that was trained. ids: the trained vocab. size: of it.

    Quirks: every one of the trainer's tokens becomes special, and keeps its other flags. A token from before keeps the
    id that it had, whatever the trained vocab has there (huggingface/tokenizers 1169, 1200); where one of the trainer's
    tokens has that id, it is gone. Readers of the file do not look at these ids.
    """
    by_id = dict(before.tokens)
    by_content = {
        content: token_id for content in before.contents if (token_id := before.token_to_id(content)) is not None
    }
    highest = max(by_id, default=None)
    next_id = size if highest is None or (highest < size and size) else highest + 1
    for given in special_tokens:
        token = special_token(given)
        if not token.content or by_id.get(by_content.get(token.content, -1)) == token:
            continue
        token_id = by_content.get(token.content, ids.get(token.content))
        if token_id is None:
            token_id, next_id = next_id, next_id + 1
        by_content[token.content] = token_id
        by_id[token_id] = token
    return [_entry(token_id, by_id[token_id]) for token_id in sorted(by_id)]


def _entry(token_id: int, token: AddedToken) -> Json:
    names = ("content", "single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": token_id, **{name: getattr(token, name) for name in names}}


def tokenizer_json(value: Json) -> str:
    """The file as `Tokenizer.save` writes it.

    Quirk: a score that is no finite number, which JSON cannot hold, is null; no library reads that again.
    """
    model = value["model"]
    if model["type"] == "Unigram":
        vocab = [[piece, score if isfinite(score) else None] for piece, score in model["vocab"]]
        value = {**value, "model": {**model, "vocab": vocab}}
    return json.dumps(value, ensure_ascii=False, indent=2)


def vocab_and_merges(value: Json) -> dict[str, str]:
    """The content of merges.txt and of vocab.json, as `BPE.save` writes them.

    Raises TrainingStopped for another model, and for a token that a line of merges cannot hold.
    """
    model = value["model"]
    if model["type"] != "BPE":
        raise TrainingStopped(f"vocab.json and merges.txt hold a BPE, and no {model['type']}: write tokenizer.json")
    for token in model["vocab"]:
        if any(blank in token for blank in " \n\r") and any(token in pair for pair in model["merges"]):
            raise TrainingStopped(
                f"merges.txt cannot hold the token {token!r:.60}, with white space: tokenizer.json can"
            )
    lines = ["#version: 0.2", *(f"{left} {right}" for left, right in model["merges"])]
    vocab = json.dumps(model["vocab"], ensure_ascii=False, separators=(",", ":"))
    return {"merges.txt": "".join(f"{line}\n" for line in lines), "vocab.json": vocab}


def tiktoken_files(value: Json, name: str, pattern: str) -> dict[str, str]:
    """The rank file, and before it the .toml with the pattern and the special tokens, as `reftok.load` reads them.

    name: of the rank file. pattern: what cuts the text.
    Raises TrainingStopped where the tokens are not bytes, or where a byte has none.
    """
    model = value["model"]
    special = {token["content"]: token["id"] for token in value["added_tokens"]}
    ranks: dict[bytes, int] = {}
    for token, rank in model["vocab"].items():
        if token in special:
            continue
        data = from_byte_characters(token)
        if data is None or model["type"] != "BPE" or model["continuing_subword_prefix"] or model["end_of_word_suffix"]:
            raise TrainingStopped(
                f"{name}: a rank file holds tokens of bytes, and not {token!r:.60}: use --pipeline byte-level"
            )
        ranks[data] = rank
    lacking = [byte for byte in BYTE_TO_CHARACTER if bytes([byte]) not in ranks]
    if lacking:
        raise TrainingStopped(
            f"{name}: a rank file holds all bytes, and {lacking[0]:02X} is not in the vocab: leave out "
            "--initial-alphabet and --limit-alphabet"
        )
    if value["normalizer"] is not None:
        raise TrainingStopped(f"{name}: a rank file has no normalizer: write tokenizer.json")
    lines = (f"{base64.b64encode(data).decode('ascii')} {rank}\n" for data, rank in ranks.items())
    tokens = ", ".join(f"{json.dumps(content)} = {token_id}" for content, token_id in special.items())
    toml = f"[encoding]\npattern = {json.dumps(pattern)}\nspecial_tokens = {{ {tokens} }}\n"
    return {str(Path(name).with_suffix(".toml")): toml, name: "".join(lines)}
