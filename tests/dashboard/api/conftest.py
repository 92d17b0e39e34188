"""A clock that stands, and callers with tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client

from tests.dashboard.api import rows


class Get(Protocol):
    """GET under /api/v1/: the status and the parsed body."""

    def __call__(self, path: str, **query: Any) -> tuple[int, Any]: ...


@pytest.fixture(autouse=True)
def _standing_clock(db: None) -> Iterator[None]:
    """Everything happens at rows.NOW."""
    cache.clear()
    with time_machine.travel(rows.NOW, tick=False):
        yield


@pytest.fixture
def client() -> Client:
    """A client that holds an admin's token."""
    text = rows.token(rows.user("ada", role="admin"), text="token-of-ada")
    return Client(headers={"Authorization": f"Bearer {text}"})


@pytest.fixture
def get(client: Client) -> Get:
    """Ask as an admin."""

    def ask(path: str, **query: Any) -> tuple[int, Any]:
        response = client.get(f"/api/v1/{path}", query)
        return response.status_code, response.json()

    return ask
