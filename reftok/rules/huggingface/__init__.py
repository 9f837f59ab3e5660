"""The stages and models of tokenizer.json, as the library tokenizers runs them."""
