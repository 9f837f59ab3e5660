"""What ports of BERT's tokenizer get wrong: a port had three of these mistakes, and two findings without a name."""

from __future__ import annotations

from conformance.causes.edits.decoders import of_decoders
from conformance.causes.edits.fault import Fault
from conformance.causes.edits.normalizers import of_normalizers
from conformance.causes.edits.pre_tokenizers import of_pre_tokenizers
from conformance.core.rule_table import usual_cause
from reftok import Tokenizer
from tests.reftok.official import own, tokenizer_json, wordpiece

RARE = "\U00020000"
"""An ideograph of an extension."""
VOCAB = ["[UNK]", *"ab$中", "##b", "##$", RARE, f"##{RARE}"]
CHINESE, SYMBOLS, PREFIX = (
    "only U+4E00..U+9FFF are Chinese characters",
    "symbols of ASCII are not punctuation",
    "the first token loses its prefix as well",
)


def bert() -> Tokenizer:
    options = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    return own(
        tokenizer_json(
            wordpiece(VOCAB),
            normalizer={"type": "BertNormalizer", **options},
            pre_tokenizer={"type": "BertPreTokenizer"},
            decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
        )
    )


def tokens(tokenizer: Tokenizer, fault: Fault, text: str) -> list[str | None]:
    return [tokenizer.id_to_token(one) for one in fault.ids(text)]


def test_rare_ideographs_stay_in_their_words() -> None:
    tokenizer = bert()
    (fault,) = (one for one in of_normalizers(tokenizer) if one.rule == CHINESE)
    assert tokens(tokenizer, fault, f"a{RARE}b中") == ["a", f"##{RARE}", "##b", "中"]
    assert tokenizer.encode(f"a{RARE}b中").tokens == ["a", RARE, "b", "中"]
    assert usual_cause("Normalizer", CHINESE)


def test_symbols_of_ascii_stay_in_their_words() -> None:
    tokenizer = bert()
    (fault,) = (one for one in of_pre_tokenizers(tokenizer) if one.rule == SYMBOLS)
    assert tokens(tokenizer, fault, "a$b a") == ["a", "##$", "##b", "a"]
    assert tokenizer.encode("a$b a").tokens == ["a", "$", "b", "a"]
    assert usual_cause("PreTokenizer", SYMBOLS)


def test_the_first_token_loses_its_prefix() -> None:
    tokenizer, ids = bert(), [VOCAB.index(one) for one in ("##b", "a", "##b")]
    (fault,) = (one for one in of_decoders(tokenizer) if one.rule == PREFIX)
    assert (tokenizer.decode(ids), fault.text(ids, True)) == ("##b ab", "b ab")
    assert usual_cause("Decoder", PREFIX)
