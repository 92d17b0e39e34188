"""Following a real server over HTTPS: what its objects say stands in rows, live."""

from collections.abc import Callable

from fleet.domain.records.keys import ModelKind
from fleet.models import (
    Cluster,
    ColdStart,
    Gap,
    ObservedObject,
    Replica,
    Revision,
    ServedModel,
    WatchPosition,
)
from tests.fleet.observe.conftest import Follow

LLAMA = "hosted/InferenceService/"


def live() -> bool:
    return Cluster.objects.get().state == "live"


def has(name: str) -> Callable[[], bool]:
    return lambda: ServedModel.objects.filter(name=name).exists()


def test_a_cluster_is_in_step_within_moments(follow: Follow) -> None:
    following = follow()
    following.until(live)
    row = Cluster.objects.get()
    assert row.last_proof_at is not None
    assert row.kubernetes == "1.36.2"
    assert "pods/InferenceService" in row.watching
    assert {"permission": "pods/log", "costs": "engine phases"} in row.missing
    assert WatchPosition.objects.count() == len(row.watching)
    assert not Gap.objects.exists()
    assert "hosted" in following.bell.keys


def test_every_noun_is_read_into_rows(follow: Follow) -> None:
    following = follow()
    following.until(lambda: has("llama")() and has("qwen")())
    assert set(ServedModel.objects.values_list("kind", flat=True)) == set(ModelKind)
    assert Revision.objects.exists()
    assert Replica.objects.exists()
    assert ColdStart.objects.exists()
    assert ObservedObject.objects.exists()
    assert any(key.startswith(LLAMA) for key in following.bell.keys)
