"""Asking the subjects: shards over workers, every subject about every case, what they answered collected."""
