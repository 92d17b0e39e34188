"""Use case: week -> report, kept so that its numbers stay the same."""
