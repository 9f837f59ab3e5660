"""Carries a training out: from its texts to the finished files, with a checkpoint beside them from which it can resume.

    tokenizer.json.training      a line of JSON: version, what is trained, the SHA-256 of the next line
                                 a line of JSON: the state of the training

The checkpoint is replaced as a whole every twenty seconds, and removed when the output is in its place. A trainer gives
its state as values of JSON, and resumes from them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, TypeVar

from reftok.errors import TrainingStopped
from reftok.formats.files import write_durably
from reftok.training.monitor import UNWATCHED, Monitor, State, TrainingProgress, TrainingTrace
from reftok.training.texts import Texts

Result = TypeVar("Result")

SAVE_SECONDS = 20.0
"""The time between two checkpoints, or ten times as long as writing one took."""

SHOW_SECONDS = 0.5
_VERSION = 3


class Trainable(Protocol[Result]):
    """One training of either family.

    texts: what it learns from. identity: what must be equal for another run to resume this one.
    """

    @property
    def texts(self) -> Texts: ...

    @property
    def identity(self) -> Mapping[str, Any]: ...

    def check_output(self, path: Path) -> None:
        """Raises TrainingStopped if the result cannot be written under this name."""

    def beside(self, path: Path) -> Sequence[Path]:
        """The other files that are written with the one at `path`."""

    def run(self, monitor: Monitor = UNWATCHED) -> Result:
        """Trains, from the texts or from the state of the monitor."""

    def files(self, result: Result, path: Path) -> Mapping[Path, str | bytes]:
        """The content of each file of the result; the one at `path` is the last."""


def carried_out(
    training: Trainable[Result],
    path: Path | None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Callable[[TrainingProgress], None] | None = None,
    trace: TrainingTrace | None = None,
) -> Result:
    """The result of a training, written to `path`; with None it is not written, and there is no checkpoint.

    trace: is filled. The other arguments are those of `reftok.train`.
    Raises TrainingStopped for an output that exists or cannot be written, and a checkpoint that cannot be resumed.
    """
    checkpoint = None if path is None else path.with_name(f"{path.name}.training")
    _check(training, path, checkpoint, resume, overwrite)
    identity = training.identity
    state = read_checkpoint(checkpoint, identity) if resume and checkpoint is not None else None
    shown = saved = monotonic()
    wait = SAVE_SECONDS

    def watch(done: TrainingProgress, current: Callable[[], State]) -> None:
        nonlocal shown, saved, wait
        now = monotonic()
        if progress is not None and now - shown >= SHOW_SECONDS:
            shown = now
            progress(done)
        if checkpoint is not None and now - saved >= wait:
            try:
                write_checkpoint(checkpoint, identity, current())
            except OSError as error:
                raise TrainingStopped(f"{checkpoint}: cannot be written: {error.strerror}") from None
            saved = monotonic()
            wait = max(SAVE_SECONDS, 10 * (saved - now))

    result = training.run(Monitor(watch, state, trace))
    if path is not None and checkpoint is not None:
        try:
            for file, content in training.files(result, path).items():
                write_durably(file, content)
            # A kill while a checkpoint was being written leaves its temporary file.
            checkpoint.with_name(f"{checkpoint.name}.new").unlink(missing_ok=True)
            checkpoint.unlink(missing_ok=True)
        except OSError as error:
            raise TrainingStopped(f"{path}: cannot be written: {error.strerror}") from None
    return result


def _check(
    training: Trainable[Result], path: Path | None, checkpoint: Path | None, resume: bool, overwrite: bool
) -> None:
    """Raises TrainingStopped for an output that cannot be written, or that must not be replaced."""
    if path is None or checkpoint is None:
        if resume:
            raise TrainingStopped("resume continues from the checkpoint beside the output: name the output")
        return
    training.check_output(path)
    if not path.parent.is_dir():
        raise TrainingStopped(f"{path}: the folder {path.parent} does not exist")
    if resume and not training.texts.files:
        raise TrainingStopped("resume reads the texts again: give files")
    # An output beside its checkpoint was written by the run that was killed, or is one that is to be replaced.
    if overwrite or (resume and checkpoint.exists()):
        return
    for one in (path, *training.beside(path)):
        if one.exists():
            raise TrainingStopped(f"{one}: exists already; --overwrite replaces it")
    if checkpoint.exists() and not resume:
        raise TrainingStopped(
            f"{checkpoint}: is of an interrupted training: --resume goes on with it, --overwrite begins anew"
        )


def write_checkpoint(path: Path, identity: Mapping[str, Any], state: State) -> None:
    """Replaces the checkpoint at once: either the old or the new one is there, whatever happens."""
    # Escapes would join a high and a low surrogate that stand beside each other, so characters are written as they are.
    data = json.dumps(state, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    header = {"version": _VERSION, "identity": identity, "sha256": sha256(data).hexdigest()}
    write_durably(path, json.dumps(header).encode("ascii") + b"\n" + data)


def read_checkpoint(path: Path, identity: Mapping[str, Any]) -> State:
    """The state in a checkpoint.

    Raises TrainingStopped if there is none, if it is damaged, or of another training.
    """
    try:
        line, _, data = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        raise TrainingStopped(f"{path}: there is nothing to go on from: leave --resume out") from None
    except OSError as error:
        raise TrainingStopped(f"{path}: cannot be read: {error.strerror}") from None
    try:
        header = json.loads(line)
        if header["version"] != _VERSION or header["sha256"] != sha256(data).hexdigest():
            raise ValueError
        before = dict(header["identity"])
        state: State = json.loads(data.decode("utf-8", "surrogatepass"))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise TrainingStopped(f"{path}: is damaged and cannot be resumed; --overwrite begins anew") from None
    now = json.loads(json.dumps(identity))
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            raise TrainingStopped(
                f"{path}: the interrupted training had another {name}: repeat it as it was, or begin anew with "
                "--overwrite"
            )
    return state
