"""What answers look like, for the OpenAPI document and for the tests that hold answers to it.

Answers themselves are written from rows without passing through these: see `shapes`.
"""
