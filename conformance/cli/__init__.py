"""The command `conformance`."""
