r"""Write reftok/unicode_tables.py, or with --check compare it with what this would write.

    python tools/make_unicode_tables.py            write it anew
    python tools/make_unicode_tables.py --check    exit 1 if it differs

The tables are read off the installed `tokenizers`, code point by code point; no Unicode release is asked. Which code
points have a combining class or a decomposition at all comes from the package `regex`, which has to be a recent one:
what it does not know yet cannot be found out.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

import regex
import sentencepiece
import tokenizers
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers

from reftok.formats.protobuf import read_fields

TABLES = Path(__file__).resolve().parent.parent / "reftok" / "unicode_tables.py"
SCALAR_VALUES = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
IOTA_SUBSCRIPT = "\u0345"
"""The mark with the highest combining class, 240: every other mark is put before it."""

PAGE = '''\
"""Code point ranges in which Unicode versions differ; made by `python tools/make_unicode_tables.py`, not by hand.

All tables were read off the official wheel (tokenizers {version}) code point by code point, not off a Unicode release.
"""

from __future__ import annotations

UNASSIGNED_IN_16 = """
{unassigned}
"""
"""Code points with general category Cn in Unicode 16.0, the tables of Oniguruma and of the Rust crates."""

INERT_IN_9 = """
{inert}
"""
"""Code points that have a combining class or a decomposition today, but none in the Unicode 9.0 tables of the crate
unicode-normalization-alignments. By Unicode's stability policy nothing else about normalization has changed."""

JOINING_SINCE_16 = """
{joining}
"""
"""Code points that are not in Unicode 16.0, but join the grapheme cluster before them in the newer tables of the crate
unicode-segmentation."""
'''


def page() -> str:
    """The text of the module."""
    unassigned_in_16 = unassigned()
    return PAGE.format(
        version=tokenizers.__version__,
        unassigned=as_ranges(unassigned_in_16),
        inert=as_ranges(inert()),
        joining=as_ranges(joining(unassigned_in_16)),
    )


def unassigned() -> list[str]:
    r"""The members of \p{Cn} in Oniguruma."""
    split = pre_tokenizers.Split(Regex(r"\p{Cn}+"), "removed", invert=True)
    return [character for part, _ in split.pre_tokenize_str("".join(SCALAR_VALUES)) for character in part]


def inert() -> list[str]:
    """What has a combining class or a decomposition today, but neither in the library's normalization forms."""
    nfd, nfkd = normalizers.NFD(), normalizers.NFKD()
    marks = regex.findall(r"(?V1)[\P{ccc=0}--\p{ccc=240}]", "".join(SCALAR_VALUES))
    decomposable = regex.findall(r"(?V1)[\P{dt=None}--[가-힣]]", "".join(SCALAR_VALUES))
    unsorted = {mark for mark in marks if nfd.normalize_str(f"a{IOTA_SUBSCRIPT}{mark}")[1] == IOTA_SUBSCRIPT}
    unchanged = {character for character in decomposable if nfkd.normalize_str(character) == character}
    return sorted(unsorted | unchanged)


def joining(candidates: Iterable[str]) -> list[str]:
    """Which candidates join the cluster of a letter; Precompiled drops what follows a rule in a cluster."""
    normalizer = bar_for_x()
    return [character for character in candidates if normalizer.normalize_str(f"X{character}") == "|"]


def bar_for_x() -> normalizers.Normalizer:
    """The normalizer Precompiled with the one rule that X becomes a bar."""
    spec = sentencepiece.SentencePieceNormalizer(norm_map=[("X", "|")]).serialized_normalizer_spec()
    charsmap = next(value for number, _, _, value in read_fields(spec, "normalizer_spec") if number == 2)
    assert isinstance(charsmap, bytes)
    precompiled = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode("ascii")}
    model = {"type": "BPE", "vocab": {}, "merges": []}
    return Tokenizer.from_str(json.dumps({"version": "1.0", "normalizer": precompiled, "model": model})).normalizer


def as_ranges(characters: Iterable[str]) -> str:
    """Code points in order as hexadecimal ranges, in lines.

    >>> as_ranges("abcx")
    '61-63 78'
    """
    ranges: list[tuple[int, int]] = []
    for code in map(ord, characters):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = ranges[-1][0], code
        else:
            ranges.append((code, code))
    texts = [f"{first:X}" if first == last else f"{first:X}-{last:X}" for first, last in ranges]
    return textwrap.fill(" ".join(texts), 112, break_on_hyphens=False)


def main() -> int:
    """Write the tables, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file differs")
    check = parser.parse_args().check
    made = page()
    if check:
        same = TABLES.read_text(encoding="utf-8") == made
        print(f"{TABLES.name} is {'as it would be made' if same else 'not what this installation would make'}")
        return 0 if same else 1
    TABLES.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
