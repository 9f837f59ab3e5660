r"""Rank files of tiktoken: lines of base64 bytes and a rank. The pattern and the special tokens are not in the file.

They are known for the published encodings. Which one a file belongs to shows in its SHA-256, or in its name together
with the number of its ranks; for another file the caller names an encoding, or a file beside it has them: that of
`own.tiktoken` is `own.toml`, and holds

    [encoding]
    pattern = '\p{L}+|\P{L}'
    special_tokens = { "<s>" = 256 }

Source: tiktoken 0.14 load.py `load_tiktoken_bpe` and src/lib.rs.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.fields import Fields
from reftok.formats.files import decoded, read_file
from reftok.formats.settings import CONFIG, read_object
from reftok.formats.tiktoken.build import rank_rules
from reftok.formats.tiktoken.encodings import ENCODINGS, RankEncoding, kimi_special_tokens, stands_for_bytes
from reftok.regex_dialects.fancy_regex import compile_fancy_regex
from reftok.rules.huggingface.decoders import ByteLevel
from reftok.rules.pipeline import Pipeline


def read_tiktoken(data: bytes, encoding: RankEncoding, source: str = "") -> Pipeline:
    r"""The rules of a rank file.

    encoding: as `rank_encoding` finds it.
    Raises ModelFormatError for a file that is not of this form or has a rank that is the id of a special token.
    Quirks: tiktoken normalizes nothing, though the tokenizer of Qwen 1 puts a text into NFC before it calls tiktoken.
    Text that the pattern does not match has no tokens.

    >>> tokens = [*(bytes([byte]) for byte in range(256)), b"ab"]
    >>> lines = [base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)]
    >>> read_tiktoken(b"".join(lines), RankEncoding("tiny", r"\w+", {})).encode_ids("abb")
    [256, 98]
    """
    ranks = read_ranks(data, source)
    special_tokens = encoding.special_tokens
    taken = set(ranks.values())
    for name, token_id in special_tokens.items():
        if token_id in taken:
            raise ModelFormatError(source, f"rank {token_id}", f"is the id of {name} in the encoding {encoding.name}")
    return rank_rules("tiktoken", ranks, special_tokens, compile_fancy_regex(encoding.pattern), ByteLevel())


def rank_encoding(data: bytes, path: Path, name: str | None = None) -> RankEncoding:
    """The encoding of a rank file as it lies in its folder.

    name: of an encoding, None for that of the .toml beside the file, or else to recognise it. A tokenizer_config.json
    beside a file of Kimi names its special tokens, as in its tokenization_kimi.py.
    Raises UnsupportedFeature for a file or a name that is not known, ModelFormatError where the .toml is not sound.
    """
    if name is not None and name not in ENCODINGS:
        raise UnsupportedFeature("", f"encoding {name!r}", f"is not known; there are {', '.join(ENCODINGS)}")
    if name is None and (own := path.with_suffix(".toml")).is_file():
        return _own_encoding(own)
    encoding = recognise(data, str(path)) if name is None else ENCODINGS[name]
    if encoding.name != "kimi_k2" or not (config := path.with_name(CONFIG)).is_file():
        return encoding
    return replace(encoding, special_tokens=kimi_special_tokens(_special_names(config)))


def _own_encoding(path: Path) -> RankEncoding:
    """The encoding that a .toml holds.

    Special tokens of which tiktoken takes one or the other by their hashes are refused: two with one id, and one with
    which another begins. Source: tiktoken 0.14 src/lib.rs `CoreBPE::new_internal`.
    """
    source = str(path)
    root = Fields(_parsed_toml(path), source, "")
    fields = root.object("encoding")
    root.done()
    fields.pattern("pattern", compile_fancy_regex)
    special_tokens = fields.vocab("special_tokens") if fields.has("special_tokens") else {}
    fields.done()
    if "" in special_tokens:
        raise fields.wrong("special_tokens", "has the empty text, which is in every text")
    if unsound := [name for name in special_tokens if stands_for_bytes(name)]:
        raise fields.unsupported(f"special_tokens[{unsound[0]!r:.60}]", "a text of characters that all stand for bytes")
    for shorter, longer in pairwise(sorted(special_tokens)):
        if longer.startswith(shorter):
            raise fields.unsupported(f"special_tokens[{longer!r:.60}]", f"to begin with another one, {shorter!r:.60},")
    return RankEncoding(path.name, fields.text("pattern"), special_tokens)


def _parsed_toml(path: Path) -> dict[str, Any]:
    source = str(path)
    text = decoded(read_file(path), source)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ModelFormatError(source, "", "is nested too deeply") from None
    except ValueError as error:  # a number of 5,000 digits is no TOMLDecodeError
        raise ModelFormatError(source, "", f"is not TOML ({error})") from None


def _special_names(path: Path) -> dict[int, str]:
    """Id to content of the `added_tokens_decoder` in a tokenizer_config.json."""
    source = str(path)
    root = Fields(read_object(path), source, "")
    decoder = root.optional("added_tokens_decoder", Fields.object, None)
    names = {token_id: token.text("content") for token_id, token in (decoder.objects_by_id() if decoder else ())}
    if len(set(names.values())) < len(names):
        raise ModelFormatError(source, "added_tokens_decoder", "gives two ids to one token")
    return names


def recognise(data: bytes, source: str = "") -> RankEncoding:
    """The encoding that a published rank file belongs to. source: the path; its last part counts."""
    digest = hashlib.sha256(data).hexdigest()
    name = Path(source).name
    count = sum(not line.isspace() and line != b"" for line in data.splitlines())
    for encoding in ENCODINGS.values():
        if encoding.sha256 == digest or (encoding.file_name == name != "" and encoding.ranks == count):
            return encoding
    # multilingual.tiktoken of Whisper belongs to two encodings, which only their special tokens tell apart.
    fitting = [encoding.name for encoding in ENCODINGS.values() if encoding.ranks == count]
    known = f"{' or '.join(fitting)} by its {count:,} ranks" if fitting else f"one of {', '.join(ENCODINGS)}"
    raise UnsupportedFeature(
        source,
        "",
        "not a published rank file, and its pattern is not in it: name its encoding (--encoding on the command line, "
        f"encoding= in Python), {known}; or put pattern and special tokens into a .toml beside it: docs/runs.md has an "
        "example",
    )


def read_ranks(data: bytes, source: str = "") -> dict[bytes, int]:
    """Token bytes to rank, as in the file.

    Quirk: "=" alone is the token of no bytes, which no text has: multilingual.tiktoken of openai/whisper ends in it.
    Raises ModelFormatError for a file of another form, and where a byte has no rank: some text would have no ids.
    """
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        fields = line.split()
        try:
            token = b"" if fields[0] == b"=" else base64.b64decode(fields[0], validate=True)
            rank = int(fields[1])
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
