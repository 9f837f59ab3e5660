"""The place of the corpora and expectations: inside an installed wheel, or beside the packages in a checkout."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent.parent
_CHECKOUT = _HERE.parent


def corpora_folder() -> Path:
    """The folder with languages/, domains/ and edge_cases/."""
    installed = _HERE / "corpora"
    return installed if installed.is_dir() else _CHECKOUT / "corpora"


def expectations_folder() -> Path:
    """The folder with the listed divergences."""
    installed = _HERE / "expectations"
    return installed if installed.is_dir() else _CHECKOUT / "reports" / "expectations"


def rules_file() -> Path:
    """The table of the rules that findings and vectors name."""
    installed = _HERE / "rules.md"
    return installed if installed.is_file() else _CHECKOUT / "docs" / "rules.md"
