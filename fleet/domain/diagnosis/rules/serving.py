"""A pod that is up: its engine is dead or frozen, or there is more work than it can do.

Source: vllm/v1/engine/async_llm.py, exceptions.py; knative pkg/queue/breaker.go; Envoy's flags;
gateway-api-inference-extension.
"""

from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import is_ready
from fleet.domain.diagnosis.records import Piece, Remedy
from fleet.domain.diagnosis.rules.ceilings import ceiling, concurrency, ready_count
from fleet.domain.diagnosis.rules.load import (
    cache_share,
    is_busy,
    load_pieces,
    moves,
    queued,
    running,
    stalled_counters,
    throughputs,
    waiting,
)
from fleet.domain.diagnosis.rules.probes_seen import failures
from fleet.domain.diagnosis.rules.runs import had_served
from fleet.domain.diagnosis.texts import Text

DEAD = clue(
    "enginedeaderror",
    "enginecore encountered a fatal error",
    "encountered an issue. see stack trace",
    "background loop has errored",
    "background loop is not running",
    "background loop is stopped",
    "died unexpectedly",
    "died, exit code",
    "engine loop is not running",
    "engine is dead",
    "enginecore died",
    "engine process died",
    "engine core proc",
    "watchdog caught collective",
    "watchdog got stuck",
    "heartbeat monitor timed out",
    "illegal memory access",
    "cuda_error_illegal_address",
    "device-side assert",
    "uncorrectable ecc",
    "fallen off the bus",
    "nvrm: xid",
    "unspecified launch failure",
    "rpc call to execute_model timed out",
    "execute_model timed out",
    "asyncenginedeaderror",
    "mqenginedead",
    "engine dead",
    "scheduler hit an exception",
    "terminated by signal",
    "segmentation fault",
    pattern=r"engine(?:core)?\W?dead|fatal error|encountered an issue|background loop"
    r"|died|engine loop|engine is dead|watchdog|heartbeat monitor|illegal (?:mem|addr)"
    r"|illegal_address|device-side|ecc|off the bus|xid|launch failure|execute_model timed"
    r"|asyncenginedead|mqenginedead|engine core proc.{0,60}died|hit an exception"
    r"|by signal|segmentation",
    places=(Where.ENGINE, Where.STATE, Where.EVENT, Where.CONTROL),
)
_STAYED_S = 300.0


def engine_dead(case: Case) -> Seen | None:
    """The engine says that it died, or its counters stand still with work waiting."""
    texts = [each for each in _dead_lines(case) if not each.init]
    if texts:
        return Seen(
            confidence=DECISIVE if case.users_suffer or case.ready else LIKELY,
            pieces=(*quoted(texts), *load_pieces(case)[:2]),
            params={"frozen": False},
        )
    return _frozen(case) or _left_well(case) or _crashed(case)


def _dead_lines(case: Case) -> list[Text]:
    """Of a server that had been up; at its start the same words tell of something else."""
    texts = [each for each in case.find_all(DEAD) if not _resolved(case, each)]
    return [each for each in texts if _was_up(case, each)]


def _resolved(case: Case, text: Text) -> bool:
    """Restarted since and well."""
    since = case.healthy_since
    if since is None or case.users_suffer:
        return False
    return text.previous or (text.at is not None and text.at <= since)


def _was_up(case: Case, text: Text) -> bool:
    if _stayed(case, text):
        return True
    for pod, container in case.models:
        if is_ready(pod) or container.ready:
            return True
        ending = container.latest_ending
        ran = ending.ran_s if ending is not None else None
        running = case.age_s(container.running_since)
        if max(ran or 0.0, running or 0.0) > 3 * 3600:
            return True
    return not case.pods or _said_before(case, text)


_UP = ("application startup complete", "avg generation throughput", 'http/1.1" 200')


def _said_before(case: Case, text: Text) -> bool:
    return any(
        each.container == text.container
        and each.previous == text.previous
        and any(sign in each.low for sign in _UP)
        for each in case.all_texts
        if each.where is Where.ENGINE
    )


def _stayed(case: Case, text: Text) -> bool:
    """The engine died at its start, and the front end runs on without it."""
    return any(
        not text.previous
        and text.where is Where.ENGINE
        and text.container == container.name
        and not container.restarts
        and (case.age_s(container.running_since) or 0.0) >= _STAYED_S
        for _, container in case.models
    )


def _crashed(case: Case) -> Seen | None:
    """A server that had served ended by itself with an error, and users felt it."""
    for pod, container in case.models:
        ending = container.latest_ending
        if ending is None or ending.exit_code in (None, 0, 137, 143, 130):
            continue
        long = (ending.ran_s or 0.0) >= 30 * 60 or had_served(case)
        if long and case.users_suffer and (case.age_s(ending.finished_at) or 0.0) <= 3600:
            says = f"{container.name} exit {ending.exit_code} after {ending.ran_s or 0:.0f} s"
            ref = f"{pod.ref}/{container.name}"
            return Seen(
                confidence=TWO_SIGNS + 0.05,
                pieces=(
                    piece("object", ref, says, ending.finished_at),
                    *quoted([each.text for each in case.failed_calls], at_most=1),
                ),
                params={"frozen": False},
            )
    return None


