"""The badge says what the report says."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

from conformance.report.run.badge import badge_json, badge_svg
from conformance.report.run.view import headline
from tests.conformance.report.sample_run import passing_run, sample_run


def test_the_badge_says_the_headline_and_its_colour_differs() -> None:
    good, bad = badge_svg(passing_run()), badge_svg(sample_run())
    ElementTree.fromstring(good)
    root = ElementTree.fromstring(bad)
    assert headline(sample_run()).lower() in str(root.get("aria-label"))
    assert "as expected" in good
    assert ("#0a5c8f" in good, "#a8321a" in bad) == (True, True)
    assert "#a8321a" not in good


def test_the_endpoint_has_the_keys_of_shields() -> None:
    value = json.loads(badge_json(sample_run()))
    assert value["schemaVersion"] == 1
    assert set(value) == {"schemaVersion", "label", "message", "color", "isError"}
    assert value["message"] == headline(sample_run()).lower()
    assert value["isError"] is True
    assert json.loads(badge_json(passing_run()))["isError"] is False


def test_an_incomplete_run_is_not_good() -> None:
    run = replace(passing_run(), verdict="incomplete")
    assert "incomplete" in badge_json(run)
    assert json.loads(badge_json(run))["color"] == "a8321a"
