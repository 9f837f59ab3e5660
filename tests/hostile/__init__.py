"""Damaged model files in any number: each ends in answers or in a ReftokError, within bounds of time and memory.

Long commands that are killed as often as wanted, and go on as if nobody had.
"""
