"""A program behind pipes: lines go in, lines come out, and the last that it says beside is kept for when it ends."""

from __future__ import annotations

import os
import secrets
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from conformance.core.observation import Failure
from conformance.files.atomic import is_gone
from conformance.subjects.strays import MARK, end_strays

KEPT_BYTES = 64 << 10
"""Of what it says on standard error."""
STOP_SECONDS = 5.0
_LAST_WORDS_SECONDS = 0.2
_PIPE_BYTES = 1 << 16
_FOLDER = "conformance-subject-"
"""How the folders begin in which programs run; the number of the process that made them comes next."""


class NoAnswer(Exception):
    """There is no answer to a message.

    failure: why: the program hung, died, said too much, or something else. is_over: whether it is to be started anew:
        it is gone, or nobody knows which message it answers next.
    """

    def __init__(self, failure: Failure, is_over: bool = True) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.is_over = is_over


class Program:
    """A program that has been started, in an empty folder, with a session of its own: Ctrl-C does not reach it.

    command: its arguments, of which the first is found as the shell does. environment: beside that of this process.
    memory: that it, and each process that it starts, may have, in MiB, where the system bounds it.
    Raises OSError where there is no such program.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], memory: int) -> None:
        self._mark = secrets.token_hex(8)
        sweep()
        self._folder = tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-")
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self._folder,
                start_new_session=True,
                env={**os.environ, "LANG": "C.UTF-8", "TZ": "UTC", **environment, MARK: self._mark},
            )
        except BaseException:  # an interrupt too
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        _bound_memory(self._process.pid, memory << 20)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._input, self._output, self._errors = (
            pipe.fileno() for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        for pipe in (self._input, self._output, self._errors):
            os.set_blocking(pipe, False)
        self._open = {self._output, self._errors}
        self._unsent = bytearray()
        self._unread = bytearray()
        self._said = bytearray()

    @property
    def said(self) -> str:
        """The last that it said on standard error."""
        return self._said.decode("utf-8", "replace")

    def send(self, line: bytes) -> None:
        """Send a line; what its pipe does not hold yet goes while its answers are awaited."""
        self._unsent += line
        self._write()

    def read_line(self, most: int, seconds: float, deadline: float) -> bytes:
        """The next line that it says, of so many bytes at most, without its end; raises NoAnswer.

        deadline: after so many seconds.
        """
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            if searched > most:
                raise NoAnswer(Failure("crashed", f"its answer is longer than {most >> 20} MB"))
            if self._output not in self._open:
                raise NoAnswer(Failure("crashed", self._cause_of_death()))
            if not self._waited(deadline):
                if self._process.poll() is not None:  # what it started holds its standard output open
                    raise NoAnswer(Failure("crashed", self._cause_of_death()))
                raise NoAnswer(Failure("timed out", f"no answer within {seconds:g} s"))
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def stop(self) -> int | None:
        """The exit code that it ends with by itself, once standard input has ended; None where it does not end."""
        self._process.stdin.close()  # type: ignore[union-attr]
        self._unsent.clear()
        deadline = time.monotonic() + STOP_SECONDS
        while self._open and self._waited(deadline):  # what it says at its end must not stop it
            self._unread.clear()
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(max(0.0, deadline - time.monotonic()))
        return None

    def kill(self) -> None:
        """End it and what it started."""
        with suppress(ProcessLookupError, PermissionError):  # all of it has ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        end_strays(self._mark)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        sweep()

    def _waited(self, deadline: float) -> bool:
        """Whether something went through a pipe before the deadline."""
        left = deadline - time.monotonic()
        if left < 0:
            return False
        waiting = select.poll()  # which takes descriptors of any number
        for pipe in self._open:
            waiting.register(pipe, select.POLLIN)
        if self._unsent:
            waiting.register(self._input, select.POLLOUT)
        ready = waiting.poll(1000 * left)
        for pipe, _ in ready:
            if pipe == self._input:
                self._write()
            else:
                self._read(pipe)
        return bool(ready)

    def _write(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self._input, memoryview(self._unsent)[:_PIPE_BYTES].tobytes())]
        except BlockingIOError:
            pass
        except OSError:  # it has died, which reading the answer shows
            self._unsent.clear()

    def _read(self, pipe: int) -> None:
        data = os.read(pipe, _PIPE_BYTES)
        if not data:
            self._open.discard(pipe)
        elif pipe == self._output:
            self._unread += data
        else:
            self._said += data
            del self._said[:-KEPT_BYTES]

    def _cause_of_death(self) -> str:
        deadline = time.monotonic() + _LAST_WORDS_SECONDS
        while self._errors in self._open and self._waited(deadline):
            pass
        try:
            code = self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return "it closed its answers"
        if code < 0:
            name = next((known.name for known in signal.Signals if known == -code), f"signal {-code}")
            return f"its process was killed by {name}"
        return f"its process ended with exit code {code}"


def sweep() -> None:
    """Remove the folders that harnesses left which were killed: those named after a process that is no more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*-*"):
        maker = folder.name.removeprefix(_FOLDER).partition("-")[0]
        if is_gone(maker):
            shutil.rmtree(folder, ignore_errors=True)


def _bound_memory(process: int, most: int) -> None:
    """Bound the memory that a process may write to. What a runtime only reserves does not count.

    Linux: RLIMIT_DATA, of private mappings that can be written; elsewhere there is no such bound.
    """
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        _, hard = resource.prlimit(process, resource.RLIMIT_DATA)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(process, resource.RLIMIT_DATA, (most, most))
