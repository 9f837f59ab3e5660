"""The matches of patterns in text that comes bit by bit, and when they are final.

patterns.py holds the matchers, streamable.py what they ask of a pattern: forms for `re` (re_patterns.py), and which
matches nothing that may still come can change, or how far they reach at least (automaton.py, paths.py).
"""
