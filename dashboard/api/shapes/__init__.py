"""Rows as the API shows them: plain dicts that are written as JSON without another check."""
