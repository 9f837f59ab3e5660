"""`python -m conformance` is the command `conformance`."""

from conformance.cli import main

if __name__ == "__main__":
    main()
