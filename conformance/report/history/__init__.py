"""The reports of runs over time."""
