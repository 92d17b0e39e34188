"""Clusters added, named, paused, removed; what the environment names is registered once."""

import pytest

from fleet.domain.ledger.delta import Delta
from fleet.errors import BadInput
from fleet.history.batch import Batch, write_batch
from fleet.history.clusters import (
    add_cluster,
    checked_name,
    name_from,
    pause_cluster,
    register,
    remove_cluster,
)
from fleet.history.insights import ask
from fleet.history.leases import Lease
from fleet.models import Cluster, ColdStart, ModelInsight, ServedModel
from tests.fleet.history.samples import NOW, start, status


@pytest.mark.parametrize(
    ("context", "name"),
    [
        pytest.param("demo-a", "demo-a", id="a name already"),
        pytest.param("arn:aws:eks:eu:1:cluster/Prod_1", "prod-1", id="an EKS context"),
        pytest.param("gke_project_zone_name", "gke-project-zone-name", id="a GKE context"),
        pytest.param("kubernetes-admin@kind", "kind", id="user at cluster"),
        pytest.param("x" * 60, "x" * 40, id="cut"),
        pytest.param("???", "cluster", id="nothing that a name can be made of"),
    ],
)
def test_names_made_of_contexts(context: str, name: str) -> None:
    assert name_from(context) == name
    assert checked_name(name) == name


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert name_from("prod", taken=["prod", "prod-2"]) == "prod-3"


@pytest.mark.parametrize("name", ["", "-a", "A", "a b", "x" * 41, "ä"])
def test_wrong_names(name: str) -> None:
    with pytest.raises(BadInput, match="cluster name"):
        checked_name(name)


@pytest.mark.django_db
def test_what_the_environment_names_is_registered_once() -> None:
    assert register(["one", "two"], in_cluster=True, now=NOW) == ["one", "two"]
    assert register(["one", "two"], in_cluster=True, now=NOW) == []
    remove_cluster("one", now=NOW)
    assert register(["one", "two"], in_cluster=True, now=NOW) == []


@pytest.mark.django_db
@pytest.mark.parametrize(("in_cluster", "names"), [(True, ["in-cluster"]), (False, [])])
def test_without_contexts_the_account_of_the_pod(in_cluster: bool, names: list[str]) -> None:
    assert register([], in_cluster=in_cluster, now=NOW) == names
    assert register([], in_cluster=in_cluster, now=NOW) == []


@pytest.mark.django_db
def test_a_name_is_taken_until_its_cluster_is_removed() -> None:
    add_cluster("one", source="kubeconfig", context="a", now=NOW)
    with pytest.raises(BadInput, match="taken"):
        add_cluster("one", source="kubeconfig", context="b", now=NOW)
    remove_cluster("one", now=NOW)
    assert add_cluster("one", source="kubeconfig", context="b", now=NOW).removed_at is None


def test_removing_keeps_history_and_drops_credentials(lease: Lease) -> None:
    Cluster.objects.update(reader_secret=b"sealed")
    write_batch(lease, Batch(delta=Delta(models=(status(),), starts=(start(1),))), now=NOW)
    ask([(ServedModel.objects.get(), "asked")], now=NOW)
    remove_cluster("one", now=NOW)
    assert ColdStart.objects.count() == 1
    assert not ModelInsight.objects.exists()
    assert not ServedModel.objects.present().exists()
    row = Cluster.objects.get()
    assert (bytes(row.reader_secret), row.removed_at) == (b"", NOW)


@pytest.mark.django_db
def test_another_cluster_of_a_removed_ones_name_inherits_nothing_secret() -> None:
    add_cluster("one", source="token", server="https://old:6443", ca_pem="old", now=NOW)
    Cluster.objects.update(
        actor_secret=b"sealed",
        model_keys={"chat/pilot": "c2VhbGVk"},
        gateway_url="https://old",
        allowed_hosts=["old"],
    )
    remove_cluster("one", now=NOW)
    row = add_cluster("one", source="in-cluster", now=NOW)
    row.refresh_from_db()
    assert (row.server, row.ca_pem, row.gateway_url) == ("", "", "")
    assert (bytes(row.actor_secret), row.model_keys, row.allowed_hosts) == (b"", {}, [])


@pytest.mark.django_db
def test_nobody_to_pause_or_remove() -> None:
    with pytest.raises(BadInput, match="no cluster"):
        pause_cluster("no", paused=True)
    with pytest.raises(BadInput, match="no cluster"):
        remove_cluster("no", now=NOW)
