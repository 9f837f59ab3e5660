"""Shards to findings and tables: the same causes are joined, the order is fixed, and what proves nothing is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.causes.attribution import Attribution
from conformance.core.case import Case, text_case
from conformance.core.finding import MOST_EXAMPLES, Confidence, Finding, Mismatch, Severity
from conformance.core.run import Absence, Cell, LanguageCell
from conformance.core.weight import ALL, Share, Weight
from conformance.engine.repeating import CHANGES, DEPENDS, NOT_ALONE
from conformance.engine.result import DRAWN, WITNESSES, AdapterErrors, Counts, Group, ShardResult, by_model
from conformance.inputs.shards import Shard
from conformance.runs.expectations import Expectation
from conformance.runs.gather import (
    Place,
    Shrunk,
    Steps,
    adapter_problems,
    as_it_came,
    cells,
    findings,
    language_cells,
    methods_of,
    missing,
    nothing_compared,
    unchecked,
    unshrunk,
    vacuous,
    with_unrepeated_joined,
)

LISTED = Expectation("id", "s", "ids", "r", ("m",), (), "o", "why", "link", "me", "2030-01-01")


def mismatch(text: str, model: str = "m", subject: str = "s", severity: Severity = "other ids") -> Mismatch:
    return Mismatch(model, subject, "ids", "r", severity, text_case(text, f"o:{text}", "de"), "1", "2")


def result(number: int, *texts: str, model: str = "m", rule: str = "r", stage: str = "") -> ShardResult:
    shard = ShardResult(Shard(model, "fuzz", number, number + 1), cases=len(texts), answers=len(texts))
    shard.counts["s", "ids"] = Counts(5, len(texts), 1, 0)
    shard.languages["de", "s"] = [5, len(texts)]
    group = Group()
    for text in texts:
        group.add([mismatch(text, model)])
    if texts:
        shard.groups["s", "ids", stage, rule] = group
    return shard


def joined(results: Sequence[ShardResult], models: str = "mn") -> dict[str, ShardResult]:
    return by_model(results, models)


def found(
    results: Sequence[ShardResult],
    expectations: Sequence[Expectation] = (),
    shown: Attribution | None = None,
    text: str | None = None,
) -> tuple[Finding, ...]:
    """shown, text: what each is shrunk to, None for what it is."""
    oracles = {"m": "tokenizers", "n": "tokenizers"}

    def shrunk(finding: Finding) -> Shrunk:
        example, cause = as_it_came(finding)
        case = example.case if text is None else text_case(text, example.case.origin)
        return replace(example, case=case), shown or cause

    steps = Steps(shrunk=lambda found: map(shrunk, found))
    replay = lambda finding: finding.fingerprint
    return findings(joined(results).values(), oracles, expectations, replay, lambda *_: steps)


def test_the_same_cause_in_several_shards_is_one_with_the_smallest_example() -> None:
    (one,) = unshrunk(joined([result(0, "ccc", "dd"), result(1, "a", "bbbb")]).values())
    assert one.count == 4
    assert one.languages == ("de",)
    assert one.example.case.text == "a"


def counted(finding: Finding) -> dict[str, tuple[int, int]]:
    return {share.of: (share.changed, share.asked) for share in finding.weight.shares}


def test_the_natural_texts_of_a_cause_are_counted_over_all_shards() -> None:
    (one,) = unshrunk(joined([result(0, "ccc", "dd"), result(1, "a")]).values(), {"de": 40, "fr": 30})
    assert counted(one) == {"de": (3, 40), "fr": (0, 30)}


def test_texts_that_fail_one_check_are_others_and_those_that_fail_two_may_be_the_same() -> None:
    first, other, third = result(0, "a", "b", rule="r"), result(1, "c", rule="t"), result(2, "d", "e", "f", rule="u")
    group = third.groups.pop(("s", "ids", "", "u"))
    group.examples = [replace(example, check="decode") for example in group.examples]
    third.groups["s", "decode", "", "u"] = group
    shown = Attribution("Model", "one cause")
    results = joined([first, other, third]).values()
    oracles = {"m": "tokenizers", "n": "tokenizers"}
    steps = Steps(shrunk=lambda found: [(one.example, shown) for one in found])
    (one,) = findings(results, oracles, (), lambda _: "", lambda *_: steps, natural={"de": 40})
    assert one.count == 6
    assert counted(one) == {"de": (3, 40)}


def test_findings_are_in_the_order_of_the_weights_that_they_are_given() -> None:
    weights = [Weight("policy"), Weight("natural text", (Share(ALL, "texts", 1, 9),)),
               Weight("natural text", (Share(ALL, "texts", 2, 9),)), Weight("edge of Unicode")]  # fmt: skip
    results = [result(0, "a" * number, rule=f"r{number}") for number in range(1, 5)]

    def weigher(some: Sequence[Finding]) -> list[Finding]:
        return [replace(one, weight=weights[len(one.example.case.text) - 1]) for one in some]

    oracles = {"m": "tokenizers", "n": "tokenizers"}
    same = joined(results).values()
    weighed = findings(same, oracles, (), lambda _: "", lambda *_: Steps(weighed=weigher))
    assert [one.weight for one in weighed] == [weights[2], weights[1], weights[3], weights[0]]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (Attribution("Input", "what a smaller input looks like"), ("Model", "explained", Confidence(9, 9))),
        (Attribution("", NOT_ALONE), ("", NOT_ALONE, None)),
    ],
)
def test_what_was_explained_before_it_was_shrunk_stays_so_unless_it_does_not_come_again(
    shown: Attribution, expected: tuple[str, str, Confidence | None]
) -> None:
    def explainer(some: Sequence[Finding], witnesses: Sequence[Case]) -> list[Finding]:
        first, *others = some
        whole = replace(first, stage="Model", rule="explained", confidence=Confidence(9, 9))
        return [whole.joined(one) for one in others]

    results = [result(0, "a", "b", rule="r"), result(1, "c", rule="t")]
    oracles = {"m": "tokenizers", "n": "tokenizers"}
    steps = Steps(explainer, lambda found: [(one.example, shown) for one in found])
    (one,) = findings(joined(results).values(), oracles, (), lambda _: "", lambda *_: steps)
    assert (one.stage, one.rule, one.confidence) == expected
    assert one.count == 3


def test_what_an_expectation_lists_as_it_came_is_not_explained() -> None:
    asked: list[str] = []

    def explainer(some: Sequence[Finding], witnesses: Sequence[Case]) -> Sequence[Finding]:
        asked.extend(one.rule for one in some)
        return some

    results = [result(0, "a", "b", rule="r"), result(1, "c", rule="t")]
    oracles = {"m": "tokenizers", "n": "tokenizers"}
    every = findings(joined(results).values(), oracles, (LISTED,), lambda _: "", lambda *_: Steps(explainer))
    assert asked == ["t"]
    assert sorted((one.rule, one.status) for one in every) == [("r", "known"), ("t", "new")]


def test_all_is_done_with_the_findings_on_one_model_before_those_on_the_next() -> None:
    """Fault: what was learnt of the causes on each model but the last was thrown away before it was shrunk."""
    done: list[str] = []

    def steps_of(place: Place, number: int, total: int) -> Steps:
        def noted(found: Sequence[Finding], *_: object) -> Sequence[Finding]:
            done.extend(one.example.model for one in found)
            return found

        assert (*place, number, total) in {("m", "s", 1, 2), ("n", "s", 2, 2)}
        return Steps(noted, lambda found: map(as_it_came, noted(found)), noted, noted)

    results = joined([result(0, "a"), result(1, "b", model="n")]).values()
    findings(results, {"m": "tokenizers", "n": "tokenizers"}, (), lambda _: "", steps_of)
    assert done == ["m"] * 4 + ["n"] * 4


def test_gathering_leaves_the_shards_as_they_were() -> None:
    shards = [result(0, "a"), result(1, "b")]
    assert found(shards) == found(shards)
    assert [shard.groups["s", "ids", "", "r"].count for shard in shards] == [1, 1]


def test_another_model_rule_or_stage_is_another_cause() -> None:
    shards = [result(0, "a"), result(0, "a", model="n"), result(1, "b", rule="q"), result(2, "c", stage="Model")]
    assert len(found(shards)) == 4


def test_the_order_of_the_shards_does_not_matter() -> None:
    shards = [result(0, "a", "bb"), result(1, "c", rule="q"), result(2, "b"), result(0, "x", model="n")]
    assert found(shards) == found(shards[::-1])


def test_a_group_keeps_its_smallest_examples_and_some_of_all_the_same_in_any_order() -> None:
    """Fault: a mistake in every tenth answer had no example beside one in all the others, and no name."""
    texts = [f"{number:03} text" for number in range(400)]
    group, other = (result(0, *some, texts[0]).groups["s", "ids", "", "r"] for some in (texts, texts[::-1]))
    kept = [example.case.text for example in group.examples]
    assert kept[:MOST_EXAMPLES] == texts[:MOST_EXAMPLES]
    assert DRAWN <= len(kept) <= DRAWN + MOST_EXAMPLES
    assert sum(text > "200" for text in kept) > DRAWN / 4
    assert group.witnesses == group.examples[:WITNESSES]
    assert group.count == 401
    parts = [result(0, text).groups["s", "ids", "", "r"] for text in texts]
    for part in parts[1:]:
        parts[0].join(part)
    assert group.examples == other.examples == parts[0].examples


def test_a_group_keeps_examples_of_each_generator() -> None:
    """Fault: contractions in capitals had no example beside thousands of texts that were normalized otherwise."""
    made = [
        replace(mismatch(f"{n:04} text"), case=text_case(f"{n:04} text", f"session:0:{n}:common")) for n in range(900)
    ]
    rare = [
        replace(mismatch(f"{n} rare text"), case=text_case(f"{n} rare text", f"session:0:{n}:rare")) for n in range(9)
    ]
    group = Group()
    group.add([*made, *rare])
    assert sum(one.case.origin.endswith("rare") for one in group.examples) >= 2


def test_causes_that_turn_out_the_same_after_shrinking_are_joined() -> None:
    shown = Attribution("Model", "no merges are applied")
    named = result(0, "bb", "cc", stage=shown.stage, rule=shown.rule)
    (finding,) = found([named, result(1, "a")], shown=shown)
    assert (finding.count, finding.stage, finding.rule) == (3, shown.stage, shown.rule)
    assert finding.example.case.text == "a"


def test_causes_that_are_left_with_the_same_example_are_one_by_the_rule_that_explains_most() -> None:
    named = [
        result(0, "aa", "bb", stage="PreTokenizer", rule="one"),
        result(1, "a", stage="PreTokenizer", rule="another"),
        result(2, "a", "b", "c", stage="PreTokenizer or Model", rule="pre-tokens are cut into other tokens"),
        result(3, "a", "b", "c", "d"),
    ]
    (finding,) = found(named, text="x")
    assert (finding.rule, finding.count) == ("one", 10)


def test_a_known_finding_is_not_joined_with_an_unexpected_one_on_the_same_example() -> None:
    statuses = [finding.status for finding in found([result(0, "a"), result(1, "a", rule="q")], [LISTED])]
    assert sorted(statuses) == ["known", "new"]


def test_unexpected_findings_of_several_checks_with_one_cause_are_one() -> None:
    ids = result(0, "a", stage="Model", rule="r")
    decode = replace(ids, groups={("s", "decode", "Model", "r"): replace(ids.groups["s", "ids", "Model", "r"])})
    group = decode.groups["s", "decode", "Model", "r"]
    group.examples = [replace(example, check="decode") for example in group.examples]
    (finding,) = found([decode, ids])
    assert (finding.example.check, finding.count) == ("ids", 2)


def test_findings_of_several_checks_without_a_stage_are_not_one() -> None:
    """Their rule says what differs, not why."""
    ids = result(0, "a")
    decode = replace(ids, groups={("s", "decode", "", "r"): replace(ids.groups["s", "ids", "", "r"])})
    group = decode.groups["s", "decode", "", "r"]
    group.examples = [replace(example, check="decode") for example in group.examples]
    assert {finding.example.check for finding in found([decode, ids])} == {"ids", "decode"}


def test_what_no_rule_explains_and_is_right_again_goes_with_what_is_not_repeated() -> None:
    """Fault: a cache whose key was too coarse gave two findings, one of them "no known rule"."""
    said = {DEPENDS: "the subject: it depends", "n": "all agree; asked again, the subject is right", "x": "all agree"}
    came = [Finding(mismatch(rule), 2, (), "", rule, "l", verdict=verdict) for rule, verdict in said.items()]
    named = Finding(mismatch("y"), 2, (), "Model", "y", "l", verdict=said["n"])
    together = with_unrepeated_joined([*came, named])
    assert [(one.rule, one.count) for one in together] == [(DEPENDS, 4), ("x", 2), ("y", 2)]
    assert with_unrepeated_joined(came[1:]) == came[1:]


def test_a_listed_finding_is_known_and_comes_last() -> None:
    known, new = sorted(found([result(0, "a"), result(1, "b", rule="q")], [LISTED]), key=lambda f: f.status)
    assert (known.status, known.reason, known.upstream, known.rule) == ("known", "why", "link", "r")
    assert (new.status, new.rule) == ("new", "q")
    assert found([result(0, "a"), result(1, "b", rule="q")], [LISTED]) == (new, known)


def test_the_worst_finding_comes_first() -> None:
    shards = [result(number, str(number), rule=f"r{number}") for number in range(3)]
    severities: tuple[Severity, ...] = ("offsets only", "special-token injection", "other text")
    for number, severity in enumerate(severities):
        shards[number].groups["s", "ids", "", f"r{number}"].examples = [mismatch(f"{number}", severity=severity)]
    given = [finding.example.severity for finding in found(shards)]
    assert given == ["special-token injection", "other text", "offsets only"]


def test_counts_of_shards_add_up_and_known_ones_are_told_apart() -> None:
    shards = [result(0, "a"), result(1, "b", "c")]
    listed = found(shards, [LISTED])
    assert cells(joined(shards), listed) == (Cell("m", "s", "ids", 10, 3, 3, 2, 0),)
    assert cells(joined(shards), found(shards))[0].known == 0


def test_the_table_is_in_the_order_of_the_models() -> None:
    shards = [result(0, "a", model="n"), result(0, "a")]
    assert [cell.model for cell in cells(joined(shards, "nm"), ())] == ["n", "m"]
    assert [cell.model for cell in cells(joined(shards, "mn"), ())] == ["m", "n"]


def test_the_rows_of_a_model_are_in_the_order_of_the_subjects_and_the_checks_as_they_were_made() -> None:
    shard = ShardResult(Shard("m", "fuzz", 0, 1))
    for key in (("t", "ids"), ("s", "tokens"), ("s", "ids"), ("t", "decode")):
        shard.counts[key] = Counts(1)
    rows = [(cell.subject, cell.check) for cell in cells(joined([shard]), ())]
    assert rows == [("s", "tokens"), ("s", "ids"), ("t", "ids"), ("t", "decode")]


def test_a_method_is_there_that_any_shard_of_the_model_found() -> None:
    shards = [result(0), result(1), result(2, model="n")]
    shards[0].methods["s"] = {"stream_decode": False, "stream_encoder": True}
    shards[1].methods["s"] = {"stream_decode": True}
    shards[2].methods["s"] = {"stream_encoder": False}
    assert methods_of(joined(shards)) == {
        ("m", "s"): {"stream_decode": True, "stream_encoder": True},
        ("n", "s"): {"stream_encoder": False},
    }


def test_the_heat_map_adds_up_and_leaves_out_made_inputs() -> None:
    shards = [result(0, "a"), result(1, "b", "c")]
    shards[0].languages["", "s"] = [7, 7]
    (cell,) = language_cells(joined(shards[:2]), {"de": "German"})
    assert cell == LanguageCell("de", "s", 10, 3, "m", "German")


RIGHT = Cell("m", "s", "ids", 10)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ((), "s was compared on nothing with m"),
        ((replace(RIGHT, compared=0, not_applicable=9),), "s was compared on nothing with m"),
        ((replace(RIGHT, mismatched=6, failures=6),), "s gave no answer to 6 of 10 questions on m"),
        ((replace(RIGHT, check="decode", mismatched=6, failures=6),), "s gave no answer to 6 of 10 questions on m"),
        ((replace(RIGHT, model="n"),), "s was compared on nothing with m"),
    ],
)
def test_a_subject_that_proves_nothing_is_a_problem(table: tuple[Cell, ...], said: str) -> None:
    (problem,) = vacuous(table, ["m"], [("m", "s")], {})
    assert said in problem


@pytest.mark.parametrize(("failures", "said"), [(20, []), (21, ["s gave no answer to 21 of 100 questions on m"])])
def test_a_subject_may_give_no_answer_to_a_fifth_of_the_questions(failures: int, said: list[str]) -> None:
    """Which are those about ids and decoded text; other checks ask nothing more."""
    table = (
        Cell("m", "s", "ids", 60, failures, failures=failures),
        Cell("m", "s", "decode", 40),
        Cell("m", "s", "tokens", 900, 900, failures=900),
    )
    assert vacuous(table, ["m"], [("m", "s")], {}) == said


def test_what_several_subjects_were_compared_on_nothing_for_is_told_once() -> None:
    table = [replace(RIGHT, subject=subject, compared=0, not_applicable=9) for subject in "st"]
    (problem,) = vacuous(table, ["m"], [("m", "s"), ("m", "t")], {})
    assert problem == "s and t were compared on nothing with m: nothing is proved"


REFUSES = Absence("m", "s", "refused", "no Precompiled")
DIES = Absence("m", "s", "crashed", "its process ended with exit code 3")


def test_a_model_that_a_subject_does_not_read_is_a_problem_only_where_it_is_required() -> None:
    assert missing([REFUSES], False) == []
    assert missing([REFUSES], True) == ["s does not read m: no Precompiled"]


@pytest.mark.parametrize("required", [False, True])
def test_a_subject_that_is_not_there_at_all_is_a_problem(required: bool) -> None:
    assert missing([DIES], required) == ["s took no part with m: its process ended with exit code 3"]


@pytest.mark.parametrize(("tested", "rows"), [(("s",), []), (("s", "t"), []), (("s",), [("m", "reftok")])])
def test_a_run_in_which_nothing_that_is_tested_took_part_has_compared_nothing(
    tested: tuple[str, ...], rows: list[tuple[str, str]]
) -> None:
    (problem,) = nothing_compared(rows, tested, [REFUSES])
    assert problem == "nothing was compared: no subject reads any of the models (s: no Precompiled)"


@pytest.mark.parametrize(("tested", "row"), [(("s",), ("n", "s")), (("s", "t"), ("m", "t"))])
def test_a_run_in_which_one_subject_took_part_with_one_model_has_compared_something(
    tested: tuple[str, ...], row: tuple[str, str]
) -> None:
    assert nothing_compared([row], tested, [REFUSES]) == []


def test_a_model_without_a_subject_besides_its_library_was_compared_with_nothing() -> None:
    (problem,) = vacuous((RIGHT,), ["m", "alone"], [("m", "s")], {})
    assert problem.startswith("alone was compared with nothing")


def test_a_check_asked_for_by_name_must_compare_something() -> None:
    assert unchecked((RIGHT,), [RIGHT.check], [("m", "s")], {}, False) == []
    silent = replace(RIGHT, check="offsets", compared=0, not_applicable=9)
    (problem,) = unchecked((RIGHT, silent), ["offsets"], [("m", "s")], {("m", "s"): {"offsets": True}}, False)
    assert problem == "offsets was asked for, but s gives nothing to compare on m"


@pytest.mark.parametrize(
    ("check", "asked", "why"),
    [
        ("stream encode", {"stream_encoder": False}, "it has no stream_encoder"),
        ("offsets", {"offsets": False, "tokens": True}, "it has no offsets"),
        (
            "stream decode",
            {"stream_decode": False, "stream_encoder": True},
            "it has none of stream_decode, stream_decoder, decode_with_callback",
        ),
    ],
)
def test_a_subject_without_the_method_that_a_check_needs_fails_only_a_run_that_requires_it_or_compares_nothing(
    check: str, asked: dict[str, bool], why: str
) -> None:
    silent = replace(RIGHT, check=check, compared=0, not_applicable=9)
    assert unchecked((silent,), [check], [("m", "s")], {("m", "s"): asked}, False) == []
    (problem,) = unchecked((silent,), [check], [("m", "s")], {("m", "s"): asked}, True)
    assert problem == f"{check} was asked for, but s gives nothing to compare on m: {why}"
    (problem,) = vacuous((silent,), ["m"], [("m", "s")], {("m", "s"): asked})
    assert problem == f"s was compared on nothing with m: nothing is proved, since {why}"


def test_several_subjects_without_a_method_are_told_in_one_sentence() -> None:
    table = [replace(RIGHT, subject=subject, check="offsets", compared=0, not_applicable=9) for subject in "st"]
    rows = [("m", "s"), ("m", "t")]
    (problem,) = vacuous(table, ["m"], rows, {row: {"offsets": False} for row in rows})
    assert problem == "s and t were compared on nothing with m: nothing is proved, since they have no offsets"


@pytest.mark.parametrize("table", [(), (replace(RIGHT, check="stream encode", compared=0, not_applicable=9),)])
def test_inputs_without_a_case_for_a_check_are_not_blamed_on_the_subject(table: tuple[Cell, ...]) -> None:
    (problem,) = unchecked(table, ["stream encode"], [("m", "s")], {}, False)
    why = "the inputs have no case for it"
    assert problem == f"stream encode was asked for, but there is nothing to compare on m: {why}"
    (problem,) = vacuous(table, ["m"], [("m", "s")], {})
    assert problem == f"s was compared on nothing with m: nothing is proved, since {why}"


def test_what_a_subject_does_not_repeat_is_one_finding_by_the_rule_that_says_most_and_nothing_else_is() -> None:
    shard = ShardResult(Shard("m", "fuzz", 0, 1))
    for check, stage, rule in (
        ("ids", "", DEPENDS),
        ("offsets", "", CHANGES),
        ("batch = single", "", "batch gives other ids than the text alone"),
        ("decode", "Decoder", "spaces are lost"),
    ):
        shard.groups["s", check, stage, rule].add([replace(mismatch(check), check=check)])
    named = {(one.example.check, one.stage, one.rule) for one in found([shard])}
    assert named == {("ids", "", CHANGES), ("decode", "Decoder", "spaces are lost")}
    del shard.groups["s", "ids", "", DEPENDS], shard.groups["s", "offsets", "", CHANGES]
    assert {one.rule for one in found([shard])} == {"batch gives other ids than the text alone", "spaces are lost"}


def test_errors_of_an_adapter_are_told_as_a_problem_the_same_in_any_order_of_the_shards() -> None:
    first, second = result(0, "a"), result(1, "b")
    first.adapter_errors["s"] = AdapterErrors(1, "no field")
    second.adapter_errors["s"] = AdapterErrors(2, "an error")
    (problem,) = adapter_problems(joined([first, second]))
    assert problem == (
        "the adapter of s gave errors of its own in the place of answers, in 3 of its cases with m, which prove "
        "nothing: an error"
    )
    assert adapter_problems(joined([second, first])) == [problem]
    assert adapter_problems(joined([result(0, "a")])) == []
