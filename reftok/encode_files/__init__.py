"""Text files to token ids on disk.

    sources ─blocks─▶ units ─workers─▶ ids ─in their order─▶ output ─▶ sidecar

One process reads, cuts and writes; the others encode. What was written is put down in a journal now and then.
"""
