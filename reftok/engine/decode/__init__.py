"""The streamed twins of the decoders."""
