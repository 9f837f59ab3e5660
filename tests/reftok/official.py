"""The same tokenizer.json as reftok and as the official library read it, and the comparison of the two."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

import tokenizers

from reftok.errors import ModelFormatError
from reftok.fast.normalizers import fast_normalizer
from reftok.formats.huggingface.tokenizer_json import read_tokenizer_json
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import AddedToken, Encoding
from reftok.tokenizer import Tokenizer

from .protobuf_writer import compile_charsmap

Json = dict[str, Any]
Result = TypeVar("Result")

EVERY_CHARACTER = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
"""All 1,112,064 scalar values."""


def bpe(vocab: Iterable[str] | Mapping[str, int], merges: Iterable[Any] = (), **options: Any) -> Json:
    """A BPE model; a vocab without ids is numbered from 0, a merge may be a pair or a line."""
    ids = dict(vocab) if isinstance(vocab, Mapping) else {token: index for index, token in enumerate(vocab)}
    return {"type": "BPE", "vocab": ids, "merges": list(merges), **options}


def unigram(*pieces: tuple[str, float], unk_id: int | None = 0, **options: Any) -> Json:
    return {"type": "Unigram", "vocab": [list(piece) for piece in pieces], "unk_id": unk_id, **options}


def wordpiece(vocab: Iterable[str], **options: Any) -> Json:
    ids = {token: index for index, token in enumerate(vocab)}
    defaults = {"unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    return {"type": "WordPiece", **defaults, "vocab": ids, **options}


def wordlevel(vocab: Iterable[str], unk_token: str = "<unk>") -> Json:
    return {"type": "WordLevel", "vocab": {token: index for index, token in enumerate(vocab)}, "unk_token": unk_token}


def added(content: str, **flags: bool) -> AddedToken:
    return AddedToken(content, **{"normalized": False, **flags})


def tokenizer_json(model: Json, added_tokens: Iterable[AddedToken] = (), **stages: Json | None) -> Json:
    """A whole file; the stages that are not given are null."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": index,
                "content": token.content,
                "single_word": token.single_word,
                "lstrip": token.lstrip,
                "rstrip": token.rstrip,
                "normalized": token.normalized,
                "special": token.special,
            }
            for index, token in enumerate(added_tokens)
        ],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        **stages,
        "model": model,
    }


def chain(kind: str, components: Sequence[Json]) -> Json | None:
    """Components of one stage: null, the component itself, or a Sequence; `kind` is the key of its children."""
    if len(components) < 2:
        return components[0] if components else None
    return {"type": "Sequence", kind: list(components)}


def as_bytes(config: object) -> bytes:
    return json.dumps(config, ensure_ascii=False).encode("utf-8")


def own(config: object) -> Tokenizer:
    return Tokenizer(read_tokenizer_json(as_bytes(config)))


def official(config: object) -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer.from_str(as_bytes(config).decode("utf-8"))


read_own = lru_cache(maxsize=16)(lambda data: Tokenizer(read_tokenizer_json(data)))
read_official = lru_cache(maxsize=16)(tokenizers.Tokenizer.from_str)
fast_form = lru_cache(maxsize=64)(fast_normalizer)
"""Read once for many texts: nobody may change them."""


def with_stages(**components: Json) -> bytes:
    """A file with these stages, in which the model does not matter."""
    return as_bytes(tokenizer_json(bpe("a"), **components))


def outcome(action: Callable[[], Result]) -> Result | str:
    """What an action gives; "refused" where it raises, "panicked" where the library breaks down.

    A panic of the library is a BaseException, and what it leaves behind is nothing to compare with.
    """
    try:
        return action()
    except Exception:
        return "refused"
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return "panicked"


def refusal(action: Callable[[], object]) -> str:
    """The message of the ModelFormatError that an action raises, "" where it raises none."""
    try:
        action()
    except ModelFormatError as error:
        return str(error)
    return ""


