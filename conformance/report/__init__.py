"""Reports: each a function of a run."""
