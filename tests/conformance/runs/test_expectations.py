"""Known divergences: what is listed is known, what is gone or expired is a problem, a wrong list is refused by name."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from conformance.checks import CHECKS
from conformance.core.case import text_case
from conformance.core.errors import InputError
from conformance.core.finding import Finding, Mismatch
from conformance.core.releases import read_releases
from conformance.core.resources import expectations_folder
from conformance.runs.expectations import NEVER, Expectation, gone, matching, read_expectations
from conformance.subjects.adapters import BUILT_IN
from reftok import embedded_models

from ..checks.test_library_crash import MODELS

ENTRY = Expectation(
    id="one",
    subject="s",
    check="ids",
    rule="r",
    models=("bpe-*",),
    seen_in=("bpe-a",),
    observed="o",
    reason="why",
    upstream="link",
    owner="me",
    expires="2030-01-01",
)
TEXT = """
[[expectation]]
id = "one"
subject = "s"
check = "ids"
rule = "r"
models = ["bpe-*"]
seen_in = ["bpe-a"]
observed = "o"
reason = "why"
upstream = "link"
owner = "me"
expires = "2030-01-01"
"""


def finding(model: str = "bpe-a", subject: str = "s", check: str = "ids", rule: str = "r") -> Finding:
    example = Mismatch(model, subject, check, "raw rule", "other ids", text_case("a", "o"), "", "")
    return Finding(example, 1, (), "", rule, "tokenizers")


def test_a_listed_finding_is_matched() -> None:
    assert matching([ENTRY], finding()) is ENTRY
    assert matching([ENTRY], finding(model="bpe-other")) is ENTRY


@pytest.mark.parametrize("change", [{"model": "spm"}, {"subject": "t"}, {"check": "decode"}, {"rule": "q"}])
def test_a_finding_that_differs_in_anything_is_not_listed(change: dict[str, str]) -> None:
    assert matching([ENTRY], finding(**change)) is None


def test_an_entry_that_no_longer_happens_is_a_problem() -> None:
    (problem,) = gone([ENTRY], [], {"bpe-a"})
    assert "one no longer happens on bpe-a" in problem


def test_an_entry_seen_on_another_model_only_is_a_problem() -> None:
    assert gone([ENTRY], [finding(model="bpe-b")], {"bpe-a", "bpe-b"})


def test_an_entry_that_is_seen_or_whose_model_took_no_part_is_none() -> None:
    assert gone([ENTRY], [finding()], {"bpe-a"}) == []
    assert gone([ENTRY], [], {"spm"}) == []


def read(folder: Path, *texts: str) -> list[Expectation]:
    for number, text in enumerate(texts):
        (folder / f"{number}.toml").write_text(text, "utf-8")
    return read_expectations(folder)


def test_entries_are_read_as_they_are_written(tmp_path: Path) -> None:
    assert read(tmp_path, TEXT) == [ENTRY]


def test_an_entry_is_read_only_where_one_of_its_releases_is_installed(tmp_path: Path) -> None:
    (tmp_path / "0.toml").write_text(TEXT + 'versions = "s>=0.9,<0.21.2"\n', "utf-8")
    (entry,) = read_expectations(tmp_path)
    assert entry.releases == read_releases("s<0.21.2,>=0.9")
    assert read_expectations(tmp_path, {"s": "0.21.1"}) == [entry]
    assert read_expectations(tmp_path, {"s": "0.21.2"}) == read_expectations(tmp_path, {"t": "0.21.1"}) == []


def test_an_entry_without_releases_holds_for_all(tmp_path: Path) -> None:
    (tmp_path / "0.toml").write_text(TEXT, "utf-8")
    assert read_expectations(tmp_path, {}) == [ENTRY]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace('reason = "why"\n', ""), r"0\.toml: expectation one: it has no reason"),
        (TEXT + 'colour = "red"\n', r"0\.toml: expectation one: 'colour' is not known"),
        (TEXT.replace('id = "one"\n', ""), r"0\.toml: expectation \?: Object missing required field `id`"),
        (TEXT + 'owner = "you"\n', r"0\.toml: "),
        ("[[expectation", r"0\.toml: "),
        ("[[expectations]]\n", r"0\.toml: "),
        ('expectation = "none"\n', r"0\.toml: "),
        (TEXT.replace('models = ["bpe-*"]', 'models = "bpe-*"'), r"0\.toml: expectation one: .*models"),
        (TEXT.replace('rule = "r"', "rule = 5"), r"0\.toml: expectation one: .*rule"),
        (TEXT.replace('"2030-01-01"', '"next year"'), r"0\.toml: expectation one: .*expires"),
        (TEXT + 'versions = "s==1"\n', r"0\.toml: expectation one: 's==1' is not"),
        (TEXT + "versions = 1\n", r"0\.toml: expectation one: .*versions"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_a_name_that_stands_twice_is_refused_even_across_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the expectation one is listed twice"):
        read(tmp_path, TEXT, TEXT)


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"a\.toml"):
        read_expectations(tmp_path)


COMMITTED = read_expectations(expectations_folder())


@pytest.mark.parametrize("entry", COMMITTED, ids=lambda entry: entry.id)
def test_a_committed_reason_stands_for_itself_since_reports_show_no_names_of_entries(entry: Expectation) -> None:
    assert not [other.id for other in COMMITTED if other.id in entry.reason]


@pytest.mark.parametrize("entry", COMMITTED, ids=lambda entry: entry.id)
def test_a_committed_entry_names_what_there_is_and_links_to_where_it_was_reported(entry: Expectation) -> None:
    assert entry.subject in BUILT_IN
    assert entry.check in CHECKS
    assert entry.releases is not None, "it says for which releases it holds"
    assert entry.releases.library in BUILT_IN
    assert entry.seen_in or entry.id in MODELS or "<" in str(entry.releases.bounds)
    assert set(entry.seen_in) <= set(embedded_models())
    assert entry.upstream.startswith("https://")
    assert entry.reason
    assert entry.observed
    assert entry.owner
    assert entry.expires < NEVER
    assert date.fromisoformat(entry.expires) > date.today(), "look at it again, and give it another year"


def test_the_committed_list_is_found() -> None:
    assert COMMITTED
