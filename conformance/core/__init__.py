"""The data of the harness: cases, observations, mismatches, findings, runs; and the errors raised on purpose."""
