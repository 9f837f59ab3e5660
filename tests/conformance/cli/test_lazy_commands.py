"""The list of the commands: quick, since none is loaded for it, and true."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from conformance.cli.commands import COMMANDS, cli
from tests.conformance.commands import said

LISTED = """
import sys
from conformance.cli.commands import cli
cli.main(["--help"], standalone_mode=False)
print(*sorted(name for name in sys.modules if name.startswith(("conformance.", "rich", "msgspec", "jinja2"))))
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_of_the_list_bears_its_name_there(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.name == name
    assert len(COMMANDS[name].summary) <= 66, "one line of a terminal of 80 columns"


def test_the_list_of_the_commands_loads_none_of_them(command_environment: dict[str, str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LISTED], capture_output=True, encoding="utf-8", env=command_environment, check=True
    )
    assert (
        ended.stdout.splitlines()[-1]
        == "conformance.cli conformance.cli.commands conformance.core conformance.core.errors"
    )


def test_where_reftok_was_installed_by_itself_the_command_says_what_is_missing(
    command_environment: dict[str, str],
) -> None:
    """Fault: it ended with a traceback."""
    program = "import sys; sys.modules['click'] = None; from conformance.__main__ import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", env=command_environment
    )
    said(ended, 2, "conformance: click is not installed: install the package again without --no-deps")
