"""No defect: a harness that finds something here is wrong itself."""

from __future__ import annotations

from official import Official as Subject

__all__ = ["Subject"]
