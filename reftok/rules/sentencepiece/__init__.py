"""SentencePiece in one folder: its normalizer, pieces, models, decoder and options."""
