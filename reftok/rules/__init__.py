"""The rules and nothing else: no cache, no stream, no fast path. Read them from `pipeline.py` downward."""
