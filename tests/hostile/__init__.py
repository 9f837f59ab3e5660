"""Damaged model files in any number: each ends in answers or in a ReftokError, within bounds of time and memory."""
