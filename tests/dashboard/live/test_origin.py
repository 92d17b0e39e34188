"""Which pages may open sockets."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from dashboard.live.origin import is_own_origin

HOST = "fleet.example:8000"


@pytest.mark.parametrize(
    ("origin", "host", "own"),
    [
        pytest.param("http://fleet.example:8000", HOST, True, id="our own page"),
        pytest.param("HTTPS://Fleet.example:8000", HOST, True, id="case does not count"),
        pytest.param("https://fleet.example", "fleet.example", True, id="both leave the port out"),
        pytest.param("http://fleet.example:9000", HOST, False, id="another server of the host"),
        pytest.param("http://fleet.example", HOST, False, id="another port, left out"),
        pytest.param("http://evil.example", HOST, False, id="a foreign page"),
        pytest.param(
            "http://evil.example", "evil.example", False, id="a host we do not answer for"
        ),
        pytest.param("http://u@fleet.example:8000", HOST, False, id="with a user"),
        pytest.param("null", HOST, False, id="a page without an origin"),
        pytest.param("", HOST, False, id="none stated"),
        pytest.param("http://[", HOST, False, id="not an address"),
        pytest.param("http://fleet.example:8000", "", False, id="no host"),
        pytest.param("https://front.example", HOST, True, id="a trusted origin"),
    ],
)
def test_is_own_origin(settings: Settings, origin: str, host: str, *, own: bool) -> None:
    settings.ALLOWED_HOSTS = ["fleet.example"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://front.example"]
    assert is_own_origin(origin, host=host) is own
