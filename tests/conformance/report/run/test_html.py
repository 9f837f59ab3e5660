"""The page holds what the run holds, in any colour scheme, and no input is markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from conformance.core.case import text_case
from conformance.core.evidence import Evidence, SeenToken
from conformance.core.finding import Confidence, Finding
from conformance.core.run import LanguageCell
from conformance.core.weight import Share, Weight
from conformance.report.run.html import MOST_DETAILED, html_report
from conformance.report.run.view import ordered
from tests.conformance.report.sample_run import (
    HOSTILE,
    HOSTILE_EVIDENCE,
    KNOWN,
    LONG,
    PLAIN,
    SCRIPT,
    finding,
    passing_run,
    sample_run,
)

VOID = frozenset({"meta", "input", "link", "br", "img", "hr", "wbr"})


class Page(HTMLParser):
    """The elements of a page; fails where they do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def has(self, text: str) -> bool:
        """Whether the text is there, wherever its elements begin and end."""
        return "".join(text.split()) in "".join("".join(self.words).split())


def page_with(*findings: Finding) -> Page:
    return Page(html_report(replace(sample_run(), findings=findings, problems=())))


def test_first_screen_has_verdict_totals_and_versions() -> None:
    text = Page(html_report(sample_run())).text
    for part in (
        "✗ 8 unexpected findings, 2 problems",
        "1,234,567",
        "12,345",
        "tokenizers 0.21.0",
    ):
        assert part in text
    assert "✓ As expected" in Page(html_report(passing_run())).text
    places = [*map(text.index, ("8 unexpected", "Findings", "Models, subjects and checks", "What was not tested"))]
    assert places == sorted(places)


def test_matrix_shows_every_state_with_its_sign_and_words() -> None:
    page = Page(html_report(sample_run()))
    for part in ("✓ 12k", "✗ 1,207of 12k", "≈ 41of 12k", "! 12,345"):
        assert part in page.text
    titles = [cell.get("title") for cell in page.named("td")]
    assert "12,345 answers compared, 41 differ (41 of them known)" in titles
    assert "12,345 answers compared, all equal" in titles


def test_a_model_that_a_subject_does_not_read_is_a_row_that_leads_to_the_reason() -> None:
    page = Page(html_report(sample_run()))
    refusal, also, death = [cell for cell in page.named("td") if (cell.get("class") or "").startswith("absence")]
    assert [cell["class"] for cell in (refusal, also, death)] == ["absence none", "absence none", "absence silent"]
    assert {cell["colspan"] for cell in (refusal, also, death)} == {str(len(sample_run().checks))}
    assert page.text.count("– not read") == 2
    assert page.text.count("! took no part") == 1
    assert [link["href"] for link in page.named("a")].count("#not-tested") == 3
    assert page.text.count("its process ended with exit code 3") == 1


def test_every_link_leads_to_one_anchor_and_every_finding_has_one() -> None:
    page = Page(html_report(sample_run()))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    targets = {(link["href"] or "")[1:] for link in page.named("a") if (link["href"] or "").startswith("#")}
    assert len(ids) == len(set(ids))
    assert targets | {item.fingerprint for item in sample_run().findings} <= set(ids)
    assert KNOWN.fingerprint in targets
    page = page_with(made("x"), replace(made("x"), rule="other", count=9))
    first, _, of_the_cell = [link["href"] for link in page.named("a") if "aria-label" in link]
    assert of_the_cell == first


def test_the_differing_tail_is_marked() -> None:
    html = html_report(replace(sample_run(), findings=(finding(text_case("x", ""), "r"),)))
    assert '<span class="shared">[15496, </span><mark>995]</mark>' in html
    assert '<span class="shared">[15496, </span><mark>1879]</mark>' in html


def test_only_web_addresses_become_links() -> None:
    links = [link for link in page_with(KNOWN).named("a") if link["href"] == KNOWN.upstream]
    assert [link["rel"] for link in links] == ["noopener noreferrer"]
    page = page_with(replace(KNOWN, upstream="javascript:alert(1)"))
    assert "javascript:alert(1)" in page.text
    assert all((link["href"] or "").startswith(("#", "http")) for link in page.named("a"))


def lines(page: Page) -> list[dict[str, str | None]]:
    return [attributes for attributes in page.named("li") if "data-finding" in attributes]


