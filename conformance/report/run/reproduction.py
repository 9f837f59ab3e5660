"""Ways to show a finding elsewhere: the command that writes it as a file, and lines that ask the official library.

The input is spelled in ASCII.
"""

from __future__ import annotations

from conformance.checks.stream_decode import STREAM_DECODE
from conformance.checks.stream_encode import STREAM_ENCODE
from conformance.core.case import Case
from conformance.core.finding import Finding
from conformance.core.run import ModelInfo
from conformance.subjects.adapters import FORMATS
from conformance.subjects.base import Console

LONGEST_INPUT = 2_000
"""Code points, bytes or ids; what is longer is only replayed."""


def reproduction(finding: Finding, model: ModelInfo | None) -> str:
    r"""The lines, "" where the library or the input cannot be written down.

    Texts are ASCII, so that what is copied is what was asked, whatever the page or the terminal makes of it.
    """
    case = finding.example.case
    if model is None or len(case.text or case.data or case.ids) > LONGEST_INPUT or case.tokens:
        return ""
    console = _console(model)
    if console is None or (case.kind == "bytes" and not console.takes_bytes):
        return ""
    by_check = {STREAM_DECODE.name: console.stream, STREAM_ENCODE.name: ""}
    ask = by_check.get(finding.example.check, console.decode if case.kind == "ids" else console.encode)
    if not ask:
        return ""
    path = model.name if model.name.endswith(model.path) else f"{model.name}/{model.path}"
    ids = _written(case) if case.kind == "ids" else f"tokenizer.encode({_written(case)}).ids"
    return f"{console.load.format(path=ascii(path))}\n{ask.format(input=_written(case), ids=ids)}\n"


def reproduce_command(finding: Finding, model: ModelInfo | None) -> str:
    """The command that writes the finding as one small file, "" where there is no such file (`conformance reproduce`).

    It names the same run and the same finding as the command that replays it.
    """
    has_file = model is not None and _console(model) is not None and finding.example.rule not in _WITHOUT_ANSWER
    start, replay, arguments = finding.replay.partition(_REPLAY)
    return f"{_REPRODUCE}{arguments}" if has_file and replay and not start else ""


_REPLAY, _REPRODUCE = "conformance replay ", "conformance reproduce "
_WITHOUT_ANSWER = ("timed out", "not asked")
"""Rules of findings that a file would show by never ending, or not at all."""


def _written(case: Case) -> str:
    if case.kind == "ids":
        return str(list(case.ids))
    return ascii(case.data if case.kind == "bytes" else case.text)


def _console(model: ModelInfo) -> Console | None:
    """The lines that ask the official library; a run of another version may have models of other formats."""
    model_format = FORMATS.get(model.format)
    return None if model_format is None else model_format.console
