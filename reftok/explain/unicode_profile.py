"""Which version of the Unicode tables each component of each official library follows: the profile of a tokenizer.

The tables themselves are in reftok/unicode/; the tests hold each against the library over all
scalar values, so the profile is what the library does, whatever version of `regex` or of Python is installed.

It is that of the newest release of tokenizers. Older ones differ (measured over all scalar values on 0.15.2, 0.19.1,
0.20.3, 0.21.0, 0.21.4 and 0.22.2): the patterns follow Unicode 14 up to 0.21.1; `Lowercase` and `Digits` follow 15 in
0.21.0 and 16 in 0.21.4; the grapheme clusters of `Precompiled` follow 16 up to 0.22.2. The normalization forms and
`Punctuation` have not changed since 0.15.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from reftok.rules.pipeline import Pipeline

_TOKENIZERS: Mapping[str, str] = MappingProxyType(
    {
        "AddedVocabulary": "16.0",
        "NFC": "9.0",
        "NFD": "9.0",
        "NFKC": "9.0",
        "NFKD": "9.0",
        "StripAccents": "9.0",
        "Lowercase": "17.0",
        "BertNormalizer": "8.0 (categories), 9.0 (accents), 17.0 (lower case)",
        "Precompiled": "17.0 (grapheme clusters)",
        "Whitespace": "16.0",
        "BertPreTokenizer": "8.0",
        "Punctuation": "8.0",
        "Digits": "17.0",
        "UnicodeScripts": "9.0",
    }
)

_ONIGURUMA = "16.0"
_FANCY_REGEX = "16.0"
_LLAMA_CPP = "15.1"


def unicode_version(library: str, component: object) -> str | None:
    """The Unicode version of a component's tables; None if it needs none.

    White space is the same set in every version since 6.3, so a component that knows nothing else has no version.

    >>> from reftok.rules.huggingface.normalizers import NFC, Prepend
    >>> unicode_version("tokenizers", NFC()), unicode_version("tokenizers", Prepend("▁"))
    ('9.0', None)
    """
    if _has_pattern(component):
        return {"tokenizers": _ONIGURUMA, "llama.cpp": _LLAMA_CPP}.get(library, _FANCY_REGEX)
    return _TOKENIZERS.get(type(component).__name__) if library == "tokenizers" else None


def unicode_profile(rules: Pipeline) -> Mapping[str, str]:
    """The Unicode version of each component that needs one, by the component's name.

    >>> import reftok
    >>> dict(unicode_profile(reftok.load("bpe-qwen").rules))
    {'AddedVocabulary': '16.0', 'NFC': '9.0', 'Split': '16.0'}
    """
    return {
        type(component).__name__: version
        for component in _components(rules)
        if (version := unicode_version(rules.library, component)) is not None
    }


def _has_pattern(component: object) -> bool:
    """Whether it cuts or replaces by a regular expression: its own, or GPT-2's that is built in."""
    if getattr(component, "use_regex", False):
        return True
    pattern = getattr(component, "pattern", None)
    return pattern is not None and not isinstance(pattern, str)


def _components(rules: Pipeline) -> Iterator[object]:
    yield rules.added_tokens
    for stage in (rules.normalizers, rules.pre_tokenizers, rules.post_processors, rules.decoders):
        yield from stage or ()
