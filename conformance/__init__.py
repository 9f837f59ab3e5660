"""The harness: it holds any implementation of a tokenizer against the official library."""
