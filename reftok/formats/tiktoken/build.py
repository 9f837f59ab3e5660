"""From the ranks of tokens to the rules, of tiktoken and of Mistral's tekken."""

from __future__ import annotations

from collections.abc import Mapping

from reftok.regex_dialects.pattern import Pattern
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.pre_tokenizers import ByteLevel, Split
from reftok.rules.pipeline import Library, Pipeline
from reftok.rules.stages import Decoder
from reftok.rules.tiktoken.rank_bpe import RankBPE
from reftok.rules.types import AddedToken


def rank_rules(
    library: Library, ranks: Mapping[bytes, int], special_tokens: Mapping[str, int], pattern: Pattern, decoder: Decoder
) -> Pipeline:
    """The rules of a vocab of bytes: a pattern cuts the text into words, which are merged by the ids of `ranks`."""
    added = [AddedToken(content, normalized=False, special=True) for content in special_tokens]
    return Pipeline(
        library=library,
        model=RankBPE({to_byte_characters(token): token_id for token, token_id in ranks.items()}),
        added_tokens=AddedVocabulary(added, special_tokens),
        pre_tokenizers=(Split(pattern, "Removed", invert=True), ByteLevel(add_prefix_space=False, use_regex=False)),
        decoders=(decoder,),
    )
