r"""Write the tables in reftok/unicode/data, or with --check compare them with what this would write.

    python tools/make_unicode_tables.py            write it anew
    python tools/make_unicode_tables.py --check    exit 1 if one differs

The tables are read off the installed `tokenizers`, code point by code point; no Unicode release is asked. Which code
points have a combining class or a decomposition at all comes from the package `regex`, which has to be a recent one:
what it does not know yet cannot be found out.
"""

from __future__ import annotations

import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator

import regex
from made_tables import arguments, write_or_check
from tokenizers import Regex, normalizers, pre_tokenizers

from reftok.unicode.ranges import as_ranges

SCALAR_VALUES = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
SCRIPT_NAMES = """
Adlam Ahom AnatolianHieroglyphs Arabic Armenian Avestan Balinese Bamum BassaVah Batak Bengali Bhaiksuki Bopomofo
Brahmi Braille Buginese Buhid CanadianAboriginal Carian CaucasianAlbanian Chakma Cham Cherokee Common Coptic
Cuneiform Cypriot Cyrillic Deseret Devanagari Duployan EgyptianHieroglyphs Elbasan Ethiopic Georgian Glagolitic
Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew ImperialAramaic Inherited
InscriptionalPahlavi InscriptionalParthian Javanese Kaithi Kannada KayahLi Kharoshthi Khmer Khojki Khudawadi Lao
Latin Lepcha Limbu LinearA LinearB Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen MeeteiMayek
MendeKikakui MeroiticCursive MeroiticHieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean NewTaiLue
Newa Nko Ogham OlChiki OldHungarian OldItalic OldNorthArabian OldPermic OldPersian OldSouthArabian OldTurkic
Oriya Osage Osmanya PahawhHmong Palmyrene PauCinHau PhagsPa Phoenician PsalterPahlavi Rejang Runic Samaritan
Saurashtra Sharada Shavian Siddham SignWriting Sinhala SoraSompeng Sundanese SylotiNagri Syriac Tagalog Tagbanwa
TaiLe TaiTham TaiViet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai WarangCiti Yi
"""
"""The scripts of Unicode 9, but not Hiragana and Katakana, which UnicodeScripts takes for Han."""
IOTA_SUBSCRIPT = "\u0345"
"""The mark with the highest combining class, 240: every other mark is put before it."""


def tables() -> dict[str, str]:
    """The text of each table, by its name."""
    bert_controls = (c for c in vanishing(bert(clean_text=True)) if unicodedata.category(c) != "Co")
    return {
        "unassigned_in_16": table_of(members(r"\p{Cn}")),
        "extended_pictographic_in_16": table_of(members(r"\p{Extended_Pictographic}")),
        "inert_in_9": table_of(inert()),
        "numeric_in_17": table_of(numeric()),
        "scripts_in_9": as_scripts(scripts()),
        "combining_marks_in_9": table_of(vanishing(normalizers.StripAccents())),
        "bert_controls": table_of(bert_controls),
        "bert_nonspacing_marks": table_of(vanishing(bert(strip_accents=True))),
        "bert_punctuation": table_of(bert_punctuation()),
        "lowercase_in_17": as_mappings(lowercase()),
    }


def members(property_class: str) -> list[str]:
    r"""The members of a class such as \p{Cn} in Oniguruma."""
    split = pre_tokenizers.Split(Regex(f"{property_class}+"), "removed", invert=True)
    return [character for part, _ in split.pre_tokenize_str("".join(SCALAR_VALUES)) for character in part]


def inert() -> list[str]:
    """What has a combining class or a decomposition today, but neither in the library's normalization forms."""
    nfd, nfkd = normalizers.NFD(), normalizers.NFKD()
    marks = regex.findall(r"(?V1)[\P{ccc=0}--\p{ccc=240}]", "".join(SCALAR_VALUES))
    decomposable = regex.findall(r"(?V1)[\P{dt=None}--[가-힣]]", "".join(SCALAR_VALUES))
    unsorted = {mark for mark in marks if nfd.normalize_str(f"a{IOTA_SUBSCRIPT}{mark}")[1] == IOTA_SUBSCRIPT}
    unchanged = {character for character in decomposable if nfkd.normalize_str(character) == character}
    return sorted(unsorted | unchanged)