def test_the_list_stands_in_the_order_of_weight_a_line_a_finding() -> None:
    page = page_with(*PLAIN, KNOWN)
    assert [line["data-id"] for line in lines(page)] == [item.fingerprint for item in ordered([*PLAIN, KNOWN])]
    assert len(page.named("summary")) >= len(lines(page))


WEIGHED = replace(
    PLAIN[0], weight=Weight("natural text", (Share("", "texts", 31, 1000),)), confidence=Confidence(24, 23)
)
TOKENS = tuple(SeenToken(number, f"t{number}", (number, number + 1)) for number in range(9))
LATE = Evidence(expected=TOKENS, observed=(*TOKENS[:8], SeenToken(99, "other")))


def made(text: str) -> Finding:
    return finding(text_case(text, "corpora/x.txt:3"), "composes")


@pytest.mark.parametrize(
    ("item", "parts"),
    [
        (made("e\u0301\u200b"), ("Normalizer: composes", "corpora/x.txt:3", "e\u0301" r"\u{200b}", "de-Latn, vi-Latn")),
        (made("\u0301\u200b"), ("U+0301", "COMBINING ACUTE ACCENT", "ZERO WIDTH SPACE Unicode 1.1")),
        (made("\u0378"), ("<reserved-0378> not assigned",)),
        (made("\U0001d15e"), ("input: \U0001d15e (U+1D15E)",)),
        (made("x"), ("expected [15496, 995] observed [15496, 1879]",)),
        (
            PLAIN[0],
            ("Tokens text expected observed e\u0301 expected e 68 Ì 136 ģ 243 observed é 2634", "both Ġ 220 Ġ 220"),
        ),
        (PLAIN[0], ("First stage that differs Normalizer tokenizers 0.21.0 e\u0301 x U+0065 U+0301 U+0020 U+0078",)),
        (PLAIN[0], ("### planted-nfc gives other ids than tokenizers 0.21.0: composes e and U+0301 where",)),
        (PLAIN[2], ("As it was fed after 2 chunks that a reset forgets",)),
        (PLAIN[2], ("0 ! ↓ gives !! ✗ wrong from here finish ↓ gives nothing",)),
        (
            WEIGHED,
            ("weight: wrong on 3.1 % of natural texts Normalizer: composes e", "✓ ✗ expected eÌģ observed é Ġ Ġ"),
        ),
        (WEIGHED, ("foretells 23 of 24 planted-nfc on gpt2-mini, ids, 1,204×",)),
        (replace(WEIGHED, confidence=Confidence(0, 0)), ("perhaps Normalizer: composes",)),
        (finding(text_case("abcdefghi", ""), "r", evidence=LATE), ("✓ ✗ … t7 t7 expected t8 observed other",)),
        (replace(PLAIN[0], languages=tuple("abcdefghijk")), ("g, h and 3 more i, j, k",)),
        (
            replace(made("x"), replay="conformance replay 'my runs/1' abc"),
            ("conformance replay 'my runs/1' abc", "conformance reproduce 'my runs/1' abc"),
        ),
        (KNOWN, (KNOWN.reason,)),
    ],
)
def test_a_finding_shows_its_parts(item: Finding, parts: tuple[str, ...]) -> None:
    page = page_with(item)
    assert [part for part in parts if not page.has(part)] == []


def test_the_bar_of_a_line_is_as_wide_as_its_weight() -> None:
    assert [bar["width"] for bar in page_with(WEIGHED).named("rect")] == ["100", "3.1"]


def test_languages_are_called_by_their_names_model_by_model_in_percent() -> None:
    cells = [
        LanguageCell("de-Latn", "s", 200, 200, "gpt2-mini", "German"),
        LanguageCell("de-Latn", "s", 1000, 0, "llama-3-mini", "German"),
        LanguageCell("sql", "s", 1000, 31, "gpt2-mini"),
        LanguageCell("fr-Latn", "s", 50, 0, "gpt2-mini", "French"),
        LanguageCell("fr-Latn", "right", 50, 0, "gpt2-mini", "French"),
    ]
    page = Page(html_report(replace(sample_run(), languages=tuple(cells))))
    assert page.has("texts gpt2-mini llama-3-mini German 100 %")
    assert page.has("sql 3.1 % 3.1 %: 31 of 1,000 answers differ")
    assert page.has("All equal in 1 others French")
    heats = [cell["class"] for cell in page.named("td") if (cell.get("class") or "").startswith("heat")]
    assert heats == ["heat-7", "heat-0", "heat-3", "heat-0"]


