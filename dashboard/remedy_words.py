"""What people read of remedies: what to do, in a few words."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from dashboard.words import Words
from fleet.domain.diagnosis.records import Remedy
from fleet.domain.plans.params import ActionName

REMEDY_LABELS: Mapping[Remedy, Words] = {
    Remedy.ACCEPT_MODEL_LICENCE: _("Request access to the gated model with the account that loads"),
    Remedy.ADD_CAPACITY: _("Add nodes or GPUs"),
    Remedy.ADD_DISRUPTION_BUDGET: _("Protect it against eviction by a PodDisruptionBudget"),
    Remedy.ADD_OR_EXTEND_STARTUP_PROBE: _("Give loading a startup probe with a budget of its own"),
    Remedy.ADD_PRESTOP_AND_GRACE: _("Drain before it stops: preStop and a longer grace period"),
    Remedy.ADD_REPLICAS: _("Add serving replicas"),
    Remedy.CACHE_MODEL_LOCALLY: _("Keep the model near: node cache, shared volume, or in an image"),
    Remedy.CHANGE_RUNTIME_IMAGE: _("Use a server image that fits the driver and the model"),
    Remedy.COLLECT_MORE_EVIDENCE: _("Collect what is missing, then diagnose again"),
    Remedy.DOWNLOAD_TIMEOUT_AND_RETRY: _("Bound the download in time, and repeat it"),
    Remedy.EXEMPT_INITIALIZER_FROM_MESH: _("Let the init container by-pass the mesh's sidecar"),
    Remedy.EXPLAIN_EXPECTED_BEHAVIOUR: _("Nothing to mend: it behaves as it is set up"),
    Remedy.FASTER_WEIGHT_LOADING: _("Load weights faster: streaming loader, prefetch, storage"),
    Remedy.FIX_ADMISSION_WEBHOOK: _("Mend the admission webhook: certificate, endpoint"),
    Remedy.FIX_AUTOSCALER_METRIC: _("Mend what the autoscaler reads: query, labels, rights"),
    Remedy.FIX_CLIENT_MODEL_NAME: _("Let clients ask for the name that is served"),
    Remedy.FIX_COLLECTIVE_COMMUNICATION: _("Mend how GPUs talk to each other (NCCL)"),
    Remedy.FIX_DNS_OR_EGRESS: _("Mend name resolution or the way out"),
    Remedy.FIX_GPU_PARTITIONING: _("Mend how GPUs are divided (MIG, time slicing)"),
    Remedy.FIX_IMAGE_REFERENCE_OR_PULL_SECRET: _("Mend the image's name, tag or pull secret"),
    Remedy.FIX_MESH_OR_NETWORK_POLICY: _("Mend the mesh's or the network's policy"),
    Remedy.FIX_MODEL_URI: _("Mend the model's address"),
    Remedy.FIX_NODE_SELECTOR_OR_TOLERATION: _("Mend node selector, affinity or toleration"),
    Remedy.FIX_PROBE_TARGET: _("Point the probe at the port and path that the server answers"),
    Remedy.FIX_REGISTRY_ACCESS: _("Let Knative's controller reach the registry"),
    Remedy.FIX_RESOURCE_REQUESTS: _("Mend resource requests and limits"),
    Remedy.FIX_ROUTE_BACKEND: _("Mend the route's backend: port, protocol"),
    Remedy.FIX_RUNTIME_ARGS: _("Mend the server's arguments or environment"),
    Remedy.FIX_RUNTIME_SELECTION: _("Mend model format or serving runtime"),
    Remedy.FIX_STORAGE_CREDENTIALS: _("Mend the credentials of the model's storage"),
    Remedy.FREE_OLD_REVISION_FIRST: _("Free the old revision's GPUs first"),
    Remedy.GATE_TRAFFIC_ON_READINESS: _("Send traffic to what is ready only"),
    Remedy.KEEP_WARM_NODES: _("Keep a spare node"),
    Remedy.LIVENESS_DETECTS_ENGINE_DEATH: _("Let the liveness probe notice a dead engine"),
    Remedy.LOWER_GPU_MEMORY_UTILIZATION: _("Leave more GPU memory free (--gpu-memory-utilization)"),
    Remedy.LOWER_MAX_MODEL_LEN: _("Shorten the context (--max-model-len)"),
    Remedy.MORE_OR_LARGER_GPU: _("Use more or larger GPUs"),
    Remedy.NO_ACTION: _("Leave it as it is"),
    Remedy.PASS_HUB_TOKEN_TO_INITIALIZER: _("Give the hub's token to the container that downloads"),
    Remedy.PERSIST_COMPILE_CACHE: _("Keep the compile cache across starts"),
    Remedy.PREPULL_IMAGE: _("Pull the image beforehand"),
    Remedy.PREWARM_BEFORE_TRAFFIC: _("Warm it up before it gets traffic"),
    Remedy.RAISE_CLIENT_OR_INGRESS_TIMEOUT: _(
        "Raise the time limit of client, gateway or balancer"
    ),
    Remedy.RAISE_CONCURRENCY_LIMIT: _("Raise containerConcurrency or the target"),
    Remedy.RAISE_CONTAINER_MEMORY: _("Raise the server's memory limit"),
    Remedy.RAISE_DISK: _("Give it more disk, or a volume"),
    Remedy.RAISE_GPU_MEMORY_UTILIZATION: _("Let it use more GPU memory (--gpu-memory-utilization)"),
    Remedy.RAISE_MIN_REPLICAS: _("Keep a replica warm: raise min"),
    Remedy.RAISE_PROGRESS_DEADLINE: _("Raise the progress deadline above the longest start"),
    Remedy.RAISE_QUOTA: _("Raise the quota"),
    Remedy.RAISE_REVISION_TIMEOUT: _("Raise the revision's time limits"),
    Remedy.RAISE_SHARED_MEMORY: _("Mount a memory volume at /dev/shm"),
    Remedy.RAISE_STORAGE_INITIALIZER_MEMORY: _("Raise the memory limit of the init container"),
    Remedy.READINESS_CHECKS_MODEL: _("Let readiness ask for the model"),
    Remedy.RELAX_LIVENESS_PROBE: _("Make the liveness probe more patient"),
    Remedy.RELAX_READINESS_PROBE: _("Make the readiness probe more patient"),
    Remedy.RELEASE_VOLUME: _("Release the volume from who else holds it"),
    Remedy.RENAME_SERVICE_OR_DISABLE_SERVICE_LINKS: _(
        "Rename the Service, or switch service links off"
    ),
    Remedy.RESOLVE_CONFIG_CONFLICT: _("Make the settings agree"),
    Remedy.RESTART_ENGINE: _("Restart the broken replica (kubectl delete pod)"),
    Remedy.ROLLBACK_TRAFFIC: _("Send traffic back to the stable version"),
    Remedy.SET_ADMISSION_LIMIT: _("Refuse at the edge what cannot be served"),
    Remedy.SET_SERVED_MODEL_NAME: _("Name the served model explicitly"),
    Remedy.SKIP_TAG_RESOLUTION: _("Exempt the registry from tag resolution"),
    Remedy.SLIM_IMAGE_OR_STREAM: _("Use a smaller image, or pull it lazily"),
    Remedy.SMALLER_OR_QUANTISED_MODEL: _("Use a smaller or quantised model"),
    Remedy.STREAM_RESPONSES: _("Stream answers, so that the first byte comes in time"),
    Remedy.TREAT_PODS_AS_SCHEDULABLE: _("Tell Knative that pods wait for nodes"),
    Remedy.TUNE_AUTOSCALER: _("Let the autoscaler act earlier"),
    Remedy.UPGRADE_GPU_DRIVER: _("Upgrade the node's GPU driver"),
    Remedy.USE_HUB_TOKEN_OR_MIRROR: _("Ask the hub with a token, or a mirror"),
    Remedy.USE_NON_PREEMPTIBLE_CAPACITY: _("Use capacity that is not taken away"),
    Remedy.USE_REGISTRY_MIRROR: _("Use a mirror of the registry"),
    Remedy.USE_SHARED_ACCESS_VOLUME: _("Use a volume that several nodes can mount"),
    Remedy.WAIT: _("Wait: it is under way and within its limits"),
}
# Remedies that a button of ours does.
REMEDY_ACTIONS: Mapping[Remedy, ActionName] = {
    Remedy.RAISE_MIN_REPLICAS: ActionName.RAISE_MIN,
    Remedy.ADD_REPLICAS: ActionName.RAISE_MIN,
    Remedy.PREWARM_BEFORE_TRAFFIC: ActionName.WARM_UP,
}
# Rules of lint whose patch does it, the likeliest first.
REMEDY_RULES: Mapping[Remedy, tuple[str, ...]] = {
    Remedy.ADD_OR_EXTEND_STARTUP_PROBE: ("PL004", "PL002", "PL007"),
    Remedy.ADD_PRESTOP_AND_GRACE: ("PL031",),
    Remedy.CACHE_MODEL_LOCALLY: ("PL013",),
    Remedy.FIX_PROBE_TARGET: ("PL006",),
    Remedy.FREE_OLD_REVISION_FIRST: ("PL016",),
    Remedy.PERSIST_COMPILE_CACHE: ("PL014",),
    Remedy.RAISE_CLIENT_OR_INGRESS_TIMEOUT: ("PL028",),
    Remedy.RAISE_CONCURRENCY_LIMIT: ("PL011",),
    Remedy.RAISE_PROGRESS_DEADLINE: ("PL001",),
    Remedy.RAISE_REVISION_TIMEOUT: ("PL003", "PL027"),
    Remedy.RAISE_SHARED_MEMORY: ("PL024",),
    Remedy.READINESS_CHECKS_MODEL: ("PL005",),
    Remedy.RELAX_LIVENESS_PROBE: ("PL026",),
    Remedy.RELAX_READINESS_PROBE: ("PL026",),
}
