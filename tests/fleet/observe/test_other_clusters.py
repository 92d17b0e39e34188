"""One cluster away, the other goes on."""

from datetime import UTC, datetime

from dashboard.processes.broker import free_port
from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.reader import KubernetesReader
from fleet.history.clusters import add_cluster
from fleet.history.leases import claim
from fleet.models import Cluster, ServedModel
from tests.fleet.observe.conftest import Follow, Following
from tests.hosted.fixtures import wall_clock


def state(name: str) -> str:
    return Cluster.objects.get(name=name).state


def test_a_cluster_that_is_away_holds_up_no_other(follow: Follow) -> None:
    add_cluster("away", source="token", now=datetime.now(UTC))
    lease = claim("away", owner="test", now=datetime.now(UTC))
    assert lease is not None
    server = f"https://127.0.0.1:{free_port()}"
    reader = KubernetesReader(Access(server=server, token=lambda: "x"), clock=wall_clock)
    away, here = Following(reader, lease=lease, clock=wall_clock), follow()
    away.until(lambda: state("away") == "unreachable")
    here.until(lambda: state("hosted") == "live" and ServedModel.objects.count() == 2)
    away.turn_for(0.5)
    assert Cluster.objects.get(name="away").last_proof_at is None
    assert state("hosted") == "live"
    away.end()
