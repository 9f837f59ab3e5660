"""A session's page, while it is under way: served on this machine's own address, and only to be read.

Two paths are known, each made from what the session has told; nothing of a request is a path of a file. A page of
another site cannot ask either, whatever name it gives this address ("DNS rebinding"): the Host must be this server's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from conformance.checks import by_weight
from conformance.core.errors import UsageError
from conformance.core.finding import Finding
from conformance.fuzzing.progress import ModelCoverage, SessionProgress
from conformance.fuzzing.screen import sentence
from conformance.report.history import duration
from conformance.report.live.html import live_html
from conformance.report.run.view import cause, place, shown_input
from conformance.report.text import visible
from conformance.runs.progress import Finishing

ADDRESS = "127.0.0.1"
MOST_SAMPLES = 300
"""Points of a chart: where there would be more, every second one is left out."""
MOST_CAUSES = 200
SECONDS_OF_A_RATE = 10.0
SECONDS_OF_A_REQUEST = 10.0
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Of every answer; the page has its whole policy in itself."""


class LiveSession:
    """What the page shows: told by the session, asked for by other threads.

    >>> session = LiveSession()
    >>> session.take(SessionProgress(300, 300, 2.0, (), ()))
    >>> session.progress()["headline"], session.progress()["rate"]
    ('300 cases, 150 a second, no unexpected finding', 150)
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = SessionProgress(0, 0, 0.0, (), ())
        self._doing = "loading models"
        self._samples: list[tuple[float, int, float]] = []
        self._between, self._seen = 1, 0

    def take(self, progress: SessionProgress | Finishing) -> None:
        """Show this from now on."""
        with self._lock:
            if isinstance(progress, Finishing):
                self._doing = progress.sentence
                return
            self._last, self._doing = progress, "asking"
            if self._seen % self._between == 0:
                self._samples.append((progress.seconds, progress.new_cases, _reached(progress)))
            self._seen += 1
            if len(self._samples) > MOST_SAMPLES:
                self._samples, self._between = self._samples[::2], self._between * 2

    def progress(self) -> dict[str, Any]:
        """The values of progress.json, in which all that others wrote is visible already."""
        with self._lock:
            last, doing, samples = self._last, self._doing, [*self._samples]
        found = sorted(last.found, key=by_weight)
        return {
            "headline": sentence(last) if last.seconds else "Loading models",
            "doing": doing,
            "cases": last.cases,
            "rate": round(last.new_cases / last.seconds) if last.seconds else 0,
            "unexpected": len(found),
            "known": last.known,
            "time": duration(last.seconds),
            "samples": _points(samples),
            "found": [_cause(finding) for finding in found[:MOST_CAUSES]],
            "coverage": [kind for coverage in last.coverages for kind in _kinds(coverage)],
        }


def _reached(progress: SessionProgress) -> float:
    """The share of all that the models have, in percent."""
    kinds = [kind for coverage in progress.coverages for kind in coverage.kinds]
    total = sum(kind.total for kind in kinds)
    return 100 * sum(kind.reached for kind in kinds) / total if total else 0.0


def _points(samples: Sequence[tuple[float, int, float]]) -> list[tuple[float, int, float]]:
    """The seconds, the cases a second, and the share, of each sample.

    Cases are told by the shard, so they come in bursts: a rate is that since the latest sample that is
    `SECONDS_OF_A_RATE` older, or since the start.

    >>> _points([(1.0, 100, 2.0), (2.0, 100, 2.0), (12.0, 1200, 3.0)])
    [(1.0, 100, 2.0), (2.0, 50, 2.0), (12.0, 110, 3.0)]
    """
    points: list[tuple[float, int, float]] = []
    before = 0
    known = [(0.0, 0, 0.0), *samples]
    for seconds, cases, share in samples:
        while known[before + 1][0] <= seconds - SECONDS_OF_A_RATE:
            before += 1
        since, earlier, _ = known[before]
        rate = (cases - earlier) / (seconds - since) if seconds > since else 0.0
        points.append((round(seconds, 1), round(rate), round(share, 1)))
    return points


def _cause(finding: Finding) -> dict[str, Any]:
    example = finding.example
    return {
        "severity": example.severity,
        "place": place(finding),
        "rule": visible(cause(finding)),
        "input": shown_input(example.case, 80),
        "count": finding.count,
    }


def _kinds(coverage: ModelCoverage) -> list[dict[str, Any]]:
    return [
        {
            "model": visible(coverage.model),
            "kind": visible(kind.kind),
            "reached": kind.reached,
            "total": kind.total,
            "missing": ", ".join(visible(str(key), 40) for key in kind.examples),
        }
        for kind in coverage.kinds
    ]


class LiveServer:
    """Serves a session's page while it is entered. port: 0 for any that is free. Raises UsageError for one in use."""

    def __init__(self, session: LiveSession, command: str, port: int = 0) -> None:
        answers: dict[str, tuple[str, Callable[[], str]]] = {
            "/": ("text/html; charset=utf-8", lambda: live_html(command)),
            "/progress.json": ("application/json", lambda: json.dumps(session.progress(), ensure_ascii=True)),
        }

        class Handler(_Handler):
            pages = answers

        try:
            self._server = ThreadingHTTPServer((ADDRESS, port), Handler)
        except OSError as error:
            raise UsageError(f"--serve: port {port} of {ADDRESS} cannot be used: {error.strerror}") from error
        self._server.daemon_threads = True
        self.port = self._server.server_port

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.port}/"

    def __enter__(self) -> LiveServer:
        Thread(target=self._server.serve_forever, name="live page", daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD for the known paths; anything else is an error. pages: type and text by path."""

    pages: dict[str, tuple[str, Callable[[], str]]]
    server: ThreadingHTTPServer
    timeout = SECONDS_OF_A_REQUEST
    server_version, sys_version = "conformance", ""

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, with_body: bool) -> None:
        if not self._is_own_host():
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "Another host")
            return
        found = self.pages.get(self.path)
        if found is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        kind, text = found
        body = text().encode("utf-8")
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def _is_own_host(self) -> bool:
        """Whether the request names this server as a person's browser does: by its address, or as localhost."""
        hosts = self.headers.get_all("Host") or []
        return hosts in ([f"{name}:{self.server.server_port}"] for name in (ADDRESS, "localhost"))

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  # the name that the library gives it
        """Nothing: the terminal is the session's."""
