"""`python -m reftok` is the command `reftok`."""

import sys

if not sys.flags.safe_path:
    sys.path.append(sys.path.pop(0))  # the current folder: what is in it must not stand in for a library

from reftok.cli.commands import main

if __name__ == "__main__":
    sys.exit(main())
