"""Use case: follow a cluster. Changes in, facts kept, starts measured, what changed announced."""
