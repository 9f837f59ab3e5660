"""A subject that is an object in this process: what a user's own tests hand over.

It is asked as the process of an isolated subject asks its object (`conformance/subjects/serve.py` lists the methods),
and its answers are held to the same bounds. But nothing stands between: what hangs or dies takes this process along.
"""

from __future__ import annotations

from conformance.core.errors import UsageError
from conformance.subjects.adapters import BUILT_IN
from conformance.subjects.base import InBulk, UnavailableError
from conformance.subjects.connection import Connection, LocalConnection
from conformance.subjects.protocol import Model
from conformance.subjects.protocol_subject import ProtocolSubject
from conformance.subjects.serve import Server, missing_methods
from conformance.subjects.special_tokens import SpecialTokens

UNNAMED = "subject"
_NO_TIMEOUT = 3600.0


class InProcessSubject(ProtocolSubject):
    """An object with `encode` and `decode`, or with `chat`. It is named by its class, and closed by whoever made it.

    Raises UsageError for what has not these methods, or cannot be asked as they are.
    """

    def __init__(self, subject: object) -> None:
        if missing := missing_methods(subject):
            raise UsageError(f"a {type(subject).__name__} has no method {' and no method '.join(missing)}")
        self._subject = subject
        model = Model(path="", format="", sha256="", own=True)
        try:
            super().__init__(subject_name(subject), model, _NO_TIMEOUT, SpecialTokens(), {})
        except UnavailableError as error:
            raise UsageError(str(error)) from None

    def in_bulk(self) -> InBulk | None:
        """None: nothing is saved where no process has to be reached."""
        return None

    def _connect(self) -> Connection:
        return LocalConnection(Server(lambda: lambda _: self._subject))


def subject_name(subject: object) -> str:
    """Its name in reports: that of its class, which must not be taken for a built-in subject or a file.

    >>> subject_name([]), subject_name(type("tokenizers", (), {})())
    ('list', 'subject')
    """
    name = type(subject).__name__
    return name if name.isidentifier() and name not in BUILT_IN else UNNAMED
