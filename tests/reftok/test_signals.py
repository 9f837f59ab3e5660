"""The signals that end a command."""

from __future__ import annotations

import subprocess
import sys

import pytest

from reftok.signals import stop_exit_code

DROPPED = """
import signal, sys, threading
from reftok.signals import end_by_signals, stop_exit_code

class Closing:
    def __del__(self):
        signal.raise_signal(int(sys.argv[1]))

signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background or under nohup is deaf
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
end_by_signals()
try:
    closing = Closing()
    del closing
    threading.Event().wait(20)
except KeyboardInterrupt as stop:
    sys.exit(stop_exit_code(stop))
"""

LATE = """
import os, signal
from reftok.signals import end_by_signals

class Late:
    def __del__(self, kill=os.kill, own=os.getpid(), number=signal.{}):
        kill(own, number)

end_by_signals()
late = Late()  # deleted after Python has restored the default handler of SIGINT
"""


@pytest.mark.parametrize(("number", "code"), [(2, 130), (15, 143), (1, 129)])
def test_a_signal_that_comes_while_an_object_is_deleted_ends_the_command_without_a_traceback(
    number: int, code: int
) -> None:
    """Fault: Ctrl-C in `Popen.__del__` printed "Exception ignored in", and a fuzzing session went on to its end."""
    ended = subprocess.run(
        [sys.executable, "-c", DROPPED, str(number)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (code, "")


def test_another_exception_that_is_dropped_is_told_as_python_tells_it() -> None:
    program = DROPPED.replace("signal.raise_signal(int(sys.argv[1]))", "raise ValueError('closed twice')")
    program = program.replace("threading.Event().wait(20)", "")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0
    assert "ValueError: closed twice" in ended.stderr


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), KeyboardInterrupt("of a library")])
def test_an_interrupt_without_a_signal_is_that_of_the_terminal(stop: KeyboardInterrupt) -> None:
    assert stop_exit_code(stop) == 130


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_while_python_exits_does_not_change_the_exit_code(name: str) -> None:
    """Fault: Ctrl-C after the file was written made `reftok train` exit as if it had been killed."""
    program = LATE.format(name)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
