"""Requests as counted: who made each 5xx, windows of 30 s, and incidents made of them."""
