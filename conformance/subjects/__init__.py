"""The subjects: the built-in ones, an adapter a file, and those of users, each in a process of its own."""
