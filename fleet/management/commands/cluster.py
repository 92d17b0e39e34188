"""manage.py cluster add|test|list|gateway|remove: the clusters that are followed."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet import wiring
from fleet.errors import FleetError
from fleet.history import cluster_admin, clusters
from fleet.history.access import Deed
from fleet.models import Cluster
from fleet.ports import ClusterFacts


class Command(BaseCommand):
    """Thin: each verb calls one function."""

    help = "Add, test, list or remove the clusters that are followed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        add = verbs.add_parser("add", help="follow a context of the server's own kubeconfig")
        add.add_argument("context", nargs="?", default="", help="none: the in-cluster account")
        add.add_argument("--name", default="", help="else derived from the context")
        add.add_argument("--namespace", action="append", default=[], help="may be repeated")
        test = verbs.add_parser("test", help="connect and say what is served and what is missing")
        test.add_argument("name")
        verbs.add_parser("list", help="names, states, data age")
        gateway = verbs.add_parser("gateway", help="where its models are reached")
        gateway.add_argument("name")
        gateway.add_argument("url")
        remove = verbs.add_parser("remove", help="stop following; history is kept")
        remove.add_argument("name")

    def handle(self, *_: Any, verb: str, **options: Any) -> None:
        try:
            getattr(self, f"_{verb}")(**options)
        except FleetError as error:
            raise CommandError(str(error)) from error

    def _add(self, *, context: str, name: str, namespace: list[str], **_: Any) -> None:
        name = name or clusters.name_from(context or clusters.IN_CLUSTER)
        row = cluster_admin.add_by_context(name, context, _deed(), namespaces=namespace)
        self.stdout.write(f"added {row.name}: a worker follows it within seconds")

    def _test(self, *, name: str, **_: Any) -> None:
        self.stdout.write("\n".join(described(wiring.look_at(clusters.found(name)))))

    def _list(self, **_: Any) -> None:
        for row in Cluster.objects.present().order_by("name"):
            age_s = (
                (wiring.now() - row.last_proof_at).total_seconds() if row.last_proof_at else None
            )
            age = "never in step" if age_s is None else f"data age {age_s:.0f} s"
            self.stdout.write(f"{row.name}\t{row.source}\t{row.context}\t{row.state}\t{age}")

    def _gateway(self, *, name: str, url: str, **_: Any) -> None:
        cluster_admin.set_gateway(name, url, _deed())
        self.stdout.write(f"models of {name} are reached through {url}")

    def _remove(self, *, name: str, **_: Any) -> None:
        cluster_admin.remove(name, _deed())
        self.stdout.write(f"removed {name}: its history is kept")


def _deed() -> Deed:
    return Deed(by="manage.py", now=wiring.now())


def described(facts: ClusterFacts) -> list[str]:
    """The facts as lines for people."""
    versions = {
        "Kubernetes": facts.kubernetes,
        "KServe": facts.kserve,
        "Knative": facts.knative,
    }
    return [
        *(f"{name}: {version or 'not told'}" for name, version in versions.items()),
        *(f"served: {s.resource} ({s.api_version})" for s in facts.served),
        *(f"missing: {permission}: costs {costs}" for permission, costs in facts.missing),
    ]
