"""Every patch does what it says: once applied, the rule has nothing more to say."""

from __future__ import annotations

from typing import Any

import kubernetes_validate
import pytest
import yaml

from fleet.domain.lint.measured import Measured
from fleet.domain.lint.settings import Place, Ref, Settings
from fleet.domain.lint.table import RULES
from tests.fleet.domain.lint.objects import (
    AUTOSCALING,
    HEALTH,
    STARTUP,
    Raw,
    config,
    cron_job,
    isvc,
    linted,
    llm,
    runtime,
    took,
    without,
)
from tests.fleet.domain.lint.patching import applied
from tests.fleet.domain.lint.test_sleeping import OFFICE

MODELS = {"httpGet": {"path": "/v1/models", "port": 8080}, "timeoutSeconds": 5}
LIVENESS = HEALTH | {"initialDelaySeconds": 60}
STOCK = {"modelFormat": {"name": "vLLM"}, "runtime": "kserve-vllmserver"}
HUB = STOCK | {"storageUri": "hf://meta-llama/Llama-3.1-8B"}
SLOW = Measured(total=took(300, p50_s=200), fetch=took(150, p50_s=100))
COMPILES = Measured(compile=took(60, p50_s=40))
RARE = HEALTH | {"initialDelaySeconds": 30, "periodSeconds": 30, "failureThreshold": 60}
TWO = {"args": ["--model", "/models/llama", "-tp", "2"]}
IMPATIENT = {"httpGet": {"path": "/health", "port": 8080}}

CASES = [
    ("PL001", [isvc()], Measured(total=took(700))),
    ("PL002", [isvc({"startupProbe": STARTUP})], Measured(load=took(700))),
    ("PL002", [isvc(model=STOCK), runtime({"startupProbe": STARTUP})], Measured(load=took(700))),
    ("PL003", [isvc(minReplicas=0)], Measured(total=took(400))),
    ("PL003", [isvc(minReplicas=0)], Measured(total=took(700))),
    ("PL004", [isvc({"livenessProbe": LIVENESS})], Measured(load=took(100))),
    ("PL004", [isvc(model=STOCK), runtime({"livenessProbe": LIVENESS})], Measured()),
    ("PL005", [without("readinessProbe")], Measured()),
    ("PL005", [isvc({"readinessProbe": {"tcpSocket": {"port": 8080}}})], Measured()),
    ("PL005", [isvc(model=STOCK), runtime({"image": "x"})], Measured()),
    (
        "PL005",
        [isvc(model=STOCK | {"readinessProbe": {"tcpSocket": {"port": 1}}}), runtime({})],
        Measured(),
    ),
    ("PL006", [isvc({"readinessProbe": MODELS, "args": ["--api-key", "x"]})], Measured()),
    (
        "PL006",
        [
            isvc(model=STOCK | {"args": ["--api-key", "x"]}),
            runtime({"readinessProbe": MODELS, "startupProbe": MODELS}),
        ],
        Measured(),
    ),
    ("PL007", [isvc()], Measured(total=took(400))),
    ("PL008", [isvc(notes={f"{AUTOSCALING}minScale": "1"}, minReplicas=0)], Measured()),
    ("PL008", [isvc(annotations={f"{AUTOSCALING}min-scale": "1"})], Measured()),
    ("PL009", [isvc(mode="Standard", minReplicas=0)], Measured()),
    (
        "PL010",
        [isvc(mode="Standard", notes={"serving.kserve.io/autoscalerClass": "keda"}, minReplicas=0)],
        Measured(),
    ),
    ("PL011", [isvc(containerConcurrency=1)], Measured()),
    ("PL012", [isvc()], Measured(sequences=12)),
    ("PL013", [isvc(model=HUB)], SLOW),
    ("PL013", [llm()], SLOW),
    ("PL014", [isvc()], COMPILES),
    ("PL014", [isvc({"env": [{"name": "A", "value": "b"}]}, volumes=[])], COMPILES),
    ("PL014", [isvc(model=HUB), runtime({"image": "x"})], COMPILES),
    ("PL015", [isvc(model=STOCK | {"args": ["--a", "--model_id=Qwen/Qwen3-8B"]})], Measured()),
    ("PL016", [isvc(mode="Standard")], Measured()),
    ("PL018", [isvc(minReplicas=0), cron_job("*/10 * * * *")], Measured()),
    ("PL019", [isvc(minReplicas=1, maxReplicas=1)], Measured()),
    ("PL019", [isvc(notes={f"{AUTOSCALING}activation-scale": "1"})], Measured()),
    ("PL019", [isvc(notes={f"{AUTOSCALING}activation-scale": "4"}, maxReplicas=3)], Measured()),
    ("PL020", [isvc(notes={"serving.kserve.io/stop": "false"})], Measured()),
    ("PL021", [isvc(), config("config-observability", version="1.21.0")], Measured()),
    ("PL022", [isvc({"startupProbe": RARE})], Measured(lag=took(20))),
    ("PL022", [isvc(model=STOCK), runtime({"startupProbe": RARE})], Measured(lag=took(20))),
    ("PL023", [isvc()], Measured(broken_answers=2)),
    ("PL024", [isvc(TWO)], Measured()),
    ("PL024", [isvc(model=STOCK | TWO), runtime({"image": "x"})], Measured()),
    ("PL026", [isvc({"livenessProbe": IMPATIENT})], Measured()),
    ("PL027", [isvc(timeout=900), config("config-defaults")], Measured()),
    (
        "PL028",
        [
            isvc(mode="Standard"),
            config("inferenceservice-config", ingress='{"enableGatewayApi":true}'),
        ],
        Measured(),
    ),
    ("PL029", [isvc(mode="Standard", scaleTarget=10)], Measured()),
    ("PL030", [isvc(notes={"serving.kserve.io/disable-auto-update": "true"})], Measured()),
    ("PL031", [without("lifecycle", mode="Standard")], Measured()),
]
# Advice that is no patch of a setting: a job beside the model; the image's version.
WITHOUT = {"PL017", "PL025"}


