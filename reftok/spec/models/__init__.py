"""The models: from a pre-token to tokens."""
