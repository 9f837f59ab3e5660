"""The files of the harness, replaced whole or added to by lines: one mechanism for all rooms above."""
