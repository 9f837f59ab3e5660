"""Forty-five mistakes seen in ports, or written without knowledge of the rules that findings can name.

`rule` is "": what each one is stands at its class.
"""

from __future__ import annotations

from tests.planted_defects.catalogue import Defect

_MODELS = {
    "inputs.py": {
        "StripsSpaces": "bpe-qwen",
        "TabsAreFourSpaces": "spm-bpe",
        "BlankLinesOnce": "bpe-llama3",
        "JoinersDropped": "bpe-gpt2",
        "BlankIsNothing": "bpe-qwen",
        "EllipsisSpelledOut": "bpe-gpt2",
        "FullWidthIsAscii": "bpe-llama3",
        "SpecialTokensSwallowSpace": "bpe-qwen",
    },
    "stages.py": {
        "DigitsByThree": "bpe-gpt2",
        "NoTInContractions": "bpe-gpt2",
        "WordsWithoutSpace": "bpe-qwen",
        "UnderscoreIsLetter": "bpe-llama3",
        "SoftHyphenIsLost": "bpe-qwen",
        "ObjectKeys": "bpe-gpt2",
        "LongWordsGreedily": "bpe-gpt2",
        "LeftToRight": "bpe-llama3",
        "FewMerges": "bpe-qwen",
        "AddedTokensBehindSpaces": "bpe-qwen",
        "PrefixOfNothing": "spm-bpe",
        "FourBytesUnknown": "spm-unigram-bytes",
        "LongestPieceFirst": "spm-unigram",
        "OneSpaceTooFew": "spm-bpe-hf",
        "SpaceBehindAddedTokens": "spm-bpe-hf",
        "NoLastEntry": "bpe-qwen",
        "EndAdded": "bpe-llama3",
        "SecondHalfDropped": "spm-unigram-hf",
    },
    "decoders.py": {
        "FirstCharacterLost": "spm-bpe",
        "UnknownByName": "spm-unigram",
        "ReplacementAtTheEndDropped": "bpe-gpt2",
        "SpaceOfThePrefixKept": "spm-unigram",
        "LastLineEndLost": "bpe-qwen",
        "CompatibilityForms": "bpe-llama3",
        "TabsAreSpaces": "bpe-gpt2",
        "ControlsDropped": "bpe-qwen",
        "LinesTrimmed": "bpe-llama3",
        "FirstTokenWithoutSpace": "bpe-gpt2",
        "OneByteAlone": "bpe-qwen",
        "SkipsUnknown": "spm-unigram",
        "OneHigherBehindEmoji": "spm-unigram-hf",
        "OffsetsOfTokenLengths": "bpe-gpt2",
        "OffsetsOfBytesEmpty": "bpe-qwen",
        "SpecialTokensAtTheEnd": "bpe-llama3",
        "WordByWord": "bpe-gpt2",
        "EachPartStripped": "spm-bpe-hf",
        "NothingTwice": "bpe-llama3",
    },
}

THIRD = tuple(
    Defect(f"{file}:{name}", model, "", "", findings=2)
    for file, some in _MODELS.items()
    for name, model in some.items()
)
