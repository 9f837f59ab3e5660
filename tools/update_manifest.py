"""Write corpora/manifest.json, or with --check compare it with the files.

    python tools/update_manifest.py            write it anew
    python tools/update_manifest.py --check    exit 1 and name every file that is missing, unlisted or changed

It lists every file of the corpora but itself, the README and the LICENSE.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

CORPORA = Path(__file__).resolve().parent.parent / "corpora"
MANIFEST = "manifest.json"
UNLISTED = frozenset({MANIFEST, "LICENSE", "README.md"})
LICENCE = "CC0-1.0"
WRITTEN = "written for this project"
TRAINED = "trained on these corpora by tools/train_models.py"

Entry: TypeAlias = dict[str, Any]


class UnknownFileError(Exception):
    """A file that the manifest cannot describe; the message names it."""


def entries(corpora: Path) -> list[Entry]:
    """The manifest's entry of every file, sorted by path."""
    return [entry(corpora, path) for path in sorted(files(corpora))]


def files(corpora: Path) -> Iterator[str]:
    """The paths, relative to the corpora, of what the manifest lists."""
    for path in corpora.rglob("*"):
        relative = path.relative_to(corpora).as_posix()
        hidden = any(part.startswith(".") for part in relative.split("/"))
        if path.is_file() and not hidden and relative not in UNLISTED:
            yield relative


def entry(corpora: Path, path: str) -> Entry:
    """The manifest's entry of one file.

    A model has no count of lines: one of the two formats is binary.
    """
    data = (corpora / path).read_bytes()
    described = describe(path)
    if described["kind"] != "model":
        described["lines"] = count_lines(data)
    return described | {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def describe(path: str) -> Entry:
    """What the path alone says about a file.

    >>> describe("domains/sql.txt")
    {'path': 'domains/sql.txt', 'kind': 'domain', 'licence': 'CC0-1.0', 'source': 'written for this project'}
    """
    folder, _, name = path.partition("/")
    described: Entry = {"path": path, "kind": kind(path)}
    if folder == "languages":
        described |= language(path, name)
    source = TRAINED if folder == "models" else WRITTEN
    return described | {"licence": LICENCE, "source": source}


def kind(path: str) -> str:
    """What a file is, which its folder and its ending say."""
    folder, _, name = path.partition("/")
    for wanted, endings, answer in KINDS:
        if folder == wanted and name.endswith(endings):
            return answer
    raise UnknownFileError(f"{path}: no kind of corpus has this folder and this ending")


def language(path: str, name: str) -> Entry:
    """The language of a file that is called <bcp47>-<ISO 15924>.txt.

    >>> language("languages/nb-Latn.txt", "nb-Latn.txt")
    {'language': 'Norwegian Bokmål', 'code': 'nb', 'script': 'Latn'}
    """
    code, _, script = name.removesuffix(".txt").rpartition("-")
    if code not in LANGUAGES:
        raise UnknownFileError(f"{path}: {code!r} is not in the table LANGUAGES of {Path(__file__).name}")
    if not (len(script) == 4 and script.isalpha() and script == script.title()):
        raise UnknownFileError(f"{path}: {script!r} is not an ISO 15924 code such as 'Latn'")
    return {"language": LANGUAGES[code], "code": code, "script": script}


def count_lines(data: bytes) -> int:
    r"""The number of lines; a last line without LF counts too.

    >>> count_lines(b"a\nb")
    2
    """
    return data.count(b"\n") + (data[-1:] not in (b"", b"\n"))


def render(listed: list[Entry]) -> str:
    """The manifest's text: one file a line, so that a change reads well in a diff."""
    lines = ",\n".join(json.dumps(item, ensure_ascii=False) for item in listed)
    return f'{{"files": [\n{lines}\n]}}\n'


def problems(listed: list[Entry], actual: list[Entry]) -> list[str]:
    """One line for every file that is missing, unlisted or changed.

    >>> problems([{"path": "a", "bytes": 1}, {"path": "b"}], [{"path": "a", "bytes": 2}, {"path": "c"}])
    ['a: changed (bytes)', 'b: missing', 'c: unlisted']
    """
    old, new = by_path(listed), by_path(actual)
    found = []
    for path in sorted(old | new):
        if path not in new:
            found.append(f"{path}: missing")
        elif path not in old:
            found.append(f"{path}: unlisted")
        elif changed := differing_keys(old[path], new[path]):
            found.append(f"{path}: changed ({', '.join(changed)})")
    if not found and listed != actual:
        found.append(f"{MANIFEST}: not sorted by path, or a file is listed twice")
    return found


def by_path(listed: list[Entry]) -> dict[str, Entry]:
    """The entries by their path."""
    return {item["path"]: item for item in listed}


def differing_keys(old: Entry, new: Entry) -> list[str]:
    """The keys whose values are not the same, or that only one of the two has."""
    return sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))


