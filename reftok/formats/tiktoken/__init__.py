"""The readers of tiktoken's rank files and of Mistral's tekken.json."""
