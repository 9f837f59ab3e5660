"""Ways to show a finding elsewhere: the command that writes it as a file, and lines that ask the official library.

The input is spelled in ASCII.
"""

from __future__ import annotations

from conformance.checks import CHECKS
from conformance.core.case import Case
from conformance.core.finding import Finding
from conformance.core.observation import NO_ANSWER_IN_TIME
from conformance.core.run import ModelInfo
from conformance.subjects.adapters import FORMATS, REPRODUCIBLE

LONGEST_INPUT = 2_000
"""Code points, bytes or ids; what is longer is only replayed."""


def snippet(finding: Finding, model: ModelInfo | None) -> str:
    r"""The lines, "" where the library or the input cannot be written down.

    A model is named as --model takes it: an embedded one by its name, of which reftok tells the path. Texts are ASCII,
    so that what is copied is what was asked, whatever the page or the terminal makes of it.
    """
    case = finding.example.case
    if model is None or len(case.text or case.data or case.ids) > LONGEST_INPUT or case.tokens:
        return ""
    model_format = FORMATS.get(model.format)  # a run of another version may have models of other formats
    snippets = None if model_format is None else model_format.snippets
    if snippets is None or (case.kind == "bytes" and not snippets.takes_bytes):
        return ""
    check = CHECKS.get(finding.example.check)
    ask = snippets.decode if case.kind == "ids" else snippets.encode
    if check is not None and check.asks_much:
        ask = snippets.stream if check.compares == "stream_decoded" else ""
    if not ask:
        return ""
    load = snippets.load.format(path=ascii(model.name))
    if not model.name.endswith(model.path):
        path = f"str(embedded_models()[{model.name!a}])"
        load = f"from reftok import embedded_models\n{snippets.load.format(path=path)}"
    ids = _written(case) if case.kind == "ids" else f"tokenizer.encode({_written(case)}).ids"
    return f"{load}\n{ask.format(input=_written(case), ids=ids)}\n"


def reproduction_command(finding: Finding, model: ModelInfo | None) -> str:
    """The command that writes the finding as one small file, "" where there is no such file (`conformance reproduce`).

    It names the same run and the same finding as the command that replays it.
    """
    has_file = model is not None and model.format in REPRODUCIBLE and finding.example.rule not in NO_ANSWER_IN_TIME
    start, replay, arguments = finding.replay.partition(_REPLAY)
    return f"{_REPRODUCE}{arguments}" if has_file and replay and not start else ""


_REPLAY, _REPRODUCE = "conformance replay ", "conformance reproduce "


def _written(case: Case) -> str:
    if case.kind == "ids":
        return str(list(case.ids))
    return ascii(case.data if case.kind == "bytes" else case.text)
