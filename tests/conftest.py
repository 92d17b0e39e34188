"""What every test may use."""

from tests.lanes.fixtures import chromium, kubectl, postgres, prometheus, redis
from tests.lanes.plugin import pytest_collection_modifyitems, pytest_terminal_summary

__all__ = [
    "chromium",
    "kubectl",
    "postgres",
    "prometheus",
    "pytest_collection_modifyitems",
    "pytest_terminal_summary",
    "redis",
]
