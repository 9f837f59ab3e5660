"""The command `reftok`."""
