"""A fetch of the model that was refused, failed, or could not reach the store."""

import re
from enum import StrEnum

from fleet.domain.diagnosis.case import Case, once, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, Seen, piece
from fleet.domain.diagnosis.clues import Clue, clue
from fleet.domain.diagnosis.evidence import Container
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import MESH_SIDECARS, init_containers
from fleet.domain.diagnosis.records import FaultPhase, Piece, Remedy
from fleet.domain.diagnosis.rules.fetch_clues import (
    DENIED,
    FAILED,
    GATED,
    HUB_TOKEN,
    NO_NAME,
    NO_WAY,
    TOO_MANY,
    TRANSIENT,
)
from fleet.domain.diagnosis.texts import Text

_OF_A_REQUEST = re.compile(r"\"(?:get|post|put|delete|head) \S{1,300} http/")
_OF_A_FETCH = (
    "hugging",
    "hf.co",
    "hf://",
    "hub",
    "s3",
    "gs://",
    "bucket",
    "storage.googleapis",
    "blob.core",
    "resolve/",
    "download",
    "snapshot",
    "repo",
    "safetensor",
    "config.json",
    "tokenizer",
    "model",
    "botocore",
    "url:",
    "weights",
)
_OF_AN_IMAGE = ("image", "pull", "webhook", "admission", "probe", "nodes are available", "manifest")
_OF_A_CLAIM = ("persistentvolume", "volume", "mount")


class Trouble(StrEnum):
    """What went wrong, in the order in which it decides when several are said."""

    TOO_MANY = "too-many"
    GATED = "gated"
    DENIED = "denied"
    NO_NAME = "no-name"
    PATH = "path"
    NO_WAY = "no-way"
    OTHER = "other"


def said_of_fetch(case: Case, clue: Clue) -> list[Text]:
    """Texts about a fetch that give a clue; of an initializer that got through in the end none."""
    done = _through(case)
    return [each for each in case.find(clue) if _is_of_fetch(each, done)]


def _is_of_fetch(text: Text, done: set[str]) -> bool:
    if text.where in (Where.INIT, Where.STATE) and text.init:
        return text.container not in done
    if text.where is Where.ENGINE:
        access = _OF_A_REQUEST.search(text.low[:600])
        return access is None and any(sign in text.low for sign in _OF_A_FETCH)
    if text.where in (Where.EVENT, Where.STATE, Where.CONDITION):
        signs = (*_OF_AN_IMAGE, *_OF_A_CLAIM)
        about = text.about in ("Pod", "modelStatus") or "container failed with" in text.low
        return about and not any(sign in text.low for sign in signs)
    return text.where is Where.INIT


def _through(case: Case) -> set[str]:
    """Init containers that ended well in every live pod that has them."""
    seen: dict[str, bool] = {}
    for pod in case.live:
        for each in init_containers(pod):
            well = each.ended is not None and each.ended.exit_code == 0
            seen[each.name] = seen.get(each.name, True) and well
    return {name for name, well in seen.items() if well}


# Five rules ask it of one case.
@once
def trouble(case: Case) -> tuple[Trouble | None, list[Text]]:
    """What decides, with who says it."""
    for kind, sign in (
        (Trouble.TOO_MANY, TOO_MANY),
        (Trouble.GATED, GATED),
        (Trouble.DENIED, DENIED),
        (Trouble.NO_NAME, NO_NAME),
    ):
        found = said_of_fetch(case, sign)
        if kind is Trouble.DENIED:
            found = [each for each in found if not _refused_on_the_way(each)]
        if found:
            return kind, found
    return _trouble_of_path(case)


def _refused_on_the_way(text: Text) -> bool:
    """By a proxy, not by the store."""
    return "tunnel connection failed" in text.low or "proxyerror" in text.low


def _trouble_of_path(case: Case) -> tuple[Trouble | None, list[Text]]:
    failed = said_of_fetch(case, FAILED)
    unreachable = said_of_fetch(case, NO_WAY)
    path = [each for each in failed if _names_path(each)]
    if path and not (unreachable and _behind_mesh(case)):
        return Trouble.PATH, path
    if unreachable:
        return Trouble.NO_WAY, unreachable
    general = failed or list(case.find(_NO_SUBPATH)) or _unnamed(case)
    return (Trouble.OTHER, general) if general else (None, [])


_NO_SUBPATH = clue("failed to prepare subpath", places=(Where.EVENT, Where.STATE))
_ERROR = re.compile(r"\b[a-z_.]{0,60}(?:error|exception)\b[:\]]|\berror\b|fatal|failed")


