"""manage.py lint: what it prints, and how it ends."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from tests.fleet.domain.lint.objects import Raw, cron_job, isvc, runtime

CLEAN = isvc()
STOPPED = isvc(notes={"serving.kserve.io/stop": "false"})
FLOATING = isvc({"image": "vllm/vllm-openai"})
STANDARD = isvc(mode="")


def written(tmp_path: Path, *objects: Any, name: str = "model.yaml") -> str:
    path = tmp_path / name
    path.write_text(yaml.safe_dump_all(objects))
    return str(path)


def linted(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output, and what went to standard error."""
    out, err = StringIO(), StringIO()
    try:
        call_command("lint", *arguments, stdout=out, stderr=err)
    except CommandError as error:
        return error.returncode, out.getvalue(), err.getvalue() + str(error)
    return 0, out.getvalue(), err.getvalue()


@pytest.mark.parametrize(
    ("raw", "arguments", "code"),
    [
        pytest.param(CLEAN, (), 0, id="clean"),
        pytest.param(STOPPED, (), 1, id="a warning"),
        pytest.param(STOPPED, ("--fail-on", "error"), 0, id="a warning, errors asked for"),
        pytest.param(FLOATING, (), 0, id="advice"),
        pytest.param(FLOATING, ("--fail-on", "advice"), 1, id="advice, asked for"),
    ],
)
def test_how_it_ends(tmp_path: Path, raw: Raw, arguments: tuple[str, ...], code: int) -> None:
    assert linted(written(tmp_path, raw), *arguments)[0] == code


def test_a_file_that_cannot_be_read_ends_it_with_2_before_anything_is_said(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: 1\n---\nb: [\n")
    code, out, err = linted(written(tmp_path, STOPPED), str(broken))
    assert (code, out) == (2, "")
    assert "broken.yaml: document 2, line 4" in err


def test_the_text_names_place_sentence_patch_and_page(tmp_path: Path) -> None:
    _, out, err = linted(written(tmp_path, {"kind": "Namespace"}, STOPPED))
    assert "model.yaml:3: InferenceService/chat/llama (Knative)" in out
    assert "PL020 warning: The stop annotation was set back, not removed" in out
    assert "| # kubectl -n chat patch inferenceservices.serving.kserve.io llama" in out
    assert "docs/rules/PL020.md" in out
    assert "1 model: 0 error, 1 warning, 0 advice" in out
    assert "1 finding at or above warning" in err


def test_json_is_one_object(tmp_path: Path) -> None:
    code, out, _ = linted(written(tmp_path, STOPPED, CLEAN | {"metadata": {"name": "b"}}), "--json")
    answer = json.loads(out)
    assert (code, answer["counts"]) == (1, {"error": 0, "warning": 1, "advice": 0})
    first, second = answer["models"]
    assert (first["model"], first["mode"], first["line"]) == (
        "InferenceService/chat/llama",
        "Knative",
        1,
    )
    (finding,) = first["findings"]
    assert (finding["code"], finding["severity"], finding["effect"]) == (
        "PL020",
        "warning",
        "new-revision",
    )
    assert (finding["extra_gpus"], finding["docs"]) == (1, "docs/rules/PL020.md")
    assert (second["model"], second["mode_stated"]) == ("InferenceService/default/b", False)
    assert second["findings"] == []


def test_annotations_of_a_code_host_are_one_line_each(tmp_path: Path) -> None:
    path = written(tmp_path, STOPPED, name="a,b.yaml")
    _, out, _ = linted(path, "--format", "github")
    (line,) = out.strip().splitlines()
    assert line.startswith("::warning file=")
    assert "a%2Cb.yaml,line=1,title=PL020 The stop annotation" in line
    assert "::InferenceService/chat/llama: " in line


def test_what_was_measured_is_taken_into_account(tmp_path: Path) -> None:
    answer = tmp_path / "starts.json"
    key = "demo/InferenceService/chat/llama"
    starts = {"count_7d": 24, "p50_s": 500.0, "p95_s": 700.0, "last": None}
    answer.write_text(json.dumps({"key": key, "cold_start": starts}))
    code, out, _ = linted(written(tmp_path, CLEAN), "--measured", str(answer))
    assert code == 1
    assert "PL001 warning: The progress deadline is shorter than a start" in out
    assert "Measured: p95 11 min 40 s, of 24 starts." in out


def test_objects_of_several_files_belong_together(tmp_path: Path) -> None:
    model = isvc(model={"modelFormat": {"name": "vLLM"}, "runtime": "kserve-vllmserver"})
    stock = runtime({"readinessProbe": {"tcpSocket": {"port": 8080}}})
    own = written(tmp_path, model, name="a.yaml")
    code, out, _ = linted(own, written(tmp_path, stock, name="b.yaml"))
    assert (code, "PL005" in out) == (1, True)
    assert linted(own)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param((), 0, id="Knative unless said"),
        pytest.param(("--mode", "Standard"), 1, id="Standard: an HPA makes 1 of 0"),
    ],
)
def test_the_mode_of_what_does_not_say(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    path = written(tmp_path, isvc(mode="", minReplicas=0))
    assert linted(path, *arguments)[0] == code
    assert "not stated" in linted(path, *arguments)[1]


def test_a_profile_is_compared_with(tmp_path: Path) -> None:
    path = written(tmp_path, isvc(minReplicas=0), cron_job("*/10 * * * *"))
    _, out, _ = linted(path, "--profile", "cost-first")
    assert "profile: cost first" in out
    assert "met: No replica while nobody asks. It sleeps, and its first caller is held." in out
    assert "not met: Warm-ups at fixed times. Asked every 10 min" in out
    labelled = isvc(labels={"pilotlight.dev/profile": "spiky"})
    _, out, _ = linted(written(tmp_path, labelled), "--json")
    (model,) = json.loads(out)["models"]
    assert model["profile"]["name"] == "spiky"
    assert [each["met"] for each in model["profile"]["verdicts"]] == ["met", "unknown", "met"]


def test_the_limit_of_a_load_balancer_is_told_by_hand(tmp_path: Path) -> None:
    starts = written(
        tmp_path, {"cold_start": {"count_7d": 24, "p50_s": 90, "p95_s": 100}}, name="starts.yaml"
    )
    path = written(tmp_path, isvc(minReplicas=0))
    assert linted(path, "--measured", starts)[0] == 0
    code, out, _ = linted(path, "--measured", starts, "--ingress-timeout", "60")
    assert (code, "the load balancer in front, after 60 s" in out) == (1, True)


def test_what_is_not_taken_for_vllm_is_left_out_and_named(tmp_path: Path) -> None:
    other = isvc(
        model={"modelFormat": {"name": "sklearn"}}, notes={"serving.kserve.io/stop": "false"}
    )
    path = written(tmp_path, other)
    code, out, err = linted(path)
    assert (code, "0 models" in out) == (0, True)
    assert "left out InferenceService/chat/llama" in err
    assert linted(path, "--all")[0] == 1


def test_files_without_a_model_are_said_to_have_none(tmp_path: Path) -> None:
    code, _, err = linted(written(tmp_path, {"kind": "Pod"}))
    assert (code, "no InferenceService or LLMInferenceService" in err) == (0, True)
