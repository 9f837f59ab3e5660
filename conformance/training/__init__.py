"""Trainers held against each other: the same texts and options, the first entry or merge that differs, and the rule."""
