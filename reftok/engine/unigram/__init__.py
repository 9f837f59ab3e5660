"""Viterbi searches that go on with every character, their steps remembered."""
