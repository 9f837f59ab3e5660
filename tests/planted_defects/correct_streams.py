"""No defect, and every stream there is: a harness that finds something here is wrong itself."""

from __future__ import annotations

from streams import Streaming as Subject

__all__ = ["Subject"]
