"""Advice on settings against measured starts: a table of coded rules."""
