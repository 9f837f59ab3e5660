"""The readers of tokenizer.json, of vocab and merges, and of the other files of a folder of the Hugging Face Hub."""
