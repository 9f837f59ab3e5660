"""The seal of a plan: it tells a run folder that was made here from a stranger's, whose code is not run unasked.

A plan names FILE.py subjects, and `--resume`, `replay` and `reproduce` run their code. A secret of this user seals the
names when the plan is written; a plan without that seal was written by somebody else, or on another machine.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from conformance.core.errors import InputError
from conformance.subjects.adapters import BUILT_IN

_KEY_BYTES = 32


def seal(subjects: Sequence[str]) -> str:
    """The seal of the subjects of a plan, hexadecimal; "" where this user can keep no secret."""
    key = _key()
    return "" if key is None else hmac.new(key, json.dumps(list(subjects)).encode("ascii"), hashlib.sha256).hexdigest()


def check_trust(folder: Path, subjects: Sequence[str], sealed: str) -> None:
    """Raise InputError where a plan names code to run, and was not written here.

    sealed: its seal.
    """
    code = [name for name in subjects if name not in BUILT_IN]
    if code and not (sealed and hmac.compare_digest(sealed, seal(subjects))):
        would_run = f"would run {', '.join(code)}"
        raise InputError(f"{folder}: was not made here, and {would_run}; add --trust if you trust that code")


def _key() -> bytes | None:
    """The secret of this user, made when it is first needed; None where it cannot be kept."""
    state = os.environ.get("XDG_STATE_HOME")
    path = (Path(state) if state else Path.home() / ".local" / "state") / "conformance" / "key"
    with suppress(OSError):
        if not path.exists():
            _make(path)
        key = path.read_bytes()
        with suppress(OSError):
            for left in path.parent.glob(f"{path.name}.*"):  # by processes that were killed, or that come too late
                left.unlink()
        return key if len(key) == _KEY_BYTES else None
    return None


def _make(path: Path) -> None:
    """Make a secret, whole, and never over the one of another process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f"{path.name}.{os.getpid()}")
    made.touch(0o600)
    made.write_bytes(secrets.token_bytes(_KEY_BYTES))
    with suppress(FileExistsError, FileNotFoundError):
        os.link(made, path)
    made.unlink(missing_ok=True)