def numeric() -> list[str]:
    """What Digits makes a part of its own."""
    parts = pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str("a".join(SCALAR_VALUES))
    return [part for part, _ in parts if len(part) == 1 and part != "a"]


def scripts() -> list[str]:
    """The characters of each script, in order: UnicodeScripts cuts between two of them, and drops what has none."""
    cut = pre_tokenizers.UnicodeScripts().pre_tokenize_str
    found: list[str] = []
    for run, _ in cut("".join(character for character in SCALAR_VALUES if cut(character))):
        same = [index for index, script in enumerate(found) if len(cut(script[0] + run[0])) == 1]
        if same:
            found[same[0]] += run
        else:
            found.append(run)
    return found


def script_name(characters: str) -> str:
    """The name of the script that most of the characters have, of those that were in Unicode 9.

    >>> script_name("abcé1")
    'Latin'
    """
    return max(SCRIPT_NAMES.split(), key=lambda name: len(regex.findall(rf"\p{{Script={name}}}", characters)))


def bert(**steps: bool) -> normalizers.Normalizer:
    """The normalizer of BERT with the given steps only."""
    none = dict.fromkeys(("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"), False)
    return normalizers.BertNormalizer(**{**none, **steps})


def vanishing(normalizer: normalizers.Normalizer) -> list[str]:
    """What the normalizer removes."""
    return [old for old, new in each_normalized(normalizer) if not new]


def each_normalized(normalizer: normalizers.Normalizer) -> Iterator[tuple[str, str]]:
    """What every character becomes, except the bar, which stands between them."""
    characters = [character for character in SCALAR_VALUES if character != "|"]
    return zip(characters, normalizer.normalize_str("|".join(characters)).split("|"), strict=True)


def bert_punctuation() -> list[str]:
    """What BertPreTokenizer makes a part of its own."""
    parts = pre_tokenizers.BertPreTokenizer().pre_tokenize_str("a".join(SCALAR_VALUES))
    return [part for part, _ in parts if len(part) == 1 and part != "a"]


def lowercase() -> dict[str, str]:
    """The characters whose lower case is one other character."""
    return {old: new for old, new in each_normalized(normalizers.Lowercase()) if new != old and len(new) == 1}


def table_of(characters: Iterable[str]) -> str:
    """Code points as hexadecimal ranges, in lines.

    >>> table_of("abcx")
    '61-63 78'
    """
    return textwrap.fill(ranges_of(characters), 112, break_on_hyphens=False)


def ranges_of(characters: Iterable[str]) -> str:
    """Code points as hexadecimal ranges, in one line."""
    ranges = as_ranges(map(ord, characters))
    return " ".join(f"{first:X}" if first == last else f"{first:X}-{last:X}" for first, last in ranges)


def as_scripts(found: Iterable[str]) -> str:
    r"""Each script in a line of its own: its name, then its code points as ranges.

    >>> as_scripts(["abx", "βγ"])
    'Latin 61-62 78\nGreek 3B2-3B3'
    """
    return "\n".join(f"{script_name(characters)} {ranges_of(characters)}" for characters in found)


def as_mappings(mapping: dict[str, str]) -> str:
    """Characters and what they become, in lines.

    >>> as_mappings({"A": "a", "Ÿ": "ÿ"})
    '41>61 178>FF'
    """
    return textwrap.fill(" ".join(f"{ord(old):X}>{ord(new):X}" for old, new in mapping.items()), 112)


def main() -> int:
    """Write the tables, or compare them."""
    given = arguments(__doc__)
    return write_or_check(tables(), given.check, "installation")


if __name__ == "__main__":
    sys.exit(main())
