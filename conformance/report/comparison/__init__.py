"""The reports of two runs held against each other."""
