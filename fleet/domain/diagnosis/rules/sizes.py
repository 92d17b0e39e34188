"""Amounts as Kubernetes and Go write them."""

import re

_GO = re.compile(r"^(?:(\d{1,4})h)?(?:(\d{1,5})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)(ms|s))?$")
_SIZE = re.compile(r"^(\d{1,15}(?:\.\d{1,6})?)([a-zA-Z]{0,2})$")
_UNITS = {
    "": 1.0,
    "m": 0.001,
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}


def go_seconds(text: str) -> float | None:
    """Seconds of a Go duration such as 1m2.3s, 890ms, 1h0m5s; None if it is none."""
    found = _GO.match(text)
    if found is None or not text:
        return None
    hours, minutes, amount, unit = found.groups()
    seconds = float(amount or 0) * (0.001 if unit == "ms" else 1.0)
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + seconds


def size(text: str) -> float | None:
    """Bytes, or units, of a Kubernetes quantity; None if it is none."""
    found = _SIZE.match(text)
    if found is None or found[2] not in _UNITS:
        return None
    return float(found[1]) * _UNITS[found[2]]
