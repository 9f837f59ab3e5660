"""Makes reports/published/releases: what changed from release to release of the official libraries.

    REFTOK_MODELS=path/to/models tox -m releases && python tools/publish_releases.py

A release takes one to two minutes on two cores. The reference follows the newest release, so what an older one does
otherwise is a finding of reftok there, and is gone in the release that does it as the newest.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from packaging.version import Version

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "reports" / "runs"
PUBLISHED = ROOT / "reports" / "published" / "releases"
FORMS = {"markdown": "md", "html": "html", "json": "json"}


def main() -> None:
    """Write the three forms for each library."""
    PUBLISHED.mkdir(exist_ok=True)
    for library in ("tokenizers", "sentencepiece"):
        runs = sorted(RUNS.glob(f"{library}-*"), key=lambda path: Version(path.name.removeprefix(f"{library}-")))
        if not runs:
            sys.exit(f"publish_releases: {RUNS} has no runs of {library}; run tox -m releases first")
        for form, suffix in FORMS.items():
            command = [sys.executable, "-m", "conformance", "history", *map(str, runs), "--format", form]
            subprocess.run([*command, "--out", str(PUBLISHED / f"{library}.{suffix}")], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
