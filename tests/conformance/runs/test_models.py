from __future__ import annotations

from pathlib import Path

import pytest

from conformance.core.errors import InputError
from conformance.runs.models import plan_models
from reftok.errors import ModelFormatError


def test_a_name_that_the_system_refuses_is_bad_input_and_no_failure_of_the_harness() -> None:
    # Python 3.14 takes it for the name of nothing, and that is said by reftok.
    said = "a: cannot be read: File name too long|a: no such file or folder"
    with pytest.raises((InputError, ModelFormatError), match=said):
        plan_models(("a" * 5000,))


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no /proc")
def test_a_file_that_opens_and_is_not_read_is_named() -> None:
    """Fault: "None: cannot be read": an error of reading, unlike one of opening, has no name."""
    with pytest.raises(ModelFormatError, match=r"^/proc/self/mem: cannot be read: "):
        plan_models(("/proc/self/mem",))
