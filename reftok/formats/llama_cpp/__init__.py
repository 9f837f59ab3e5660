"""The readers of what llama.cpp reads: GGUF files, and a .model built as it would build it."""
