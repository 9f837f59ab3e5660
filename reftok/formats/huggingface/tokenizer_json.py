"""tokenizer.json, the format of HuggingFace `tokenizers`: JSON → Pipeline.

Strict: a key, type or value that is not known here is refused by name, though the library skips unknown keys.
Source: tokenizers 0.23 tokenizer/serialization.rs. The stages are read by components_json.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reftok.errors import InvalidText, ModelFormatError, UnsupportedFeature
from reftok.formats.fields import Fields
from reftok.formats.huggingface.components_json import (
    read_decoders,
    read_model,
    read_normalizers,
    read_padding,
    read_post_processors,
    read_pre_tokenizers,
    read_truncation,
    reader,
)
from reftok.formats.strict_json import VOCAB_AT, parse_json
from reftok.limits.growth import refuse_expansion
from reftok.regex_dialects.executor import Deadline
from reftok.regex_dialects.pattern import may_match_nothing
from reftok.rules.huggingface import pre_tokenizers
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.normalizers import Replace
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import NormalizedString
from reftok.rules.types import AddedToken

_ONLY_CUT = (
    pre_tokenizers.BertPreTokenizer,
    pre_tokenizers.CharDelimiterSplit,
    pre_tokenizers.Digits,
    pre_tokenizers.FixedLength,
    pre_tokenizers.Punctuation,
    pre_tokenizers.Split,
    pre_tokenizers.UnicodeScripts,
    pre_tokenizers.Whitespace,
    pre_tokenizers.WhitespaceSplit,
)
"""The pre-tokenizers that leave every character as it is."""


def read_tokenizer_json(data: bytes, source: str = "tokenizer.json") -> Pipeline:
    """The rules that the file describes.

    source: the file's name, for messages.
    Raises ModelFormatError where the file is not sound, UnsupportedFeature where it asks for something unknown.
    """
    return build_rules(parse_json(data, source, VOCAB_AT), source)


def build_rules(value: object, source: str = "tokenizer.json") -> Pipeline:
    """As `read_tokenizer_json`, from the parsed file."""
    root = Fields(value, source, "")
    if root.text("version", "1.0") != "1.0":
        raise UnsupportedFeature(source, "version", "only 1.0 is known")
    model = read_model(root.object("model"))
    normalizers = root.optional_object("normalizer", read_normalizers, ())
    pre_tokenizers = root.optional_object("pre_tokenizer", read_pre_tokenizers, ())
    _refuse_lost_alignment(normalizers, pre_tokenizers, source)
    normalize = _normalizing(normalizers, source)
    added_tokens = [read_added_token(fields) for fields in root.objects("added_tokens", ())]
    rules = Pipeline(
        library="tokenizers",
        model=model,
        added_tokens=AddedVocabulary(added_tokens, model.vocab, normalize, model_size=model.size, source=source),
        normalizers=normalizers,
        pre_tokenizers=pre_tokenizers,
        post_processors=root.optional_object("post_processor", read_post_processors, None),
        decoders=root.optional_object("decoder", read_decoders, None),
        truncation=root.optional_object("truncation", read_truncation, None),
        padding=root.optional_object("padding", read_padding, None),
    )
    root.done()
    return rules


def _refuse_lost_alignment(steps: Sequence[Normalizer], pre_tokenizers: Sequence[PreTokenizer], source: str) -> None:
    """Refuse a Replace that may match nothing before stages with which the library panics or tells other offsets.

    What it inserts before the first character has no old one to be aligned with. Stages that only replace and cut are
    sound behind it (llm-jp's files have such a pattern).
    """
    stages = [*steps, *pre_tokenizers]
    for place, step in enumerate(steps):
        if not isinstance(step, Replace) or isinstance(step.pattern, str):
            continue
        later = [stage for stage in stages[place + 1 :] if not isinstance(stage, (Replace, *_ONLY_CUT))]
        if later and may_match_nothing(step.pattern.as_oniguruma()):
            problem = (
                f"a match of nothing before {type(later[0]).__name__}, with which the library loses its alignment,"
            )
            raise UnsupportedFeature(source, "normalizer", f"{problem} is not supported")


def _normalizing(steps: Sequence[Normalizer], source: str) -> Callable[[str], str]:
    """The function that applies the normalizers to the content of one added token after the other.

    What the patterns may take, and how much longer the contents may become, is for all of them together.
    """
    deadline = Deadline()
    given = made = 0

    def normalize(text: str) -> str:
        nonlocal given, made
        deadline.extend(len(text))
        given += len(text)
        normalized = NormalizedString(text)
        with deadline:
            for step in steps:
                try:
                    normalized = step.normalize(normalized)
                    refuse_expansion(made + len(normalized), given)
                except ModelFormatError:
                    problem = f"{text!r:.60} is too long when normalized"
                    raise ModelFormatError(source, "added_tokens", problem) from None
                except InvalidText as error:
                    raise ModelFormatError(source, "added_tokens", f"{text!r:.60}: {error}") from None
        made += len(normalized)
        return normalized.text

    return normalize


def read_added_token(fields: Fields) -> AddedToken:
    """One entry of `added_tokens`. Its id is read and not used: the library assigns ids itself."""
    fields.integer("id")
    return _ADDED_TOKEN(fields)


_ADDED_TOKEN = reader(AddedToken)
