"""The signs of reports: what each is where only ASCII is known, and which colour it has."""

from __future__ import annotations

PLAIN = {"✓": "ok", "✗": "X", "≈": "~", "↳": ">", "–": "-", "−": "-", "∅": "no"}
"""Each in ASCII, where it is not."""

_CLASSES = {"✓": "equal", "✗": "new", "≈": "known", "~": "known", "↳": "known", "!": "silent", "∅": "none", "–": "none"}


def sign_class(sign: str) -> str:
    """The class of a sign, which decides its colour in every form; "" for a sign without one.

    >>> sign_class("✗"), sign_class("=")
    ('new', '')
    """
    return _CLASSES.get(sign, "")
