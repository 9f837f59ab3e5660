"""The page of a session under way: what it shows, and that nobody else can ask for it, or for more."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from email.message import Message
from itertools import pairwise
from typing import Any

import pytest

from conformance.core.errors import UsageError
from conformance.fuzzing.coverage import KindCoverage
from conformance.fuzzing.live import MOST_CAUSES, MOST_SAMPLES, LiveServer, LiveSession
from conformance.fuzzing.progress import ModelCoverage, SessionProgress
from conformance.runs.progress import Finishing
from tests.conformance.report.run.browsers import needs_browser
from tests.conformance.report.run.pages import VIEWS, violations
from tests.conformance.report.sample_run import HOSTILE, PLAIN, SCRIPT

COVERAGE = ModelCoverage("m", (KindCoverage("merges", 50, 200, (5, SCRIPT)),), {}, {})
PROGRESS = SessionProgress(300, 200, 2.0, (COVERAGE,), (*HOSTILE, *PLAIN), known=2)


@pytest.fixture
def server() -> Iterator[LiveServer]:
    session = LiveSession()
    session.take(PROGRESS)
    with LiveServer(session, f"conformance fuzz {SCRIPT}") as started:
        yield started


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Message
    body: bytes


def answer(server: LiveServer, path: str = "/", method: str = "GET", **headers: str) -> Answer:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request(method, path, headers=headers)
        found = connection.getresponse()
        return Answer(found.status, found.headers, found.read())


def test_it_shows_what_the_session_told(server: LiveServer) -> None:
    told = json.loads(answer(server, "/progress.json").body)
    assert told["headline"] == "300 cases, 100 a second, 8 unexpected findings, 2 known"
    assert (told["rate"], told["unexpected"], told["known"]) == (100, 8, 2)
    assert told["samples"] == [[2.0, 100, 25.0]]
    assert told["coverage"][0]["reached"] == 50
    assert [cause["rule"] for cause in told["found"]][1].startswith("Normalizer: ")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "", "[::1]:{port}"]
)
def test_another_host_is_refused(server: LiveServer, host: str) -> None:
    for path in ("/", "/progress.json"):
        assert answer(server, path, Host=host.format(port=server.port)).status == 421


def test_its_own_names_are_not(server: LiveServer) -> None:
    for name in ("127.0.0.1", "localhost"):
        assert answer(server, Host=f"{name}:{server.port}").status == 200


@pytest.mark.parametrize("path", ["/run.json", "/../etc/passwd", "/%2e%2e/plan.json", "/?", "/progress.json/", "*"])
def test_it_knows_two_paths(server: LiveServer, path: str) -> None:
    assert answer(server, path).status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"])
def test_it_is_only_read(server: LiveServer, method: str) -> None:
    assert answer(server, "/", method).status == 501


def test_head_has_no_body(server: LiveServer) -> None:
    found = answer(server, "/", "HEAD")
    assert (found.status, found.body) == (200, b"")


def test_every_answer_is_kept_from_other_sites_and_caches(server: LiveServer) -> None:
    for path in ("/", "/progress.json", "/none"):
        found = answer(server, path)
        assert found.headers["X-Content-Type-Options"] == "nosniff"
        assert found.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert found.headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in found.headers
    assert b"connect-src &#39;self&#39;; base-uri" in answer(server).body


def test_it_listens_on_this_machine_alone_and_ends(server: LiveServer) -> None:
    assert server.address == f"http://127.0.0.1:{server.port}/"
    assert server._server.server_address[0] == "127.0.0.1"


def test_a_port_in_use_is_a_mistake_of_the_user(server: LiveServer) -> None:
    with pytest.raises(UsageError, match=f"port {server.port} of 127.0.0.1 cannot be used"):
        LiveServer(LiveSession(), "", server.port)


def test_what_is_kept_and_shown_is_bounded() -> None:
    session = LiveSession()
    many = tuple(replace(PLAIN[0], rule=f"rule {number}") for number in range(MOST_CAUSES + 5))
    for second in range(1, 5 * MOST_SAMPLES):
        session.take(SessionProgress(second, second, float(second), (), many))
    told = session.progress()
    assert (len(told["found"]), told["unexpected"]) == (MOST_CAUSES, MOST_CAUSES + 5)
    seconds = [sample[0] for sample in told["samples"]]
    assert MOST_SAMPLES / 2 <= len(seconds) <= MOST_SAMPLES
    assert len({after - before for before, after in pairwise(seconds)}) == 1


def test_the_end_is_told_as_it_comes() -> None:
    session = LiveSession()
    session.take(PROGRESS)
    session.take(Finishing(2, 9))
    assert session.progress()["doing"] == "shrinking finding 2 of 9"
    assert session.progress()["cases"] == 300


@needs_browser
@pytest.mark.parametrize(("size", "scheme"), VIEWS, ids=["desk", "phone"])
def test_the_page_follows_the_session_fits_has_contrast_and_is_accessible(
    browser: Any, size: tuple[int, int], scheme: str
) -> None:
    session = LiveSession()
    session.take(PROGRESS)
    with LiveServer(session, f"conformance fuzz {SCRIPT}") as server:
        page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(server.address)
        page.get_by_text("8 unexpected findings").wait_for()
        assert page.locator("#found tr").count() == 8
        assert page.evaluate("() => document.documentElement.scrollWidth") == size[0]
        assert page.evaluate("() => document.documentElement.dataset.harmed") is None
        assert violations(page) == []
        session.take(replace(PROGRESS, cases=301, found=PLAIN))
        page.get_by_text("301 cases").wait_for()
        assert page.locator("#found tr").count() == 3
        assert complaints == []
    page.get_by_text("The session does not answer").wait_for()
    page.close()
