"""One real request through a model's own route, and what its answer says."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from fleet.actions import rows
from fleet.actions.tools import Tools
from fleet.domain.plans.answers import Heard, Verdict, completions_path, hop_of, verdict
from fleet.domain.records.keys import ModelKind
from fleet.models import Cluster, ServedModel
from fleet.ports import Answer

# One token proves that the engine answers; decode kernels and graphs only run from a few on.
CHECK_TOKENS = 1
WARM_UP_TOKENS = 8
SAID_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where a model's completions are asked for, under which name."""

    url: str
    path: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A verdict and the figures behind it, for the evidence of a step."""

    verdict: Verdict
    figures: dict[str, Any]


def route_of(cluster: Cluster, row: ServedModel) -> Route:
    """The model's own route: right path for its server, the first served name."""
    record = rows.model_record(cluster, row.key)
    path = completions_path(
        url_path=urlsplit(row.url).path,
        kind_is_llm=row.kind == ModelKind.LLM_INFERENCE_SERVICE,
        huggingface=rows.runs_huggingface(cluster, record, row.runtime),
        namespace=row.namespace,
        name=row.name,
    )
    return Route(url=row.url, path=path, model=(row.served_names or [row.name])[0])


def can_ask(tools: Tools, cluster: Cluster, row: ServedModel) -> bool:
    """Whether the model has an address, and an admin allowed its host."""
    return bool(row.url) and tools.caller(cluster).allows(row.url)


def ask(
    tools: Tools, cluster: Cluster, row: ServedModel, *, tokens: int, timeout_s: float
) -> Asked:
    """Send one completion and judge the answer."""
    route = route_of(cluster, row)
    answer = tools.caller(cluster).complete(
        url=route.url,
        path=route.path,
        model=route.model,
        tokens=tokens,
        timeout_s=timeout_s,
        api_key=tools.model_key(cluster, f"{row.namespace}/{row.name}"),
    )
    return judged(answer, route)


def judged(answer: Answer, route: Route) -> Asked:
    """What the answer means, with status, TTFT, the hop of a 5xx, and the first words of it."""
    heard = Heard(
        status=answer.status,
        content_type=answer.content_type,
        body=answer.body_excerpt,
        tokens=answer.ttft_s is not None,
    )
    found = verdict(heard)
    figures: dict[str, Any] = {
        "status": answer.status,
        "ttft_s": answer.ttft_s,
        "total_s": answer.total_s,
        "model": route.model,
        "path": route.path,
    }
    if found is not Verdict.SERVES:
        figures["said"] = (answer.error or answer.body_excerpt)[:SAID_CHARS]
        figures["hop"] = hop_of(heard) if found is Verdict.DOWN else ""
    return Asked(verdict=found, figures=figures)
