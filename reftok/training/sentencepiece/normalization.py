"""The rules by which a corpus is normalized before it is trained on, and which the model then holds.

Source: sentencepiece 0.2.3, sentencepiece_trainer.cc (`PopulateNormalizerSpec`), builder.cc (`GetPrecompiledCharsMap`,
`LoadCharsMap`). The rules that the library knows by name stand in the folder data, compressed, read off the official
wheel by tools/make_normalization_rules.py.
"""

from __future__ import annotations

import lzma
import re
from pathlib import Path

from reftok.errors import InvalidOption, ReftokError
from reftok.fast.sentencepiece_normalizer import FastSentencePieceNormalizer
from reftok.formats.sentencepiece.charsmap_check import check_charsmap
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.training.sentencepiece.charsmap_compiler import compiled_charsmap
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.unicode.charsmap import Charsmap

DEFAULT_RULES = "nmt_nfkc"
NAMED_RULES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf")
"""The rules that are known by name; `identity` is none at all."""

USER_DEFINED = "user_defined"
"""What rules from a file are called in the model."""

_LARGEST_BLOB = 1 << 20
_CODE_POINT = re.compile(r"(?:U\+)?(?:0[xX])?([0-9a-fA-F]{1,8})")


def rules_name(options: TrainerOptions) -> str:
    """What the rules are called in the model."""
    return USER_DEFINED if options.normalization_rule_tsv else options.normalization_rule_name or DEFAULT_RULES


def charsmap_blob(options: TrainerOptions) -> bytes:
    """The charsmap of the options, empty where there are no rules.

    Raises InvalidOption for a name that is not known and for a file of rules that cannot be read.
    """
    if options.normalization_rule_tsv:
        return compiled_file("normalization_rule_tsv", options.normalization_rule_tsv)
    if options.precompiled_charsmap:
        return options.precompiled_charsmap
    name = rules_name(options)
    if name == "identity":
        return b""
    if name not in NAMED_RULES:
        known = ", ".join((*NAMED_RULES, "identity"))
        raise InvalidOption("normalization_rule_name", f"{name!r} is not one of {known}")
    packed = (Path(__file__).parent / "data" / f"{name}.xz").read_bytes()
    return lzma.LZMADecompressor().decompress(packed, _LARGEST_BLOB)


def normalizer_of(options: TrainerOptions, blob: bytes) -> FastSentencePieceNormalizer:
    """The normalizer of the corpus: that of the model, but user-defined symbols are no exception yet."""
    charsmap = None
    if blob:
        try:
            charsmap = Charsmap(blob, "precompiled_charsmap")
            if options.precompiled_charsmap:  # the others are the library's own, or compiled here
                check_charsmap(charsmap, "precompiled_charsmap")
        except ReftokError as error:
            raise InvalidOption("precompiled_charsmap", str(error)) from None
    return FastSentencePieceNormalizer(
        SentencePieceNormalizer(
            NormalizerOptions(
                add_dummy_prefix=options.add_dummy_prefix,
                remove_extra_whitespaces=options.remove_extra_whitespaces,
                treat_whitespace_as_suffix=options.treat_whitespace_as_suffix,
            ),
            charsmap,
        )
    )


def compiled_file(option: str, path: str) -> bytes:
    """The charsmap of a file of rules.

    On each line stand the code points of a text, in hexadecimal digits with spaces between, a tab, and those of what it
    becomes, none where it is removed.
    Raises InvalidOption, which names the line.

    Quirks: a line without a tab removes its text; what follows a second tab is not read; of two rules for one text the
    later one counts; a code point may have `U+` before it.
    """
    try:
        lines = Path(path).read_bytes().decode("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidOption(option, f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    rules: dict[str, str] = {}
    for number, line in enumerate(lines[:-1] if not lines[-1] else lines, 1):
        old, _, rest = line.partition("\t")
        try:
            text, replacement = _text(old), _text(rest.partition("\t")[0])
        except ValueError as error:
            raise InvalidOption(option, f"{path}, line {number}: {error}") from None
        if not text:
            raise InvalidOption(option, f"{path}, line {number}: there is no text to replace")
        rules[text] = replacement
    try:
        return compiled_charsmap(rules)
    except ValueError as error:
        raise InvalidOption(option, f"{path}: {error}") from None


def _text(code_points: str) -> str:
    characters = []
    for item in code_points.split(" "):
        if not item:
            continue
        match = _CODE_POINT.fullmatch(item)
        if match is None:
            raise ValueError(f"{item!r} is not a code point in hexadecimal digits")
        code = int(match[1], 16)
        if code == 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise ValueError(f"U+{code:04X} is not a character that a rule can have")
        characters.append(chr(code))
    return "".join(characters)
