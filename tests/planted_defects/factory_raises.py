"""The factory refuses the model: a port that reads another format."""

from __future__ import annotations

from typing import NoReturn


def Subject(model_path: str) -> NoReturn:  # noqa: N802 (named as a class would be)
    raise ValueError(f"cannot read {model_path}:\n    the format is not known")
