"""Where a cluster's metrics are read, as admins say it."""

from collections.abc import Mapping

import pytest

from fleet.errors import BadInput
from fleet.history.access import Deed
from fleet.history.clusters import remove_cluster
from fleet.history.metrics_settings import MetricsPlace, set_metrics
from fleet.models import AuditEntry, Cluster
from tests.fleet.history.samples import NOW

DEED = Deed(by="admin", now=NOW)
PLACE = MetricsPlace(
    url="https://prometheus.example.com/prefix/", headers={"X-Scope-OrgID": "team-a"}
)


def kept() -> Cluster:
    return Cluster.objects.get(name="one")


@pytest.mark.usefixtures("cluster")
def test_the_place_is_kept_and_its_host_may_be_called() -> None:
    Cluster.objects.update(metrics={"source": "pages"}, metric_era="opencensus")
    set_metrics("one", PLACE, b"sealed", DEED)
    row = kept()
    assert row.metrics_url == "https://prometheus.example.com/prefix"
    assert (row.metrics_headers, row.allowed_hosts) == (
        {"X-Scope-OrgID": "team-a"},
        ["prometheus.example.com"],
    )
    assert (bytes(row.metrics_secret), row.metrics, row.metric_era) == (b"sealed", {}, "")


@pytest.mark.usefixtures("cluster")
def test_the_audit_trail_tells_no_secret() -> None:
    set_metrics("one", PLACE, b"sealed", DEED)
    entry = AuditEntry.objects.get()
    assert (entry.who, entry.what, entry.target) == ("admin", "cluster-metrics", "one")
    assert entry.after == {
        "url": "https://prometheus.example.com/prefix",
        "pages": False,
        "headers": ["X-Scope-OrgID"],
        "secret": True,
    }


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    ("url", "secret"),
    [
        pytest.param("https://prometheus.example.com/other", b"sealed", id="same server"),
        pytest.param("https://evil.example.com", b"", id="another server is not sent it"),
        pytest.param("http://prometheus.example.com", b"", id="nor is it sent in clear"),
        pytest.param("https://prometheus.example.com:9091", b"", id="nor to another port"),
        pytest.param("", b"", id="without a server there is none"),
    ],
)
def test_a_secret_stays_with_its_server(url: str, secret: bytes) -> None:
    set_metrics("one", PLACE, b"sealed", DEED)
    set_metrics("one", MetricsPlace(url=url), None, DEED)
    assert bytes(kept().metrics_secret) == secret


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    ("url", "headers", "says"),
    [
        pytest.param("prometheus:9090", {}, "expected an address", id="no scheme"),
        pytest.param("https://me:pw@host", {}, "expected an address", id="credentials in it"),
        pytest.param("https://host/api/v1", {}, "expected an address", id="the API's own path"),
        pytest.param("https://host/?q=1", {}, "expected an address", id="a query"),
        pytest.param("https://[host", {}, "expected an address", id="a broken bracket"),
        pytest.param("https://host", {"Authorization": "x"}, "kept encrypted", id="a token"),
        pytest.param("https://host", {"X-A": "a\r\nHost: b"}, "plain value", id="two lines"),
        pytest.param("https://host", {"X A": "a"}, "plain value", id="a blank in a name"),
    ],
)
def test_what_is_refused(url: str, headers: Mapping[str, str], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        set_metrics("one", MetricsPlace(url=url, headers=headers), b"", DEED)
    assert not AuditEntry.objects.exists()


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    "pem",
    [
        pytest.param("nonsense", id="no PEM"),
        pytest.param(
            "-----BEGIN CERTIFICATE-----\nzzz\n-----END CERTIFICATE-----", id="PEM of nothing"
        ),
    ],
)
def test_a_ca_that_is_none_is_refused(pem: str) -> None:
    with pytest.raises(BadInput, match="CA of the metrics"):
        set_metrics("one", MetricsPlace(url="https://host", ca_pem=pem), b"", DEED)


@pytest.mark.usefixtures("cluster")
def test_a_removed_cluster_keeps_no_way_to_its_metrics() -> None:
    set_metrics("one", PLACE, b"sealed", DEED)
    remove_cluster("one", now=NOW)
    row = kept()
    assert (row.metrics_url, bytes(row.metrics_secret), row.metrics_headers) == ("", b"", {})