def _unnamed(case: Case) -> list[Text]:
    """Any error of an initializer that keeps failing; what it says last."""
    failing = {
        each.name
        for pod in case.starting
        for each in init_containers(pod)
        if each.restarts and each.running_since is None and _exit_code(each) not in (0, 137, None)
    }
    said = [
        each
        for each in case.texts
        if each.init and each.container in failing and _ERROR.search(each.low[:1_000])
    ]
    return [each for each in said if each.where in (Where.INIT, Where.STATE)][-2:]


def _exit_code(container: Container) -> int | None:
    ending = container.latest_ending
    return None if ending is None else ending.exit_code


def _names_path(text: Text) -> bool:
    general = ("storage initialization failed", "failed to download", "failed to fetch model")
    specific = [sign for sign in FAILED.signs if sign in text.low and sign not in general]
    return bool(specific) and "couldn't connect" not in text.low


def _behind_mesh(case: Case) -> bool:
    return any(each.name in MESH_SIDECARS for pod in case.live for each in pod.containers)


def hub_counts(case: Case) -> Seen | None:
    """The hub or the store answers 429."""
    kind, texts = trouble(case)
    if kind is not Trouble.TOO_MANY:
        return None
    return Seen(confidence=DECISIVE, pieces=quoted(texts), params={"what": "hub"})


def denied(case: Case) -> Seen | None:
    """401, 403, a gated repository, no credentials."""
    kind, texts = trouble(case)
    if kind not in (Trouble.GATED, Trouble.DENIED):
        return None
    return Seen(
        confidence=DECISIVE,
        pieces=(*quoted(texts), *_source_of(case)),
        remedies=_credentials(kind, texts),
        params={"what": str(kind)},
    )


def _credentials(kind: Trouble, texts: list[Text]) -> tuple[Remedy, ...]:
    hub = any(HUB_TOKEN.fits(each) for each in texts) and not any(
        sign in each.low for each in texts for sign in ("headobject", "s3", "storage.", "botocore")
    )
    if kind is Trouble.GATED:
        return (
            Remedy.ACCEPT_MODEL_LICENCE,
            Remedy.PASS_HUB_TOKEN_TO_INITIALIZER,
            Remedy.FIX_STORAGE_CREDENTIALS,
        )
    if hub:
        return (Remedy.PASS_HUB_TOKEN_TO_INITIALIZER, Remedy.FIX_STORAGE_CREDENTIALS)
    return (Remedy.FIX_STORAGE_CREDENTIALS,)


def failed(case: Case) -> Seen | None:
    """The path, the endpoint, or what lies there."""
    kind, texts = trouble(case)
    if kind not in (Trouble.PATH, Trouble.OTHER):
        return None
    passing = any(sign in each.low for each in texts for sign in TRANSIENT)
    return Seen(
        confidence=STRONG if kind is Trouble.PATH else LIKELY,
        pieces=(*quoted(texts), *_source_of(case)),
        remedies=(Remedy.DOWNLOAD_TIMEOUT_AND_RETRY,) if passing else (),
        params={"what": str(kind)},
    )


def unreachable(case: Case) -> Seen | None:
    """No name, no route: the request never reached the store."""
    kind, texts = trouble(case)
    if kind not in (Trouble.NO_NAME, Trouble.NO_WAY):
        return None
    mesh = _behind_mesh(case)
    remedies: tuple[Remedy, ...] = (Remedy.FIX_DNS_OR_EGRESS,)
    if mesh:
        remedies = (Remedy.EXEMPT_INITIALIZER_FROM_MESH, *remedies)
    return Seen(
        confidence=STRONG if kind is Trouble.NO_NAME or mesh else LIKELY,
        pieces=(*quoted(texts), *_source_of(case)),
        phase=FaultPhase.MODEL_FETCH,
        remedies=remedies,
        params={"what": str(kind), "mesh": mesh},
    )


def _source_of(case: Case) -> tuple[Piece, ...]:
    """Where the model is said to be."""
    spec = case.evidence.model.spec
    predictor = spec.get("predictor")
    model = predictor.get("model") if isinstance(predictor, dict) else spec.get("model")
    if not isinstance(model, dict):
        return ()
    uri = model.get("storageUri") or model.get("uri")
    return (piece("object", case.evidence.model.ref, f"storage {uri}"),) if uri else ()
