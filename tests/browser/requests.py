"""What was counted of requests, for the pages of the browser tests."""

from __future__ import annotations

from datetime import datetime
from typing import Any

# Half an hour that was quiet, then not read for three minutes, then busy.
BUSY: list[Any] = [[60, 0]] * 12 + [None] * 3 + [[80, 0]] * 15
RISING: list[Any] = [[90, 0]] * 18 + [[90, n * n // 3] for n in range(12)]
WAKING: list[Any] = [[0, 0]] * 26 + [[3, 0], [4, 2], [4, 4], [3, 3]]


def fill_requests(now: datetime) -> None:
    """A model in each state of being counted; those on demo-c are not measured."""
    from tests.factories import told_errors

    dark = {"ingress": None, "endpoint-picker": None}
    held = {"activator": 9, "container": 1, "ingress": None}
    told: dict[str, tuple[dict[str, Any], list[Any]]] = {
        "llama-3-8b": (
            told_errors({"container": 17, "queue-proxy": 4, **dark}, requests=512),
            RISING,
        ),
        "llama-3-70b": (told_errors(held, requests=14, at_least=["activator"]), WAKING),
        "mixtral": (told_errors({"ingress": 31}, requests=33), [[0, 0]] * 25 + [[7, 6]] * 5),
        "gemma": (told_errors({"queue-proxy": 1}, requests=2400, client_gone=3), BUSY),
        "seasoned": (told_errors(), BUSY),
        "qwen": (told_errors(requests=0), [[0, 0]] * 30),
        "w" * 120: (told_errors({"container": 2}, requests=None), []),
    }
    _tell(told, now)


def _tell(told: dict[str, tuple[dict[str, Any], list[Any]]], now: datetime) -> None:
    from fleet.models import ServedModel

    for name, (errors, spark) in told.items():
        rows = ServedModel.objects.filter(name=name)
        rows.update(errors=errors, errors_spark=spark, errors_at=now)