def _frozen(case: Case) -> Seen | None:
    """Work is there and nothing comes out: no tokens, no steps."""
    stalled = stalled_counters(case)
    lines = [
        each
        for each in throughputs(case)[-3:]
        if each.running + each.waiting > 0 and each.tokens_s == 0
    ]
    work = waiting(case) + running(case)
    hung = len(lines) >= 2 or (bool(lines) and bool(case.failed_calls))
    if not (stalled and (work > 0 or case.users_suffer)) and not hung:
        return None
    if not case.ready and not failures(case):
        return None
    return Seen(
        confidence=STRONG if stalled and work > 0 else LIKELY,
        pieces=(
            *measured(stalled),
            *quoted([each.text for each in lines], at_most=2),
            *load_pieces(case)[:3],
        ),
        params={"frozen": True},
    )


def _left_well(case: Case) -> Seen | None:
    """A server that ends by itself with 0 after it had served: vLLM does so when its engine died.

    Source: vllm/entrypoints/launcher.py, the watchdog.
    """
    for pod, container in case.models:
        ending = container.latest_ending
        if ending is None or ending.exit_code != 0 or (ending.ran_s or 0.0) < 15 * 60:
            continue
        if case.users_suffer and container.restarts and pod.deleted_at is None and not _told(case):
            says = f"{container.name} exit 0 after {ending.ran_s:.0f} s"
            return Seen(
                confidence=TWO_SIGNS,
                pieces=(piece("object", f"{pod.ref}/{container.name}", says, ending.finished_at),),
                params={"frozen": False},
            )
    return None


def _told(case: Case) -> bool:
    """Whether somebody else stopped it."""
    return any(each.reason == "Killing" for each in case.all_texts)


FULL = clue(
    "pending request queue full",
    "queue is full",
    "queue full",
    "inferencepoolresourceexhausted",
    "resource exhausted",
    "system saturated",
    "dropping request due to limited backend",
    "too many requests",
    "server is overloaded",
    "overloaded",
    "max queue",
    "queue limit",
    "admission rejected",
    "request rejected",
    "upstream_overflow",
    "no capacity to serve",
    "circuit breaker",
    places=(Where.EDGE, Where.PROXY, Where.PICKER, Where.ENGINE, Where.ACTIVATOR),
)
_REJECTED = ("admission_rejections", "pending_overflow", "flow_control_request_evicted", "rejected")


def overloaded(case: Case) -> Seen | None:
    """Servers work at what they can, and requests wait, or are refused."""
    refused = [each for each in case.find(FULL) if _no_engines_own(each) and _is_of_load(each)]
    rejected = [each for each in case.series.latest(*_REJECTED) if each.value > 0]
    overflow = [each for each in case.failed_calls if each.flag == "UO"]
    if refused or rejected or overflow:
        return Seen(
            confidence=STRONG,
            pieces=(
                *quoted(refused or [each.text for each in overflow]),
                *measured(rejected),
                *load_pieces(case)[:3],
            ),
            remedies=_limits(case),
        )
    return _saturated(case) or _at_its_ceiling(case)


def _is_of_load(text: Text) -> bool:
    """The picker says "exhausted" also when it finds no endpoint for another reason.

    Source: gateway-api-inference-extension pkg/epp/handlers, util/error.
    """
    nobody = ("find target pod", "candidate", "no pods", "profile")
    told = ("saturat", "dropp", "limited", "queue", "overload", "429")
    return not any(each in text.low for each in nobody) or any(each in text.low for each in told)


def _no_engines_own(text: Text) -> bool:
    """A server's own line counts if it is of a request: what a hub refuses is another matter."""
    return text.where is not Where.ENGINE or " http/1." in text.low or "overloaded" in text.low


def _saturated(case: Case) -> Seen | None:
    """Requests wait at servers whose tokens come out."""
    waits = waiting(case)
    if waits <= 0 or stalled_counters(case) or not is_busy(case):
        return None
    share = cache_share(case)
    at_work = running(case)
    full = share is not None and share >= 0.85
    if not (full or at_work >= 8 or moves(case)):
        return None
    return Seen(
        confidence=STRONG if (full or waits >= 2 * at_work) and case.users_suffer else LIKELY,
        pieces=load_pieces(case),
        remedies=_limits(case),
        params={"waiting": waits, "running": at_work},
    )


def _at_its_ceiling(case: Case) -> Seen | None:
    """As many replicas as are allowed, each with as many requests as it takes, and a queue."""
    held = queued(case)
    ready, most = ready_count(case), ceiling(case)
    cc = concurrency(case)
    active = case.series.total("kn_revision_request_active", "request_concurrency")
    if held <= 0 or not ready or most is None or ready < most:
        return None
    if not cc or (active is not None and active < ready * cc):
        return None
    return Seen(
        confidence=STRONG,
        pieces=(
            *measured(case.series.latest("request_queued", "request_active")),
            piece("object", case.evidence.autoscaler.ref, f"{ready:g} of at most {most:g} ready"),
            *_cc_piece(case, cc),
        ),
        remedies=_limits(case),
        params={"queued": held, "ready": ready},
    )


def _cc_piece(case: Case, cc: float) -> tuple[Piece, ...]:
    return (piece("object", case.evidence.revision.ref, f"containerConcurrency {cc:g}"),)


def _limits(case: Case) -> tuple[Remedy, ...]:
    if concurrency(case):
        return (Remedy.ADD_REPLICAS, Remedy.RAISE_CONCURRENCY_LIMIT)
    return (Remedy.ADD_REPLICAS,)
