"""The model of tiktoken."""
