"""What holds in Standard mode and for LLMInferenceServices: Deployments, HPAs, routes."""

import math

from fleet.domain.lint.given import Given, Origin
from fleet.domain.lint.reading.knative import inert_of
from fleet.domain.lint.reading.raw import (
    Raw,
    duration_s,
    listed,
    mapping,
    number,
    text,
    texts,
    truth,
    under,
    whole,
)
from fleet.domain.lint.reading.world import World
from fleet.domain.lint.settings import Limits, Rollout, Scaling

AUTOSCALER_CLASS = "serving.kserve.io/autoscalerClass"
KSERVE_CONFIG = "inferenceservice-config"
# Not to be set in either. Source: kserve reconcilers/deployment/deployment_reconciler.go.
DEADLINE_S = 600.0
# Source: kserve reconcilers/ingress/httproute_reconciler.go.
ROUTE_S = 60.0
# Source: kubernetes apps/v1 defaults.
SHARE = "25%"


def scaling_of(model: Raw, predictor: Raw) -> Scaling:
    """Of an InferenceService in Standard mode."""
    notes = {
        **texts(under(model, "metadata", "annotations")),
        **texts(predictor.get("annotations")),
    }
    asked = any(key in predictor for key in ("scaleTarget", "scaleMetric", "autoScaling"))
    class_ = notes.get(AUTOSCALER_CLASS)
    least = _count(predictor, "minReplicas", "spec.predictor.minReplicas", otherwise=1)
    return Scaling(
        asked=least,
        min=least,
        max=_count(predictor, "maxReplicas", "spec.predictor.maxReplicas", otherwise=0),
        class_=Given(class_, Origin.ANNOTATION, AUTOSCALER_CLASS)
        if class_
        else Given("hpa", Origin.DEFAULT),
        wants_scaling=asked,
        inert=inert_of(model, predictor, knative=False),
    )


def llm_scaling_of(spec: Raw) -> Scaling:
    """Without replicas and scaling, whatever the Deployment has is kept: not known."""
    part = mapping(spec.get("scaling"))
    keda = "keda" in part or "keda" in mapping(part.get("wva"))
    if part:
        return Scaling(
            min=_count(part, "minReplicas", "spec.scaling.minReplicas", otherwise=1),
            max=_count(part, "maxReplicas", "spec.scaling.maxReplicas", otherwise=0),
            class_=Given("keda" if keda else "hpa", Origin.OBJECT),
        )
    count = whole(spec.get("replicas"))
    fixed: Given[int] = Given() if count is None else Given(count, Origin.OBJECT, "spec.replicas")
    return Scaling(min=fixed, max=fixed, class_=Given("none", Origin.DEFAULT))


def _count(raw: Raw, key: str, at: str, *, otherwise: int) -> Given[int]:
    value = whole(raw.get(key))
    return Given(otherwise, Origin.DEFAULT) if value is None else Given(value, Origin.OBJECT, at)


def limits_of(model: Raw, predictor: Raw, world: World, *, deployment: Raw | None) -> Limits:
    own = number(predictor.get("timeout"))
    return Limits(
        timeout_s=Given(own, Origin.OBJECT, "spec.predictor.timeout") if own else Given(),
        route_s=_route(model, own, world),
        deadline_s=_deadline(deployment),
    )


def llm_limits_of(deployment: Raw | None) -> Limits:
    """Its route is a preset of the cluster's: not known here."""
    return Limits(deadline_s=_deadline(deployment))


def _deadline(deployment: Raw | None) -> Given[float]:
    live = number(under(deployment, "spec").get("progressDeadlineSeconds"))
    return Given(DEADLINE_S, Origin.DEFAULT) if live is None else Given(live, Origin.OBJECT)


def _route(model: Raw, timeout_s: float | None, world: World) -> Given[float]:
    """Of the HTTPRoute, else as KServe will write it if it uses the Gateway API; an Ingress takes
    its controller's own limit, which is not known."""
    for route in world.routes(model):
        for rule in listed(under(route, "spec").get("rules")):
            limit = duration_s(under(rule, "timeouts").get("request"))
            return Given(limit or 0.0, Origin.OBJECT, "HTTPRoute")
    config = world.config_part(KSERVE_CONFIG, "ingress")
    if config is None or not truth(config.get("enableGatewayApi")):
        return Given()
    if truth(config.get("disableHTTPRouteTimeout")):
        return Given(0.0, Origin.CONFIG_MAP, KSERVE_CONFIG)
    if timeout_s:
        return Given(timeout_s, Origin.OBJECT, "spec.predictor.timeout")
    return Given(ROUTE_S, Origin.DEFAULT)


def rollout_of(
    predictor: Raw, deployment: Raw | None, *, replicas: int, gpus: int | None
) -> Rollout:
    """replicas: that run when an update begins. Source: kubernetes deployment/util: surge is
    rounded up, unavailable down; if both are 0, one may be unavailable."""
    own = mapping(predictor.get("deploymentStrategy"))
    live = under(deployment, "spec", "strategy")
    strategy = own or live
    origin = Origin.OBJECT if strategy else Origin.ASSUMED
    if text(strategy.get("type")) == "Recreate":
        return Rollout(
            max_surge=Given(0, origin), max_unavailable=Given(replicas, origin), gpus=gpus
        )
    rolling = under(strategy, "rollingUpdate")
    surge = _share(rolling.get("maxSurge", SHARE), replicas, up=True)
    fewer = _share(rolling.get("maxUnavailable", SHARE), replicas, up=False)
    return Rollout(
        max_surge=Given(surge, origin),
        max_unavailable=Given(fewer if surge or fewer else 1, origin),
        gpus=gpus,
    )


def _share(value: object, replicas: int, *, up: bool) -> int:
    percent = number(text(value).removesuffix("%")) if text(value).endswith("%") else None
    if percent is None:
        return max(whole(value) or 0, 0)
    exact = replicas * percent / 100.0
    return max(math.ceil(exact) if up else math.floor(exact), 0)
