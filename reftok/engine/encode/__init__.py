"""The streamed forms of the stages from the text to its ids."""
