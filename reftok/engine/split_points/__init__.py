"""Safe split points: where a text can be cut so that no piece spans the cut."""
