"""Trainers that make the vocabularies of the official libraries, one algorithm a file."""
