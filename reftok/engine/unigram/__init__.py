"""Viterbi searches: of whole texts, and such as go on with every character, their steps remembered.

The streams that use them are `encode/unigram.py` (tokenizers) and `encode/sentencepiece_unigram.py`.
"""
