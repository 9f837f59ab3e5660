"""From a cause to its finding: the smallest example, rivals told apart, a close look."""
