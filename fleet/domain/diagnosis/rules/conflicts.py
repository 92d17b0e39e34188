"""Two settings that contradict each other, or one that is ignored by rule.

Source: knative pkg/apis/autoscaling/annotation_validation.go, pkg/reconciler/autoscaling/kpa;
KServe's ServiceAnnotationDisallowedList; kubernetes HPA and KEDA's webhook.
"""

from fleet.domain.diagnosis.case import Case, configured, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Thing
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.reading.plain import number, within
from fleet.domain.diagnosis.records import FaultPhase, Remedy
from fleet.domain.diagnosis.rules.scaling import scale_steps, swings_of

_PREFIX = "autoscaling.knative.dev/"
_SAID_BY = (Where.EVENT, Where.CONDITION, Where.CONTROL, Where.EDGE, Where.ENGINE)
SAID = clue(
    "ambiguousselector",
    "controlled by multiple",
    "already managed by",
    "deploymentmode cannot be changed",
    "deployment mode cannot be changed",
    "deploymentmode",
    "invalid value",
    "expected 0 <=",
    "expected 1 <=",
    "is less than",
    "must be less than or equal",
    "greater than max-scale",
    "mutually exclusive",
    "cannot be set together",
    "conflicts with",
    "field is immutable",
    "out of bounds value",
    "only one of",
    "minreplicas cannot be greater",
    "cannot be less than min",
    pattern=r"ambiguous|multiple hpas|controlled by multiple|already managed by"
    r"|deploymentmode.{0,80}(?:chang|differ|mismatch)|deployment mode cannot"
    r"|(?:scale|timeout|concurrency|replicas).{0,200}(?:invalid value|expected \d|out of bounds)"
    r"|(?:invalid value|expected \d|out of bounds).{0,200}(?:scale|timeout|concurrency|replicas)"
    r"|mutually exclusive|set together|immutable|only one of|minreplicas|less than min"
    r"|scale.{0,80}(?:less than|greater than)",
    places=_SAID_BY,
)
_UNKNOWN_SCALE = clue("want=-1", "desiredpods=-1", places=(Where.CONTROL,))


def contradict(case: Case) -> Seen | None:
    """Said by a webhook or controller; or seen side by side."""
    return (
        _said(case)
        or _bounds(case)
        or _ignored_floor(case)
        or _dead_zone(case)
        or _two_writers(case)
    )


def _two_writers(case: Case) -> Seen | None:
    """An LLMInferenceService with fixed replicas beside a scaler of the same Deployment; or two
    scalers that undo each other's steps."""
    replicas = number(case.evidence.model.spec.get("replicas"))
    scalers = [
        each
        for each in case.all_texts
        if each.where is Where.EVENT and each.about.startswith(("Horizontal", "ScaledObject"))
    ]
    steps = scale_steps(case)
    writers = {(each[1].about.partition("/")[0], each[2]) for each in steps}
    opposed = {kind for kind, up in writers if up} != {kind for kind, up in writers if not up}
    if not scalers or swings_of(steps) < 3 or (replicas is None and not opposed):
        return None
    fixed = (
        ()
        if replicas is None
        else (piece("object", case.evidence.model.ref, f"spec.replicas = {replicas:g}"),)
    )
    return Seen(
        confidence=LIKELY,
        pieces=(
            *fixed,
            *quoted(scalers, at_most=1),
            *quoted([each[1] for each in steps], at_most=2),
        ),
        phase=FaultPhase.SERVING,
        params={"what": "two-writers"},
    )


def _said(case: Case) -> Seen | None:
    texts = [
        each
        for each in case.find(SAID)
        if "nodes are available" not in each.low and each.where is not Where.ENGINE
    ]
    if not texts:
        return None
    return Seen(
        confidence=STRONG, pieces=quoted(texts), phase=FaultPhase.SCHEDULE, params={"what": "said"}
    )


def setting(case: Case, key: str) -> tuple[float | None, Thing]:
    """A number among the autoscaling annotations, kebab before camel, and where it stands."""
    camel = "".join(
        part.capitalize() if index else part for index, part in enumerate(key.split("-"))
    )
    for thing in (case.evidence.revision, case.evidence.autoscaler, case.evidence.model):
        for name in (f"{_PREFIX}{key}", f"{_PREFIX}{camel}"):
            found = number(thing.annotations.get(name))
            if found is not None:
                return found, thing
    return None, case.evidence.model


def _bare_bounds(case: Case) -> Seen | None:
    """A minimum above a maximum among the collected facts."""
    found: dict[str, tuple[str, float]] = {}
    for key, value in case.evidence.config.items():
        amount = number(value)
        for side in ("min", "max"):
            if amount is not None and side in key.lower() and "replica" in key.lower():
                found[side] = (key, amount)
    if len(found) < 2 or not found["max"][1] or found["min"][1] <= found["max"][1]:
        return None
    return Seen(
        confidence=STRONG,
        pieces=tuple(configured(*found[side]) for side in ("min", "max")),
        phase=FaultPhase.SERVING,
        params={"what": "min-max"},
    )


def _bounds(case: Case) -> Seen | None:
    """A floor, an initial scale or an activation scale above the ceiling."""
    bare = _bare_bounds(case)
    if bare is not None:
        return bare
    most, where = setting(case, "max-scale")
    if not most:
        predictor = within(case.evidence.model.spec, "predictor")
        most, where = number(predictor.get("maxReplicas")), case.evidence.model
    if not most:
        return None
    for key in ("min-scale", "initial-scale", "activation-scale"):
        value, thing = setting(case, key)
        if value is not None and value > most:
            return Seen(
                confidence=DECISIVE,
                pieces=(
                    piece("object", thing.ref, f"{key} = {value:g}"),
                    piece("object", where.ref, f"max-scale = {most:g}"),
                ),
                phase=FaultPhase.SCHEDULE,
                params={"what": key},
            )
    return None


def _ignored_floor(case: Case) -> Seen | None:
    """min-scale binds a reachable revision only; this one is not reachable, so it is at zero."""
    least, thing = setting(case, "min-scale")
    scaler = case.evidence.autoscaler
    actual = number(scaler.status.get("actualScale"))
    if not least or scaler.spec.get("reachability") != "Unreachable" or actual is None:
        return None
    active = scaler.condition("Active")
    if actual >= least or (active is not None and active.reason == "TimedOut"):
        return None
    failed = case.evidence.revision.condition("Ready")
    broken = failed is not None and failed.status == "False"
    if not broken and not case.users_suffer:
        return None
    return Seen(
        confidence=LIKELY,
        pieces=(
            piece("object", thing.ref, f"min-scale = {least:g}"),
            piece("object", scaler.ref, f"reachability Unreachable, actualScale {actual:g}"),
        ),
        remedies=(Remedy.EXPLAIN_EXPECTED_BEHAVIOUR, Remedy.FIX_RUNTIME_ARGS)
        if broken
        else (Remedy.EXPLAIN_EXPECTED_BEHAVIOUR,),
        params={"what": "unreachable"},
    )


def _dead_zone(case: Case) -> Seen | None:
    """A floor that the scaler does not act upon: it has no metric since it was restarted."""
    least, thing = setting(case, "min-scale")
    told = case.find(_UNKNOWN_SCALE)
    actual = number(case.evidence.autoscaler.status.get("actualScale"))
    if not least or not told or (actual or 0) >= least or case.ready:
        return None
    return Seen(
        confidence=TWO_SIGNS,
        pieces=(piece("object", thing.ref, f"min-scale = {least:g}"), *quoted(told)),
        phase=FaultPhase.SCHEDULE,
        params={"what": "dead-zone"},
    )
