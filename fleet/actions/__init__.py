"""Use cases of acting: ask for a plan, preview it, apply it, follow it to its end, undo it.

An action never writes what the cluster should be: it records that it was asked, and the next look
tells whether it came true.
"""
