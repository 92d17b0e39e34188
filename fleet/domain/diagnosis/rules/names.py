"""Requests for a model name that nobody serves. Source: 404 bodies of vLLM, KServe, the picker."""

from fleet.domain.diagnosis.case import Case, configured, quoted
from fleet.domain.diagnosis.claims import DECISIVE, Seen
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.texts import Text

_OUTSIDE = (Where.EDGE, Where.PICKER, Where.PROXY, Where.ACTIVATOR, Where.ENGINE)
NAME = clue(
    "does not exist",
    "model_not_found",
    "model not found",
    "unknown model",
    "no such model",
    "not a served model",
    "is not served",
    "error finding a model object",
    "not found",
    pattern=r"model\W.{0,200}?(?:does not exist|not found|is not (?:a )?served|not available)"
    r"|model_not_found|error finding a model object|unknown model|no such model",
    places=_OUTSIDE,
)
_OF_A_HUB = (
    "repository",
    "huggingface",
    "hf.co",
    "bucket",
    "snapshot",
    "traceback",
    "/mnt/models/",
)


def wrong_name(case: Case) -> Seen | None:
    """The server answers 404: it does not serve a model of this name."""
    texts = [
        each
        for each in case.find_all(NAME)
        if not any(sign in each.low for sign in _OF_A_HUB) and _is_answer(each)
    ]
    if not texts:
        return None
    served = [
        configured(key, value)
        for key, value in case.evidence.config.items()
        if "models" in key.lower() or "served" in key.lower()
    ]
    return Seen(confidence=DECISIVE, pieces=(*quoted(texts), *served[:2]))


def _is_answer(each: Text) -> bool:
    if each.where is not Where.ENGINE:
        return True
    return "404" in each.low or "notfounderror" in each.low or "does not exist" in each.low
