"""Forty mistakes of those who write a tokenizer again in another language.

They were collected from the stages alone, without a look at what the harness can name; so `rule` is always "". What
each one is stands at its class.
"""

from __future__ import annotations

from tests.planted_defects.catalogue import Defect

SECOND = (
    Defect("inputs.py:ModifiedUtf8", "bpe-gpt2", "Input", "", findings=2),
    Defect("inputs.py:BufferCutsCharacters", "spm-char", "Input", "", findings=2, most=64),
    Defect("inputs.py:PlusIsSpace", "spm-bpe", "Input", "", findings=2),
    Defect("normalizers.py:FinalsStayApart", "bpe-qwen", "Normalizer", "", findings=2),
    Defect("normalizers.py:TrimmedByBytes", "spm-unigram-suffix", "Normalizer", "", findings=2),
    Defect("normalizers.py:RulesOfOneCharacter", "spm-unigram", "Normalizer", "", findings=2),
    Defect("normalizers.py:SpacesHalved", "spm-unigram-hf", "Normalizer", "", findings=2),
    Defect("added_tokens.py:AsciiWords", "bpe-gpt2", "AddedTokens", "", findings=2),
    Defect("added_tokens.py:StripsOneSpace", "bpe-llama3", "AddedTokens", "", findings=2),
    Defect("added_tokens.py:TrieGoesOn", "spm-bpe-hf", "AddedTokens", "", findings=2),
    Defect("pre_tokenizers.py:EcmaScriptSpace", "bpe-llama3", "PreTokenizer", "", findings=2),
    Defect("pre_tokenizers.py:DecimalDigits", "bpe-qwen", "PreTokenizer", "", findings=2),
    Defect("pre_tokenizers.py:MarksAreLetters", "bpe-gpt2", "PreTokenizer", "", findings=2),
    Defect("pre_tokenizers.py:ThousandsGrouped", "bpe-llama3", "PreTokenizer", "", findings=2),
    Defect("pre_tokenizers.py:SoftHyphenPrints", "bpe-qwen", "PreTokenizer", "", findings=2),
    Defect("models.py:TiesFromTheRight", "bpe-qwen", "Model", "", findings=2),
    Defect("models.py:CommentsInMerges", "bpe-gpt2", "Model", "", findings=2),
    Defect("models.py:EscapesStay", "bpe-llama3", "Model", "", findings=2),
    Defect("models.py:CacheWithoutSpace", "bpe-gpt2", "Model", "", findings=2),
    Defect("models.py:BytesInLowerCase", "spm-bpe-hf", "Model", "", findings=2),
    Defect("models.py:StaleMerges", "spm-bpe", "Model", "", findings=2),
    Defect("models.py:BytesOfSurrogates", "spm-unigram-bytes", "Model", "", findings=2),
    Defect("models.py:ShortestSymbol", "spm-bpe-symbols", "Model", "", findings=2),
    Defect("models.py:LongestFirst", "spm-unigram-symbols", "Model", "", findings=2),
    Defect("models.py:ScoresUpToThePoint", "spm-unigram-hf", "Model", "", findings=2),
    Defect("post_processors.py:NoSecondBegin", "bpe-llama3", "PostProcessor", "", findings=2, most=17),
    Defect("post_processors.py:NothingForNothing", "spm-unigram-hf", "PostProcessor", "", findings=2),
    Defect("offsets.py:OfGraphemes", "bpe-llama3", "Offsets", "", findings=2),
    Defect("offsets.py:Searched", "spm-bpe-hf", "Offsets", "", findings=2),
    Defect("offsets.py:OfNormalizedText", "bpe-qwen", "Offsets", "", findings=2),
    Defect("decoders.py:FirstSpaceOfTokens", "spm-bpe-hf", "Decoder", "", findings=2),
    Defect("decoders.py:OneForEachByte", "bpe-gpt2", "Decoder", "", findings=2),
    Defect("decoders.py:SkipsEveryAddedToken", "bpe-llama3", "Decoder", "", findings=2),
    Defect("stream_encoders.py:KeepsOneToken", "bpe-llama3", "Streams", "", findings=2),
    Defect("stream_encoders.py:ForgetsFourBytes", "bpe-gpt2", "Streams", "", findings=2),
    Defect("stream_encoders.py:BeginsOnce", "bpe-llama3", "Streams", "", findings=2),
    Defect("stream_decoders.py:CountsFollowers", "bpe-gpt2", "Streams", "", findings=2),
    Defect("stream_decoders.py:HoldsThreeTokens", "bpe-qwen", "Streams", "", findings=2),
    Defect("stream_decoders.py:SpecialTokenFlushes", "bpe-llama3", "Streams", "", findings=2),
    Defect("stream_decoders.py:FirstIdIsFirstWord", "spm-bpe", "Streams", "", findings=2),
)
