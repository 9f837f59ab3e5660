"""The ways to get a tokenizer wrong: the rules that findings name, stage by stage.

Each is the reference with one thing changed. What a subject gives is held against what these give; the rule of the one
that gives the same is the finding's.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.causes.edits.added_tokens import of_added_tokens, of_flags, of_matches
from conformance.causes.edits.code_units import of_code_units
from conformance.causes.edits.decoders import of_decoders
from conformance.causes.edits.fault import DecodingFault, Fault, changed, predicted
from conformance.causes.edits.inputs import of_input
from conformance.causes.edits.merge_queues import of_merge_queues
from conformance.causes.edits.missing_entries import of_missing_entries
from conformance.causes.edits.models import of_model, of_rounded_scores
from conformance.causes.edits.normalizers import of_normalizers
from conformance.causes.edits.other_models import of_other_models
from conformance.causes.edits.post_processors import of_post_processors
from conformance.causes.edits.pre_tokenizers import of_classes, of_edited_patterns, of_pre_tokenizers
from conformance.causes.edits.samples import of_sample
from conformance.causes.edits.text_changes import of_changed_decodings, of_changed_texts
from conformance.causes.edits.unicode_versions import of_unicode_versions
from conformance.causes.edits.unknown_tokens import of_unknown_ids, of_unknown_tokens
from conformance.causes.edits.white_space import of_white_space
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
    yield from of_rounded_scores(tokenizer)
    yield from of_merge_queues(tokenizer)
    yield from of_post_processors(tokenizer)


def decoding_faults(tokenizer: Tokenizer) -> Iterator[DecodingFault]:
    """The ways to get the text of ids wrong; what added tokens are matched by, they are decoded to as well."""
    yield from of_decoders(tokenizer)
    for one in (*of_normalizers(tokenizer), *of_added_tokens(tokenizer)):
        if one.text is not None:
            yield DecodingFault(one.stage, one.rule, one.text)
