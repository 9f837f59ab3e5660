"""Many streams of a subject together show what its decoder does to each id or part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from conformance.causes.attribution import Attribution
from conformance.causes.decoder_streams import LEAST_WRONG, attribute_stream_decoding, mistakes
from conformance.core.rule_table import usual_cause
from conformance.core.streaming import FedStream, Feeding, Streamed
from conformance.engine.decode_stream import NOT_AWAITED
from reftok import Tokenizer
from reftok.rules.byte_level import BYTE_TO_CHARACTER
from tests.models import load

QWEN, LLAMA = load("bpe-qwen"), load("spm-bpe-hf")
END = "<|im_end|>"
TEXTS = (
    "a cat  sat on a mat",
    "über \U0001f937",
    "no  no  no",
    f"你{END}好",
    "  x  ",
    "\n\n a",
    "a\n a",
    "\n a\n a",
    "plain",
)
RULES = [rule for rule, _ in mistakes(QWEN)]
BY_RULE = {rule: tokenizer for tokenizer in (LLAMA, QWEN) for rule, _ in mistakes(tokenizer)}


def lists(tokenizer: Tokenizer) -> Iterator[Sequence[int]]:
    """Ids of texts, and with a special token or a letter within a character."""
    end, letter = max(tokenizer.rules.added_tokens.special_ids()), tokenizer.encode_ids("a")[-1]
    yield from map(tokenizer.encode_ids, TEXTS)
    wrong = tokenizer.token_to_id("<0xFF>") or tokenizer.token_to_id(BYTE_TO_CHARACTER[0xFF])
    assert wrong is not None
    first, *rest = tokenizer.encode_ids("\U0001f937", add_special_tokens=False)
    for many in range(1, 1 + LEAST_WRONG):
        yield [*[letter] * many, first, end, *rest]
        yield [*[letter] * many, first, *[letter] * 4]
        yield [*[letter] * many, first, tokenizer.vocab_size + 9, *rest]
        yield [*[letter] * many, first, *rest, wrong]
        yield tokenizer.encode_ids("a" * many + "\u0800\u0801")


def streams(rule: str) -> Iterator[FedStream]:
    """What a subject with this one mistake gives."""
    tokenizer = BY_RULE[rule]
    (streamed,) = (one for name, one in mistakes(tokenizer) if name == rule)
    for ids, skips in product(lists(tokenizer), (True, False)):
        feeding = Feeding("decoder", tuple(ids), skip_special_tokens=skips)
        yield FedStream(feeding, Streamed((streamed(ids, skips),)), tokenizer.decode(ids, skip_special_tokens=skips))


@pytest.mark.parametrize("rule", BY_RULE)
def test_the_mistake_of_each_rule_is_told(rule: str) -> None:
    """Fault: one cause was told as up to seven findings, by how the text of each stream looked."""
    given = [*streams(rule)]
    told = attribute_stream_decoding(BY_RULE[rule], given, given)
    texts = [[one.streaming for one in streams(name)] for name in (rule, told.rule)]
    assert texts[0] == texts[1], "if two rules give the same texts, the first is named"
    assert usual_cause("Decoder", rule)


def test_right_streams_and_too_few_wrong_ones_have_no_mistake() -> None:
    right = [
        FedStream(Feeding("decoder", tuple(ids)), Streamed((QWEN.decode(ids),)), QWEN.decode(ids))
        for ids in lists(QWEN)
    ]
    assert attribute_stream_decoding(QWEN, right, right) == Attribution()
    wrong = [one for one in streams(RULES[0]) if one.streaming != Streamed((str(one.whole),))]
    few = wrong[: LEAST_WRONG - 1]
    assert attribute_stream_decoding(QWEN, few, few) == Attribution()


def test_right_streams_beside_a_wrong_decode_have_no_mistake() -> None:
    """Fault: "special tokens are kept" was told of streams that were right, where decode dropped U+FFFD."""
    lost = [
        FedStream(Feeding("decoder", tuple(ids)), Streamed((QWEN.decode(ids),)), QWEN.decode(ids)[1:])
        for ids in lists(QWEN)
    ]
    assert attribute_stream_decoding(QWEN, lost, lost) == Attribution()


def test_a_mistake_that_explains_the_wrong_streams_and_breaks_right_ones_is_not_told() -> None:
    one = next(iter(streams(RULES[0])))
    right = [FedStream(one.feeding, Streamed((str(one.whole),)), one.whole)] * 9
    wrong = [*streams("spaces at the end of each part are stripped")][:3]
    assert attribute_stream_decoding(QWEN, [*wrong, *right], wrong) == Attribution()


def test_two_mistakes_are_each_named_by_the_streams_that_show_them() -> None:
    """Fault: a stream with two mistakes had no name for either."""
    rules = "text after a line feed is decoded separately", NOT_AWAITED
    given = [entry for pair in zip(*map(streams, rules), strict=True) for entry in (min(pair, key=_is_right),)]
    for rule in rules:
        own = [entry for entry in streams(rule) if not _is_right(entry)]
        assert attribute_stream_decoding(LLAMA, given, own) == Attribution("Decoder", rule)


def _is_right(entry: FedStream) -> bool:
    return entry.streaming == Streamed((str(entry.whole),))
