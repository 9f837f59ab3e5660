"""The engine of many machines: the actors of a Ray cluster. An extra: pip install "reftok[ray]"."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from conformance.core.errors import UsageError
from conformance.engine.actors import LostError, Result, Work, work_on_actors
from conformance.engine.benches import close_benches
from conformance.engine.queue import ShardQueue, ShardT
from conformance.engine.workers import OF_THE_TERMINAL, SAFE_PATH, set_safe_path

ALL_CORES = 0
ADDRESS = "RAY_ADDRESS"
NICENESS = "RAY_worker_niceness"
"""Of the workers of a Ray that is started here. By its default, 15, they starve beside anything else that runs, and
answers time out."""
SECONDS_TO_CLOSE = 10.0
SECONDS_TO_REACH = 10.0

_OURS = (signal.SIGTERM, *OF_THE_TERMINAL)


class _Actor:
    """A process of the cluster with the bench of the model that it was asked about last.

    folder: the current one of the driver, from which a plan may name files.
    safe_path: the user's own setting, for the subjects that it starts.
    check: raises ConformanceError where its machine is not as that of the driver, before the first shard.
    """

    def __init__(self, folder: str, safe_path: str | None, check: Callable[[], None]) -> None:
        self._folder = folder
        self._safe_path = safe_path
        self._check: Callable[[], None] | None = check

    def work(self, work: Work[ShardT, Result], shard: ShardT) -> Result:
        """The result of a shard."""
        if self._check is not None:
            set_safe_path(self._safe_path)
            with suppress(FileNotFoundError):  # what is not there is told by its own name
                os.chdir(self._folder)
            self._check()
            self._check = None
        return work(shard)

    def close(self) -> None:
        """End the processes of subjects."""
        close_benches()


def check_reachable(address: str) -> None:
    """Raise UsageError where an address has a host and a port at which nothing answers.

    Ray itself tries for minutes, without a word that a user would understand.

    >>> check_reachable("auto")
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_REACH).close()
    except (OSError, OverflowError) as error:
        raise UsageError(f"--engine ray: no cluster at {ADDRESS}={address}: {error}") from None


class RayWorkers:
    """Actors of the cluster that RAY_ADDRESS names, or of one on this machine, while it is entered.

    jobs: how many actors, each with a core; `ALL_CORES` for one for each core of the cluster.
    check: as of `_Actor`; a function that can be pickled.
    Raises UsageError on entering where Ray is not installed, or there is no cluster.
    """

    def __init__(self, jobs: int, check: Callable[[], None]) -> None:
        self._jobs = jobs
        self._check = check
        self._ray: Any = None  # imported where it is used, and without types where it is not installed
        self._actor: Any = None
        self._folder = os.getcwd()
        self._started: dict[int, Any] = {}

    def __enter__(self) -> RayWorkers:
        try:
            import ray
        except ModuleNotFoundError:
            raise UsageError("--engine ray: Ray is not installed: python -m pip install '.[ray]'") from None
        self._ray = ray
        check_reachable(os.environ.get(ADDRESS, ""))
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault(NICENESS, "0")
        heard = {number: signal.getsignal(number) for number in _OURS}
        try:
            # Ray puts the current folder of the driver in front of what an actor imports, whatever lies there.
            os.chdir(os.sep)
            ray.init(
                address=os.environ.get(ADDRESS) or "local",
                include_dashboard=None if os.environ.get(ADDRESS) else False,
                log_to_driver=False,
                logging_level="ERROR",
                runtime_env={"env_vars": {SAFE_PATH: "1"}},
            )
        except Exception as error:  # Ray raises this very class where a process of it does not start in its time
            ray.shutdown()
            raise UsageError(f"--engine ray: no cluster: {' '.join(str(error).split())[:200]}") from None
        finally:
            os.chdir(self._folder)
            for number, handler in heard.items():
                signal.signal(number, handler)
        self._jobs = self._jobs or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._actor = ray.remote(num_cpus=1, max_restarts=0)(_Actor)
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is None:
            with suppress(self._ray.exceptions.RayError):
                closing = [actor.close.remote() for actor in self._started.values()]
                self._ray.wait(closing, num_returns=len(closing), timeout=SECONDS_TO_CLOSE) if closing else None
        for number in [*self._started]:
            self.forget(number)
        self._ray.shutdown()

    def run(
        self,
        work: Work[ShardT, Result],
        queue: ShardQueue[ShardT],
        done: Callable[[Result], None],
        deadline: Callable[[], float] | None = None,
    ) -> None:
        """As `Workers.run`; an actor that is lost is no end, as `work_on_actors` says."""
        work_on_actors(self, self._jobs, work, queue, done, deadline)

    def submit(self, number: int, work: Work[ShardT, Result], shard: ShardT) -> Future[Result]:
        """As `Actors.submit`."""
        if number not in self._started:
            self._started[number] = self._actor.remote(self._folder, os.environ.get(SAFE_PATH), self._check)
        result: Future[Result] = Future()
        answer = self._started[number].work.remote(work, shard).future()
        answer.add_done_callback(lambda answered: self._hand_on(answered, result))
        return result

    def forget(self, number: int) -> None:
        """As `Actors.forget`."""
        self._ray.kill(self._started.pop(number))

    def _hand_on(self, answered: Future[Result], result: Future[Result]) -> None:
        """Put an answer, or an error without what Ray wraps it in, into the result."""
        errors = self._ray.exceptions
        error = answered.exception()
        if error is None:
            result.set_result(answered.result())
        elif isinstance(error, errors.RayTaskError):
            result.set_exception(error.cause)
        elif isinstance(error, errors.RayError):
            result.set_exception(LostError(str(error).split("\n", 1)[0]))
        else:
            result.set_exception(error)
