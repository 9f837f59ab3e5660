"""The tables of another version of Unicode change what came between the two versions, and nothing else."""

from __future__ import annotations

import unicodedata
from typing import get_args

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.edits import Fault, unicode_versions
from conformance.causes.edits.unicode_versions import VERSIONS, name, normalized, of_unicode_versions, version_of
from reftok.rules.huggingface.normalizers import UnicodeForm
from reftok.rules.text import NormalizedString
from reftok.unicode.characters import Form
from tests.models import load

FORMS: tuple[Form, ...] = get_args(Form)
MAJOR, MINOR = map(int, unicodedata.unidata_version.split(".")[:2])
DECOMPOSING = (
    "\u0958\u0301\u0323\u1df6\u0897\uac01\u1100\u1161\U00011935\U00011930\U000105d2\u0307\u00e9\U0001e030\ufb01"
)


def of_version(model: str, stage: str, version: str) -> list[Fault]:
    rule = f"characters are those of Unicode {version}"
    return [one for one in of_unicode_versions(load(model)) if (one.stage, one.rule) == (stage, rule)]


def pieces(fault: Fault, component: str, text: str) -> list[str]:
    assert fault.trace is not None
    (stage,) = (stage for stage in fault.trace(text).stages if stage.component == component)
    return [piece.text for piece in stage.pieces]


@pytest.mark.parametrize(("version", "parts"), [("10", ["\u0560\\", "u"]), ("11", ["\u0560", "\\u"])])
def test_letters_that_came_later_are_none(version: str, parts: list[str]) -> None:
    patterns, both = of_version("bpe-qwen", "PreTokenizer", version)
    assert pieces(both, "TranslatedStep", "\u0560\\u") == pieces(patterns, "TranslatedStep", "\u0560\\u") == parts


def test_letters_that_came_after_16_are_letters_already() -> None:
    patterns, both = of_version("bpe-qwen", "PreTokenizer", "17")
    assert pieces(both, "NewestSplit", "\u088f\\u") == pieces(patterns, "NewestSplit", "\u088f\\u") == ["\u088f", "\\u"]


def test_letters_of_a_version_are_none_in_the_one_before() -> None:
    """Fault: a split by tables of 18 was told as "other characters count as letters", with one of them in its scope."""
    known = {"17": ["\u088f", "\U00018e87\\", "u"], "18": ["\u088f\U00018e87", "\\u"]}
    letters = {"17": "\u088f", "18": "\U00018e87"}
    for version, parts in known.items():
        found = of_version("bpe-qwen", "PreTokenizer", version)
        assert bool(found) == (regex.match(r"\p{L}", letters[version]) is not None)  # an older `regex` has no 18
        for patterns in found[:1]:
            assert pieces(patterns, "NewestSplit", "\u088f\U00018e87\\u") == parts


def test_the_forms_of_a_version_need_no_regex_that_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: with a `regex` that knows no 18, nothing was said of a normalizer that does."""
    monkeypatch.setattr(unicode_versions, "is_known", lambda version: False)
    assert of_version("bpe-qwen", "Normalizer", "18")
    assert not of_version("bpe-qwen", "PreTokenizer", "18")


@pytest.mark.parametrize(("version", "text"), [("12", "\U00011935\U00011930"), ("13", "\U00011938")])
def test_compositions_are_those_of_the_version(version: str, text: str) -> None:
    (forms,) = of_version("bpe-qwen", "Normalizer", version)
    patterns, both = of_version("bpe-qwen", "PreTokenizer", version)
    assert (
        pieces(forms, "Rewritten", "\U00011935\U00011930")
        == pieces(both, "Rewritten", "\U00011935\U00011930")
        == [text]
    )
    assert pieces(patterns, "NFC", "\U00011935\U00011930") == ["\U00011935\U00011930"]


def test_no_version_is_asked_about_that_changes_nothing() -> None:
    assert of_version("bpe-llama3", "PreTokenizer", "16") == of_version("bpe-qwen", "Normalizer", "9") == []
    assert list(of_unicode_versions(load("spm-unigram"))) == []
    assert {one.stage for one in of_unicode_versions(load("spm-bpe-hf"))} == {"AddedTokens"}


@given(st.text("ab1' \n\u00e9\u0301中\u1df6", max_size=8))
def test_what_all_versions_know_alike_is_cut_alike(text: str) -> None:
    for fault in of_unicode_versions(load("bpe-llama3")):
        if fault.rule.endswith((" 10", " 13", " 17")):
            assert list(fault.ids(text)) == load("bpe-llama3").encode_ids(text)


@given(st.sampled_from(FORMS), st.text(DECOMPOSING, max_size=6))
def test_a_form_of_a_version_is_that_of_the_libraries(form: Form, text: str) -> None:
    assert normalized(form, (9, 0), text) == UnicodeForm(form).normalize(NormalizedString(text)).text
    assert normalized(form, (MAJOR, MINOR), text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("version", VERSIONS, ids=map(name, VERSIONS))
def test_every_version_brought_something(version: tuple[int, int]) -> None:
    assert any(version_of(chr(code)) == version for code in range(0x20000)) or version == (15, 1)


def test_the_compositions_of_16_are_known_to_any_python() -> None:
    assert normalized("NFC", (16, 0), "\U000105d2\u0307") == "\U000105c9"
    assert normalized("NFD", (16, 0), "\U00016128") == "\U0001611e\U0001611e\U00016120"
    assert normalized("NFKD", (15, 0), "\U0001e030\U0001ccd6") == "а\U0001ccd6"
