"""The reader of sentencepiece .model files."""
