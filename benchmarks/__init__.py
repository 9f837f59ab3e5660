"""What the README says about speed is measured here: `python -m benchmarks --help`."""
