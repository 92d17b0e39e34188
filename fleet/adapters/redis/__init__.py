"""The bell."""
