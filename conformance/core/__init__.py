"""What flows through the harness: cases, observations, mismatches, findings, runs; and what is raised on purpose."""
