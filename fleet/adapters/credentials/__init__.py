"""Secrets at rest: sealed with a key of their trust zone, bound to the row they belong to."""

from fleet.adapters.credentials.ring import KeyRing, WrongKey

__all__ = ["KeyRing", "WrongKey"]
