"""The version of the package, below everything else so that every room can name it."""

__version__ = "0.1.0"
