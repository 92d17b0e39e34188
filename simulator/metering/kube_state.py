"""A part of what kube-state-metrics tells of pods and Deployments.

Source: kubernetes/kube-state-metrics docs/metrics/workload.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.metering.series import Page, labels
from simulator.store.resources import DEPLOYMENTS, PODS
from simulator.store.store import Store
from simulator.world.shapes import condition, moment_of


def kube_state_page(store: Store) -> Page:
    page = Page()
    for pod in store.list(PODS):
        _pod(page, pod)
    for deployment in store.list(DEPLOYMENTS):
        _deployment(page, deployment)
    return page


def _pod(page: Page, pod: Mapping[str, Any]) -> None:
    meta, status = pod["metadata"], pod.get("status", {})
    about = {"namespace": meta["namespace"], "pod": meta["name"], "uid": meta["uid"]}
    key = labels(about)
    page.gauge("kube_pod_created").set(key, _seconds(meta["creationTimestamp"]))
    if "startTime" in status:
        page.gauge("kube_pod_start_time").set(key, _seconds(status["startTime"]))
    ready = condition(pod, "Ready")
    if ready is not None and ready["status"] == "True":
        since = _seconds(ready["lastTransitionTime"])
        page.gauge("kube_pod_status_ready_time").set(key, since)
    for container in status.get("containerStatuses", ()):
        _container(page, about | {"container": container["name"]}, container)


def _container(page: Page, about: dict[str, str], status: Mapping[str, Any]) -> None:
    restarts = page.counter("kube_pod_container_status_restarts_total")
    restarts.set(labels(about), status["restartCount"])
    waiting = status["state"].get("waiting", {}).get("reason")
    if waiting:
        key = labels(about | {"reason": waiting})
        page.gauge("kube_pod_container_status_waiting_reason").set(key, 1)
    ended = status["lastState"].get("terminated", {}).get("reason")
    if ended:
        key = labels(about | {"reason": ended})
        page.gauge("kube_pod_container_status_last_terminated_reason").set(key, 1)


def _deployment(page: Page, deployment: Mapping[str, Any]) -> None:
    meta, status = deployment["metadata"], deployment.get("status", {})
    key = labels({"namespace": meta["namespace"], "deployment": meta["name"]})
    wanted = deployment["spec"].get("replicas", 1)
    page.gauge("kube_deployment_spec_replicas").set(key, wanted)
    ready = status.get("readyReplicas", 0)
    page.gauge("kube_deployment_status_replicas_ready").set(key, ready)


def _seconds(stamp: str) -> float:
    return moment_of(stamp).timestamp()
