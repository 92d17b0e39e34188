"""Models by the key in an address."""

from __future__ import annotations

from dashboard.access import Grant
from dashboard.api.callers import require_sight
from dashboard.api.problems import not_found
from fleet.domain.records.keys import ModelKey
from fleet.errors import BadInput
from fleet.models import ServedModel

NUL = "\x00"


def key_of(cluster: str, kind: str, namespace: str, name: str, *, grant: Grant) -> ModelKey:
    """The key, if it is one and in scope; else 404."""
    text = f"{cluster}/{kind}/{namespace}/{name}"
    try:
        key = ModelKey.parse(text)
    except BadInput:
        raise not_found("model") from None
    if NUL in text:
        raise not_found("model")
    require_sight(grant, key)
    return key


def present_model(key: ModelKey) -> ServedModel:
    """The model that bears this name now; else 404."""
    row = ServedModel.objects.present().of(key).order_by("-created_at").first()
    if row is None:
        raise not_found("model")
    return row


def require_known(key: ModelKey) -> None:
    """404 unless a model bears or bore this name: its history outlives it."""
    if not ServedModel.objects.of(key).exists():
        raise not_found("model")
