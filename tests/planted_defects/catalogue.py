"""The planted defects that a fuzzing session must find, with what it must say of each."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.causes.edits.unicode_versions import VERSIONS, is_known, name


@dataclass(frozen=True, slots=True)
class Defect:
    """One mistake.

    subject: FILE:FACTORY in this folder. model: an embedded model that has what it gets wrong.
    stage, rule: what the finding must name; rule is "" where no rule is known for it, and has * for what is learnt.
    findings: how many causes it shows at most: a defect of the input may be seen in ids and in round trips.
    most: characters (or ids) of the shrunk example at most.
    """

    subject: str
    model: str
    stage: str
    rule: str
    findings: int = 1
    most: int = 12

    @property
    def name(self) -> str:
        """The subject and the model."""
        return f"{self.subject} on {self.model}"


QWEN, LLAMA, GPT2 = "bpe-qwen", "bpe-llama3", "bpe-gpt2"
NEWEST = name(max(filter(is_known, VERSIONS)))
"""The version of Unicode that the installed `regex` has."""
SPM_BPE_HF, UNIGRAM_HF = "spm-bpe-hf", "spm-unigram-hf"

DEFECTS = (
    Defect("strips_white_space.py:Subject", QWEN, "Input", "white space at the ends is stripped"),
    Defect("nul_truncates.py:Subject", QWEN, "Input", "text ends at the first NUL"),
    Defect("wrong_inputs.py:LineEnds", QWEN, "Input", "line ends are converted to \\n"),
    Defect("wrong_inputs.py:CarriageReturns", QWEN, "Input", "CR is removed"),
    Defect("wrong_inputs.py:LineEndsAreSpaces", QWEN, "Input", "line ends become spaces"),
    Defect("wrong_inputs.py:ByteOrderMark", QWEN, "Input", "a byte order mark is dropped"),
    Defect("wrong_inputs.py:TrailingSpace", QWEN, "Input", "white space at the end is stripped"),
    Defect("wrong_inputs.py:JavaTrim", QWEN, "Input", "white space at the ends is stripped as in Java's trim"),
    Defect("wrong_inputs.py:JavaStrip", QWEN, "Input", "white space at the ends is stripped as in Java's strip"),
    Defect("wrong_inputs.py:EcmaTrim", QWEN, "Input", "white space at the ends is stripped as in ECMAScript"),
    Defect("wrong_inputs.py:CTrim", LLAMA, "Input", "white space at the ends is stripped as in C and Python's bytes"),
    Defect("wrong_inputs.py:GoTrim", GPT2, "Input", "white space at the ends is stripped as in Go and Rust and C#"),
    Defect("wrong_inputs.py:EcmaTrimEnd", QWEN, "Input", "white space at the end is stripped as in ECMAScript"),
    Defect(
        "wrong_inputs.py:CTrimStart",
        QWEN,
        "Input",
        "white space at the start is stripped as in C and Python's bytes",
    ),
    Defect("wrong_inputs.py:Chomped", QWEN, "Input", "the last LF or CR LF is lost"),
    # Gravest where what is left is another special token: <r<|im_end|>s>.
    Defect("wrong_inputs.py:SpecialTokenStrings", QWEN, "Input", "special tokens are removed from the text", most=14),
    Defect("wrong_inputs.py:UnitByUnit", QWEN, "Input", "UTF-16 units are encoded one by one"),
    Defect("wrong_inputs.py:ZeroWidth", QWEN, "Input", "zero-width characters are removed"),
    Defect(
        "wrong_inputs.py:FirstCharacters", QWEN, "Input", "the text is cut at 512 characters", most=513
    ),  # text beyond 512 characters is lost
    Defect(
        "wrong_inputs.py:FirstBytes", QWEN, "Input", "the text is cut at 255 bytes", most=256
    ),  # text beyond 255 bytes is lost
    Defect(
        "wrong_inputs.py:ByteLength", QWEN, "Input", "the length in bytes is kept in 8 bits", most=256
    ),  # length in bytes is taken modulo 256
    Defect(
        "wrong_inputs.py:FullBuffers", QWEN, "Input", "the text is decoded in buffers of 128 bytes", most=128
    ),  # text is decoded in buffers of 128 bytes, characters on the seam are lost
    Defect(
        "wrong_inputs.py:Blocks", QWEN, "Input", "the text is encoded in pieces of 100 characters", most=101
    ),  # text is tokenized in blocks of 100 characters
    Defect("no_nfc.py:Subject", QWEN, "Normalizer", "NFC is missing"),
    Defect("wrong_normalizers.py:Compatibility", QWEN, "Normalizer", "NFKC in place of NFC"),
    Defect("wrong_normalizers.py:Decomposed", QWEN, "Normalizer", "NFD in place of NFC"),
    Defect("wrong_normalizers.py:OldTables", QWEN, "Normalizer", "characters are those of Unicode 3.2"),
    Defect("wrong_normalizers.py:WithoutHangul", QWEN, "Normalizer", "NFC without Hangul"),
    Defect("wrong_normalizers.py:NotDecomposed", QWEN, "Normalizer", "NFC composes without decomposing first"),
    Defect("wrong_normalizers.py:ExclusionsComposed", QWEN, "Normalizer", "NFC composes what Unicode excludes"),
    Defect("wrong_normalizers.py:LowerCase", QWEN, "Normalizer", "text is lower-cased"),
    Defect("wrong_normalizers.py:NoPrepend", SPM_BPE_HF, "Normalizer", "Prepend is missing"),
    Defect("wrong_normalizers.py:NoReplace", SPM_BPE_HF, "Normalizer", "Replace is missing"),
    Defect("wrong_normalizers.py:PlainCompatibility", UNIGRAM_HF, "Normalizer", "NFKC in place of the charsmap"),
    Defect("wrong_normalizers.py:NoDummyPrefix", "spm-unigram", "Normalizer", "the dummy prefix is missing"),
    Defect("wrong_normalizers.py:DummyPrefix", "spm-bpe-symbols", "Normalizer", "a dummy prefix is added"),
    Defect(
        "wrong_normalizers.py:OneDummyPrefix",
        "spm-bpe",
        "Normalizer",
        "no dummy prefix before a space",
    ),
    Defect("wrong_normalizers.py:ExtraSpacesKept", "spm-unigram", "Normalizer", "extra spaces are kept"),
    Defect("wrong_normalizers.py:ExtraSpacesRemoved", "spm-bpe", "Normalizer", "extra spaces are removed"),
    Defect("wrong_normalizers.py:NoCharsmap", "spm-unigram", "Normalizer", "the charsmap is not applied"),
    Defect(
        "wrong_normalizers.py:CharsmapNotForAscii",
        "spm-unigram",
        "Normalizer",
        "the charsmap is not applied to texts of ASCII",
    ),
    Defect(
        "wrong_normalizers.py:CharsmapFirst", "spm-unigram-symbols", "Normalizer", "user-defined symbols are normalized"
    ),
    Defect(
        "wrong_normalizers.py:CharsmapIsCompatibility", "spm-unigram", "Normalizer", "NFKC in place of the charsmap"
    ),
    Defect(
        "wrong_normalizers.py:FormOf6", QWEN, "Normalizer", "characters are those of Unicode 6.2"
    ),  # NFC by the tables of Unicode 6.2
    Defect(
        "wrong_normalizers.py:FormOf12", QWEN, "Normalizer", "characters are those of Unicode 12"
    ),  # NFC by the tables of Unicode 12.1
    Defect(
        "wrong_normalizers.py:FormOf14", QWEN, "Normalizer", "characters are those of Unicode 14"
    ),  # NFC by the tables of Unicode 14 (unicodedata)
    Defect("wrong_normalizers.py:FormOf16", QWEN, "Normalizer", ""),  # NFC by the tables of Unicode 16
    Defect(
        "wrong_normalizers.py:TurkishCase", "spm-unigram-symbols", "Normalizer", "lower case is Turkish"
    ),  # lower case of a Turkish locale
    Defect("added_tokens_ignored.py:Subject", QWEN, "AddedTokens", "added tokens are not matched"),
    Defect("wrong_added_tokens.py:NoLeftStrip", QWEN, "AddedTokens", "lstrip is off"),
    Defect("wrong_added_tokens.py:NoRightStrip", QWEN, "AddedTokens", "rstrip is off"),
    Defect("wrong_added_tokens.py:NoSingleWord", QWEN, "AddedTokens", "single_word is off"),
    Defect("wrong_added_tokens.py:NoFlags", QWEN, "AddedTokens", "flags of added tokens are not read"),
    Defect("wrong_added_tokens.py:NoNormalized", QWEN, "AddedTokens", "normalized is off"),
    Defect("wrong_added_tokens.py:AllNormalized", QWEN, "AddedTokens", "normalized is on"),
    # The library that it is made of panics where two added tokens would drop the same white space.
    Defect("wrong_added_tokens.py:AllStripLeft", QWEN, "AddedTokens", "lstrip is on", findings=2),
    Defect("wrong_added_tokens.py:AllStripRight", QWEN, "AddedTokens", "rstrip is on"),
    Defect("wrong_added_tokens.py:OnlySpecial", QWEN, "AddedTokens", "only special tokens are matched"),
    Defect("wrong_added_tokens.py:FirstInFile", QWEN, "AddedTokens", "the first in the file wins, not the longest"),
    Defect(
        "wrong_added_tokens.py:SplitByEach",
        LLAMA,
        "AddedTokens",
        "added tokens are cut out one after the other, the longest first",
        most=16,
    ),
    Defect(
        "wrong_added_tokens.py:AllSingleWord", QWEN, "AddedTokens", "single_word is on"
    ),  # single_word is on for all
    Defect(
        "wrong_added_tokens.py:OnlyAtStart", QWEN, "AddedTokens", "added tokens are matched only at the start"
    ),  # added tokens are matched at the start of the text only
    Defect(
        "wrong_added_tokens.py:OnlyWholeText", QWEN, "AddedTokens", "added tokens are matched only as the whole text"
    ),  # added tokens are matched as the whole text only
    Defect(
        "wrong_added_tokens.py:EndsOfTurns",
        LLAMA,
        "AddedTokens",
        "added tokens are matched that the file does not have",
        most=13,
    ),  # special tokens of other models are matched, as <|eot_id|>
    Defect(
        "wrong_added_tokens.py:TokensOfAnEncoding",
        GPT2,
        "AddedTokens",
        "added tokens are matched that the file does not have",
        most=15,
    ),  # special tokens of an encoding are matched, with ids outside the vocab
    Defect(
        "wrong_added_tokens.py:PadOfPieces",
        "spm-unigram",
        "AddedTokens",
        "added tokens are matched that the file does not have",
    ),  # <pad> is matched, which the model lacks
    Defect(
        "wrong_added_tokens.py:ChatTokens", LLAMA, "AddedTokens", "added tokens are matched that the file does not have"
    ),  # <|im_start|> and <|im_end|> are added to the model
    Defect(
        "wrong_added_tokens.py:AsciiWords", QWEN, "AddedTokens", "single_word knows words of ASCII only"
    ),  # \\w of single_word is ASCII
    Defect(
        "wrong_added_tokens.py:AlphanumericWords", QWEN, "AddedTokens", "single_word knows letters and numbers only"
    ),  # \\w of single_word is letters and numbers, without _ and marks
    Defect(
        "wrong_added_tokens.py:WordsOfUnicode9", QWEN, "AddedTokens", "characters are those of Unicode 9"
    ),  # \\w of single_word by the tables of Unicode 9
    Defect(
        "wrong_added_tokens.py:AsciiStrips", QWEN, "AddedTokens", "white space is that of Go"
    ),  # lstrip and rstrip take ASCII white space, without U+000B
    Defect(
        "wrong_added_tokens.py:EquivalentTokens",
        QWEN,
        "AddedTokens",
        "added tokens are matched by what is canonically equivalent",
    ),  # added tokens are matched by canonical equivalence
    Defect(
        "wrong_added_tokens.py:NormalizedFirst",
        QWEN,
        "AddedTokens",
        "the text is normalized before added tokens are matched",
    ),
    Defect("wrong_pre_tokenizers.py:LetterTable", QWEN, "PreTokenizer", "\\p{L} is not all letters"),
    Defect("wrong_pre_tokenizers.py:AsciiLetters", QWEN, "PreTokenizer", "\\p{L} is not all letters"),
    Defect("wrong_pre_tokenizers.py:WordCharacters", QWEN, "PreTokenizer", "\\w in place of \\p{L}"),
    Defect("wrong_pre_tokenizers.py:MarksAreLetters", QWEN, "PreTokenizer", "marks count as letters"),
    Defect("wrong_pre_tokenizers.py:ContractionCase", QWEN, "PreTokenizer", "contractions in capitals are not split"),
    Defect("wrong_pre_tokenizers.py:NoContractions", QWEN, "PreTokenizer", "contractions are not split"),
    Defect("wrong_pre_tokenizers.py:DigitsAlone", LLAMA, "PreTokenizer", "digits in groups of 1"),
    Defect("wrong_pre_tokenizers.py:AllDigits", LLAMA, "PreTokenizer", "digits are not grouped"),
    Defect("wrong_pre_tokenizers.py:DigitsFromTheRight", LLAMA, "PreTokenizer", "digits in groups of 3 from the right"),
    Defect(
        "wrong_pre_tokenizers.py:OnlyASpaceIsLeft",
        LLAMA,
        "PreTokenizer",
        "of white space before a word only a space is split off",
    ),
    Defect("wrong_pre_tokenizers.py:AsciiDigits", LLAMA, "PreTokenizer", "\\p{N} is ASCII digits"),
    Defect("wrong_pre_tokenizers.py:NoLookahead", QWEN, "PreTokenizer", "white space lookahead is missing"),
    Defect("wrong_pre_tokenizers.py:NoLineEnds", QWEN, "PreTokenizer", "line ends are not split from white space"),
    Defect("wrong_pre_tokenizers.py:AsciiSpace", QWEN, "PreTokenizer", "\\s is ASCII white space"),
    Defect(
        "wrong_pre_tokenizers.py:NoPunctuationLineEnds", QWEN, "PreTokenizer", "line ends are split from punctuation"
    ),
    Defect(
        "wrong_pre_tokenizers.py:NoSpaceBeforePunctuation", QWEN, "PreTokenizer", "spaces are split from punctuation"
    ),
    Defect("wrong_pre_tokenizers.py:NoSplit", QWEN, "PreTokenizer", "Split is missing"),
    Defect("wrong_pre_tokenizers.py:GPT2Pattern", QWEN, "PreTokenizer", "GPT-2's pattern"),
    Defect("wrong_pre_tokenizers.py:PrefixSpace", GPT2, "PreTokenizer", "add_prefix_space is on"),
    Defect("wrong_pre_tokenizers.py:MetaspaceFirst", UNIGRAM_HF, "PreTokenizer", "prepend_scheme is first"),
    Defect("wrong_pre_tokenizers.py:MetaspaceNever", UNIGRAM_HF, "PreTokenizer", "prepend_scheme is never"),
    Defect(
        "wrong_pre_tokenizers.py:JavaScriptSpace", QWEN, "PreTokenizer", "white space is that of ECMAScript"
    ),  # \\s is that of ECMAScript
    Defect(
        "wrong_pre_tokenizers.py:GoSpace", QWEN, "PreTokenizer", "white space is that of Go"
    ),  # \\s is that of RE2: ASCII without U+000B
    Defect(
        "wrong_pre_tokenizers.py:JavaSpace", QWEN, "PreTokenizer", "white space is that of Java"
    ),  # \\s is Character.isWhitespace
    Defect(
        "wrong_pre_tokenizers.py:PythonSpace", QWEN, "PreTokenizer", "white space is that of Python"
    ),  # \\s is str.isspace
    Defect("wrong_pre_tokenizers.py:CSpace", QWEN, "PreTokenizer", "\\s is not all white space"),  # \\s is iswspace
    Defect(
        "wrong_pre_tokenizers.py:OldSpace", QWEN, "PreTokenizer", "other characters count as white space"
    ),  # \\s has U+180E
    Defect(
        "wrong_pre_tokenizers.py:Unicode9", QWEN, "PreTokenizer", "characters are those of Unicode 9"
    ),  # \\p{L} and \\p{N} by the tables of Unicode 9
    Defect(
        "wrong_pre_tokenizers.py:Unicode13", LLAMA, "PreTokenizer", "characters are those of Unicode 13"
    ),  # \\p{L} and \\p{N} by the tables of Unicode 13
    Defect(
        "wrong_pre_tokenizers.py:Unicode15", QWEN, "PreTokenizer", "characters are those of Unicode 15"
    ),  # \\p{L} and \\p{N} by the tables of Unicode 15.0
    Defect(
        "wrong_pre_tokenizers.py:PythonPattern", QWEN, "PreTokenizer", f"characters are those of Unicode {NEWEST}"
    ),  # the pattern by the tables of a later Unicode (regex)
    Defect(
        "wrong_pre_tokenizers.py:PlaneZero",
        QWEN,
        "PreTokenizer",
        "patterns see UTF-16 units: surrogates are no letters",
    ),  # \\p{L} and \\p{N} end at U+FFFF
    Defect(
        "wrong_pre_tokenizers.py:DecimalDigits", LLAMA, "PreTokenizer", "\\p{N} is decimal digits"
    ),  # \\d in place of \\p{N}
    Defect(
        "wrong_pre_tokenizers.py:WordsOf64", QWEN, "Model", "words are encoded in pieces of 64 characters", most=65
    ),  # words are cut after 64 characters
    Defect(
        "wrong_pre_tokenizers.py:WordsOf255Bytes", QWEN, "Model", "words are cut at 255 bytes", most=256
    ),  # words end after 255 bytes, the rest is lost
    Defect(
        "wrong_pre_tokenizers.py:SignedBytesLost", QWEN, "PreTokenizer", "bytes are signed: those from 0x80 on are lost"
    ),  # bytes from 0x80 on are dropped (signed)
    Defect(
        "wrong_pre_tokenizers.py:SevenBits", QWEN, "PreTokenizer", "bytes lose their highest bit"
    ),  # bytes lose their highest bit
    Defect(
        "wrong_pre_tokenizers.py:NegativeIndex",
        QWEN,
        "PreTokenizer",
        "bytes are signed: those from 0x80 on lose their sign",
    ),  # bytes from 0x80 on are negative, the table is looked up by their absolute value
    Defect(
        "wrong_pre_tokenizers.py:AsciiBytes",
        QWEN,
        "PreTokenizer",
        "what ASCII does not have becomes ? after the text is split",
    ),
    Defect(
        "wrong_pre_tokenizers.py:HalvesReplaced",
        QWEN,
        "PreTokenizer",
        "halves of surrogate pairs are encoded one by one: each becomes U+FFFD",
    ),  # UTF-16 units are encoded one by one: U+FFFD for each half
    Defect(
        "wrong_pre_tokenizers.py:HalvesEncoded", QWEN, "PreTokenizer", "bytes are those of Java's modified UTF-8"
    ),  # modified UTF-8: surrogates of three bytes, NUL of two
    Defect(
        "wrong_pre_tokenizers.py:SplitMetaspace",
        SPM_BPE_HF,
        "Normalizer",
        "Metaspace in place of Prepend and Replace",
        findings=2,  # without a normalizer, added tokens are decoded by what they were before it
    ),  # Metaspace with a split in place of Prepend and Replace
    Defect(
        "wrong_pre_tokenizers.py:WholeMetaspace",
        SPM_BPE_HF,
        "Normalizer",
        "Metaspace in place of Prepend and Replace",
        findings=2,  # without a normalizer, added tokens are decoded by what they were before it
    ),  # Metaspace without a split in place of Prepend and Replace
    Defect("reversed_merges.py:Subject", QWEN, "Model", "merges are applied in the reverse order"),
    Defect("wrong_models.py:NoIgnoreMerges", LLAMA, "Model", "ignore_merges is off"),
    Defect("wrong_models.py:NoByteFallback", SPM_BPE_HF, "Model", "byte_fallback is off"),
    Defect("wrong_models.py:FirstMergeLost", QWEN, "Model", "the first merge is missing"),
    Defect("wrong_models.py:CommentsLost", QWEN, "Model", "merges that begin with # are missing"),
    Defect("wrong_models.py:NoMerges", QWEN, "Model", "no merges are applied"),
    Defect("wrong_models.py:MergesByLength", QWEN, "Model", "longer merges go first"),
    Defect("wrong_models.py:LongestFirst", QWEN, "Model", "the longest entry first, no merges"),
    Defect("wrong_models.py:GlyphBytes", QWEN, "PreTokenizer", "bytes are not mapped: glyphs are taken for text"),
    Defect("wrong_models.py:UnknownDropped", UNIGRAM_HF, "Model", "unknown tokens are dropped"),
    Defect("wrong_models.py:PieceUnknownDropped", "spm-unigram", "Model", "unknown tokens are dropped"),
    Defect("wrong_models.py:WorstScores", "spm-unigram", "Model", "scores have the other sign"),
    Defect("wrong_models.py:EqualScores", "spm-unigram", "Model", "scores are not read"),
    Defect("wrong_models.py:RoundedScores", "spm-unigram", "Model", "scores are rounded to 1 decimal"),
    Defect("wrong_models.py:HalfScores", "spm-unigram", "Model", "scores are float16"),
    Defect("wrong_models.py:SymbolsAreNormal", "spm-bpe-symbols", "Model", "user-defined symbols are not kept whole"),
    Defect("wrong_models.py:ControlsMatchText", "spm-unigram", "Model", "control pieces are found in text"),
    Defect("wrong_models.py:NoBytePieces", "spm-bpe", "Model", "byte_fallback is off"),
    Defect(
        "wrong_models.py:RightmostFirst",
        QWEN,
        "Model",
        "of equal merges the last goes first in words of more than *",
        most=17,
    ),  # the rightmost of equal merges first, from 17 symbols on
    Defect(
        "wrong_models.py:LongestFrom32",
        SPM_BPE_HF,
        "Model",
        "the longest entry first in normalized texts of more than *",
        most=32,
    ),  # the longest entry first from 32 symbols on
    Defect(
        "wrong_models.py:MergedFromTheLeft",
        QWEN,
        "Model",
        "merges go from left to right in words of more than *",
        most=25,
    ),  # merges in one pass from the left, from 25 symbols on
    Defect(
        "wrong_models.py:RightNeighbours", QWEN, "Model", "after a merge only the pair to its right is looked at again"
    ),
    Defect(
        "wrong_models.py:WordsOf100", GPT2, "Model", "words of more than * are dropped", most=101
    ),  # words of more than 100 symbols are dropped
    Defect(
        "wrong_models.py:WordsOf100", SPM_BPE_HF, "Model", "normalized texts of more than * are unknown", most=101
    ),  # words of more than 100 symbols are the unknown token
    Defect(
        "wrong_models.py:MergesOf64", QWEN, "Model", "symbols of words beyond the first 64 are not merged", most=66
    ),  # symbols behind the 64th are not merged
    Defect(
        "wrong_models.py:PieceBuffers", "spm-bpe", "Model", "normalized texts are encoded in pieces of *", most=129
    ),  # merges in buffers of 128 characters
    Defect(
        "wrong_models.py:LatticeOf100", "spm-unigram", "Model", "normalized texts are cut at *", most=101
    ),  # text beyond 100 characters is lost in the lattice
    Defect(
        "wrong_models.py:PackedPairs", QWEN, "Model", "pairs of ids are packed into 24 bits"
    ),  # pairs of ids are packed into 24 bits
    Defect(
        "wrong_models.py:Clusters", SPM_BPE_HF, "Model", "symbols are grapheme clusters, not characters"
    ),  # symbols are grapheme clusters
    Defect(
        "wrong_models.py:ClusterLattice", UNIGRAM_HF, "Model", "symbols are grapheme clusters, not characters"
    ),  # pieces begin and end between grapheme clusters
    Defect(
        "wrong_models.py:EquivalentKeys",
        SPM_BPE_HF,
        "Model",
        "entries of the vocab that are canonically equivalent are one",
    ),  # entries of the vocab are found by canonical equivalence
    Defect(
        "wrong_models.py:EquivalentClusters", SPM_BPE_HF, "Model", "symbols are grapheme clusters, not characters"
    ),  # symbols are grapheme clusters, found by canonical equivalence
    Defect(
        "wrong_models.py:HalvesFallBack", SPM_BPE_HF, "Model", "surrogates are encoded one by one, as CESU-8"
    ),  # bytes of fallback are those of each UTF-16 unit
    Defect(
        "wrong_models.py:HalvesAreQuestionMarks",
        SPM_BPE_HF,
        "Model",
        "halves of surrogate pairs are encoded one by one: each becomes ?",
    ),  # surrogate pairs fall back to two question marks
    Defect(
        "wrong_models.py:SignedNames", SPM_BPE_HF, "Model", "bytes are signed: those from 0x80 on are unknown"
    ),  # names of bytes from 0x80 on are not found (signed)
    Defect("wrong_models.py:SignedIndex", SPM_BPE_HF, "Model", ""),  # bytes from 0x80 on are other ids (signed)
    Defect(
        "wrong_models.py:SmallLetterBytes", SPM_BPE_HF, "Model", "byte pieces are looked up as <0x0a>"
    ),  # names of bytes are looked up with small letters
    Defect("wrong_models.py:ShortByteNames", SPM_BPE_HF, "Model", "byte pieces are looked up as <0xA>"),
    Defect("no_special_tokens.py:Subject", LLAMA, "PostProcessor", "special tokens are not added"),
    Defect("wrong_post_processors.py:DoubledTemplate", LLAMA, "PostProcessor", "special tokens are added twice"),
    Defect("wrong_post_processors.py:AlwaysAdded", LLAMA, "PostProcessor", "special tokens are always added"),
    Defect(
        "wrong_post_processors.py:NoSecondEnd",
        UNIGRAM_HF,
        "PostProcessor",
        "no special token at the end of a text that ends with it",
    ),
    Defect("wrong_post_processors.py:EndAdded", QWEN, "PostProcessor", "a special token is added at the end"),
    Defect(
        "wrong_post_processors.py:BeginAdded", GPT2, "PostProcessor", "* at the start"
    ),  # a special token is added at the start
    Defect(
        "wrong_post_processors.py:BeginAdded", UNIGRAM_HF, "PostProcessor", "* at the start"
    ),  # a special token is added at the start
    Defect(
        "wrong_post_processors.py:BeginAlways", QWEN, "PostProcessor", "* at the start"
    ),  # a special token is added at the start, wanted or not
    Defect(
        "wrong_post_processors.py:PieceBeginAdded", "spm-bpe", "PostProcessor", "* at the start"
    ),  # a special token is added at the start
    Defect(
        "wrong_post_processors.py:First512Tokens", QWEN, "PostProcessor", "the text is cut at 512 tokens", most=513
    ),  # ids beyond 512 are lost
    Defect("wrong_post_processors.py:TwelveBits", GPT2, "Model", "ids overflow at 2^12"),  # ids are taken modulo 4096
    Defect("off_by_one_offsets.py:Subject", QWEN, "Offsets", "offsets are one too high"),
    Defect("byte_offsets.py:Subject", QWEN, "Offsets", "offsets count bytes instead of code points"),
    Defect("utf16_offsets.py:Subject", QWEN, "Offsets", "offsets count UTF-16 units instead of code points"),
    Defect("wrong_offsets.py:Untrimmed", GPT2, "Offsets", "trim_offsets is off"),
    Defect("wrong_offsets.py:InNormalized", QWEN, "Offsets", "offsets count the normalized text"),
    Defect("wrong_offsets.py:Inclusive", QWEN, "Offsets", "ends of offsets are inclusive"),
    Defect("wrong_offsets.py:Lengths", QWEN, "Offsets", "a start and a length in place of a span"),
    Defect("lossy_decode.py:Subject", QWEN, "Decoder", "bytes that are not UTF-8 are dropped"),
    Defect("wrong_decoders.py:TokenByToken", QWEN, "Decoder", "each token is decoded alone"),
    Defect("wrong_decoders.py:Trimmed", QWEN, "Decoder", "white space at the ends is stripped"),
    # Its stream has given out the space when the punctuation comes.
    Defect("wrong_decoders.py:CleanedUp", QWEN, "Decoder", "spaces before punctuation are removed", findings=2),
    Defect("wrong_decoders.py:SpecialKept", QWEN, "Decoder", "special tokens are kept"),
    Defect("wrong_decoders.py:SpecialDropped", QWEN, "Decoder", "special tokens are always skipped"),
    Defect("wrong_decoders.py:OneReplacement", QWEN, "Decoder", "one U+FFFD for a run of bytes"),
    Defect("wrong_decoders.py:GlyphsShown", QWEN, "Decoder", "bytes are not mapped: glyphs are given out"),
    Defect("wrong_decoders.py:LatinBytes", QWEN, "Decoder", "bytes are decoded as Latin-1"),
    Defect("wrong_decoders.py:BytesShown", "spm-bpe", "Decoder", "byte pieces are given out by name"),
    Defect("wrong_decoders.py:LeadingSpaceKept", "spm-unigram", "Decoder", "the space of the dummy prefix is kept"),
    Defect("wrong_decoders.py:AllLeadingSpacesStripped", "spm-bpe", "Decoder", "leading spaces are stripped"),
    Defect("wrong_decoders.py:UnknownIsNothing", "spm-unigram", "Decoder", "the unknown token is given out as nothing"),
    Defect(
        "wrong_decoders.py:ByteOrderMarkDropped", QWEN, "Decoder", "a byte order mark is dropped"
    ),  # a byte order mark at the start is dropped
    Defect(
        "wrong_decoders.py:ByteOrderMarksDropped", QWEN, "Decoder", "a byte order mark is dropped"
    ),  # byte order marks at the start and behind added tokens are dropped
    Defect(
        "wrong_decoders.py:PieceByteOrderMarkDropped", "spm-bpe", "Decoder", "a byte order mark is dropped"
    ),  # a byte order mark at the start is dropped
    Defect(
        "wrong_decoders.py:UnfinishedDropped", QWEN, "Decoder", "unfinished bytes at the end are dropped"
    ),  # bytes of an unfinished character at the end are dropped
    Defect(
        "wrong_decoders.py:UnfinishedBytesDropped", SPM_BPE_HF, "Decoder", "unfinished bytes at the end are dropped"
    ),  # byte tokens of an unfinished character at the end are dropped
    Defect(
        "wrong_decoders.py:OutsideIsUnknown",
        SPM_BPE_HF,
        "Decoder",
        "an id outside the vocab is given out as the unknown token",
    ),  # an id outside the vocab gives the unknown token
    Defect(
        "wrong_decoders.py:OutsideIsFirst", QWEN, "Decoder", "an id outside the vocab is given out as id 0"
    ),  # an id outside the vocab gives the token of id 0
    Defect(
        "wrong_decoders.py:OutsideIsReplaced", LLAMA, "Decoder", "an id outside the vocab is given out as U+FFFD"
    ),  # an id outside the vocab gives U+FFFD
    Defect(
        "wrong_decoders.py:SignedBytesDropped", SPM_BPE_HF, "Decoder", "bytes are signed: those from 0x80 on are lost"
    ),  # byte tokens from 0x80 on are dropped (signed)
    Defect(
        "wrong_caches.py:FirstCharacters", QWEN, "", "its answer *", most=30
    ),  # words are remembered by their first 8 characters
    Defect("wrong_caches.py:LowerCased", QWEN, "", "its answer *"),  # words are remembered lower-cased
    Defect("wrong_caches.py:Hashed", QWEN, "", "its answer *"),  # words are remembered by length and hash
    Defect(
        "wrong_caches.py:SpecialTokensForgotten", LLAMA, "PostProcessor", "special tokens are always added"
    ),  # texts are remembered without add_special_tokens, with which they are asked first
    Defect("wrong_caches.py:SkippingForgotten", QWEN, "", ""),  # ids are remembered without skip_special_tokens
    Defect("wrong_stacks.py:Recursion", SPM_BPE_HF, "", "", most=330),  # an error of recursion on long words
    Defect("wrong_stacks.py:SmallStack", SPM_BPE_HF, "", "", most=200),  # the process dies on long words
)
"""Those of streams are held by tests/conformance/causes/test_stream_defects.py."""

OF_STREAMS = (
    *(
        Defect(f"{name}.py:Subject", QWEN, "Streams", rule)
        for name, rule in (
            ("stream_forgets_flush", "the end is never given out"),
            ("stream_cuts_added_tokens", "an added token is not seen that comes in two chunks"),
            ("stream_cuts_white_space", "a run of white space ends with its chunk"),
            ("stream_cuts_nfc", "characters that compose across two chunks are normalized apart"),
            ("stream_drops_c3", "even one chunk of bytes gives other ids than their text"),
            ("stream_strips", "even one chunk gives other ids than the whole text"),
            ("stream_cuts_bytes", "a character is lost whose bytes come in two chunks"),
            ("stream_encodes_chunks_alone", "each chunk is encoded on its own"),
            ("stream_holds_everything", "more text is held back than the rule needs"),
            ("stream_holds_bytes", "more text is held back than the rule needs"),
            ("stream_holds_after_finish", "text is held after finish"),
            ("stream_ends_at_empty_chunk", "an empty chunk changes what is given"),
            ("stream_is_not_reset", "what was fed before a reset is not forgotten"),
            ("stream_stays_finished", "what was fed before a reset is not forgotten"),
            ("stream_keeps_bytes", "what was fed before a reset is not forgotten"),
            ("streams_share_state", "two streams share their state"),
            ("streams_share_settings", "two streams share their state"),
            ("streams_are_cached", "two streams share their state"),
            ("stream_loses_tail", "a character that stays incomplete is never given out as U+FFFD"),
            ("stream_compares_lengths", "a U+FFFD is given out for a character that is not complete"),
            ("stream_decodes_ids_alone", "a U+FFFD is given out for a character that is not complete"),
            ("stream_drops_bytes", "bytes that are not UTF-8 are dropped"),
            ("stream_repeats", "text is given out twice"),
            ("stream_ignores_stop", "an early stop is ignored"),
            ("stream_callback_stops_at_none", "a callback that returns None stops the calls"),
            ("stream_callback_forgets_flush", "the callback never hears the end"),
            ("stream_callback_names_next_id", "the callback is called for other ids"),
            ("stream_callback_is_never_final", "is_final is not set with the last id alone"),
        )
    ),
    Defect("stream_prefixes_chunks.py:Subject", "spm-unigram", "Streams", "a space is added before each chunk"),
    Defect("stream_strips_prefix_space.py:Subject", SPM_BPE_HF, "Streams", "spaces are lost between chunks"),
)
"""The planted defects of streams, which no session hunts: `tests/conformance/causes/test_stream_defects.py`.

Not `stream_buffers_longest_token`: it is wrong only where a letter changes tokens that lie far behind it.
"""
