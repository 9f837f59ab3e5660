"""What llama.cpp does with the vocabulary of a GGUF file, stage by stage, its models among them."""
