"""What an answer of a model's own route says of the model."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """serves: a completion came. needs-key, unknown-name, bad-request: the server is up and says
    no. no-route: nothing behind this address. down: a 5xx. no-answer: nothing came at all."""

    SERVES = "serves"
    NEEDS_KEY = "needs-key"
    UNKNOWN_NAME = "unknown-name"
    BAD_REQUEST = "bad-request"
    NO_ROUTE = "no-route"
    DOWN = "down"
    NO_ANSWER = "no-answer"


UP = frozenset({Verdict.SERVES, Verdict.NEEDS_KEY, Verdict.UNKNOWN_NAME, Verdict.BAD_REQUEST})


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """status None = no HTTP answer. from_server: the body is JSON of the model's server, not text
    of a hop on the way. tokens: a token came in the stream."""

    status: int | None
    content_type: str = ""
    body: str = ""
    tokens: bool = False

    @property
    def from_server(self) -> bool:
        """Knative and Envoy answer in plain text, model servers in JSON."""
        return "json" in self.content_type


def verdict(heard: Heard) -> Verdict:
    """Tell "up, but …" from "down". A 200 without a token is an error inside a stream."""
    if heard.status is None:
        return Verdict.NO_ANSWER
    if heard.status == 200:
        return Verdict.SERVES if heard.tokens else Verdict.DOWN
    if heard.status in (401, 403):
        return Verdict.NEEDS_KEY
    if heard.status == 404:
        return Verdict.UNKNOWN_NAME if heard.from_server else Verdict.NO_ROUTE
    return Verdict.BAD_REQUEST if heard.status < 500 else Verdict.DOWN


def hop_of(heard: Heard) -> str:
    """Which hop's wording a 5xx bears: activator, queue-proxy, ingress, container; "" = cannot be
    told. Source: knative/serving pkg/activator/handler, pkg/queue, Envoy's own texts."""
    text = heard.body
    if heard.from_server:
        return "container"
    if "activator request timeout" in text:
        return "activator"
    if "pending request queue full" in text or text.strip() == "request timeout":
        return "queue-proxy"
    envoy = ("no healthy upstream", "upstream connect error", "upstream request timeout")
    return "ingress" if any(words in text for words in envoy) else ""


def completions_path(
    *, url_path: str, kind_is_llm: bool, huggingface: bool, namespace: str, name: str
) -> str:
    """The path of completions below the host. Source: kserve
    config/llmisvcconfig/config-llm-router-route.yaml; python/kserve/kserve/protocol/rest/openai."""
    base = url_path.rstrip("/")
    if kind_is_llm and not base.endswith(f"/{namespace}/{name}"):
        base = f"{base}/{namespace}/{name}"
    prefix = "/openai/v1" if huggingface and not kind_is_llm else "/v1"
    return f"{base}{prefix}/completions"
