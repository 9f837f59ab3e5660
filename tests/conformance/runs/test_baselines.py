"""Baselines: what is accepted is read back as it is, what stands beside it stays, what is gone or expired is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.core.case import text_case
from conformance.core.errors import InputError, UsageError
from conformance.core.finding import NOT_SOUGHT, Finding, Mismatch
from conformance.core.run import Cell, ModelInfo, Run, SubjectInfo
from conformance.runs.baselines import accept, accepted_entry, chosen_findings, no_longer_seen, of_others, prune
from conformance.runs.expectations import Expectation, baseline_problems, entries_of, matching, read_baselines

TODAY = "2026-06-01"
TABLE = '[[expectation]]\nid = "x"\nsubject = "s"\ncheck = "ids"\nrule = "r"\nmodels = ["*"]\n'


def finding(rule: str = "r", model: str = "m[1]", subject: str = "mine.py:M", text: str = "a") -> Finding:
    return Finding(
        Mismatch(model, subject, "ids", "raw", "other ids", text_case(text, ""), "", ""), 3, (), "", rule, "o"
    )


def run(*found: Finding, sources: tuple[str, ...] = ("corpora",), seed: int = 0) -> Run:
    return Run(
        verdict="unexpected findings",
        command="",
        seed=seed,
        versions=MappingProxyType({}),
        models=(),
        subjects=(),
        checks=("ids",),
        cells=(Cell("m[1]", "mine.py:M", "ids", 9),),
        languages=(),
        findings=found,
        problems=(),
        corpora=MappingProxyType({"languages/fr-Latn.txt": "0"}),
        cases=9,
        answers=9,
        sources=sources,
    )


def entry(one: Finding, of: Run | None = None, full: bool = False, expires: str = "") -> Expectation:
    return accepted_entry(of or run(one), full, one, "why", "https://example.org", expires)


def test_what_is_accepted_is_listed_on_its_model_alone(tmp_path: Path) -> None:
    one = finding()
    assert accept([entry(one)], tmp_path / "known.toml") == (1, 0)
    (read,) = read_baselines([tmp_path / "known.toml"])
    assert read == entry(one)
    assert matching([read], one) is read
    assert matching([read], finding(model="m1")) is None, "the name of a model is no pattern"


@settings(max_examples=20)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"])).filter(str.strip), min_size=1, max_size=3, unique=True)
)
def test_any_text_is_read_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("any") / "known.toml"
    entries = [replace(entry(finding(rule=f"r{number}")), reason=text) for number, text in enumerate(texts)]
    accept(entries, path)
    assert read_baselines([path]) == entries
    accept(entries[:1], path)
    assert sorted(read_baselines([path]), key=lambda one: one.rule) == entries
    assert prune([path], {entries[0].id}) == 1
    assert read_baselines([path]) == entries[1:]


def test_what_others_wrote_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    own = '# ours\n[[expectation]] # odd\nid   = "own"\nsubject="s"\ncheck="ids"\nrule="""q\n"""\n'
    own += 'models=["*"]\nreason="x"\n'
    path.write_text(own, "utf-8")
    accept([entry(finding("a")), entry(finding("b"))], path)
    accept([replace(entry(finding("a")), reason="another")], path)
    assert path.read_text("utf-8").startswith(own)
    assert [one.reason for one in read_baselines([path])] == ["x", "why", "another"]
    prune([path], {entry(finding("a")).id, entry(finding("b")).id})
    assert path.read_text("utf-8") == own


def test_a_file_that_is_no_baseline_or_hides_a_table_in_a_text_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    for text in ("a = 1\n", '[[expectation]]\nid = "x"\n'):
        path.write_text(text, "utf-8")
        with pytest.raises(InputError, match=r"known\.toml"):
            accept([entry(finding())], path)
        assert path.read_text("utf-8") == text
    hidden = TABLE + 'reason = """\n[[expectation]]\n"""\n'
    path.write_text(hidden, "utf-8")
    with pytest.raises(InputError, match="by hand"):
        prune([path], {"x"})
    assert path.read_text("utf-8") == hidden


def test_findings_are_chosen_by_the_beginning_of_their_fingerprint() -> None:
    one, two = finding("a"), finding("b")
    assert chosen_findings(run(one, two), [one.fingerprint[:6], one.fingerprint]) == [one]
    assert len(chosen_findings(run(one, two), [])) == 2
    for named in ("0000000000ff", one.fingerprint[:3]):
        with pytest.raises(UsageError, match=named):
            chosen_findings(run(one, two), [named])
    with pytest.raises(UsageError, match="nothing to accept"):
        chosen_findings(run(replace(one, status="known")), [])


@pytest.mark.parametrize("is_named", [True, False])
def test_a_finding_whose_cause_was_not_sought_is_not_accepted(is_named: bool) -> None:
    """Fault: the entry listed nothing, since the next run found the cause and gave the finding another rule."""
    one = finding(rule=f"{NOT_SOUGHT}: other ids")
    with pytest.raises(UsageError, match=f"{one.fingerprint}: its cause was not sought"):
        chosen_findings(run(one), [one.fingerprint] if is_named else [])


def test_what_no_longer_happens_is_a_problem_where_the_same_was_asked() -> None:
    one = entry(finding())
    assert baseline_problems([one], run(finding()), False, TODAY) == []
    (problem,) = baseline_problems([one], run(), False, TODAY)
    assert "no longer happens on m[1]: is it fixed (r)? then take it off the list" in problem
    assert no_longer_seen([one], run(), False) == [one]
    assert baseline_problems([one], run(seed=1), False, TODAY) == [], "other questions"
    assert baseline_problems([one], run(sources=("session",)), False, TODAY) == []
    assert baseline_problems([replace(one, subject="other.py:M")], run(), False, TODAY) == [], "it took no part"


def test_what_was_accepted_in_a_full_run_is_judged_in_full_runs_and_a_session_promises_nothing() -> None:
    full = entry(finding(), full=True)
    assert baseline_problems([full], run(), True, TODAY)
    assert baseline_problems([full], run(), False, TODAY) == []
    session = entry(finding(), of=run(finding(), sources=("session",)))
    assert baseline_problems([session], run(), True, TODAY) == []


def test_what_has_expired_is_a_problem_whether_or_not_it_happens() -> None:
    old = entry(finding(), expires="2026-05-31")
    for of in (run(finding()), run(finding(), seed=1)):
        (problem,) = baseline_problems([old], of, False, TODAY)
        assert "(r) has expired, on 2026-05-31" in problem
    assert baseline_problems([replace(old, expires="2026-06-02")], run(finding()), False, TODAY) == []
    assert no_longer_seen([old], run(finding()), False) == []
    assert entries_of("", Path("x")) == []


def test_entries_of_models_and_subjects_that_a_run_did_not_ask_are_found() -> None:
    """Fault: a model that was moved had another name, and its accepted findings were dropped without a word."""
    entries = [
        Expectation(name, subject, "ids", "r", models)
        for name, subject, models in (
            ("a", "mine.py:M", ("m",)),
            ("b", "mine.py:M", ("m*", "old/m")),
            ("c", "mine.py:M", ("old/m",)),
            ("d", "other.py:M", ("m",)),
        )
    ]
    asked = replace(
        run(),
        subjects=(SubjectInfo("mine.py:M", "1", "subject"),),
        models=(ModelInfo("m", "tokenizer.json", "tokenizer.json", "0", "tokenizers", 1),),
    )
    assert [one.id for one in of_others(entries, asked)] == ["c", "d"]
