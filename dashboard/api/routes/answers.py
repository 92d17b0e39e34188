"""The errors that operations may answer with, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from dashboard.api.schemas.problem import Problem

READ_ERRORS = (401, 403, 404, 422)
WRITE_ERRORS = (400, 401, 403, 404, 409, 413, 422, 429)


def reads(answer: type[Any]) -> dict[int, Any]:
    """Answers of a GET."""
    return {200: answer, **dict.fromkeys(READ_ERRORS, Problem)}


def accepts(answer: type[Any]) -> dict[int, Any]:
    """Answers of a POST whose work is done by a worker."""
    return {202: answer, **dict.fromkeys(WRITE_ERRORS, Problem)}
