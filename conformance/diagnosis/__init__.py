"""From a mismatch to its cause: which stage and rule say best what a subject does."""
