"""A trace for people and for machines, and what a tokenizer is made of."""
