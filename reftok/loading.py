"""Tokenizers from files and from vocabs in memory: the rules that `reftok.formats` reads, with the fast paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from reftok.formats import load_rules
from reftok.formats.collection import collecting_later
from reftok.formats.huggingface.vocab_merges import byte_level_bpe_rules
from reftok.tokenizer import Tokenizer


@collecting_later()
def load(source: str | Path, encoding: str | None = None) -> Tokenizer:
    """The tokenizer of a file or folder, or of an embedded model.

    source: a tokenizer.json, a sentencepiece .model or .spm, a .tiktoken rank file, vocab.json (with merges.txt
        beside it), vocab.txt (with tokenizer_config.json), a GGUF file, a tekken.json, a folder with one of these, or a
        name of `embedded_models()`. What a file is shows in its content, but for tekken.json. A tokenizer.json without
        a model takes it from the vocab.json and merges.txt beside it; those two are GPT-2's tokenizer where no
        tokenizer_config.json is beside them.
    encoding: for a rank file, whose pattern and special tokens it has: a name in `formats.tiktoken.encodings`. None
        for those of the .toml beside it (see `formats.tiktoken.rank_file`), or else for a published file, which is
        recognised.
    Raises ModelFormatError where there is no such file or it is not sound, UnsupportedFeature where it asks for
    something that reftok does not know.

    >>> load("bpe-gpt2").library
    'tokenizers'
    """
    return Tokenizer(load_rules(source, encoding))


def byte_level_bpe(
    vocab: Mapping[str, int] | Mapping[bytes, int] | Mapping[int, bytes],
    merges: Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]],
    special_tokens: Iterable[str] = (),
    *,
    pattern: str | None = None,
    source: str = "",
) -> Tokenizer:
    r"""GPT-2's tokenizer from a vocab and merges in memory, as `tokenizers` would build it.

    vocab: token to id, the token as bytes or written in the characters of `bytes_to_unicode`; or id to bytes.
    merges: pairs of tokens, bytes or characters, the first merged first.
    special_tokens: matched in the text before everything else, and left out in decoding. One that is in the vocab (as
        its UTF-8 bytes, or literally where the vocab is in characters) has that id, another gets the next one. They
        alone have names then (`eos_id`); without any, see `reftok.rules.named_ids`.
    pattern: what a pre-token is, in the syntax of Oniguruma; None for GPT-2's pattern.
    source: the name for messages.
    Raises ModelFormatError where an entry is of another type, a token or an id is there twice, or a merge is not in
    the vocab; UnsupportedFeature for a pattern that is not known to mean the same in Python.
    Quirk: a byte that is not in the vocab vanishes.

    >>> byte_level_bpe({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).encode_ids("aba")
    [2, 0]
    >>> tokenizer = byte_level_bpe({0: b"\xc3", 1: b"\xa9", 2: b"\xc3\xa9"}, [(b"\xc3", b"\xa9")], ["<|end|>"])
    >>> tokenizer.encode_ids("é<|end|>"), tokenizer.decode([2, 3])
    ([2, 3], 'é')
    """
    return Tokenizer(byte_level_bpe_rules(vocab, merges, special_tokens, pattern=pattern, source=source))


def llama_spm(
    tokens: Sequence[str],
    scores: Sequence[float],
    unk_id: int | None = None,
    bos_id: int | None = None,
    eos_id: int | None = None,
    add_space_prefix: bool = True,
    token_types: Sequence[int] | None = None,
) -> Tokenizer:
    """The tokenizer SPM of llama.cpp from tokens and scores in memory, as in a GGUF file with the model `llama`.

    tokens, scores: by id.
    unk_id, bos_id, eos_id: None where there is none. BOS is added before a text where it is there; EOS is not added.
    add_space_prefix: a space before each text, so that its first word is the same as within.
    token_types: as in GGUF: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte. None makes the three ids
        above unknown and control tokens, `<0x00>` to `<0xFF>` byte tokens and every other one a normal token.
    Raises ModelFormatError where the lists do not belong together or a token is there twice.

    The unknown token is never given: a character that neither is a token nor has byte tokens raises InvalidText, as
    llama.cpp ends the process over it.

    >>> tokenizer = llama_spm(["<unk>", "<s>", "▁", "h", "i", "hi", "▁hi"], [0, 0, -4, -4, -4, -2, -1], 0, 1)
    >>> tokenizer.encode_ids("hi<s>hi hi")
    [1, 6, 1, 6, 6]
    """
    # Few programs need llama.cpp's stages, and their modules take a while to import.
    from reftok.formats.llama_cpp.build import llama_spm_rules

    return Tokenizer(llama_spm_rules(tokens, scores, unk_id, bos_id, eos_id, add_space_prefix, token_types))
