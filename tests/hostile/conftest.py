"""What is run by itself and needs more than the tests do is not collected."""

collect_ignore = ["target.py"]
