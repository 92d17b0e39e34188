"""What a start was made of, as far as objects and logs tell."""

import pytest

from fleet.adapters.kubernetes.parse.stream import Recording, lines_of
from fleet.domain.coldstart.attributes import attributes_of, digest_of
from fleet.domain.coldstart.evidence import Evidence, evidence_of, facts_of
from fleet.domain.coldstart.heard import Heard
from fleet.domain.enginelog.witness import Witness
from fleet.domain.records.engine import version_of_image
from fleet.management.commands.measure import starts_in
from tests.fleet.domain.streams import STREAMS, named


@pytest.mark.parametrize(
    ("image_id", "digest"),
    [
        pytest.param("docker.io/vllm/vllm-openai@sha256:0af1", "sha256:0af1", id="of containerd"),
        pytest.param("docker-pullable://r/v@sha256:0af1", "sha256:0af1", id="of old dockershim"),
        pytest.param("sha256:0af1", "sha256:0af1", id="of an image without a repository"),
        pytest.param("vllm/vllm-openai:v0.11.0", "", id="a tag is no digest"),
        pytest.param("", "", id="not known before the container was made"),
    ],
)
def test_the_digest_is_of_what_ran(image_id: str, digest: str) -> None:
    assert digest_of(image_id) == digest


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("docker.io/vllm/vllm-openai:v0.11.0", "0.11.0"),
        ("vllm/vllm-openai:0.9.2.post1", "0.9.2.post1"),
        ("registry.example.com:5000/mirror/vllm-openai-cpu:v0.10.2", "0.10.2"),
        ("vllm/vllm-openai:latest", ""),
        ("vllm/vllm-openai:v0.11.0-cu129", ""),
        ("vllm/vllm-openai@sha256:0af1", ""),
        ("kserve/huggingfaceserver:v0.15.0", ""),
        ("ghcr.io/llm-d/llm-d-cuda:v0.4.0", ""),
        ("example.com/not-vllm:v0.4.0", ""),
    ],
)
def test_a_version_is_read_from_the_tags_of_vllm_alone(image: str, version: str) -> None:
    assert version_of_image(image) == version


@pytest.mark.parametrize(
    ("image", "said", "version"),
    [
        pytest.param("vllm/vllm-openai:v0.11.0", "0.10.2", "0.10.2", id="the log knows best"),
        pytest.param("vllm/vllm-openai:v0.11.0", "", "0.11.0", id="else a plain tag"),
        pytest.param("vllm/vllm-openai:nightly", "", "", id="else nothing is guessed"),
    ],
)
def test_the_engines_version(image: str, said: str, version: str) -> None:
    facts = {"version": said} if said else {}
    evidence = Evidence(
        uid="u", image=image, heard=Heard(run=0, by=1.0, witness=Witness(facts=facts))
    )
    assert attributes_of(evidence)["engine_version"] == version


@pytest.mark.parametrize(
    ("seen", "told"),
    [("app-download", "download"), ("oci-native", "modelcar"), ("pvc", "pvc"), ("", "")],
)
def test_where_weights_came_from_in_the_words_of_a_start(seen: str, told: str) -> None:
    assert attributes_of(Evidence(uid="u", weights_from=seen))["weights_from"] == told


def test_a_revision_tells_the_tag_that_its_pods_lost() -> None:
    evidence = Evidence(uid="u", image="r/vllm@sha256:1", declared_image="r/vllm:v0.11.0")
    assert attributes_of(evidence)["image"] == "r/vllm:v0.11.0"


def test_a_recorded_start_tells_them_all() -> None:
    path = STREAMS / f"{named('01')}.jsonl.gz"
    first, second, _ = starts_in(Recording(), lines_of(path), cluster="c")
    assert first.image == "docker.io/vllm/vllm-openai:v0.11.0"
    assert (first.image_digest, first.engine_version, first.gpus) == ("sha256:2", "0.11.0", 1)
    assert (first.node_pool, first.weights_from) == ("gpu-a", "storage-initializer")
    assert (first.image_pull, first.image_bytes) == ("full", 9876543210)
    assert (second.image_pull, second.image_bytes) == ("cached", None)
    assert first.progress_deadline_s == 600.0
    assert first.log is None


def test_a_group_kept_by_an_older_release_still_loads() -> None:
    sight = [1764493200.0, None, 1764493200.4]
    old = {"version": 1, "uid": "u", "ready": sight, "members": {"w": {"scheduled": sight}}}
    evidence = evidence_of(old)
    assert evidence.members["w"].uid == "w"
    assert evidence.waits_for_members
    assert evidence_of({**old, "members": {"w": {"ready": sight}}}).waits_for_members is False


def test_evidence_kept_by_an_older_release_still_loads() -> None:
    new = facts_of(Evidence(uid="u", image_id="sha256:1", pool="p", deadline_s=600.0))
    old = {k: v for k, v in new.items() if k not in {"image_id", "pool", "deadline_s"}}
    assert evidence_of(old) == Evidence(uid="u")
