"""Shrinking of a model together with its case: what is left is what the mismatch needs."""
