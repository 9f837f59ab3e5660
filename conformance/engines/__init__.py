"""Engines: how the shards of a run are worked on."""
