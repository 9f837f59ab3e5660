"""The workers of a job: processes of this machine, or actors of a cluster on machines that must be like this one."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from functools import partial

from conformance.core.errors import InputError
from conformance.engine.ray_workers import RayWorkers
from conformance.engine.workers import AnyWorkers, Workers
from conformance.runs.job import Job, check_unchanged, file_hashes
from conformance.subjects.versions import installed_versions


def workers_of(job: Job) -> Callable[[int], AnyWorkers]:
    """What makes the workers of a job, given how many.

    Raises InputError for a file of the plan that cannot be read.
    """
    if job.engine == "processes":
        return Workers
    check = partial(check_machine, file_hashes(job.plan), installed_versions())
    return partial(RayWorkers, check=check)


def check_machine(hashes: dict[str, str], versions: Mapping[str, str]) -> None:
    """Raise InputError where this machine has other files or libraries than the one that began the run."""
    try:
        check_unchanged(hashes)
    except InputError as error:
        raise InputError(f"on {platform.node()}: {error}") from None
    here = installed_versions()
    for name in sorted(versions.keys() | here.keys()):
        is_here, there = (each.get(name, "not installed") for each in (here, versions))
        if is_here != there:
            raise InputError(f"on {platform.node()}: {name} is {is_here}, where the run began {there}")
