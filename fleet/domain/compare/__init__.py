"""Starts beside one another: pure figures over finished starts. Modes are never mixed."""
