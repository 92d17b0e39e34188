"""Errors."""

from __future__ import annotations

from pydantic import BaseModel, Field


class WrongPart(BaseModel):
    """One parameter that was wrong."""

    where: str
    says: str


class Problem(BaseModel):
    """RFC 9457. `detail` says what was wrong and what would do."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[WrongPart] = Field([], description="One entry for each wrong parameter.")
