"""Streaming both ways: ids as soon as they are final, text as soon as it is valid."""
