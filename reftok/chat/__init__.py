"""Conversations as text, by the chat templates of a model."""
