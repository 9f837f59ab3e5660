"""How the harness keeps files: each replaced whole, as one mechanism for all rooms above."""
