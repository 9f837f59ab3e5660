"""Settings for all tests: the same examples of hypothesis in every run, and no deadline on slow machines."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, settings

settings.register_profile(
    "reproducible", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=False
)
settings.load_profile("reproducible")

sys.path.append(str(Path(__file__).parent.parent))
"""For `benchmarks`, whose worst cases are tested too; at the end, since what is tested is what is installed."""

os.environ["RUST_BACKTRACE"] = "0"
"""A panic of a library is an answer here; writing its stack takes longer than the question."""

_state = TemporaryDirectory(prefix="state-of-tests-")
os.environ["XDG_STATE_HOME"] = _state.name
"""The secret that seals plans is the tests' own."""

_hub = TemporaryDirectory(prefix="hub-of-tests-")
os.environ["HF_HUB_CACHE"] = _hub.name
os.environ["HF_HUB_OFFLINE"] = "1"
"""No test looks into the user's cache of the hub, or asks the hub itself."""

pytest_plugins = ["pytester"]
"""Tests of the plugin run pytest within pytest."""

collect_ignore = ["reftok/tokenizers_strategies"]
"""A package without tests; pytest, looking for doctests, would import it under another name."""
