"""Tokens with their offsets from the ids of the fast path."""
