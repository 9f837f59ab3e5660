"""`python -m conformance` is the command `conformance`."""

import sys

if not sys.flags.safe_path:
    sys.path.append(sys.path.pop(0))  # the current folder: what is in it must not stand in for a library

from conformance.cli.commands import main

if __name__ == "__main__":
    main()
