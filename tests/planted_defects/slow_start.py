"""No defect, but a second until it is there: a subject that compiles or downloads first."""

from __future__ import annotations

import time

from official import Official


def Subject(model_path: str) -> Official:  # noqa: N802 (a factory may be a function)
    time.sleep(1)
    return Official(model_path)
