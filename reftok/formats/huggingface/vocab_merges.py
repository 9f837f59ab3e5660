"""vocab.json + merges.txt, the format of GPT-2: a byte-level BPE with GPT-2's pattern and no added tokens.

Source: tokenizers 0.23 models/bpe/model.rs `BPE::read_file`; the pipeline is that of its `ByteLevelBPETokenizer`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reftok.errors import ModelFormatError
from reftok.formats.fields import Fields, is_id
from reftok.formats.files import decoded
from reftok.formats.named_ids import CONTENTS, well_known_ids
from reftok.formats.strict_json import parse_json
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface import decoders, post_processors, pre_tokenizers
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import PreTokenizer
from reftok.rules.types import AddedToken


def read_vocab_merges(
    vocab: bytes, merges: bytes, vocab_source: str = "vocab.json", merges_source: str = "merges.txt"
) -> Pipeline:
    """The rules of the tokenizer in the two files.

    Raises ModelFormatError where a file is not sound or a merge is not in the vocab.
    """
    entries = read_vocab(vocab, vocab_source)
    return byte_level_bpe_rules(entries, read_merges(merges, merges_source), source=merges_source)


def read_vocab(data: bytes, source: str) -> dict[str, int]:
    """Token to id, as vocab.json has it."""
    return Fields({"vocab": parse_json(data, source, vocab_at=())}, source, "").vocab("vocab")


def byte_level_bpe_rules(
    vocab: Mapping[str, int] | Mapping[bytes, int] | Mapping[int, bytes],
    merges: Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]],
    special_tokens: Iterable[str] = (),
    *,
    pattern: str | None = None,
    source: str = "",
) -> Pipeline:
    """The rules of `reftok.byte_level_bpe`, with its arguments and errors. source: the name for messages."""
    entries, in_bytes = _byte_character_vocab(vocab, source)
    specials = _contents(special_tokens, source)
    known = _entries_of_texts(specials, entries) if in_bytes else entries
    added = [AddedToken(content, normalized=False, special=True) for content in specials]
    pairs = _byte_character_merges(merges, source)
    return Pipeline(
        library="tokenizers",
        model=BPE(entries, pairs, source=source),
        added_tokens=AddedVocabulary(added, known, model_size=len(entries), source=source),
        pre_tokenizers=_pre_tokenizers(pattern),
        post_processors=(post_processors.ByteLevel(add_prefix_space=False, trim_offsets=False),),
        decoders=(decoders.ByteLevel(),),
        named_ids={} if specials else ids_of_vocab_and_merges(entries, pairs),
    )


def _entries_of_texts(texts: Iterable[str], entries: Mapping[str, int]) -> dict[str, int]:
    """The ids of the texts whose UTF-8 bytes are in the vocab."""
    written = {text: to_byte_characters(text.encode("utf-8")) for text in texts}
    return {text: entries[token] for text, token in written.items() if token in entries}


def _pre_tokenizers(pattern: str | None) -> tuple[PreTokenizer, ...]:
    if pattern is None:
        return (pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),)
    split = pre_tokenizers.Split(compile_oniguruma(pattern), "Isolated", invert=False)
    return split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def _byte_character_vocab(
    vocab: Mapping[str, int] | Mapping[bytes, int] | Mapping[int, bytes], source: str
) -> tuple[dict[str, int], bool]:
    """The vocab in byte characters, and whether it was given in bytes."""
    given: object = vocab
    if not isinstance(given, Mapping):
        problem = f"is not a mapping but {type(given).__name__}; files are read by reftok.load"
        raise ModelFormatError(source, "vocab", problem)
    entries: dict[str, int] = {}
    kinds: set[type] = set()
    for key, value in vocab.items():
        token, token_id = (value, key) if isinstance(key, int) else (key, value)
        if not isinstance(token, str | bytes) or not is_id(token_id) or (isinstance(key, int) and type(token) is str):
            raise ModelFormatError(source, "vocab", f"is not of token to id nor of id to bytes: {key!r:.60}")
        kinds.add(type(token))
        written = to_byte_characters(token) if isinstance(token, bytes) else token
        if written in entries:
            raise ModelFormatError(source, "vocab", f"has the token {token!r:.60} twice")
        entries[written] = int(token_id)
    if len(kinds) > 1:
        raise ModelFormatError(source, "vocab", "has tokens in bytes and in characters")
    if len(set(entries.values())) < len(entries):
        raise ModelFormatError(source, "vocab", "gives an id to two tokens")
    return entries, bytes in kinds


def _contents(special_tokens: Iterable[str], source: str) -> list[str]:
    contents = [special_tokens] if isinstance(special_tokens, bytes | str) else list(special_tokens)
    for content in contents:
        if content is special_tokens or not isinstance(content, str) or any("\ud800" <= c < "\ue000" for c in content):
            raise ModelFormatError(source, "special_tokens", f"is not a list of texts: {content!r:.60}")
    return contents


def _byte_character_merges(
    merges: Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]], source: str
) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for index, pair in enumerate(merges):
        match pair:
            case (str() as left, str() as right):
                pairs.append((left, right))
            case (bytes() as first, bytes() as second):
                pairs.append((to_byte_characters(first), to_byte_characters(second)))
            case _:
                raise ModelFormatError(source, f"merges[{index}]", f"is not a pair of bytes or of str: {pair!r:.60}")
    return pairs


def read_merges(data: bytes, source: str) -> list[tuple[str, str]]:
    """Lines of two tokens; lines that start with `#version` are skipped wherever they stand."""
    text = decoded(data, source)
    merges: list[tuple[str, str]] = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        line = line.removesuffix("\r")
        if line.startswith("#version") or not text:
            continue
        parts = line.split(" ")
        if len(parts) != 2:
            raise ModelFormatError(source, f"line {number}", f"is not two tokens: {line[:60]!r}")
        merges.append((parts[0], parts[1]))
    return merges


_GPT2_TOKEN = "<|endoftext|>"
_GPT2_NAMES = ("bos", "eos", "unk")


def ids_of_vocab_and_merges(vocab: Mapping[str, int], merges: Iterable[Sequence[str]]) -> dict[str, int | None]:
    """The names in a vocab of which nothing says what is special: see above.

    merges: pairs of tokens.

    >>> ids = ids_of_vocab_and_merges({"<": 0, "s>": 1, "<s>": 2, "<pad>": 3, "<|endoftext|>": 4}, [("<", "s>")])
    >>> ids["bos"], ids["eos"], ids["pad"], ids["im_end"]
    (4, 4, 3, None)
    """
    made = CONTENTS.intersection(map("".join, merges))
    ids = {content: vocab[content] for content in CONTENTS - made if content in vocab}
    return well_known_ids(ids) | (dict.fromkeys(_GPT2_NAMES, ids[_GPT2_TOKEN]) if _GPT2_TOKEN in ids else {})