def read_manifest(path: Path) -> list[Entry]:
    """The entries of a manifest, none where there is no such file."""
    if not path.exists():
        return []
    listed: list[Entry] = json.loads(path.read_text("utf-8"))["files"]
    return listed


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that it is never seen half-written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, "utf-8", newline="\n")
    temporary.replace(path)


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; the exit code is 0 where all is well, 1 where --check found something, 2 for an unknown file."""
    parser = argparse.ArgumentParser(description="write corpora/manifest.json, or check it")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the manifest is not true")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="the folder of the corpora")
    options = parser.parse_args(arguments)
    manifest = options.corpora / MANIFEST
    try:
        actual = entries(options.corpora)
    except UnknownFileError as error:
        print(error, file=sys.stderr)
        return 2
    if options.check:
        found = problems(read_manifest(manifest), actual)
        print("\n".join(found) if found else f"{len(actual)} files, all as listed")
        return 1 if found else 0
    write_atomically(manifest, render(actual))
    print(f"{len(actual)} files listed")
    return 0


KINDS = (
    ("languages", (".txt",), "language"),
    ("domains", (".txt",), "domain"),
    ("edge_cases", (".jsonl",), "edge_cases"),
    ("models", ("/tokenizer.json", "/tokenizer.model"), "model"),
)

LANGUAGES = {
    "aa": "Afar",
    "ab": "Abkhaz",
    "ace": "Acehnese",
    "ady": "Adyghe",
    "af": "Afrikaans",
    "ak": "Akan",
    "als": "Tosk Albanian",
    "am": "Amharic",
    "an": "Aragonese",
    "ar": "Arabic",
    "arc": "Aramaic",
    "arz": "Egyptian Arabic",
    "as": "Assamese",
    "ast": "Asturian",
    "av": "Avar",
    "awa": "Awadhi",
    "ay": "Aymara",
    "az": "Azerbaijani",
    "ba": "Bashkir",
    "ban": "Balinese",
    "bci": "Baoulé",
    "be": "Belarusian",
    "bem": "Bemba",
    "ber": "Berber",
    "bg": "Bulgarian",
    "bho": "Bhojpuri",
    "bi": "Bislama",
    "bm": "Bambara",
    "bn": "Bengali",
    "bo": "Tibetan",
    "br": "Breton",
    "brx": "Bodo",
    "bs": "Bosnian",
    "bug": "Buginese",
    "ca": "Catalan",
    "ce": "Chechen",
    "ceb": "Cebuano",
    "chr": "Cherokee",
    "ckb": "Central Kurdish",
    "co": "Corsican",
    "cop": "Coptic",
    "cr": "Cree",
    "crh": "Crimean Tatar",
    "cs": "Czech",
    "cu": "Church Slavonic",
    "cv": "Chuvash",
    "cy": "Welsh",
    "da": "Danish",
    "de": "German",
    "din": "Dinka",
    "doi": "Dogri",
    "dsb": "Lower Sorbian",
    "dv": "Dhivehi",
    "dz": "Dzongkha",
    "ee": "Ewe",
    "el": "Greek",
    "en": "English",
    "eo": "Esperanto",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "ff": "Fula",
    "fi": "Finnish",
    "fil": "Filipino",
    "fj": "Fijian",
    "fo": "Faroese",
    "fr": "French",
    "fur": "Friulian",
    "fy": "West Frisian",
    "ga": "Irish",
    "gd": "Scottish Gaelic",
    "gez": "Geʽez",
    "gl": "Galician",
    "gn": "Guarani",
    "got": "Gothic",
    "grc": "Ancient Greek",
    "gsw": "Swiss German",
    "gu": "Gujarati",
    "gv": "Manx",
    "ha": "Hausa",
    "hak": "Hakka Chinese",
    "haw": "Hawaiian",
    "he": "Hebrew",
    "hi": "Hindi",
    "hmn": "Hmong",
    "hr": "Croatian",
    "hsb": "Upper Sorbian",
    "ht": "Haitian Creole",
    "hu": "Hungarian",
    "hy": "Armenian",
    "ia": "Interlingua",
    "id": "Indonesian",
    "ig": "Igbo",
    "ii": "Sichuan Yi",
    "ik": "Inupiaq",
    "ilo": "Ilocano",
    "io": "Ido",
    "is": "Icelandic",
    "it": "Italian",
    "iu": "Inuktitut",
    "ja": "Japanese",
    "jbo": "Lojban",
    "jv": "Javanese",
    "ka": "Georgian",
    "kab": "Kabyle",
    "khb": "Tai Lü",
    "ki": "Kikuyu",
    "kk": "Kazakh",
    "kl": "Greenlandic",
    "km": "Khmer",
    "kn": "Kannada",
    "ko": "Korean",
    "kok": "Konkani",
    "kr": "Kanuri",
    "ks": "Kashmiri",
    "ku": "Kurdish",
    "kmr": "Northern Kurdish",
    "kv": "Komi",
    "kw": "Cornish",
    "ky": "Kyrgyz",
    "la": "Latin",
    "lad": "Ladino",
    "lb": "Luxembourgish",
    "lg": "Ganda",
    "li": "Limburgish",
    "lij": "Ligurian",
    "ln": "Lingala",
    "lo": "Lao",
    "lt": "Lithuanian",
    "lus": "Mizo",
    "lv": "Latvian",
    "mai": "Maithili",
    "mg": "Malagasy",
    "mh": "Marshallese",
    "mi": "Māori",
    "min": "Minangkabau",
    "mk": "Macedonian",
    "ml": "Malayalam",
    "mn": "Mongolian",
    "mni": "Meitei",
    "mr": "Marathi",
    "ms": "Malay",
    "mt": "Maltese",
    "my": "Burmese",
    "nah": "Nahuatl",
    "nan": "Southern Min",
    "nb": "Norwegian Bokmål",
    "nd": "Northern Ndebele",
    "ne": "Nepali",
    "new": "Newar",
    "nl": "Dutch",
    "nn": "Norwegian Nynorsk",
    "nqo": "N’Ko",
    "nr": "Southern Ndebele",
    "nso": "Northern Sotho",
    "nv": "Navajo",
    "ny": "Chichewa",
    "oc": "Occitan",
    "om": "Oromo",
    "or": "Odia",
    "os": "Ossetian",
    "pa": "Punjabi",
    "pap": "Papiamento",
    "pcm": "Nigerian Pidgin",
    "pi": "Pali",
    "pl": "Polish",
    "pnb": "Western Punjabi",
    "prs": "Dari",
    "ps": "Pashto",
    "pt": "Portuguese",
    "qu": "Quechua",
    "rm": "Romansh",
    "rn": "Kirundi",
    "ro": "Romanian",
    "ru": "Russian",
    "rw": "Kinyarwanda",
    "sa": "Sanskrit",
    "sah": "Yakut",
    "sat": "Santali",
    "sc": "Sardinian",
    "scn": "Sicilian",
    "sco": "Scots",
    "sd": "Sindhi",
    "se": "Northern Sámi",
    "sg": "Sango",
    "shi": "Tashelhit",
    "shn": "Shan",
    "si": "Sinhala",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sm": "Samoan",
    "sma": "Southern Sámi",
    "sn": "Shona",
    "so": "Somali",
    "sq": "Albanian",
    "sr": "Serbian",
    "ss": "Swati",
    "st": "Southern Sotho",
    "su": "Sundanese",
    "sv": "Swedish",
    "sw": "Swahili",
    "syc": "Classical Syriac",
    "syr": "Syriac",
    "szl": "Silesian",
    "ta": "Tamil",
    "tcy": "Tulu",
    "te": "Telugu",
    "tet": "Tetum",
    "tg": "Tajik",
    "th": "Thai",
    "ti": "Tigrinya",
    "tk": "Turkmen",
    "tl": "Tagalog",
    "tn": "Tswana",
    "to": "Tongan",
    "tok": "Toki Pona",
    "tpi": "Tok Pisin",
    "tr": "Turkish",
    "ts": "Tsonga",
    "tt": "Tatar",
    "tum": "Tumbuka",
    "tw": "Twi",
    "ty": "Tahitian",
    "tyv": "Tuvan",
    "tzm": "Central Atlas Tamazight",
    "udm": "Udmurt",
    "ug": "Uyghur",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "uz": "Uzbek",
    "vai": "Vai",
    "ve": "Venda",
    "vec": "Venetian",
    "vi": "Vietnamese",
    "vo": "Volapük",
    "wa": "Walloon",
    "war": "Waray",
    "wo": "Wolof",
    "wuu": "Wu Chinese",
    "xh": "Xhosa",
    "yi": "Yiddish",
    "yo": "Yoruba",
    "yue": "Cantonese",
    "za": "Zhuang",
    "zgh": "Standard Moroccan Tamazight",
    "zh": "Chinese",
    "zu": "Zulu",
}


if __name__ == "__main__":
    sys.exit(main())
