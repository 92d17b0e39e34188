"""manage.py cluster set-metrics: where requests are counted."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from fleet.domain.requests.records import Advice, Era, Hop, MetricsFacts
from fleet.management.commands.cluster import metrics_described
from fleet.models import AuditEntry, Cluster
from fleet.wiring import now, reader_ring

pytestmark = pytest.mark.django_db
URL = "https://prometheus.example.com"


@pytest.fixture(autouse=True)
def cluster() -> Cluster:
    return Cluster.objects.create(name="one", context="one", created_at=now())


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("cluster", "set-metrics", "one", *arguments, stdout=out)
    return out.getvalue()


def secret() -> str:
    sealed = bytes(Cluster.objects.get().metrics_secret)
    return reader_ring().open(sealed, about="cluster/one/metrics") if sealed else ""


def test_a_token_is_kept_encrypted(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("s3cret\n")
    text = said("--url", URL, "--bearer-file", str(tmp_path / "token"), "--header", "X-Org=a=b")
    assert text == f"metrics of one are read from {URL}\n"
    row = Cluster.objects.get()
    assert (row.metrics_url, row.metrics_headers) == (URL, {"X-Org": "a=b"})
    assert b"s3cret" not in bytes(row.metrics_secret)
    assert secret() == '{"bearer": "s3cret"}'
    assert "s3cret" not in str(AuditEntry.objects.values())


def test_a_secret_is_kept_until_it_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("pw")
    said("--url", URL, "--username", "me", "--password-file", str(tmp_path / "password"))
    said("--url", f"{URL}/prefix")
    assert secret() == '{"username": "me", "password": "pw"}'
    said("--url", URL, "--anonymous")
    assert secret() == ""


def test_pages_and_off() -> None:
    assert "pages of its pods" in said("--pages")
    assert Cluster.objects.get().metrics_pages
    assert "not read" in said("--off")
    assert not Cluster.objects.get().metrics_pages


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param((), "one of the arguments", id="nothing said"),
        pytest.param(("--url", "prometheus"), "expected an address", id="no address"),
        pytest.param(("--url", URL, "--username", "me"), "go together", id="half a name"),
        pytest.param(("--url", URL, "--bearer-file", "/no/such"), "cannot be read", id="no file"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[str, ...], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        said(*arguments)


def test_what_metrics_can_tell_in_lines() -> None:
    facts = MetricsFacts(
        source="prometheus",
        asked_at=now(),
        version="2.42",
        era=Era.OPENTELEMETRY,
        told=frozenset({Hop.ACTIVATOR, Hop.INGRESS}),
        advice=(Advice(code="request-metrics-off", rolls_pods=True),),
    )
    lines = metrics_described(facts)
    assert lines[0] == "source: prometheus 2.42"
    assert "told apart: activator, ingress" in lines
    assert lines[-1] == "to do: request-metrics-off (restarts every model pod)"
