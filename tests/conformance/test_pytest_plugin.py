"""The plugin of pytest: what it collects, what it says, what it asks once, and what it costs where it is not used."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from conformance.checks import CHECKS
from conformance.report.run.folder import read_run_folder

SUBJECTS = '''
import reftok
from conformance import conforms
from pathlib import Path

class Mine:
    """Its carriage returns are lost."""

    def __init__(self, path="bpe-qwen"):
        self.tokenizer = reftok.load(path)
        with Path("asked.txt").open("a") as file:
            file.write("made\\n")

    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode_ids(text.replace("\\r\\n", "\\n"), add_special_tokens=add_special_tokens)

    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)

class Right(Mine):
    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode_ids(text, add_special_tokens=add_special_tokens)
'''
NAMED = "conformance.pytest_plugin"
RUN = Callable[..., pytest.RunResult]


@pytest.fixture
def tested(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> RUN:
    """Runs pytest in this process on test_mine.py, which begins with the subjects, with a corpus of two lines."""
    loaded = any(entry.value == NAMED for entry in entry_points(group="pytest11"))
    monkeypatch.chdir(pytester.path)
    pytester.makefile(".txt", corpus="one\r\n\ntwo words\r\n")
    pytester.makefile(".jsonl", lines='{"text": "a\\r\\nb"}\n{"text": "two words"}')

    def run(source: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(test_mine=SUBJECTS + source)
        plugin = () if loaded else ("-p", NAMED)
        return pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", *arguments)

    return run


GIVEN = 'tier="smoke", corpora=["lines.jsonl"]'


def test_a_function_that_encodes_and_does_not_say_so_is_told_how_to(tested: RUN) -> None:
    """Fault: "a list has no method encode and no method decode"."""
    ended = tested(f'@conforms("bpe-qwen", {GIVEN}, checks=["ids"])\ndef encode(line):\n    return [1]\n')
    ended.assert_outcomes(failed=1)
    ended.stdout.fnmatch_lines(["*encode gave a list, which has no method encode*encodes is called text*"])


def test_a_factory_is_a_test_a_check_and_is_asked_once(tested: RUN, pytester: pytest.Pytester) -> None:
    ended = tested(
        f'@conforms("bpe-qwen", {GIVEN})\ndef mine(path):\n    return Mine(path)\n', "-v", "--junit-xml=j.xml"
    )
    ended.assert_outcomes(passed=2, failed=1, skipped=len(CHECKS) - 3)
    ended.stdout.re_match_lines([r"test_mine\.py::mine::bpe-qwen\[ids\] FAILED.*"])
    ended.stdout.fnmatch_lines(
        ["✗ other ids  bpe-qwen / Mine / ids*", "*text      ␍ │ ␊", "*expected  ␍ │ ␊", "*observed  ∅ │ ␊"]
    )
    assert (pytester.path / "asked.txt").read_text() == "made\n"
    properties = re.findall(
        r'<property name="conformance.finding.[0-9a-f]{12}" value="(.*?)"', Path("j.xml").read_text("utf-8")
    )
    assert properties == [r"other ids: Input: CR LF is converted to \n on ␍␊"]


def test_what_is_right_passes_by_decorator_and_by_fixture_and_is_kept_on_request(tested: RUN) -> None:
    source = f"""
@conforms("bpe-qwen", checks=["ids"], {GIVEN})
def right():
    return Right()

def test_it(tokenizer_conformance):
    assert tokenizer_conformance(Right(), "bpe-qwen", checks=["decode"], {GIVEN}).answers
"""
    tested(source, "--conformance-out=runs").assert_outcomes(passed=2)
    assert [read_run_folder(folder).verdict for folder in sorted(Path("runs").iterdir())] == ["as expected"] * 2


def test_an_encode_function_is_asked_for_ids_alone(tested: RUN) -> None:
    source = f"""
@conforms("bpe-qwen", {GIVEN})
def encode(text):
    return reftok.load("bpe-qwen").encode_ids(text)

@conforms("bpe-qwen", {GIVEN})
def wrong(text, add_special_tokens):
    return reftok.load("bpe-qwen").encode_ids(text.replace("\\r\\n", "\\n"))
