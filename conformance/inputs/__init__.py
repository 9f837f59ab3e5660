"""Inputs: corpora, the vocab, and what a seed makes."""
