"""Evidence of a step as it is kept: a code with parameters, bounded to its column."""

import json
from collections.abc import Mapping
from typing import Any

EVIDENCE_CHARS = 1024
VALUE_CHARS = 400


def evidence_text(code: str, params: Mapping[str, Any]) -> str:
    """JSON of code and parameters; what does not fit is cut, the code never is."""
    whole = json.dumps({"code": code, "params": dict(params)}, default=str)
    if len(whole) <= EVIDENCE_CHARS:
        return whole
    short = {
        name: str(value)[: VALUE_CHARS // max(1, len(params))] for name, value in params.items()
    }
    cut = json.dumps({"code": code, "params": short})
    return cut if len(cut) <= EVIDENCE_CHARS else json.dumps({"code": code, "params": {}})


def evidence_of(text: str) -> tuple[str, dict[str, Any]]:
    """Code and parameters of a kept step; what is no such JSON is its own code."""
    try:
        kept = json.loads(text)
        return str(kept["code"]), dict(kept["params"])
    except (ValueError, KeyError, TypeError):
        return text, {}
