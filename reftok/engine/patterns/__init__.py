"""The matches of patterns in text that comes bit by bit, and when they are final."""
