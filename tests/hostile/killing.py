"""A command that is started and killed: by which signal, at which moment, and what became of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .processes import ROOT

MOST_SECONDS = 180.0
"""No start lasts as long: it hangs."""
BETWEEN_LOOKS = 0.002
_PROCESS = re.compile(r"\.\d+\.")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Kill:
    """How a start is ended.

    to_group: whether all processes of a terminal have the signal, or the command alone. changes: the number of changes
        in the folder after which it comes, 0 where it comes after a time. file: the only one whose changes count, as in
        `Ended`. share: of the seconds of an unbroken start.
    """

    signal: signal.Signals
    to_group: bool = False
    changes: int = 0
    file: str = ""
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a start.

    is_killed: whether the command was still there for the signal. could_hear: whether it had begun to mind signals.
    changes: how often each file changed as far as that was seen, by its name with * for the number of a process; "" is
        any of them. code: None for one that had to be ended since it hung.
    """

    code: int | None
    output: str
    errors: str
    is_killed: bool
    could_hear: bool
    changes: Mapping[str, int]
    seconds: float

    def wrong(self, kill: Kill | None, is_over: bool) -> Iterator[str]:
        """What is wrong about an end. is_over: whether it may be that of a command that was let be."""
        tail = self.errors[-600:]
        if self.code is None:
            yield f"hangs: {tail}"
        elif not is_over and (kill is None or not self.is_killed):
            yield f"exit code {self.code}: {tail}"
        elif not is_over and kill is not None and self.code not in _codes(kill.signal, self.could_hear):
            yield f"exit code {self.code} by {kill.signal.name}: {tail}"
        elif "Traceback" in self.errors and (self.could_hear or not self.is_killed):
            yield f"a traceback: {tail}"


def _codes(number: signal.Signals, could_hear: bool) -> tuple[int, ...]:
    """The exit codes of a command that a signal has ended."""
    if number == signal.SIGKILL:
        return (-number,)
    if could_hear:
        return (128 + number,)
    interrupted = (1,) if number == signal.SIGINT else ()  # of Python, while it imports what it begins with
    return 128 + number, -number, *interrupted


def drawn_kill(random: Random, changes: Mapping[str, int]) -> Kill:
    """A kill. changes: of an unbroken start."""
    number = random.choice([signal.SIGKILL] * 7 + [*SIGNALS])
    to_group = random.random() < {signal.SIGKILL: 0.3, signal.SIGTERM: 0.5}.get(number, 1.0)
    moment = random.choices(["any file", "a file", "share", "start"], [3, 4, 2, 1])[0]
    if moment in ("any file", "a file"):
        file = "" if moment == "any file" else random.choice([*changes])
        return Kill(number, to_group, random.randint(1, changes[file]), file)
    return Kill(number, to_group, share=random.random() * (1.0 if moment == "share" else 0.2))


def start(arguments: Sequence[str], life: Path, kill: Kill | None, seconds: float) -> Ended:
    """Start a command in the folder `work` of a life, and kill it.

    life: the folder that is looked at; it also has the command's state and temporary files.
    kill: None to let it end. seconds: of an unbroken start.
    """
    out, errors = (life.with_name(f"{life.name}.{name}") for name in ("stdout", "stderr"))
    for folder in ("work", "state", "tmp"):
        (life / folder).mkdir(parents=True, exist_ok=True)
    with out.open("wb") as out_file, errors.open("wb") as errors_file:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=life / "work",
            env=_environment(life),
            stdin=subprocess.DEVNULL,
            stdout=out_file,
            stderr=errors_file,
            start_new_session=True,
            preexec_fn=_hear_signals,
        )
    begun = time.monotonic()
    changes = _wait(process, life, kill, begun, seconds)
    could_hear = _minds_signals(process.pid)
    is_killed = process.poll() is None and kill is not None
    if kill is not None and is_killed:
        os.killpg(process.pid, kill.signal) if kill.to_group else process.send_signal(kill.signal)
    code: int | None = None
    try:
        code = process.wait(MOST_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    texts = (file.read_text("utf-8", "replace") for file in (out, errors))
    return Ended(code, *texts, is_killed, could_hear, changes, time.monotonic() - begun)


def _environment(life: Path) -> dict[str, str]:
    own = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(life / "state"), "TMPDIR": str(life / "tmp")}
    return {**os.environ, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "COLUMNS": "120", **own}


def _hear_signals() -> None:
    """What is run in the background or under nohup is deaf, and so are its children."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def _wait(
    process: subprocess.Popen[bytes], life: Path, kill: Kill | None, begun: float, seconds: float
) -> Counter[str]:
    """Wait for the moment of the kill, or for the end; gives the changes that were seen."""
    changes: Counter[str] = Counter()
    if kill is not None and not kill.changes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(kill.share * seconds)
        return changes
    seen = _seen(life)
    while process.poll() is None and time.monotonic() < begun + MOST_SECONDS:
        now = _seen(life)
        changed = {_PROCESS.sub(".*.", name) for name, _ in now.items() ^ seen.items()}
        changes.update([*changed, ""] if changed else [])
        if kill is not None and changes[kill.file] >= kill.changes:
            break
        seen = now
        time.sleep(BETWEEN_LOOKS)
    return changes


def _seen(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder, by name, with its size and time."""
    found = {}
    for path in names(folder):
        with suppress(OSError):
            status = os.stat(folder / path)
            found[path] = status.st_size, status.st_mtime_ns
    return found


def names(folder: Path) -> list[str]:
    """The files and empty folders below a folder, sorted."""
    found = []
    for base, folders, files in os.walk(folder):
        place = os.path.relpath(base, folder)
        found += [os.path.normpath(os.path.join(place, name)) for name in files]
        if not folders and not files:
            found.append(place)
    return sorted(found)


def _minds_signals(process: int) -> bool:
    """Whether a process has a handler for SIGHUP, the last for which the commands set one."""
    try:
        status = Path(f"/proc/{process}/status").read_text("ascii")
    except OSError:
        return False
    caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")), "0")
    return bool(int(caught, 16) >> (signal.SIGHUP - 1) & 1)
