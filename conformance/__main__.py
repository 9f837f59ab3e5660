"""`python -m conformance` is the command `conformance`."""

import sys

if not sys.flags.safe_path and __name__ == "__main__":
    sys.path.append(sys.path.pop(0))  # the current folder: what is in it must not stand in for a library


def main() -> None:
    """Run the command; where reftok was installed by itself, say what is missing."""
    try:
        from conformance.cli.commands import main as command
    except ModuleNotFoundError as missing:
        sys.stderr.write(f"conformance: {missing.name} is not installed: install the package again without --no-deps\n")
        sys.exit(2)
    command()


if __name__ == "__main__":
    main()
