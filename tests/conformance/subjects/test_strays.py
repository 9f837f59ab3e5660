"""What the process of a subject started ends with it."""

from __future__ import annotations

import signal

import pytest

from conformance.subjects import strays


def test_what_a_stray_starts_while_it_is_ended_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Process 1 starts process 2 after the list of them was made, and before it is killed."""
    living, killed = {1, 9}, []

    def kill(pid: int, number: int) -> None:
        assert number == signal.SIGKILL
        killed.append(pid)
        living.remove(pid)
        if pid == 1:
            living.add(2)

    monkeypatch.setattr(strays, "_processes", lambda: sorted(living))
    monkeypatch.setattr(strays, "_environment", lambda pid: [b"A=b"] if pid == 9 else [b"CONFORMANCE_SUBJECT=mine"])
    monkeypatch.setattr("os.kill", kill)
    strays.end_strays("mine")
    assert (killed, living) == ([1, 2], {9})
