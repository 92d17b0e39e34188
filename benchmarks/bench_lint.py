"""How long lint of one model takes, pure: from raw objects to findings with their patches."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from benchmarks.common import report
from fleet.domain.lint.measured import Lengths, Measured
from fleet.domain.lint.reading.settings_of import settings_from_objects
from fleet.domain.lint.table import lint

RUNS = 300
MOST_MS = 2.0
SLOW = Lengths(n=24, longest_s=800.0, p50_s=500.0, p95_s=700.0)
QUICK = Lengths(n=24, longest_s=40.0, p50_s=20.0, p95_s=30.0)
# Starts that are slow enough for most rules to speak: patches are what takes time.
MEASURED = Measured(
    total=SLOW,
    load=SLOW,
    fetch=Lengths(n=24, longest_s=400.0, p50_s=300.0, p95_s=350.0),
    lag=QUICK,
    compile=QUICK,
    from_zero=9,
    sequences=12.0,
    by_hour=(*((0.0,) * 8 + (5.0,) * 10 + (0.0,) * 6) * 5, *(0.0,) * 48),
    broken_answers=3,
)
SERVER = {
    "name": "kserve-container",
    "image": "vllm/vllm-openai",
    "args": ["--model=/mnt/models", "--tensor-parallel-size=2", "--api-key=x"],
    "startupProbe": {"httpGet": {"path": "/v1/models", "port": 8080}, "periodSeconds": 30},
    "livenessProbe": {"httpGet": {"path": "/v1/models", "port": 8080}},
    "resources": {"limits": {"nvidia.com/gpu": "2"}},
}
LABELS = {"serving.kserve.io/inferenceservice": "llama", "component": "predictor"}


def objects() -> list[Mapping[str, Any]]:
    """A sleeping model, its runtime and its Revision."""
    where = {"name": "llama", "namespace": "chat"}
    model = {
        "storageUri": "hf://meta-llama/Llama-3.1-8B",
        "runtime": "stock",
        "modelFormat": {"name": "vLLM"},
    }
    notes = {"autoscaling.knative.dev/minScale": "1", "serving.kserve.io/stop": "false"}
    return [
        {
            "apiVersion": "serving.kserve.io/v1beta1",
            "kind": "InferenceService",
            "metadata": {**where, "annotations": notes},
            "spec": {"predictor": {"minReplicas": 0, "maxReplicas": 3, "model": model}},
        },
        {
            "kind": "ClusterServingRuntime",
            "metadata": {"name": "stock"},
            "spec": {"containers": [SERVER]},
        },
        {
            "kind": "Revision",
            "metadata": {"name": "llama-predictor-00001", "namespace": "chat", "labels": LABELS},
            "spec": {"containers": [SERVER], "timeoutSeconds": 300},
        },
    ]


def taken_ms(measured: Measured) -> tuple[float, int]:
    """Processor time of one, and how many findings there were."""
    given = objects()
    began = time.process_time()
    (settings,) = settings_from_objects(given)
    found = lint(settings, measured)
    return (time.process_time() - began) * 1000.0, len(found)


def told(name: str, measured: Measured, *, budget: dict[str, float]) -> bool:
    """One figure."""
    taken = [taken_ms(measured) for _ in range(RUNS)]
    note = f"{taken[0][1]} findings, from raw objects to patches, processor time"
    return report(name, [ms for ms, _ in taken], unit="ms", budget=budget, note=note)


def main() -> int:
    """A model with much against it, and one with more than any has: a patch for each."""
    ok = told("lint", Measured(total=SLOW, load=QUICK), budget={"median": MOST_MS})
    told("lint, almost every rule", MEASURED, budget={})
    return 0 if ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
