from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.core.errors import InputError, UsageError
from conformance.engine.bench import load_reference
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


def test_what_is_official_beside_the_library_of_a_format_has_to_read_each_model(tmp_path: Path) -> None:
    (plan,) = plan_models(("bpe-gpt2",), official="transformers")
    assert plan.oracle == "transformers-auto"
    (tmp_path / "mine.tiktoken").write_text("YQ== 0\n", "ascii")
    with pytest.raises(UsageError, match=r"--official transformers: does not read tiktoken, as .*mine.tiktoken is"):
        plan_models(("bpe-gpt2", str(tmp_path / "mine.tiktoken")), official="transformers")


def test_a_missing_official_library_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InputError, match="transformers is not installed: python -m pip install transformers jinja2"):
        load_reference(*plan_models(("bpe-gpt2",), official="transformers"))
