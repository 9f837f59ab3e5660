"""The official library does not break down.

Other checks say nothing of a case at which it does: there is nothing to compare with. It is charged here.
"""

from __future__ import annotations

import re

from conformance.checks.base import Answers, Check, Difference, Outcome, failure_difference
from conformance.core.case import Case
from conformance.core.observation import Failure

_QUOTED = re.compile(r"'.*?'|\".*?\"", re.DOTALL)
_NUMBER = re.compile(r"\d+")


_REPRODUCTION = '''\
def compared(official, subject):
    """Whether the library answers, or refuses in order."""
    given = answer(official.decode if isinstance(INPUT, list) else official.encode, INPUT)
    if isinstance(given, dict):
        given = answer(official.decode, given["ids"])
    crashed = isinstance(given, Failure) and not given.is_refusal
    return "no crash", given if crashed else "no crash"
'''


class LibraryCrashCheck(Check):
    """The oracle encodes the text and decodes the ids, or refuses them with an error that can be caught.

    Only the oracle is held to it: where another subject breaks down, its ids and its decoding say so. A stream that
    breaks down where the full decode does not is judged by its own check.
    """

    name = "no crash"
    of_oracle = True
    code = _REPRODUCTION

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        if subject is not oracle or (oracle.encoding is None and oracle.decoding is None):
            return "not applicable"
        for doing, answer in (("encoding", oracle.encoding), ("decoding", oracle.decoding)):
            if isinstance(answer, Failure) and answer.kind == "crashed":
                cause = without_particulars(answer.message.removeprefix("PanicException: "))
                rule = f"crashes while {doing}: {cause}"
                return Difference(rule, "no answer", "an answer", failure_difference("", answer).observed)
        return "same"


def without_particulars(message: str) -> str:
    """A message without numbers and quoted texts: the same for all cases with the same cause.

    >>> without_particulars("slice index starts at 2 but ends at 1")
    'slice index starts at N but ends at N'
    """
    return _NUMBER.sub("N", _QUOTED.sub("…", message))


LIBRARY_CRASH = LibraryCrashCheck()
