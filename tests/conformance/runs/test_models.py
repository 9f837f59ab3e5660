from __future__ import annotations

import pytest

from conformance.core.errors import InputError
from conformance.runs.models import plan_models


def test_a_name_that_the_system_refuses_is_bad_input_and_no_failure_of_the_harness() -> None:
    with pytest.raises(InputError, match="a: cannot be read: File name too long"):
        plan_models(("a" * 5000,))
