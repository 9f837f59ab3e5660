"""Rank files of tiktoken: lines of base64 bytes and a rank. The pattern and the special tokens are not in the file.

They are known for the published files, which are recognised by their SHA-256 and never by guessing; for another file
the caller names an encoding.
Source: tiktoken 0.14 load.py `load_tiktoken_bpe`, tiktoken_ext/openai_public.py; for llama3 the repository
meta-llama/llama-models, llama3/tokenizer.py.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import regex

from reftok.added_tokens import AddedVocabulary
from reftok.byte_level import to_byte_characters
from reftok.decoders import ByteLevel as ByteLevelDecoder
from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.models.rank_bpe import RankBPE
from reftok.pretokenizers import ByteLevel, Split
from reftok.tokenizer import Tokenizer
from reftok.types import AddedToken

GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_O200K_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_O200K_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_O200K_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K_PATTERN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_O200K_UPPER}*{_O200K_LOWER}+{_O200K_CONTRACTION}"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_O200K_UPPER}+{_O200K_LOWER}*{_O200K_CONTRACTION}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True, slots=True)
class RankEncoding:
    """What belongs to a rank file but is not in it.

    pattern: in the syntax of Rust's fancy-regex, where `$` is the end of the text.
    sha256: of the published rank file.
    """

    name: str
    pattern: str
    special_tokens: Mapping[str, int]
    sha256: str


def _llama3_special_tokens() -> dict[str, int]:
    reserved = [f"<|reserved_special_token_{number}|>" for number in range(251)]
    names = ["<|begin_of_text|>", "<|end_of_text|>", *reserved[:4], "<|start_header_id|>", "<|end_header_id|>"]
    names += [reserved[4], "<|eot_id|>", *reserved[5:]]
    return {name: 128000 + index for index, name in enumerate(names)}


_ENDOFTEXT = "<|endoftext|>"
_CL100K_SPECIAL_TOKENS = {
    _ENDOFTEXT: 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}

ENCODINGS: Mapping[str, RankEncoding] = {
    encoding.name: encoding
    for encoding in (
        RankEncoding(
            "r50k_base",
            GPT2_PATTERN,
            {_ENDOFTEXT: 50256},
            "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        ),
        RankEncoding(
            "p50k_base",
            GPT2_PATTERN,
            {_ENDOFTEXT: 50256},
            "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        ),
        RankEncoding(
            "cl100k_base",
            CL100K_PATTERN,
            _CL100K_SPECIAL_TOKENS,
            "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        ),
        RankEncoding(
            "o200k_base",
            O200K_PATTERN,
            {_ENDOFTEXT: 199999, "<|endofprompt|>": 200018},
            "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        ),
        RankEncoding(
            "llama3",
            LLAMA3_PATTERN,
            _llama3_special_tokens(),
            "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
        ),
    )
}


def read_tiktoken(data: bytes, source: str = "", encoding: RankEncoding | None = None) -> Tokenizer:
    r"""The tokenizer of a rank file.

    encoding: None recognises the published files by their hash.
    Raises ModelFormatError for a file that is not of this form, UnsupportedFeature for one that is not recognised.

    >>> tokens = [*(bytes([byte]) for byte in range(256)), b"ab"]
    >>> lines = [base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)]
    >>> read_tiktoken(b"".join(lines), encoding=RankEncoding("tiny", r"\w+", {}, "")).encode_ids("abb")
    [256, 98]
    """
    ranks = read_ranks(data, source)
    if encoding is None:
        encoding = recognise(data, source)
    vocab = {to_byte_characters(token): rank for token, rank in ranks.items()}
    special_tokens = encoding.special_tokens
    added = [AddedToken(content, normalized=False, special=True) for content in special_tokens]
    return Tokenizer(
        library="tiktoken",
        model=RankBPE(vocab),
        added_tokens=AddedVocabulary(added, special_tokens),
        pre_tokenizers=(
            Split(compile_fancy_regex(encoding.pattern), "Removed", invert=True),
            ByteLevel(add_prefix_space=False, use_regex=False),
        ),
        decoders=(ByteLevelDecoder(),),
    )


def recognise(data: bytes, source: str = "") -> RankEncoding:
    """The encoding that a published rank file belongs to."""
    digest = hashlib.sha256(data).hexdigest()
    for encoding in ENCODINGS.values():
        if encoding.sha256 == digest:
            return encoding
    names = ", ".join(ENCODINGS)
    raise UnsupportedFeature(
        source, "", f"not a published rank file, and its pattern is not in it: reftok.load(…, encoding=…) takes {names}"
    )


def read_ranks(data: bytes, source: str = "") -> dict[bytes, int]:
    """Token bytes to rank, as in the file.

    Raises ModelFormatError for a file of another form, and where a byte has no rank: some text would have no ids.
    """
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        fields = line.split()
        try:
            token, rank = base64.b64decode(fields[0], validate=True), int(fields[1])
        except (IndexError, ValueError, binascii.Error):
            raise ModelFormatError(source, f"line {number}", "is not base64 and a rank: not a tiktoken file") from None
        if len(fields) != 2 or token in ranks or rank in seen or not 0 <= rank < 1 << 32:
            raise ModelFormatError(source, f"line {number}", "repeats a token or a rank, or has too many fields")
        ranks[token] = rank
        seen.add(rank)
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise ModelFormatError(source, "", f"has no rank for byte {missing[0]:02X}: is the file complete?")
    return ranks


def compile_fancy_regex(pattern: str) -> regex.Pattern[str]:
    """A pattern of the Rust crate fancy-regex: `$` is the end of the text, not the place before a last line feed."""
    return regex.compile(pattern.replace("$", r"\Z"))
