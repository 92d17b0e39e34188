"""Why a model is in its state: codes of the domain as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dashboard.words import Words

STATE_REASONS: Mapping[str, Words] = {}


class _Known(dict[str, Any]):
    """Parameters of a sentence; one that is missing reads "?" instead of failing."""

    def __missing__(self, key: str) -> str:
        return "?"


def reason_text(code: str, params: Mapping[str, Any]) -> str:
    """The sentence of a code; a code that this release does not know is shown as words."""
    sentence = STATE_REASONS.get(code)
    if sentence is None:
        return code.replace("-", " ").replace("_", " ")
    return str(sentence) % _Known(params)


def reason_with_age(code: str, params: Mapping[str, Any], *, stale: bool) -> str:
    """As `reason_text`; on a stale cluster it says that this is the last that was seen."""
    text = reason_text(code, params)
    return _("last seen: %(text)s") % {"text": text} if stale and text else text
