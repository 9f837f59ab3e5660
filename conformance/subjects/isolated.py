"""A subject in a process of its own, so that it may hang, die or print without harm to the run."""

from __future__ import annotations

import math
import shutil

import msgspec

from conformance.core.observation import Failure
from conformance.subjects.base import UnavailableError
from conformance.subjects.connection import Connection, ProgramConnection
from conformance.subjects.definition import Definition
from conformance.subjects.process import Program
from conformance.subjects.protocol import Model
from conformance.subjects.protocol_subject import ProtocolSubject
from conformance.subjects.special_tokens import SpecialTokens

MOST_MEMORY = 16_384
"""MiB, by default: no tokenizer needs as much, and what grows without end does not take the machine along."""


class IsolatedSubject(ProtocolSubject):
    """A program with a model, started when it is needed, and anew after a hang or a death.

    timeout: seconds that one answer may take. memory: that the process may have, in MiB, where the system bounds it.
    until: as of `Subject`; of `time.monotonic`.
    Raises UnavailableError as `ProtocolSubject` does, and where the program is not there.
    """

    def __init__(
        self,
        subject: Definition,
        model: Model,
        timeout: float,
        memory: int = MOST_MEMORY,
        special_tokens: SpecialTokens | None = None,
        until: float = math.inf,
    ) -> None:
        self._definition = subject
        self._memory = memory
        about = subject.about
        if about is not None and about.models and model.format not in about.models:
            raise UnavailableError(f"it reads {', '.join(about.models)}, not {model.format}")
        options = about.options if about is not None else {}
        timeout = about.timeout if about is not None and about.timeout else timeout
        try:
            super().__init__(subject.label, model, timeout, special_tokens or SpecialTokens(), options, until)
        except UnavailableError as error:
            if error.failure.kind != "crashed" or not subject.way_out:
                raise
            raise UnavailableError(f"{error}{subject.way_out}", error.failure) from None
        if about is not None:
            said = {name: getattr(about, name) for name in ("language", "homepage", "issues") if getattr(about, name)}
            self.about = msgspec.structs.replace(self.about, **said)
        self.smoke()

    def _connect(self) -> Connection:
        command = self._definition.command
        started = command if self._definition.ends_by_itself else _bound_to_us(command)
        try:
            return ProgramConnection(Program(started, self._definition.environment, self._memory))
        except OSError as error:
            failure = Failure("crashed", f"{command[0]}: {error.strerror}")
            raise UnavailableError(f"{self.name} cannot be loaded: {failure.message}", failure) from None


def _bound_to_us(command: tuple[str, ...]) -> tuple[str, ...]:
    """The command of a program that ends when this process does, even where it hangs; as it is without setpriv."""
    launcher = shutil.which("setpriv")
    if launcher is None or shutil.which(command[0]) is None:
        return command
    return (launcher, "--pdeathsig", "KILL", *command)
