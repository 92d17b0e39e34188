"""What tests of pages begin with."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client

from tests.factories import make_user


@pytest.fixture
def now() -> datetime:
    """The page asks its own clock; rows are made around it."""
    return datetime.now(UTC)


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(make_user(role="admin"))
    return client
