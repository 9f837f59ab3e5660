"""A run from its plan to its folder."""
