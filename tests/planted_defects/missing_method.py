"""No `decode`: half an adapter."""

from __future__ import annotations

from official import Official


class Subject:
    def __init__(self, model_path: str) -> None:
        self.encode = Official(model_path).encode
