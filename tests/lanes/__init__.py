"""Lanes: tests that need a real server or program, run where it is found, named where not."""
