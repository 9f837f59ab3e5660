"""The reports of one run."""