def official_encoding(
    tokenizer: tokenizers.Tokenizer, text: str, add_special_tokens: bool = True, pair: str | None = None
) -> tokenizers.Encoding:
    return tokenizer.encode(text, pair, add_special_tokens=add_special_tokens)


def as_lists(encoding: Encoding | tokenizers.Encoding) -> dict[str, list[Any]]:
    names = ("ids", "tokens", "offsets", "special_tokens_mask", "word_ids", "type_ids")
    lists = {name: list(getattr(encoding, name)) for name in (*names, "attention_mask", "sequence_ids")}
    return {**lists, "overflowing": [as_lists(other) for other in encoding.overflowing]}


def assert_same_encoding(config: object, *texts: str, pair: str | None = None) -> Encoding:
    """Load both, compare every list of the encodings of all texts, each with `pair`, and give the last one.

    The encoding of the engine and that of the plain rules are held to that of the library.
    """
    ours, theirs = own(config), official(config)
    for text in texts:
        for add_special_tokens in (False, True):
            expected = as_lists(official_encoding(theirs, text, add_special_tokens, pair))
            assert as_lists(ours.rules.encode(text, pair, add_special_tokens)) == expected, text
            encoding = ours.encode(text, pair, add_special_tokens)
            assert as_lists(encoding) == expected, text
    return encoding


def normalized_alignment(normalizer: Json, text: str) -> tuple[str, list[tuple[int, int]]]:
    """The normalized text and the span of each of its characters, by the official library."""
    pre_tokenized = tokenizers.PreTokenizedString(text)
    loaded = read_official(with_stages(normalizer=normalizer).decode("utf-8")).normalizer
    pre_tokenized.normalize(loaded.normalize)
    every = tokenizers.Regex("(?m:.)")
    pre_tokenized.split(lambda index, part: part.split(every, "isolated"))
    splits = pre_tokenized.get_splits("original", "char")
    return "".join(part for part, _, _ in splits), [span for _, span, _ in splits]


def own_normalized(normalizer: Json, text: str) -> NormalizedString:
    """What the plain normalizers make of a text; the fast ones are held to them."""
    return normalized_by(read_own(with_stages(normalizer=normalizer)), text)


def normalized_by(tokenizer: Tokenizer, text: str) -> NormalizedString:
    """The same, by the normalizers of a tokenizer."""
    normalized = fast = NormalizedString(text)
    for step in tokenizer.rules.normalizers:
        normalized, fast = step.normalize(normalized), fast_normalizer(step).normalize(fast)
        assert (fast.text, [*fast.spans()]) == (normalized.text, [*normalized.spans()]), text
    return normalized


def own_parts(pre_tokenizer: Json, text: str) -> list[tuple[str, tuple[int, int]]]:
    """The pre-tokens and their spans, as `pre_tokenize_str` of the official library gives them."""
    splits = [Part(NormalizedString(text))]
    for step in read_own(with_stages(pre_tokenizer=pre_tokenizer)).rules.pre_tokenizers:
        splits = step.pre_tokenize(splits)
    return [(split.normalized.text, split.normalized.original_span(0, len(split.normalized))) for split in splits]


def official_parts(pre_tokenizer: Json, text: str) -> list[tuple[str, tuple[int, int]]]:
    loaded = read_official(with_stages(pre_tokenizer=pre_tokenizer).decode("utf-8")).pre_tokenizer
    return list(loaded.pre_tokenize_str(text))


@cache
def precompiled_charsmap() -> bytes:
    """Rules on letters, on white space, on clusters under and over 6 bytes; one that removes, one that is a prefix."""
    return compile_charsmap(
        {
            "A": "a",
            "ﬁ": "fi",
            "①": "1",
            "e\u0301": "é",
            "e": "E",
            "\u3000": " ",
            "\u200b": "",
            "…": "...",
            "ｶﾞ": "ガ",
            "각": "\u1100\u1161\u11a8",
            "\u1100\u1161": "가",
            "👩": "woman",
            "b\u0323": "",
        }
    )
