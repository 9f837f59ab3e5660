"""vocab.json + merges.txt, the format of GPT-2: a byte-level BPE with GPT-2's pattern and no added tokens.

Source: tokenizers 0.23 models/bpe/model.rs `BPE::read_file`; the pipeline is that of its `ByteLevelBPETokenizer`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reftok import decoders, postprocessors, pretokenizers
from reftok.added_tokens import AddedVocabulary
from reftok.errors import ModelFormatError
from reftok.formats.fields import Fields
from reftok.formats.strict_json import parse_json
from reftok.models.bpe import BPE
from reftok.tokenizer import Tokenizer
from reftok.types import AddedToken


def read_vocab_merges(
    vocab: bytes,
    merges: bytes,
    special_tokens: Iterable[str] = (),
    vocab_source: str = "vocab.json",
    merges_source: str = "merges.txt",
) -> Tokenizer:
    """The tokenizer of the two files.

    special_tokens: matched in the text before everything else.
    Raises ModelFormatError where a file is not sound or a merge is not in the vocab.
    """
    entries = Fields({"vocab": parse_json(vocab, vocab_source)}, vocab_source, "").vocab("vocab")
    return byte_level_bpe(entries, _read_merges(merges, merges_source), special_tokens, merges_source)


def byte_level_bpe(
    vocab: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    special_tokens: Iterable[str] = (),
    source: str = "",
) -> Tokenizer:
    """GPT-2's tokenizer from a vocab and merges in memory, written in byte characters.

    >>> byte_level_bpe({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).encode_ids("aba")
    [2, 0]
    """
    model = BPE(vocab, merges, source=source)
    added = [AddedToken(content, normalized=False, special=True) for content in special_tokens]
    return Tokenizer(
        library="tokenizers",
        model=model,
        added_tokens=AddedVocabulary(added, vocab),
        pre_tokenizers=(pretokenizers.ByteLevel(add_prefix_space=False, use_regex=True),),
        post_processors=(postprocessors.ByteLevel(add_prefix_space=False, trim_offsets=False),),
        decoders=(decoders.ByteLevel(),),
    )


def _read_merges(data: bytes, source: str) -> list[tuple[str, str]]:
    """Lines of two tokens; lines that start with `#version` are skipped wherever they stand."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFormatError(source, f"byte {error.start}", "is not UTF-8") from None
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
