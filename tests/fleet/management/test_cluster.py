"""manage.py cluster and prune, against a hosted API server."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from fleet.models import AuditEntry, Cluster
from tests.hosted.fixtures import api, kubeconfig

__all__ = ["api", "kubeconfig"]

pytestmark = pytest.mark.django_db


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_added_tested_listed_removed(kubeconfig: Path, settings: Settings) -> None:
    settings.KUBECONFIG = str(kubeconfig)
    assert "added hosted" in said("cluster", "add", "hosted")
    tested = said("cluster", "test", "hosted")
    assert "Kubernetes: 1.36.2" in tested
    assert "missing: pods/log: costs engine phases" in tested
    assert "never in step" in said("cluster", "list")
    assert "history is kept" in said("cluster", "remove", "hosted")
    assert said("cluster", "list") == ""


def test_namespaces_and_a_name_of_ones_own() -> None:
    said("cluster", "add", "hosted", "--name", "mine", "--namespace", "a", "--namespace", "b")
    row = Cluster.objects.get()
    assert (row.name, row.context, row.namespaces) == ("mine", "hosted", ["a", "b"])


def test_the_account_of_the_pod() -> None:
    said("cluster", "add")
    assert Cluster.objects.get().source == "in-cluster"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("remove", "nobody"), "no cluster", id="nobody to remove"),
        pytest.param(("add", "x", "--name", "Not A Name"), "expected a to z", id="no name"),
        pytest.param(("test", "nobody"), "no cluster", id="nobody to test"),
        pytest.param(("gateway", "nobody", "http://g"), "no cluster", id="nobody's gateway"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[str, ...], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        said("cluster", *arguments)


@pytest.mark.parametrize(
    "url", ["gateway", "file:///etc", "http://[", "http://a:b@g", "http://g:x"]
)
def test_what_is_no_gateway(url: str) -> None:
    said("cluster", "add", "hosted")
    with pytest.raises(CommandError, match="expected an address"):
        said("cluster", "gateway", "hosted", url)


def test_whatever_is_done_is_in_the_audit() -> None:
    said("cluster", "add", "hosted")
    said("cluster", "gateway", "hosted", "https://gateway.example.com")
    said("cluster", "remove", "hosted")
    done = AuditEntry.objects.filter(who="manage.py", target="hosted").order_by("id")
    assert [entry.what for entry in done] == ["cluster-added", "cluster-gateway", "cluster-removed"]


def test_a_context_that_is_not_there_is_said(kubeconfig: Path, settings: Settings) -> None:
    settings.KUBECONFIG = str(kubeconfig)
    said("cluster", "add", "elsewhere")
    with pytest.raises(CommandError, match="elsewhere"):
        said("cluster", "test", "elsewhere")


def test_prune_says_what_went() -> None:
    assert "cold starts: 0 deleted" in said("prune")
