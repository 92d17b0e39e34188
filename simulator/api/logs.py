"""Pod logs, as kubelets give them through the API server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from aiohttp import web

from simulator.api.call import HEADERS, Call
from simulator.api.selectors import bad_request
from simulator.api.sources import LogLines
from simulator.store.errors import Invalid, NotFound
from simulator.store.json_values import JsonObject

FOLLOW_EVERY_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """What of a log is wanted. tail None: all; since None: from the start; limit in bytes."""

    container: str
    previous: bool
    follow: bool
    timestamps: bool
    tail: int | None
    since: datetime | None
    limit_bytes: int | None


async def log(call: Call) -> web.StreamResponse:
    """The log of one container: text/plain, whatever Accept says."""
    pod = call.store.get(call.served.stored, call.namespace, call.target.name)
    if pod is None:
        raise NotFound(call.served.shown, call.target.name)
    options = log_options(pod, call.request.query, now=call.store.now())
    lines = call.backend.logs.lines(pod["metadata"]["uid"], options.container, options.previous)
    if lines is None:
        raise _no_log(pod, options)
    response = web.StreamResponse(headers=HEADERS | {"Content-Type": "text/plain"})
    response.enable_chunked_encoding()
    await response.prepare(call.request)
    await response.write(log_bytes(lines, options))
    if options.follow:
        await _follow(call, pod, options, response, sent=len(lines))
    await response.write_eof()
    return response


def log_options(pod: JsonObject, query: Mapping[str, str], *, now: datetime) -> LogOptions:
    """The options in a query, checked against the pod."""
    name = pod["metadata"]["name"]
    since_seconds = _count(query, "sinceSeconds", name, least=1)
    if since_seconds is not None and query.get("sinceTime"):
        text = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"
        raise Invalid("", "PodLogOptions", name, causes=[("[]", "FieldValueForbidden", text)])
    since = _since_time(query.get("sinceTime", ""))
    if since_seconds is not None:
        since = now - timedelta(seconds=since_seconds)
    return LogOptions(
        container=_container(pod, query.get("container", "")),
        previous=_true(query, "previous"),
        follow=_true(query, "follow"),
        timestamps=_true(query, "timestamps"),
        tail=_count(query, "tailLines", name, least=0),
        since=since,
        limit_bytes=_count(query, "limitBytes", name, least=1),
    )


def _true(query: Mapping[str, str], option: str) -> bool:
    return query.get(option, "").lower() in ("1", "true")


def _count(query: Mapping[str, str], option: str, pod: str, *, least: int) -> int | None:
    if option not in query:
        return None
    try:
        number = int(query[option])
    except ValueError:
        said = query[option]
        raise bad_request(f'strconv.ParseInt: parsing "{said}": invalid syntax') from None
    if number < least:
        bound = "greater than or equal to 0" if least == 0 else "greater than 0"
        cause = (option, "FieldValueInvalid", f"Invalid value: {number}: must be {bound}")
        raise Invalid("", "PodLogOptions", pod, causes=[cause])
    return number


def _since_time(text: str) -> datetime | None:
    """Whole seconds count: the line of the same second comes again on a resume."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise bad_request(
            f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}" as "2006"'
        ) from None
    return moment.replace(microsecond=0, tzinfo=moment.tzinfo or UTC)


def _container(pod: JsonObject, wanted: str) -> str:
    spec, pod_name = pod.get("spec", {}), pod["metadata"]["name"]
    names = [each["name"] for each in spec.get("initContainers") or []]
    main = [each["name"] for each in spec.get("containers") or []]
    if wanted in (*names, *main):
        return wanted
    if wanted:
        raise bad_request(f"container {wanted} is not valid for pod {pod_name}")
    if len(main) == 1:
        return str(main[0])
    raise bad_request(
        f"a container name must be specified for pod {pod_name}, "
        f"choose one of: [{' '.join((*names, *main))}]"
    )


def _no_log(pod: JsonObject, options: LogOptions) -> Exception:
    """Why there is none: no earlier run, or the container has not started yet."""
    name, container = pod["metadata"]["name"], options.container
    if options.previous:
        return bad_request(f'previous terminated container "{container}" in pod "{name}" not found')
    status = pod.get("status", {})
    statuses = [
        *(status.get("initContainerStatuses") or []),
        *(status.get("containerStatuses") or []),
    ]
    state = next((each.get("state") or {} for each in statuses if each["name"] == container), {})
    reason = (state.get("waiting") or {}).get("reason") or "ContainerCreating"
    return bad_request(f'container "{container}" in pod "{name}" is waiting to start: {reason}')


def log_bytes(lines: LogLines, options: LogOptions) -> bytes:
    """The lines that are wanted, as text."""
    since = options.since
    chosen: Sequence[tuple[datetime, str]] = lines
    if since is not None:
        chosen = [line for line in chosen if line[0] >= since]
    if options.tail is not None:
        chosen = chosen[len(chosen) - min(options.tail, len(chosen)) :]
    text = "".join(
        f"{_stamp(moment)} {line}\n" if options.timestamps else f"{line}\n"
        for moment, line in chosen
    )
    data = text.encode()
    return data if options.limit_bytes is None else data[: options.limit_bytes]


def _stamp(moment: datetime) -> str:
    """Nine digits, as the container runtime writes them."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}000Z"


async def _follow(
    call: Call, pod: JsonObject, options: LogOptions, response: web.StreamResponse, *, sent: int
) -> None:
    """Write what is added, until the container restarts or the pod is gone."""
    uid, name = pod["metadata"]["uid"], call.target.name
    whole = LogOptions(
        container=options.container,
        previous=False,
        follow=True,
        timestamps=options.timestamps,
        tail=None,
        since=None,
        limit_bytes=None,
    )
    while True:
        await asyncio.sleep(FOLLOW_EVERY_S)
        lines = call.backend.logs.lines(uid, options.container, False)
        if lines is None or len(lines) < sent:
            return
        if len(lines) > sent:
            await response.write(log_bytes(lines[sent:], whole))
            sent = len(lines)
        now = call.store.get(call.served.stored, call.namespace, name)
        if now is None or now["metadata"]["uid"] != uid or _ended(now, options.container):
            return


def _ended(pod: JsonObject, container: str) -> bool:
    statuses = pod.get("status", {}).get("containerStatuses") or []
    return any(
        each["name"] == container and "terminated" in (each.get("state") or {}) for each in statuses
    )
