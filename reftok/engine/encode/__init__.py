"""The streamed twins of the stages from the text to its ids."""