"""
    ended = tested(source, "-v")
    ended.assert_outcomes(passed=1, failed=1)
    ended.stdout.fnmatch_lines(["*::encode::bpe-qwen[[]ids] PASSED*", "*::wrong::bpe-qwen[[]ids] FAILED*"])


def test_the_fixture_fails_with_the_finding_and_without_a_traceback(tested: RUN) -> None:
    source = f'def test_it(tokenizer_conformance):\n    tokenizer_conformance(Mine(), "bpe-qwen", {GIVEN})\n'
    ended = tested(source)
    ended.assert_outcomes(failed=1)
    ended.stdout.fnmatch_lines(
        ["✗ other ids  bpe-qwen / Mine / ids*", r"  rule      Input: CR LF is converted to \n (INP005)"]
    )
    ended.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_a_file_is_a_test_a_model_and_check_beside_its_subject(
    tested: RUN, pytester: pytest.Pytester, subjects_here: None
) -> None:
    folder = pytester.mkdir("port")
    (folder / "mine.py").write_text(SUBJECTS, "utf-8")
    (folder / "lines.jsonl").write_text('{"text": "a\\r\\nb"}\n', "utf-8")
    (folder / "my.conformance.toml").write_text(
        'subject = "mine.py:Mine"\nmodels = ["bpe-qwen", "bpe-gpt2"]\nchecks = ["ids", "decode"]\n'
        'corpora = ["lines.jsonl"]\ntier = "smoke"\n',
        "utf-8",
    )
    ended = tested("", "-v")
    ended.assert_outcomes(passed=2, failed=2)
    ended.stdout.re_match_lines_random(
        [rf"port/my\.conformance\.toml::{model}\[ids\] FAILED.*" for model in ("bpe-qwen", "bpe-gpt2")]
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("subject = 'a'\nmodel = 'b'", "'model' is none of subject, tier, encoding, models"),
        ("subject = 'a'", "wants a `subject` and `models`"),
        ("subject = 'a'\nmodels = 'b'", "`models` is a list of strings"),
        ("subject = 'a'\nmodels = ['b']\nfuzz = true", "`fuzz` is a whole number"),
        ("subject = 'a'\nmodels = ['b']\nchecks = ['idz']", "there is no check 'idz', but ids, tokens"),
        ("subject =", "Invalid value"),
    ],
)
def test_a_file_of_another_form_is_named_in_a_line(
    tested: RUN, pytester: pytest.Pytester, text: str, message: str
) -> None:
    (pytester.path / "my.conformance.toml").write_text(text, "utf-8")
    ended = tested("")
    ended.assert_outcomes(errors=1)
    assert message in ended.stdout.str()
    assert "Traceback" not in ended.stdout.str()


def test_a_subject_or_model_that_is_not_there_is_said_without_a_traceback(
    tested: RUN, pytester: pytest.Pytester
) -> None:
    (pytester.path / "my.conformance.toml").write_text(
        'subject = "gone.py:Mine"\nmodels = ["bpe-qwen"]\nchecks = ["ids"]\n', "utf-8"
    )
    ended = tested('@conforms("no/such.json", checks=["ids"])\ndef mine():\n    return Right()\n')
    ended.assert_outcomes(failed=2)
    ended.stdout.fnmatch_lines(["--subject gone.py:Mine: there is no file *", "*no/such.json*"])
    ended.stdout.no_fnmatch_line("*pytest_plugin.py*")


@pytest.mark.parametrize("option", ["--conformance-tier=fulll", "--conformance-time=soon"])
def test_an_option_that_says_nothing_ends_it_before_the_first_test(tested: RUN, option: str) -> None:
    ended = tested("", option)
    assert ended.ret == pytest.ExitCode.USAGE_ERROR
    assert "there is no tier 'fulll'" in ended.stderr.str() or "soon: is no time" in ended.stderr.str()


def test_time_takes_the_place_of_a_number_and_the_run_tells_what_was_made(tested: RUN) -> None:
    """Nothing is made in no time: a number that a file names does not count."""
    source = f"""
def test_it(tokenizer_conformance):
    run = tokenizer_conformance(Right(), "bpe-qwen", checks=["ids"], inputs=["corpora", "fuzz"], fuzz=40, {GIVEN})
    assert (run.fuzz, run.sources) == (0, ("corpora", "fuzz"))
"""
    tested(source, "--conformance-time=0.000001s").assert_outcomes(passed=1)


def test_workers_of_xdist_ask_once_between_them(pytester: pytest.Pytester, command_environment: dict[str, str]) -> None:
    loaded = any(entry.value == NAMED for entry in entry_points(group="pytest11"))
    pytester.makefile(".jsonl", lines='{"text": "two words"}')
    source = f'@conforms("bpe-qwen", {GIVEN})\ndef mine():\n    return Right()\n'
    pytester.makepyfile(test_mine=SUBJECTS + source)
    command = [sys.executable, "-m", "pytest", *(() if loaded else ("-p", NAMED)), "-n", "2", "-q"]
    ended = subprocess.run(
        command, cwd=pytester.path, env=command_environment, capture_output=True, encoding="utf-8", timeout=300
    )
    assert f"3 passed, {len(CHECKS) - 3} skipped" in ended.stdout, ended.stdout + ended.stderr
    assert (pytester.path / "asked.txt").read_text() == "made\n"


def test_what_does_not_use_it_imports_neither_harness_nor_reference(pytester: pytest.Pytester) -> None:
    heavy = (
        "{'click', 'filelock', 'hypothesis', 'jinja2', 'msgspec', 'pebble', 'regex', 'reftok', 'rich', 'tokenizers'}"
    )
    code = f"import sys, pytest; before = {{*sys.modules}}; import {NAMED}; new = {{*sys.modules}} - before; " + (
        f"print(new & {heavy}, sorted(name for name in new if name.startswith('conformance')))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert ended.stdout == f"set() ['conformance', '{NAMED}']\n"
