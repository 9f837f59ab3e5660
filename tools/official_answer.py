r"""What an official library answers, asked in a process of its own that knows nothing of the harness.

    echo '[{"text": "caf\u00e9"}]' | python tools/official_answer.py tokenizer.json path/to/tokenizer.json

Takes a list of inputs on standard input, each a text, bytes in hexadecimal or ids, and gives a list of answers: the
ids of a text, with what else the library tells of them, and the text of ids, with special tokens skipped and kept.
A rank file wants its pattern and special tokens as JSON, as a third argument.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


def tokenizers_library(path: str, model_format: str) -> tuple[Callable[[Any], Answer], Callable[[list[int]], Answer]]:
    """HuggingFace `tokenizers`; a vocab.json is GPT-2's."""
    import tokenizers

    if model_format == "tokenizer.json":
        tokenizer = tokenizers.Tokenizer.from_file(path)
    else:
        bpe = tokenizers.models.BPE.from_file(path, str(Path(path).with_name("merges.txt")))
        tokenizer = tokenizers.Tokenizer(bpe)
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = tokenizers.decoders.ByteLevel()
        tokenizer.post_processor = tokenizers.processors.ByteLevel(trim_offsets=False)

    def encode(text: str) -> Answer:
        found = tokenizer.encode(text)
        mask = found.special_tokens_mask
        return {"ids": found.ids, "tokens": found.tokens, "offsets": found.offsets, "special_tokens_mask": mask}

    def decode(ids: list[int]) -> Answer:
        return {
            "text": tokenizer.decode(ids, skip_special_tokens=True),
            "kept": tokenizer.decode(ids, skip_special_tokens=False),
        }

    return encode, decode


def sentencepiece_library(path: str) -> tuple[Callable[[Any], Answer], Callable[[list[int]], Answer]]:
    """Google `sentencepiece`."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=path)

    def encode(text: str | bytes) -> Answer:
        found = processor.Encode(text, return_type="offset_mapping")
        pieces = [piece if isinstance(piece, str) else piece.decode("utf-8", "replace") for piece in found["pieces"]]
        return {"ids": found["ids"], "tokens": pieces, "offsets": found["offsets"]}

    return encode, lambda ids: {"text": processor.Decode(ids)}


def tiktoken_library(path: str, told: Answer) -> tuple[Callable[[Any], Answer], Callable[[list[int]], Answer]]:
    """OpenAI `tiktoken`. told: the pattern and the special tokens."""
    import tiktoken

    lines = (line.split() for line in Path(path).read_bytes().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    special: dict[str, int] = told["special_tokens"]
    encoding = tiktoken.Encoding("given", pat_str=told["pattern"], mergeable_ranks=ranks, special_tokens=special)

    def decode(ids: list[int]) -> Answer:
        skipped = [token_id for token_id in ids if token_id not in special.values()]
        return {"text": encoding.decode(skipped), "kept": encoding.decode(ids)}

    return lambda text: {"ids": encoding.encode(text, allowed_special="all")}, decode


def attempt(ask: Callable[[Any], Answer], question: Any) -> Answer:
    """The answer, or that the library refused; a panic of Rust is a BaseException."""
    try:
        return ask(question)
    except BaseException as error:
        return {"refused": " ".join(str(error).split()) or type(error).__name__}


def main(model_format: str, path: str, told: str = "{}") -> None:
    """Answer what stands on standard input."""
    if model_format == "sentencepiece":
        encode, decode = sentencepiece_library(path)
    elif model_format == "tiktoken":
        encode, decode = tiktoken_library(path, json.loads(told))
    else:
        encode, decode = tokenizers_library(path, model_format)
    answers = []
    for item in json.load(sys.stdin):
        if "ids" in item:
            answers.append(attempt(decode, item["ids"]))
            continue
        answer = attempt(encode, item["text"] if "text" in item else bytes.fromhex(item["hex"]))
        # What the ids of a text are decoded to, for the checks of decoding.
        answers.append({**answer, "decoded": attempt(decode, answer["ids"])} if "ids" in answer else answer)
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
