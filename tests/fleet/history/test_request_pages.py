"""Which metrics pages the replicas of a cluster have."""

from fleet.domain.ledger.delta import Delta
from fleet.domain.records.keys import Mode
from fleet.domain.requests.eras import Program
from fleet.history.batch import Batch, write_batch
from fleet.history.leases import Lease
from fleet.history.request_pages import replica_pages
from fleet.models import ServedModel
from tests.fleet.history.samples import NOW, ago, replica, status


def kept(lease: Lease) -> None:
    pods = (replica(1), replica(2, ready=False), replica(3, gone_at=ago(minutes=1)))
    write_batch(lease, Batch(delta=Delta(models=(status(),), replicas=pods)), now=NOW)


def test_living_replicas_have_a_page_of_each_program(lease: Lease) -> None:
    kept(lease)
    pages = {(page.pod, page.program, page.port, page.urgent) for page in replica_pages("one")}
    assert pages == {
        ("pod-1", Program.VLLM, 8080, False),
        ("pod-1", Program.QUEUE_PROXY, 9091, False),
        ("pod-2", Program.VLLM, 8080, True),
        ("pod-2", Program.QUEUE_PROXY, 9091, True),
    }


def test_replicas_of_a_model_in_trouble_come_first(lease: Lease) -> None:
    kept(lease)
    ServedModel.objects.update(state="Degraded", mode=Mode.STANDARD)
    assert [page.urgent for page in replica_pages("one")] == [True, True]
