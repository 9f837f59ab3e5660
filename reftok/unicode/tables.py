"""The generated tables of Unicode, which stand in the folder data.

Those of `tokenizers` were read off the official wheel (0.23.3) code point by code point, not off a Unicode release, by
tools/make_unicode_tables.py. Code points are hexadecimal ranges: `61-63 78`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def _read(name: str) -> str:
    return (Path(__file__).parent / "data" / f"{name}.txt").read_text("ascii")


def _read_by_name(name: str) -> Mapping[str, str]:
    """A table of lines, each a name and its ranges."""
    lines = (line.partition(" ") for line in _read(name).splitlines())
    return {first: rest for first, _, rest in lines}


UNASSIGNED_IN_16 = _read("unassigned_in_16")
"""Code points with general category Cn in Unicode 16.0, the tables of Oniguruma and of the Rust crates."""

EXTENDED_PICTOGRAPHIC_IN_16 = _read("extended_pictographic_in_16")
"""Code points with the property Extended_Pictographic in Unicode 16.0, as Oniguruma has it: among them code points for
pictures to come, which later versions took back."""

ONIGURUMA_PROPERTIES = frozenset(_read("oniguruma_properties").split())
"""The property names of Oniguruma 6.9.10 in small letters, without spaces, hyphens and underscores.

Source: unicode_property_data.c. Left out are InCB and In_No_Block, whose members are not those that the name promises.
Written down by hand; tests/reftok/regex_dialects/oniguruma/test_patterns.py asks the official library for every name.
"""

INERT_IN_9 = _read("inert_in_9")
"""Code points that have a combining class or a decomposition today, but none in the Unicode 9.0 tables of the crate
unicode-normalization-alignments. By Unicode's stability policy nothing else about normalization has changed."""

NUMERIC_IN_17 = _read("numeric_in_17")
"""Code points with general category N in Unicode 17.0, the tables of Rust's standard library."""

COMBINING_MARKS_IN_9 = _read("combining_marks_in_9")
"""Code points with general category M in Unicode 9.0, as the crate unicode-normalization-alignments has them."""

BERT_CONTROLS = _read("bert_controls")
"""Code points with general category Cc or Cf in Unicode 8.0, the tables of the crate unicode_categories, but not the
tabulator, line feed and carriage return, which BERT counts as white space; and U+FFFD."""

BERT_NONSPACING_MARKS = _read("bert_nonspacing_marks")
"""Code points with general category Mn in Unicode 8.0, the tables of the crate unicode_categories."""

BERT_PUNCTUATION = _read("bert_punctuation")
"""Code points with general category P in Unicode 8.0, the tables of the crate unicode_categories, and what ASCII has of
category S."""

LOWERCASE = _read("lowercase_in_17")
"""Code points with a lower case of one other code point, in Unicode 17.0, the tables of Rust's standard library: each
with its lower case, `41>61`. Only U+0130 has a longer one."""

SCRIPTS_IN_9 = _read_by_name("scripts_in_9")
"""The code points of each script, in Unicode 9.0 as the pre-tokenizer UnicodeScripts has them: Han includes Hiragana,
Katakana and U+30FC; the space and what 9.0 did not have has no script."""

GRAPHEME_CLASSES = _read_by_name("grapheme_classes_in_17")
"""The code points of each class of grapheme clusters, in Unicode 17.0, by the letters of graphemes.py. A code point is
in one class at most, but a linker is an Extend as well. The classes LV and LVT, the Hangul syllables, follow from a
rule and are left out.

Source: `grapheme_cat_table` and `is_incb_linker`, src/tables.rs of the crate unicode-segmentation 1.13.2, by
tools/make_grapheme_tables.py.
"""

LLAMA_CATEGORIES = _read("llama_categories")
"""Where a range of code points begins, and its category: letter, mark, number, punctuation, symbol, separator (Z),
control (C, private use and surrogates with it) or unassigned (U). The first letter of Unicode's general category.

Source: `unicode_ranges_flags`, src/unicode-data.cpp of llama.cpp as llama-cpp-python 0.3.36 has it, by
tools/make_llama_unicode_tables.py.
"""
