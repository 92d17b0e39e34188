"""Image, compose file, manifests and roles are valid by the tools of their own makers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.tooling.tree import ROOT

BIN = Path(sys.executable).parent
# The oldest Kubernetes that has what our manifests use (admission policies), and the newest known.
KUBERNETES = ("1.30", "1.36")
NEEDED = (
    "POSTGRES_PASSWORD",
    "REDIS_PASSWORD",
    "PILOTLIGHT_SECRET_KEY",
    "PILOTLIGHT_READER_KEY",
    "PILOTLIGHT_ACTOR_KEY",
)


def run(*command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def compose(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """The binary inside the package: the console script around it returns 0 on errors."""
    spec = find_spec("compose")
    assert spec is not None
    assert spec.origin is not None
    binary = Path(spec.origin).with_name("docker-compose")
    return run(str(binary), "-f", "docker-compose.yml", "--profile", "demo", *arguments, **environ)


@pytest.fixture(scope="module")
def composed() -> dict[str, Any]:
    done = compose("config", "--format", "json", **dict.fromkeys(NEEDED, "x"))
    assert done.returncode == 0, done.stderr
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def test_compose_has_every_service(composed: dict[str, Any]) -> None:
    assert set(composed["services"]) == {
        *("migrate", "web", "follow", "act", "sample", "chores", "beat"),
        *("postgres", "redis", "simulated"),
    }


def test_compose_gives_the_actor_key_to_act_alone(composed: dict[str, Any]) -> None:
    holders = [
        name
        for name, service in composed["services"].items()
        if "PILOTLIGHT_ACTOR_KEY" in (service.get("environment") or {})
    ]
    assert holders == ["act"]


@pytest.mark.parametrize("missing", NEEDED)
def test_compose_refuses_to_start_without_a_secret(missing: str) -> None:
    given = {name: "x" for name in NEEDED if name != missing}
    done = compose("config", "-q", **{missing: ""}, **given)
    assert done.returncode != 0
    assert missing in done.stderr


def test_compose_starts_nothing_before_the_migration(composed: dict[str, Any]) -> None:
    for name in ("web", "follow", "act", "sample", "chores", "beat"):
        needs = composed["services"][name]["depends_on"]
        assert needs["migrate"]["condition"] == "service_completed_successfully"


def test_the_dockerfile_is_clean() -> None:
    done = run(str(BIN / "hadolint"), "Dockerfile")
    assert done.returncode == 0, done.stdout


def test_all_yaml_is_clean() -> None:
    done = run(str(BIN / "yamllint"), "--strict", "deploy", "docker-compose.yml", ".yamllint")
    assert done.returncode == 0, done.stdout


def manifests() -> Iterator[Any]:
    for path in sorted((ROOT / "deploy").rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            for item in document["items"] if document["kind"] == "List" else [document]:
                yield pytest.param(
                    item, id=f"{path.stem} {item['kind']} {item['metadata']['name']}"
                )


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("manifest", list(manifests()))
def test_a_manifest_fits_its_schema(manifest: dict[str, Any], version: str) -> None:
    assert kubernetes_validate.validate(manifest, version, strict=True) == version


def test_in_a_cluster_one_job_migrates_and_all_others_wait() -> None:
    found = [param.values[0] for param in manifests()]
    (job,) = [each for each in found if each["kind"] == "Job"]
    assert "migrate" in job["spec"]["template"]["spec"]["containers"][0]["command"]
    for each in (each for each in found if each["kind"] == "Deployment"):
        (waits,) = each["spec"]["template"]["spec"]["initContainers"]
        assert waits["command"] == ["python", "manage.py", "migrate", "--check"]


@pytest.mark.parametrize("name", ["reader", "logs", "metrics-by-proxy"])
def test_a_reading_role_only_reads_and_never_secrets(name: str) -> None:
    for rule in rules(name):
        assert set(rule["verbs"]) <= {"get", "list", "watch"}
        assert "secrets" not in rule["resources"]
        assert "*" not in rule["resources"] + rule["apiGroups"]


def test_the_actor_reads_and_patches_four_kinds() -> None:
    resources = {resource for rule in rules("actor") for resource in rule["resources"]}
    assert resources == {
        "inferenceservices",
        "llminferenceservices",
        "revisions",
        "podautoscalers",
    }
    assert {verb for rule in rules("actor") for verb in rule["verbs"]} == {"get", "patch"}


def rules(name: str) -> list[dict[str, Any]]:
    documents = yaml.safe_load_all((ROOT / "deploy" / "rbac" / f"{name}.yaml").read_text())
    (role,) = [document for document in documents if document["kind"] == "ClusterRole"]
    found: list[dict[str, Any]] = role["rules"]
    return found


def test_production_settings_pass_the_deploy_check(tmp_path: Path) -> None:
    done = run(
        *(sys.executable, "-W", "error", "manage.py", "check", "--deploy"),
        *("--fail-level", "WARNING"),
        DJANGO_SETTINGS_MODULE="dashboard.settings",
        PILOTLIGHT_HTTPS="on",
        PILOTLIGHT_ALLOWED_HOSTS="pilot-light.example.com",
        PILOTLIGHT_STATE_DIR=str(tmp_path),
        DATABASE_URL="",
    )
    assert done.returncode == 0, done.stdout + done.stderr
