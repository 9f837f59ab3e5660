"""The SentencePiece models, trained by `sentencepiece`."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sentencepiece

from model_training import model_proto
from model_training.texts import Texts

SUFFIX_RULES = (
    # The longest rule wins: ae, then aeo, then one that is nothing but the beginning of another rule.
    ("\u00e6", "ae"),
    ("\u00e6o", "[aeo]"),
    ("\u00e6on", "aeon"),
    # One to many, many to one, and away with it.
    ("\u00df", "ss"),
    ("...", "\u2026"),
    ("\u00ad", ""),
    ("\u200b", ""),
    # White space: one that becomes a space, one that becomes two, and a space that becomes something else.
    ("\u00a0", " "),
    ("\t", "  "),
    (" ;", ";"),
    # The visible space itself, and a letter that becomes it.
    ("\u2581", "_"),
    ("\u2423", "\u2581"),
    # A rule whose result is what another rule changes: rules are not applied twice.
    ("\u1e9e", "\u00df"),
    # Emoji: a sequence with a joiner as a whole, and its first part alone.
    ("\U0001f468\u200d\U0001f4bb", "\U0001f4bb"),
    ("\U0001f468", "\U0001f9d1"),
)
"""Rules of spm-unigram-suffix: text and what it becomes."""

SYMBOLS = (
    "<extra_id_0>",
    "<extra_id_1>",
    "<extra_id_10>",
    "<im",
    "<img>",
    "ab|cd",
    "cd|ef",
    "New York",
    "New\u2581Delhi",
    "\u2581\u2581\u2581",
    "\U0001f916",
    "ﬁ",
    "STRASSE",
    "token",
    "token_1",
)
"""User-defined symbols: prefixes of each other, overlapping ones, a space and ▁ inside, and what normalization changes.
"""


def spm_bpe(texts: Texts) -> bytes:
    """Llama 2: BPE with byte fallback, digits apart, white space and everything else kept as it is."""
    return _train(
        texts.lines(),
        model_type="bpe",
        vocab_size=5000,
        character_coverage=0.98,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        allow_whitespace_only_pieces=True,
        split_digits=True,
    )


def spm_unigram(texts: Texts) -> bytes:
    """T5: Unigram with the default normalization nmt_nfkc; a rare character is unknown."""
    return _train(texts.lines(), model_type="unigram", vocab_size=5000, character_coverage=0.985)


def spm_unigram_bytes(texts: Texts) -> bytes:
    """Unigram with byte fallback and short pieces; white space kept."""
    return _train(
        texts.lines(),
        model_type="unigram",
        vocab_size=5000,
        character_coverage=0.98,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        allow_whitespace_only_pieces=True,
        max_sentencepiece_length=5,
    )


def spm_unigram_symbols(texts: Texts) -> bytes:
    """Unigram with user-defined and control symbols, lower case by nfkc_cf, ids in an order of its own."""
    return _train(
        texts.lines(),
        model_type="unigram",
        vocab_size=4000,
        character_coverage=0.98,
        normalization_rule_name="nfkc_cf",
        user_defined_symbols=list(SYMBOLS),
        control_symbols=["<mask>", "<|im_start|>"],
        pad_id=0,
        unk_id=3,
        bos_id=1,
        eos_id=2,
        unk_surface=" [?] ",
    )


def spm_unigram_suffix(texts: Texts) -> bytes:
    """Unigram with white space at the end of a piece, and a normalization of a few rules."""
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.tsv"
        rules.write_text("".join(f"{_hex(old)}\t{_hex(new)}\n" for old, new in SUFFIX_RULES), "utf-8")
        model = _train(
            texts.lines(),
            model_type="unigram",
            vocab_size=4000,
            character_coverage=0.98,
            normalization_rule_tsv=str(rules),
            treat_whitespace_as_suffix=True,
        )
    return model_proto.without_rule_path(model)


def spm_bpe_symbols(texts: Texts) -> bytes:
    """BPE with unknown characters, no dummy prefix, user-defined and UNUSED pieces.

    The trainer makes no UNUSED pieces: every 40th of the first 400 merged ones is made one afterwards.
    """
    model = _train(
        texts.lines(),
        model_type="bpe",
        vocab_size=4000,
        character_coverage=0.98,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        user_defined_symbols=list(SYMBOLS),
        pad_id=3,
    )
    first_merged = 4 + len(SYMBOLS)
    return model_proto.with_unused(model, frozenset(range(first_merged, first_merged + 400, 40)))


def spm_char(texts: Texts) -> bytes:
    """One piece a character."""
    return _train(texts.lines(), model_type="char", vocab_size=600, normalization_rule_name="identity")


def spm_word(texts: Texts) -> bytes:
    """One piece a word."""
    return _train(texts.lines(), model_type="word", vocab_size=600, normalization_rule_name="identity")


def _train(lines: Iterable[str], **options: Any) -> bytes:
    """The trained model.

    The texts come from an iterator and the model goes to memory, so that no path is written into it; one thread, so
    that sums are made in one order.
    """
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, num_threads=1, minloglevel=2, **options
    )
    return model.getvalue()


def _hex(text: str) -> str:
    """The code points as the rule files of sentencepiece have them."""
    return " ".join(f"{ord(character):04X}" for character in text)
