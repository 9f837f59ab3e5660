"""Merges, fast: lists in place of heaps, long words window by window."""
