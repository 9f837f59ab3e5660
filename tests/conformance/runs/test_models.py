from __future__ import annotations

from pathlib import Path

import pytest

from conformance.core.errors import InputError
from conformance.runs.models import plan_models


def test_a_name_that_the_system_refuses_is_bad_input_and_no_failure_of_the_harness() -> None:
    with pytest.raises(InputError, match="a: cannot be read: File name too long"):
        plan_models(("a" * 5000,))


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no /proc")
def test_a_file_that_opens_and_is_not_read_is_named() -> None:
    """Fault: "None: cannot be read": an error of reading, unlike one of opening, has no name."""
    with pytest.raises(InputError, match=r"^/proc/self/mem: cannot be read: "):
        plan_models(("/proc/self/mem",))
