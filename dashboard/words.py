"""What people read for the closed sets of the domain: tables beside the enums, through gettext."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from fleet.domain.coldstart.start import Outcome, Phase, StartMode, Trigger
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import Mode

Words = str | Promise

STATE_LABELS: Mapping[State, Words] = {
    State.FAILING: _("Failing"),
    State.DEGRADED: _("Degraded"),
    State.STARTING: _("Starting"),
    State.UNKNOWN: _("Unknown"),
    State.WARM: _("Warm"),
    State.COLD: _("Cold"),
    State.STOPPED: _("Stopped"),
}
# Worst first: the order in which counts and filters name the states.
STATES_WORST_FIRST: tuple[State, ...] = tuple(STATE_LABELS)

MODE_LABELS: Mapping[Mode, Words] = {
    Mode.KNATIVE: _("Knative"),
    Mode.STANDARD: _("Standard"),
    Mode.LLM: _("LLM service"),
}

PHASE_LABELS: Mapping[Phase, Words] = {
    Phase.DECIDE: _("decide"),
    Phase.SCHEDULE: _("schedule"),
    Phase.PROVISION_NODE: _("provision node"),
    Phase.PREPARE: _("prepare"),
    Phase.FETCH_MODEL: _("fetch model"),
    Phase.PULL_IMAGE: _("pull image"),
    Phase.LOAD_ENGINE: _("load engine"),
    Phase.BECOME_READY: _("become ready"),
    Phase.UNEXPLAINED: _("unexplained"),
    Phase.ROUTE: _("route"),
    Phase.FIRST_ANSWER: _("first answer"),
}

# Sub-phases that a server's log tells.
PART_LABELS: Mapping[str, Words] = {
    "process_boot": _("start Python and imports"),
    "config": _("read the configuration"),
    "engine_spawn": _("start engine processes"),
    "model_load": _("load the model"),
    "weights_download": _("download weights"),
    "weights_load": _("read weights"),
    "post_load": _("prepare weights"),
    "engine_init": _("initialise the engine"),
    "compile_total": _("compile"),
    "compile_dynamo": _("trace (Dynamo)"),
    "compile_graph": _("compile graphs"),
    "profile_run": _("profile memory"),
    "jit_warmup": _("warm kernels up"),
    "graph_capture": _("capture CUDA graphs"),
    "api_setup": _("set the API up"),
    "api_warmup": _("warm the API up"),
    "listen": _("begin to listen"),
}

# What an unfinished start is doing now, by its open phase.
DOING_NOW: Mapping[Phase, Words] = {
    Phase.DECIDE: _("autoscaler decides"),
    Phase.SCHEDULE: _("waiting for a node"),
    Phase.PROVISION_NODE: _("a node is on its way"),
    Phase.PREPARE: _("preparing sandbox and volumes"),
    Phase.FETCH_MODEL: _("fetching the model"),
    Phase.PULL_IMAGE: _("pulling the image"),
    Phase.LOAD_ENGINE: _("loading the engine"),
    Phase.BECOME_READY: _("waiting for the readiness probe"),
    Phase.UNEXPLAINED: _("nothing seen yet"),
    Phase.ROUTE: _("waiting for the route"),
    Phase.FIRST_ANSWER: _("waiting for the first answer"),
}

START_MODE_LABELS: Mapping[StartMode, Words] = {
    StartMode.COLD: _("nothing cached"),
    StartMode.CACHED_IMAGE: _("cached image"),
    StartMode.CACHED_WEIGHTS: _("cached weights"),
    StartMode.CACHED_BOTH: _("cached image and weights"),
    StartMode.UNKNOWN: _("cache not known"),
}

TRIGGER_LABELS: Mapping[Trigger, Words] = {
    Trigger.SCALE_FROM_ZERO: _("woken from zero"),
    Trigger.SCALE_UP: _("scaled up"),
    Trigger.ROLLOUT: _("rollout"),
    Trigger.RESTART: _("restart"),
    Trigger.RESCHEDULE: _("moved to another node"),
    Trigger.MANUAL: _("started by hand"),
    Trigger.UNKNOWN: _("trigger not known"),
}

OUTCOME_LABELS: Mapping[Outcome, Words] = {
    Outcome.RUNNING: _("starting"),
    Outcome.READY: _("ready"),
    Outcome.FAILED: _("failed"),
    Outcome.ABORTED: _("ended before ready"),
    Outcome.PARTIAL: _("only partly seen"),
}

# Where a phase's bounds were read.
SOURCE_LABELS: Mapping[str, Words] = {
    "log": _("the engine's log"),
    "event": _("events"),
    "container": _("container status"),
    "condition": _("pod conditions"),
    "object": _("object times"),
    "watch": _("when the watch told"),
    "request": _("our own request"),
}


def word(table: Mapping[Any, Words], value: object) -> Words:
    """The label of a stored value; a value that this release does not know is shown as it is."""
    return table.get(value, str(value))
