"""SentencePiece models as tokenizer.json, the way `transformers` converts Llama and T5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sentencepiece
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from model_training import model_proto
from model_training.added_tokens import add_tokens
from model_training.byte_level import compact

SPECIAL = ("<unk>", "<s>", "</s>")


def converted_bpe(model: bytes) -> bytes:
    """A BPE model with byte fallback and a dummy prefix, as Llama 2.

    Source: `LlamaConverter` of transformers, convert_slow_tokenizer.py, in its legacy form.
    """
    scores = dict(_pieces(model))
    vocab = {piece: piece_id for piece_id, piece in enumerate(scores)}
    tokenizer = Tokenizer(models.BPE(vocab, merges(scores), unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", vocab["<s>"])]
    )
    add_tokens(tokenizer, SPECIAL)
    return compact(tokenizer)


def merges(scores: Mapping[str, float]) -> list[tuple[str, str]]:
    """All pairs of pieces that make a piece, the one with the best score first.

    Of the pairs that make the same piece the one with the longest left part is first, as in `generate_merges` of
    transformers, convert_slow_tokenizer.py.

    >>> merges({"a": -9.0, "b": -8.0, "ab": 0.0, "aab": -2.0, "aa": -1.0})
    [('a', 'b'), ('a', 'a'), ('aa', 'b'), ('a', 'ab')]
    """
    pairs = [
        (piece[:cut], piece[cut:])
        for piece in scores
        for cut in range(1, len(piece))
        if piece[:cut] in scores and piece[cut:] in scores
    ]
    return sorted(pairs, key=lambda pair: (scores["".join(pair)], len(pair[0])), reverse=True)


def converted_unigram(model: bytes) -> bytes:
    """A Unigram model with a charsmap, as T5 and XLM-R.

    Source: `SpmConverter` and `T5Converter` of transformers, convert_slow_tokenizer.py. All scores are written, also
    those of control pieces.
    """
    pieces = _pieces(model)
    vocab = [piece for piece, _ in pieces]
    tokenizer = Tokenizer(models.Unigram(list(pieces), vocab.index("<unk>"), byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(model_proto.charsmap(model)), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", vocab.index("</s>"))]
    )
    add_tokens(tokenizer, SPECIAL)
    return compact(tokenizer)


def _pieces(model: bytes) -> Sequence[tuple[str, float]]:
    """The pieces with their scores, by id."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    ids = range(processor.get_piece_size())
    return [(processor.id_to_piece(piece_id), processor.get_score(piece_id)) for piece_id in ids]
