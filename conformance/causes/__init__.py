"""From mismatches to named findings.

The loop (loop.py) asks the subject more, and holds the edits of the reference (edits/) against all its answers until
the fewest of them foretell what it does. What is found is claimed (claims.py), shrunk (smallest.py, shrinking/), named
(findings.py) and weighed (weight.py); at the end it is said who is wrong (verdict.py).
"""
