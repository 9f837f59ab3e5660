"""The command in this process, its shards too: a test waits for no interpreter and no import."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import pytest

from conformance.cli.commands import main
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.plan import Plan
from conformance.engine.result import ShardResult
from conformance.engine.workers import IN_THIS_PROCESS
from conformance.inputs.shards import Shard, corpus_cases, cut_cases
from conformance.runs import execute
from conformance.runs.job import file_hash
from conformance.runs.shard_work import work
from conformance.subjects import adapters


def run_here(arguments: Sequence[str], subjects: Callable[..., Any]) -> subprocess.CompletedProcess[str]:
    """How the command ends in the current folder, as a process of its own would.

    subjects: makes a subject of a file in the place of `IsolatedSubject`.
    """
    for remembered in (file_hash, corpus_cases, cut_cases):
        remembered.cache_clear()
    on_end = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    code: object = 0
    with (
        pytest.MonkeyPatch.context() as patched,
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as errors,
    ):
        patched.setattr(sys, "argv", ["conformance", *arguments])
        patched.setattr(execute, "run_shards", _run_shards_here)
        patched.setattr(os, "sched_getaffinity", lambda _: range(IN_THIS_PROCESS), raising=False)
        patched.setattr(adapters, "IsolatedSubject", subjects)
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        finally:
            close_benches()
            for number, handler in on_end.items():
                signal.signal(number, handler)
    assert isinstance(code, int)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), errors.getvalue())


def _run_shards_here(
    plan: Plan, shards: Sequence[Shard], jobs: int, done: Callable[[ShardResult], None], workers_of: object
) -> None:
    for shard in shards:
        done(work(plan, shard, bench_of(plan, shard.model)))
