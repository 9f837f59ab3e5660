"""`python -m reftok` is the command `reftok`."""

import sys

from reftok.cli.commands import main

if __name__ == "__main__":
    sys.exit(main())
