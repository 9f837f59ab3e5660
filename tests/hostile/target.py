"""The damaged files once more, led to branches of reftok that none has reached yet: a fuzz target of atheris.

    tox -e fuzz-target -- -max_total_time=3600 CORPUS_FOLDER

The options are those of libFuzzer. An error that is no ReftokError ends it, and the input is kept in a file crash-…,
which asks the same again when it is given in the place of the folder. pip install atheris
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris  # type: ignore[import-not-found,unused-ignore]

with atheris.instrument_imports(include=["reftok"]):
    from .asking import ask
    from .choices import Choices
    from .files import damaged


def main() -> None:
    """Ask until libFuzzer's options say that it is enough."""
    with TemporaryDirectory() as folder:

        def one_input(data: bytes) -> None:
            choices = Choices(data)
            ask(Path(folder), damaged(choices), choices)

        arguments = [sys.argv[0], "-timeout=60", "-rss_limit_mb=4096", "-max_len=256", "-len_control=0", *sys.argv[1:]]
        atheris.Setup(arguments, one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    os.environ["RUST_BACKTRACE"] = "0"
    main()
