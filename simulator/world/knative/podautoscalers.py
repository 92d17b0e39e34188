"""The KPA autoscaler: scales Deployments, keeps PodAutoscalers, wakes and puts to sleep.

Source: knative/serving pkg/reconciler/autoscaling/kpa (kpa.go, scaler.go).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import DEPLOYMENTS, PODAUTOSCALERS, PODS, SERVERLESSSERVICES
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster, Controller
from simulator.world.knative import names
from simulator.world.knative.deciding import TICK_S, Bounds, Decider
from simulator.world.shapes import (
    condition,
    condition_status,
    moment_of,
    readiness_moved,
    set_condition,
)

# Above the progress deadline, before an activation is given up.
# Source: knative/serving pkg/reconciler/autoscaling/kpa/scaler.go, activationTimeoutBuffer.
ACTIVATION_BUFFER_S = 30
Calls = Callable[[tuple[str, str]], int]


class PodAutoscalers(Controller):
    """calls: how many calls of a revision are held or in progress now.

    idle_tick_s: how often a revision at its floor, which nobody calls, is looked at; None: as
    often as any other.
    """

    latency_s = 0.02

    def __init__(self, cluster: Cluster, calls: Calls) -> None:
        super().__init__(cluster)
        self.calls = calls
        self.idle_tick_s: float | None = None
        self.deciders: dict[tuple[str, str], Decider] = {}
        self._ticking: set[tuple[str, str]] = set()
        self.follow_own(PODAUTOSCALERS)
        self.follow_own(SERVERLESSSERVICES)
        cluster.on(PODS, self._pod_changed)

    def poke(self, key: tuple[str, str]) -> None:
        """The activator began to hold calls of a revision."""
        autoscaler = self.cluster.store.get(PODAUTOSCALERS, *key)
        if autoscaler is None or ready_pods(self.cluster, key):
            return
        self._decider(autoscaler).wake(self.calls(key))
        self.queue(*key, after_s=0.03)
        self._tick_later(key)

    def restart(self) -> None:
        """The autoscaler lost what it knew; revisions at zero stay unknown until a call comes."""
        for decider in self.deciders.values():
            decider.forget()

    def _pod_changed(self, event: StoreEvent) -> None:
        name = event.object["metadata"].get("labels", {}).get(names.REVISION)
        if name is None or event.type == "ADDED":
            return
        if event.type == "DELETED" or readiness_moved(event.previous, event.object):
            self.queue(event.object["metadata"]["namespace"], name, after_s=0.02)

    # One look at one revision

    def reconcile(self, namespace: str, name: str) -> None:
        key = (namespace, name)
        autoscaler = self.cluster.store.get(PODAUTOSCALERS, namespace, name)
        if autoscaler is None:
            self.deciders.pop(key, None)
            return
        deployment = self._deployment(autoscaler)
        if deployment is None:
            return
        self._decider(autoscaler)
        ready = ready_pods(self.cluster, key)
        if ready or deployment["spec"]["replicas"]:
            self._tick_later(key)
        want = self._want(autoscaler, ready)
        if want == 0 and self._holds_on(autoscaler, key):
            want = max(1, self._bounds(autoscaler).low)
        self._apply(autoscaler, deployment, want, ready)

    def _apply(self, autoscaler: JsonObject, deployment: JsonObject, want: int, ready: int) -> None:
        replicas = int(deployment["spec"]["replicas"])
        if want > replicas:
            self._scale(deployment, want)
            key = _key(autoscaler)
            self.cluster.timeline.after(0.018, lambda: self._tell_key(key, want))
            return
        gives_up = want == 0 and replicas > 0 and self._activating_too_long(autoscaler)
        self._tell(autoscaler, want, ready, timed_out=gives_up)
        if 0 <= want < replicas and not self._still_activating(autoscaler, want, gives_up=gives_up):
            self.cluster.timeline.after(0.013, lambda: self._scale(deployment, want))

    def _still_activating(self, autoscaler: JsonObject, want: int, *, gives_up: bool) -> bool:
        """An activation is never cancelled by its callers, only by its deadline."""
        return want == 0 and condition_status(autoscaler, "Active") == "Unknown" and not gives_up

    def _want(self, autoscaler: JsonObject, ready: int) -> int:
        """-1 while nothing is known and nothing is to be done."""
        decider = self.deciders[_key(autoscaler)]
        bounds = self._bounds(autoscaler)
        initialised = condition_status(autoscaler, "ScaleTargetInitialized") == "True"
        if not initialised:
            if ready < bounds.low or not ready:
                return 0 if self._given_up(autoscaler) else max(bounds.low, 1)
            return bounds.clamp(max(decider.desired, 1))
        if decider.desired < 0:
            return self._unknown(autoscaler, bounds, ready)
        return bounds.clamp(decider.desired)

    def _given_up(self, autoscaler: JsonObject) -> bool:
        """A first rollout that missed its deadline is not tried again, unless somebody calls."""
        if condition_status(autoscaler, "Active") == "False":
            return not self.calls(_key(autoscaler))
        return self._activating_too_long(autoscaler)

    def _unknown(self, autoscaler: JsonObject, bounds: Bounds, ready: int) -> int:
        """The dead zone: without metrics a sleeping revision is left alone, floor or not."""
        activating = condition_status(autoscaler, "Active") == "Unknown"
        if ready or activating:
            return bounds.clamp(max(1, ready))
        return -1

    def _holds_on(self, autoscaler: JsonObject, key: tuple[str, str]) -> bool:
        """Not to zero before a full window of being active, nor while calls are held."""
        if self.calls(key):
            return True
        active = condition(autoscaler, "Active")
        if active is None or active["status"] == "Unknown":
            return not self._activating_too_long(autoscaler)
        if active["status"] == "False":
            return False
        since = self.cluster.now() - moment_of(active["lastTransitionTime"])
        return since < timedelta(seconds=self._window()) / self.cluster.timeline.speed

    def _activating_too_long(self, autoscaler: JsonObject) -> bool:
        active = condition(autoscaler, "Active")
        if active is None or active["status"] != "Unknown":
            return False
        text = autoscaler["metadata"].get("annotations", {}).get(names.PROGRESS_DEADLINE, "")
        deadline = names.seconds_of(text, self.cluster.settings.progress_deadline_s)
        allowed = timedelta(seconds=deadline + ACTIVATION_BUFFER_S) / self.cluster.timeline.speed
        since = self.cluster.now() - moment_of(active["lastTransitionTime"])
        return since >= allowed and not self.calls(_key(autoscaler))

    def _bounds(self, autoscaler: Mapping[str, Any]) -> Bounds:
        reachable = autoscaler["spec"].get("reachability") != "Unreachable"
        low = names.whole_number(autoscaler, names.MIN_SCALE, 0) if reachable else 0
        return Bounds(
            low=low,
            high=names.whole_number(autoscaler, names.MAX_SCALE, 0),
            activation=names.whole_number(autoscaler, names.ACTIVATION_SCALE, 0),
        )

    def _window(self) -> float:
        return self.cluster.settings.stable_window_s

    def _decider(self, autoscaler: Mapping[str, Any]) -> Decider:
        key = _key(autoscaler)
        if key not in self.deciders:
            text = autoscaler["metadata"].get("annotations", {}).get(names.TARGET, "100")
            self.deciders[key] = Decider(float(text), self._window())
        return self.deciders[key]

    # Ticks, only while there is something to decide

    def _tick_later(self, key: tuple[str, str], after_s: float = TICK_S) -> None:
        if key not in self._ticking:
            self._ticking.add(key)
            self.cluster.timeline.after(after_s, lambda: self._tick(key))

    def _tick(self, key: tuple[str, str]) -> None:
        self._ticking.discard(key)
        decider = self.deciders.get(key)
        autoscaler = self.cluster.store.get(PODAUTOSCALERS, *key)
        if decider is None or autoscaler is None:
            return
        ready, calls = ready_pods(self.cluster, key), self.calls(key)
        before = decider.desired
        low = self._bounds(autoscaler).low
        if ready or calls or condition_status(autoscaler, "Active") == "Unknown":
            decider.observe(calls, ready)
            rests = not calls and decider.desired == before == 0 and low > 0
            self._tick_later(key, self.idle_tick_s or TICK_S if rests else TICK_S)
        idle = decider.desired == 0 and not low
        if decider.desired != before or idle:
            self.reconcile(*key)

    # Writing

    def _scale(self, deployment: JsonObject, replicas: int) -> None:
        def edit(obj: JsonObject) -> None:
            obj["spec"]["replicas"] = replicas

        self.cluster.change(DEPLOYMENTS, _key(deployment), edit, manager=names.AUTOSCALER)

    def _tell_key(self, key: tuple[str, str], want: int) -> None:
        autoscaler = self.cluster.store.get(PODAUTOSCALERS, *key)
        if autoscaler is not None:
            self._tell(autoscaler, want, ready_pods(self.cluster, key), timed_out=False)

    def _tell(self, autoscaler: JsonObject, want: int, ready: int, *, timed_out: bool) -> None:
        now = self.cluster.now()
        services = self.cluster.store.get(SERVERLESSSERVICES, *_key(autoscaler)) or {}
        active = self._active(autoscaler, want, ready, timed_out=timed_out)
        decided = self.deciders[_key(autoscaler)].desired
        known = want if decided >= 0 or want == 0 else -1

        def edit(status: JsonObject) -> None:
            set_condition(status, "Active", active[0], now=now, reason=active[1], message=active[2])
            initialised = condition_status({"status": status}, "ScaleTargetInitialized") == "True"
            if initialised or active[0] == "True":
                set_condition(status, "ScaleTargetInitialized", "True", now=now)
            else:
                set_condition(status, "ScaleTargetInitialized", "Unknown", now=now)
            _mirror_services(status, services, now=now)
            _sum_up(status, now=now)
            old = status.get("desiredScale", -1)
            status["desiredScale"] = known if known >= 0 else old
            status["actualScale"] = ready
            status["observedGeneration"] = autoscaler["metadata"]["generation"]

        key = _key(autoscaler)
        self.cluster.change_status(PODAUTOSCALERS, key, edit, manager=names.AUTOSCALER)
        if timed_out:
            self.queue(*key, after_s=0.015)

    def _active(
        self, autoscaler: JsonObject, want: int, ready: int, *, timed_out: bool
    ) -> tuple[str, str, str]:
        old = condition(autoscaler, "Active")
        if timed_out:
            return ("False", "TimedOut", names.TIMED_OUT)
        if want == 0 and not (old and old["status"] == "Unknown"):
            return ("False", "NoTraffic", names.NO_TRAFFIC)
        if want < 0 and old and not ready:
            return (str(old["status"]), str(old.get("reason", "")), str(old.get("message", "")))
        if ready < max(1, self._bounds(autoscaler).low):
            return ("Unknown", "Queued", names.QUEUED)
        return ("True", "", "")

    def _deployment(self, autoscaler: Mapping[str, Any]) -> JsonObject | None:
        name = autoscaler["spec"]["scaleTargetRef"]["name"]
        return self.cluster.store.get(DEPLOYMENTS, autoscaler["metadata"]["namespace"], name)


def ready_pods(cluster: Cluster, key: tuple[str, str]) -> int:
    """Pods of a revision that are Ready and not on their way out."""
    return sum(
        pod["metadata"].get("labels", {}).get(names.REVISION) == key[1]
        and "deletionTimestamp" not in pod["metadata"]
        and condition_status(pod, "Ready") == "True"
        for pod in cluster.store.list(PODS, key[0])
    )


def _mirror_services(status: JsonObject, services: Mapping[str, Any], *, now: Any) -> None:
    ready = condition(services, "Ready")
    names_of = services.get("status", {})
    if ready is None or not names_of.get("privateServiceName"):
        words = {"reason": "NotReady", "message": "No Private Service Name"}
        set_condition(status, "SKSReady", "Unknown", now=now, **words)
        status.setdefault("serviceName", "")
        status.setdefault("metricsServiceName", "")
        return
    status["serviceName"] = names_of["serviceName"]
    status["metricsServiceName"] = names_of["privateServiceName"]
    if ready["status"] == "True":
        set_condition(status, "SKSReady", "True", now=now)
    else:
        words = {"reason": "NotReady", "message": str(ready.get("message", ""))}
        set_condition(status, "SKSReady", "Unknown", now=now, **words)


def _sum_up(status: JsonObject, *, now: Any) -> None:
    """Ready: Active's words first, then those of the ServerlessService."""
    found = [condition({"status": status}, kind) for kind in ("Active", "SKSReady")]
    present = [each for each in found if each is not None]
    for value in ("False", "Unknown"):
        for each in present:
            if each["status"] == value:
                words = {word: each[word] for word in ("reason", "message") if word in each}
                set_condition(status, "Ready", value, now=now, **words)
                return
    set_condition(status, "Ready", "True", now=now)


def _key(obj: Mapping[str, Any]) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]
