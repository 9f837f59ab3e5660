"""Fuzzing sessions: generations of shards, each from what the ones before have kept.

One way: plan ──shards──▶ work ──outcomes──▶ folder ──state──▶ next generation; at the end state ──▶ Run.
"""
