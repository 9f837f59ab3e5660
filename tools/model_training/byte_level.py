"""The byte-level BPE models, trained by `tokenizers`, with the pipelines of GPT-2, Qwen 2 and Llama 3."""

from __future__ import annotations

import json
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from model_training.added_tokens import add_tokens
from model_training.texts import Texts

_LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN_PATTERN = _LLAMA3_PATTERN.replace(r"\p{N}{1,3}", r"\p{N}")

WITHOUT_MERGES = ("Ġcharsmap", "Ġtokenizer", "ĠUnigram", "pretokenizer", "ĉtokens", "ĠnaÃ¯ve", "512", "ðŁĮį")
"""Words for the vocab of bpe-llama3 that no merges lead to, so that `ignore_merges` has something to do. They are put
in by hand after the training, in byte characters: the last three are " naïve", "512" and a globe."""


def bpe_gpt2(texts: Texts) -> bytes:
    """GPT-2: its built-in pattern, and the end token inside the vocab."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True, trim_offsets=True)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    tokenizer.decoder = decoders.ByteLevel()
    _train(tokenizer, texts, vocab_size=5000, special_tokens=["<|endoftext|>"])
    add_tokens(tokenizer)
    return compact(tokenizer)


def bpe_qwen(texts: Texts) -> bytes:
    """Qwen 2: NFC, one digit a pre-token, ChatML tokens; and two spaces as an added token, as GPT-NeoX has them."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = _split_then_byte_level(_QWEN_PATTERN, trim_offsets=False)
    tokenizer.post_processor = processors.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    _train(tokenizer, texts, vocab_size=5000)
    add_tokens(tokenizer, ("<|endoftext|>", "<|im_start|>", "<|im_end|>"))
    tokenizer.add_tokens([AddedToken("  ", normalized=True)])
    return compact(tokenizer)


def bpe_llama3(texts: Texts) -> bytes:
    """Llama 3: up to three digits a pre-token, words of the vocab taken whole, a begin token from a template."""
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = _split_then_byte_level(_LLAMA3_PATTERN, trim_offsets=True)
    tokenizer.decoder = decoders.ByteLevel()
    _train(tokenizer, texts, vocab_size=5000)
    tokenizer = _with_words(tokenizer, WITHOUT_MERGES)
    add_tokens(tokenizer, ("<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>"))
    begin = "<|begin_of_text|>"
    template = processors.TemplateProcessing(
        single=f"{begin} $A",
        pair=f"{begin} $A {begin}:1 $B:1",
        special_tokens=[(begin, tokenizer.token_to_id(begin))],
    )
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), template])
    return compact(tokenizer)


def compact(tokenizer: Tokenizer) -> bytes:
    """The tokenizer.json without the white space that the library puts in."""
    return _dump(json.loads(tokenizer.to_str()))


def _dump(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _split_then_byte_level(pattern: str, trim_offsets: bool) -> pre_tokenizers.PreTokenizer:
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False, trim_offsets=trim_offsets)
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level])


def _train(tokenizer: Tokenizer, texts: Texts, vocab_size: int, special_tokens: list[str] | None = None) -> None:
    """Train on whole documents, so that merges across line ends are learned too."""
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=special_tokens or [],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts.documents, trainer)


def _with_words(tokenizer: Tokenizer, words: tuple[str, ...]) -> Tokenizer:
    """The tokenizer with more words at the end of its vocab, and no merges for them."""
    content = json.loads(tokenizer.to_str())
    vocab = content["model"]["vocab"]
    for word in words:
        if word in vocab:
            raise ValueError(f"{word!r} has been learned; choose a word that has not")
        vocab[word] = len(vocab)
    return Tokenizer.from_str(_dump(content).decode("utf-8"))
