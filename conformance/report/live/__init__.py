"""The page of a fuzzing session that is under way."""
