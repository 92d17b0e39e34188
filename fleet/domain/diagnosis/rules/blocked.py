"""Pods or objects that are never made: quota, webhook, policy, no runtime, no preset.

Source: kubernetes ReplicaSet controller (FailedCreate), KServe's controllers and webhooks, Kueue.
"""

from fleet.domain.diagnosis.case import Case, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, Seen, piece
from fleet.domain.diagnosis.clues import Clue, clue
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.reading.plain import mapping, name, text
from fleet.domain.diagnosis.records import Remedy
from fleet.domain.diagnosis.rules.conflicts import SAID
from fleet.domain.diagnosis.texts import Text

_SAID_BY = (Where.EVENT, Where.CONDITION, Where.STATE, Where.CONTROL)
QUOTA = clue(
    "exceeded quota",
    "quota exceeded",
    "failed quota",
    "must specify",
    "must specify limits",
    "must specify requests",
    "insufficient unused quota",
    "insufficient quota",
    "maximum cpu usage per",
    "maximum memory usage per",
    "limitrange",
    places=_SAID_BY,
)
WEBHOOK = clue(
    "failed calling webhook",
    "failed to call webhook",
    "conversion webhook",
    'no endpoints available for service "kserve',
    places=_SAID_BY,
)
POLICY = clue(
    "violates podsecurity",
    "denied the request",
    "security context constraint",
    "unable to validate against any",
    "is forbidden",
    "validatingadmissionpolicy",
    places=_SAID_BY,
)
RUNTIME = clue(
    "no runtime found",
    "nosupportingruntime",
    "no supporting runtime",
    "runtime not found",
    "runtimedisabled",
    "runtimenotrecognized",
    "runtime is disabled",
    "does not support the model",
    "specified runtime",
    "supportedmodelformat",
    "invalidpredictorspec",
    "invalid predictor spec",
    "no runtime",
    "multiple runtimes",
    places=_SAID_BY,
)
PRESET = clue(
    "confignotfound",
    "combinebaseerror",
    "invalidrenderedconfig",
    "llminferenceserviceconfig",
    "no matches for kind",
    "serverlessmoderejected",
    "could not find the requested resource",
    "crd not found",
    "virtualservicecrdnotfound",
    places=_SAID_BY,
)
GATED = clue(
    "schedulinggated", "scheduling is blocked", "suspended", "quotareserved", places=_SAID_BY
)
_CREATE = (
    "FailedCreate",
    "ReconcileFailed",
    "InternalError",
    "CreationFailed",
    "Error",
    "UpdateFailed",
)
_SPEC = ("InvalidSpec",)


def not_created(case: Case) -> Seen | None:
    """Somebody refuses to make the pods, or the object is invalid to its controller."""
    for clue_, remedies, what in (
        (QUOTA, (Remedy.RAISE_QUOTA, Remedy.FIX_RESOURCE_REQUESTS), "quota"),
        (WEBHOOK, (Remedy.FIX_ADMISSION_WEBHOOK,), "webhook"),
        (RUNTIME, (Remedy.FIX_RUNTIME_SELECTION,), "runtime"),
        (PRESET, (Remedy.FIX_RUNTIME_SELECTION, Remedy.RESOLVE_CONFIG_CONFLICT), "preset"),
        (POLICY, (Remedy.FIX_RUNTIME_ARGS, Remedy.RESOLVE_CONFIG_CONFLICT), "policy"),
    ):
        texts = _holding(case, clue_)
        if texts:
            if any("must specify" in each.low for each in texts):
                remedies = (Remedy.FIX_RESOURCE_REQUESTS, *remedies)
            return Seen(
                confidence=DECISIVE,
                pieces=quoted(texts),
                remedies=remedies,
                params={"what": what},
            )
    return _invalid_spec(case) or _gated(case) or _failed_create(case)


def _holding(case: Case, clue_: Clue) -> list[Text]:
    """Of who creates things, and not got over since: a pod made later proves it past."""
    made = [each.created_at for each in case.pods if each.created_at is not None]
    return [
        each
        for each in case.find(clue_)
        if _of_creation(each)
        and not SAID.fits(each)
        and not (each.at and made and max(made) > each.at and each.reason == "FailedCreate")
    ]


def _of_creation(each: Text) -> bool:
    """A quota of a cloud, or an answer of a store that forbids, is another matter."""
    if each.where is Where.CONTROL:
        return "webhook" in each.low or "runtime" in each.low or "quota:" in each.low
    if each.where is Where.STATE:
        return each.about == "modelStatus" and "runtime" in each.low
    scaling = each.about.startswith("HorizontalPodAutoscaler") or each.reason in (
        "FailedScaleUp",
        "NotTriggerScaleUp",
        "FailedScheduling",
    )
    store = "storage" in each.low or "bucket" in each.low
    return not scaling and not store and "pull" not in each.low and not each.init


def _invalid_spec(case: Case) -> Seen | None:
    status = mapping(case.evidence.model.status.get("modelStatus"))
    if name(status.get("transitionStatus")) not in _SPEC:
        return None
    failure = mapping(status.get("lastFailureInfo"))
    says = f"InvalidSpec: {text(failure.get('reason'))} {text(failure.get('message'))}"
    return Seen(
        confidence=DECISIVE,
        pieces=(piece("object", case.evidence.model.ref, says),),
        remedies=(Remedy.FIX_RUNTIME_SELECTION,),
        params={"what": "spec"},
    )


def _gated(case: Case) -> Seen | None:
    """A queue holds the pods back."""
    texts = [each for each in case.find(GATED) if each.where is not Where.CONTROL]
    if not texts or case.ready:
        return None
    return Seen(
        confidence=LIKELY,
        pieces=quoted(texts),
        remedies=(Remedy.RAISE_QUOTA, Remedy.ADD_CAPACITY),
        params={"what": "queue"},
    )


def _failed_create(case: Case) -> Seen | None:
    """Creation fails for another reason, time and again."""
    texts = [
        each
        for each in case.texts
        if each.reason in _CREATE
        and each.where in (Where.EVENT, Where.CONDITION)
        and "object has been modified" not in each.low
        and not SAID.fits(each)
        and (each.reason == "FailedCreate" or not case.pods)
    ]
    made = [each.created_at for each in case.pods if each.created_at is not None]
    held = [each for each in texts if not (each.at and made and max(made) > each.at)]
    if not held:
        return None
    return Seen(
        confidence=STRONG if any(each.reason == "FailedCreate" for each in held) else LIKELY,
        pieces=quoted(held),
        remedies=(Remedy.FIX_ADMISSION_WEBHOOK, Remedy.RAISE_QUOTA),
        params={"what": "create"},
    )
