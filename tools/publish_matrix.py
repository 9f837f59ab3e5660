"""Makes reports/published/matrix.*: what each release of the official libraries does, from the runs of `tox -m matrix`.

    REFTOK_MODELS=path/to/models tox -m matrix && python tools/publish_matrix.py

A release takes one to two minutes on two cores.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "reports" / "runs"
PUBLISHED = ROOT / "reports" / "published"
FORMS = {"markdown": "matrix.md", "html": "matrix.html", "json": "matrix.json"}


def main() -> None:
    """Write the three forms."""
    runs = sorted(str(path) for library in ("tokenizers", "sentencepiece") for path in RUNS.glob(f"{library}-*"))
    if not runs:
        sys.exit("publish_matrix: there are no runs: tox -m matrix makes them")
    for form, name in FORMS.items():
        command = [sys.executable, "-m", "conformance", "matrix", *runs, "--format", form]
        subprocess.run([*command, "--out", str(PUBLISHED / name)], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
