"""The streamed forms of the decoders."""
