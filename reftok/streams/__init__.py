"""Streams: text to ids and ids to text, each part given out as soon as nothing that follows can change it."""
