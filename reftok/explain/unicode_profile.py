"""The Unicode version of the tables of each component of each official library: the profile of a tokenizer.

The tables themselves are in reftok/unicode/; the tests hold each against the library over all scalar values, so the
profile is what the library does, whatever version of `regex` or of Python is installed.

It is that of the newest release of tokenizers. Older ones differ (measured over all scalar values on 0.15.2, 0.19.1,
0.20.3, 0.21.0, 0.21.4 and 0.22.2): the patterns follow Unicode 14 up to 0.21.1; `Lowercase` and `Digits` follow 15 in
0.21.0 and 16 in 0.21.4; the grapheme clusters of `Precompiled` follow 16 up to 0.22.2. The normalization forms and
`Punctuation` have not changed since 0.15.2.
"""

from __future__ import annotations

from collections.abc import Mapping

from reftok.rules.pipeline import Pipeline

_TOKENIZERS = {
    **dict.fromkeys(("NFC", "NFD", "NFKC", "NFKD", "StripAccents", "UnicodeScripts"), "9.0"),
    **dict.fromkeys(("AddedVocabulary", "Whitespace"), "16.0"),
    **dict.fromkeys(("BertPreTokenizer", "Punctuation"), "8.0"),
    **dict.fromkeys(("Lowercase", "Digits"), "17.0"),
    "BertNormalizer": "8.0 (categories), 9.0 (accents), 17.0 (lower case)",
    "Precompiled": "17.0 (grapheme clusters)",
}
_PATTERNS = {"llama.cpp": "15.1"}
_OTHER_PATTERNS = "16.0"
"""Oniguruma for tokenizers, and fancy-regex for tiktoken and mistral-common."""


def unicode_version(library: str, component: object) -> str | None:
    """The Unicode version of a component's tables, None if it needs none.

    White space is the same set in every version since 6.3, so a component that knows nothing else has no version.

    >>> from reftok.rules.huggingface.normalizers import NFC, Prepend
    >>> unicode_version("tokenizers", NFC()), unicode_version("tokenizers", Prepend("▁"))
    ('9.0', None)
    """
    pattern = getattr(component, "pattern", None)
    # It cuts or replaces by a regular expression: its own, or GPT-2's that is built in.
    if getattr(component, "use_regex", False) or not isinstance(pattern, str | None):
        return _PATTERNS.get(library, _OTHER_PATTERNS)
    return _TOKENIZERS.get(type(component).__name__) if library == "tokenizers" else None


def unicode_profile(rules: Pipeline) -> Mapping[str, str]:
    """The Unicode version of each component that needs one, by the component's name.

    >>> import reftok
    >>> dict(unicode_profile(reftok.load("bpe-qwen").rules))
    {'AddedVocabulary': '16.0', 'NFC': '9.0', 'Split': '16.0'}
    """
    stages = (rules.normalizers, rules.pre_tokenizers, rules.post_processors or (), rules.decoders or ())
    components: list[object] = [rules.added_tokens, *(component for stage in stages for component in stage)]
    versions = ((type(component).__name__, unicode_version(rules.library, component)) for component in components)
    return {name: version for name, version in versions if version is not None}