@pytest.mark.parametrize(
    ("code", "objects", "measured"),
    [pytest.param(*case, id=f"{case[0]}-{at}") for at, case in enumerate(CASES)],
)
def test_once_applied_the_rule_is_silent(code: str, objects: list[Raw], measured: Measured) -> None:
    found = linted(objects, measured)[code]
    assert found.patch
    assert code not in linted(applied(objects, found.patch), measured)


def test_every_rule_that_proposes_a_patch_is_among_them() -> None:
    assert {case[0] for case in CASES} | WITHOUT == {rule.code for rule in RULES}


@pytest.mark.parametrize(
    "name",
    ["$(rm -rf /)", "a b", "llama;id", "-o", "UPPER", "x" * 300, "", "ll\nama"],
)
def test_no_name_from_a_file_reaches_a_command_line(name: str) -> None:
    raw: dict[str, Any] = isvc(mode="Standard", minReplicas=0)
    raw["metadata"]["name"] = name
    assert linted([raw])["PL009"].patch == ""


def test_no_secret_of_the_server_is_in_any_finding() -> None:
    raw = isvc(
        {
            "args": ["--model", "Qwen/Qwen3-8B", "--api-key", "sk-one", "-tp", "2"],
            "env": [{"name": "VLLM_API_KEY", "value": "sk-two"}],
            "readinessProbe": MODELS,
            "livenessProbe": MODELS,
        },
        notes={"note": "sk-three"},
    )
    found = linted([raw], Measured(total=took(900), load=took(900), compile=took(60)))
    assert len(found) > 5
    assert "sk-" not in repr(found)


def test_settings_show_no_arguments() -> None:
    place = Place(pointer="/spec", words=("--api-key", "sk-one"))
    ref = Ref(api_version="", kind="", namespace="", name="")
    assert "sk-one" not in repr((place, Settings(ref=ref)))


def made(patch: str) -> list[Any]:
    """The whole objects that a patch creates."""
    return [yaml.safe_load(each) for each in patch.split("\n---\n") if "kubectl apply" in each]


@pytest.mark.parametrize(
    ("code", "objects", "measured"),
    [
        pytest.param(
            "PL017", [isvc(minReplicas=0)], Measured(by_hour=OFFICE, from_zero=1), id="CronJob"
        ),
        pytest.param("PL013", [isvc(model=HUB)], SLOW, id="claim for weights"),
        pytest.param("PL014", [isvc()], COMPILES, id="claim for compiled graphs"),
    ],
)
def test_what_is_to_be_created_is_valid(code: str, objects: list[Raw], measured: Measured) -> None:
    (body,) = made(linted(objects, measured)[code].patch)
    assert kubernetes_validate.validate(body, "1.31", strict=True) == "1.31"
