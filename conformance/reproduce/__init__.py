"""A finding shown again: in the run's own terms, or as one file that needs no harness."""
