"""The ways to get a tokenizer wrong: the rules that findings name, stage by stage.

Each is the reference with one thing changed. What a subject gives is held against what these give; the rule of the one
that gives the same is the finding's.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.faults.added_tokens import of_added_tokens, of_flags, of_matches
from conformance.faults.code_units import of_code_units
from conformance.faults.decoders import of_decoders
from conformance.faults.fault import DecodingFault, Fault, changed, predicted
from conformance.faults.inputs import of_input
from conformance.faults.merge_queues import of_merge_queues
from conformance.faults.missing_entries import of_missing_entries
from conformance.faults.models import of_model
from conformance.faults.normalizers import of_normalizers
from conformance.faults.other_models import of_other_models
from conformance.faults.post_processors import of_post_processors
from conformance.faults.pre_tokenizers import of_classes, of_edited_patterns, of_pre_tokenizers
from conformance.faults.samples import of_sample
from conformance.faults.text_changes import of_changed_decodings, of_changed_texts
from conformance.faults.unicode_versions import of_unicode_versions
from conformance.faults.unknown_tokens import of_unknown_ids, of_unknown_tokens
from conformance.faults.white_space import of_white_space
from reftok import Tokenizer

__all__ = [
    "DecodingFault",
    "Fault",
    "changed",
    "decoding_faults",
    "faults",
    "of_changed_decodings",
    "of_changed_texts",
    "of_classes",
    "of_edited_patterns",
    "of_flags",
    "of_missing_entries",
    "of_sample",
    "of_unknown_ids",
    "of_unknown_tokens",
    "predicted",
]


def faults(tokenizer: Tokenizer) -> Iterator[Fault]:
    """The ways to get the ids wrong; of two that say the same of all texts seen, the first is believed."""
    yield from of_input(tokenizer)
    yield from of_normalizers(tokenizer)
    yield from of_added_tokens(tokenizer)
    yield from of_matches(tokenizer)
    yield from of_pre_tokenizers(tokenizer)
    yield from of_code_units(tokenizer)
    yield from of_white_space(tokenizer)
    yield from of_unicode_versions(tokenizer)
    yield from of_model(tokenizer)
    yield from of_other_models(tokenizer)
    yield from of_merge_queues(tokenizer)
    yield from of_post_processors(tokenizer)


def decoding_faults(tokenizer: Tokenizer) -> Iterator[DecodingFault]:
    """The ways to get the text of ids wrong; what added tokens are matched by, they are decoded to as well."""
    yield from of_decoders(tokenizer)
    for one in (*of_normalizers(tokenizer), *of_added_tokens(tokenizer)):
        if one.text is not None:
            yield DecodingFault(one.stage, one.rule, one.text)