COVERAGE = {
    "gpt2-mini": {
        "kinds": {
            "merges": {"reached": 1_234, "total": 4_000, "never reached": [5, 77]},
            "stages": {"reached": 2, "total": 3, "never reached": [SCRIPT]},
        },
        "generators": {"vocab": 9},
        "nothing to do": {"charsmap": "the model has no charsmap"},
    }
}


def test_the_coverage_of_a_session_is_shown() -> None:
    page = Page(html_report(sample_run(), COVERAGE))
    assert page.has("merges 5, 77 1,234 4,000 30.9 %")
    assert page.has("charsmap had nothing to do: the model has no charsmap")
    assert len(page.named("script")) == 1
    assert "Coverage of the session" not in Page(html_report(sample_run())).text


def test_the_picture_of_a_control_character_has_its_name() -> None:
    html = html_report(replace(sample_run(), findings=(finding(text_case("\n", ""), "r"),)))
    assert '<i class="control" data-name="LF">␊</i>' in html


@pytest.mark.parametrize("item", HOSTILE, ids=lambda item: item.example.case.origin)
def test_hostile_inputs_do_no_harm(item: Finding) -> None:
    html = html_report(replace(sample_run(), findings=(item, replace(item, rule="twin", status="known"))))
    page = Page(html)
    assert len(page.named("script")) == 1
    assert not page.named("img")
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    html.encode("utf-8")


def test_hostile_names_do_no_harm() -> None:
    run = sample_run()
    nasty = '"><script>\x00\u202e\ud800'
    cells = tuple(replace(cell, model=nasty, subject=nasty, check=nasty) for cell in run.cells[:1])
    models = tuple(replace(model, name=nasty, path=nasty) for model in run.models)
    changed = replace(
        run, cells=cells, checks=(nasty,), models=models, versions={nasty: nasty}, corpora={nasty: nasty}, command=nasty
    )
    assert len(Page(html_report(changed)).named("script")) == 1


def test_long_inputs_are_cut_with_a_note() -> None:
    html = html_report(replace(sample_run(), findings=HOSTILE))
    assert "100,000 code points, the first 1,000 shown" in html
    assert "and 99,936 more" in html
    assert "x" * 1_001 not in html


def test_the_page_needs_nothing_else_and_runs_only_its_own_script() -> None:
    page = Page(html_report(sample_run()))
    (policy,) = [meta["content"] for meta in page.named("meta") if meta.get("http-equiv")]
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not page.named("link")
    assert not [attributes for _, attributes in page.tags if "src" in attributes or "style" in attributes]


def test_later_findings_are_only_counted_at_no_elements_where_there_is_javascript() -> None:
    many = tuple(
        finding(text_case(f"t\u200b{number}" * 30, "fuzz"), f"rule {number}") for number in range(MOST_DETAILED + 30)
    )
    html = html_report(replace(sample_run(), findings=many))
    page = Page(html)
    assert len(page.named("article")) == MOST_DETAILED
    assert {item.fingerprint for item in many} <= {attributes.get("id") for _, attributes in page.tags}
    assert "30 findings, 30 mismatches" in page.text
    (stored,) = re.findall("<noscript>(.*?)</noscript>", html)
    assert stored.count("<i id=") == html.partition("<script>")[0].count("<i id=") == 30


def test_a_hundred_thousand_mismatches_stay_below_ten_megabytes() -> None:
    """Each finding that is shown in full is alike, and of the others there are anchors."""
    full = [finding(text_case(LONG, "fuzz"), f"{number} {LONG}"[:4_000], evidence=HOSTILE_EVIDENCE) for number in "ab"]
    none, two = (len(html_report(replace(sample_run(), findings=some)).encode()) for some in ((), (*full,)))
    anchors = 100_000 * len('<i id="0123456789ab"></i>')
    assert none + MOST_DETAILED * (two - none) / 2 + anchors < 10_000_000


def test_an_empty_run_has_a_page() -> None:
    run = replace(
        passing_run(), cells=(), languages=(), models=(), subjects=(), versions={}, corpora={}, times={}, checks=()
    )
    assert "No cell was filled." in Page(html_report(run)).text
