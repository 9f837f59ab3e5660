"""The reports of a matrix of releases."""
