"""The index of the adapters names each of them, by what its subject.toml says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from conformance.subjects.definition import SubjectFile, definition

ADAPTERS = Path(__file__).resolve().parents[2] / "adapters"
HEAD = "| adapter | library | language | formats |\n|---|---|---|---|\n"


def pinned(folder: Path, about: SubjectFile) -> str:
    """The library with its release: the first that `build` installs, or that of package.json."""
    if (folder / "package.json").is_file():
        ((name, release),) = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"].items()
        return f"{name} {release}"
    found = re.search(r" (\S+)==(\S+)", about.build)
    return f"{found[1]} {found[2]}" if found else "libsentencepiece of Debian"


def row(path: Path) -> str:
    about = definition(str(path)).about
    assert about is not None
    own = "its own model, held against " if about.model == "own" else ""
    folder = path.parent
    cells = (f"[{folder.name}]({folder.name}/)", pinned(folder, about), about.language, own + ", ".join(about.models))
    return f"| {' | '.join(cells)} |\n"


def test_the_index_has_a_row_for_each_adapter_and_no_other() -> None:
    """Fault: no page named all of them, and those of one page had no releases."""
    table = HEAD + "".join(row(path) for path in sorted(ADAPTERS.glob("*/subject.toml")))
    assert table in (ADAPTERS / "README.md").read_text("utf-8"), f"adapters/README.md is to have\n\n{table}"


def test_every_adapter_is_described_and_no_link_of_the_pages_leads_nowhere() -> None:
    for page in ("README.md", "PYTHON.md"):
        links = re.findall(r"\]\(((?!https?:)[^)#]+)", (ADAPTERS / page).read_text("utf-8"))
        assert [link for link in links if not (ADAPTERS / link).exists()] == []
    python, others = ((ADAPTERS / page).read_text("utf-8") for page in ("PYTHON.md", "README.md"))
    for path in ADAPTERS.glob("*/subject.toml"):
        name = path.parent.name
        if (path.parent / "server.mjs").is_file():
            assert f"\n| {name} |" in others
        else:
            assert f"[{name}]({name}/" in python
