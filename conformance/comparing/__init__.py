"""Runs held against each other: two of them, or one a release."""
