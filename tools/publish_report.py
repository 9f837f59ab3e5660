"""Makes reports/published/: the report of a full run, and the picture of one that has something to show.

    python tools/publish_report.py

The run is `conformance run` on the embedded models; the picture is of a small run with planted defects. It needs
Debian's chromium (apt-get install chromium).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "reports" / "published"
KEPT = ("report.html", "summary.md", "run.json")
RUNS = ROOT / "reports" / "runs"
PICTURED = ["--model", "bpe-qwen", "--model", "bpe-gpt2", "--corpus", "languages", "--corpus", "edge_cases"]
PLANTED = ("added_tokens_ignored", "missing_dummy_prefix", "lossy_decode", "stream_strips")
"""Defects whose findings show their tokens and texts in the list."""
CHROMIUM = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--force-device-scale-factor=1",
    "--window-size=1280,1450",
]


def main() -> None:
    """Run twice, keep what is published, take the picture."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("publish_report: chromium is not installed: apt-get install chromium")
    PUBLISHED.mkdir(parents=True, exist_ok=True)
    full, pictured = RUNS / "published", RUNS / "pictured"
    for folder in (full, pictured):
        shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as profile:
        code = conformance(["run", "--out", str(full.relative_to(ROOT))])
        if code != 0:
            sys.exit(f"publish_report: the run ended with exit code {code}; nothing is published")
        for name in KEPT:
            shutil.copyfile(full / name, PUBLISHED / name)
        planted = [word for name in PLANTED for word in ("--subject", f"tests/planted_defects/{name}.py:Subject")]
        conformance(["run", *PICTURED, *planted, "--out", str(pictured.relative_to(ROOT))])
        where = [f"--user-data-dir={profile}", f"--screenshot={PUBLISHED / 'report.png'}"]
        page = (pictured / "report.html").as_uri()
        subprocess.run([chromium, *CHROMIUM, *where, page], check=True, stderr=subprocess.DEVNULL)


def conformance(arguments: list[str]) -> int:
    """The exit code of a conformance command, run in the checkout."""
    return subprocess.run([sys.executable, "-m", "conformance", *arguments], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    main()
