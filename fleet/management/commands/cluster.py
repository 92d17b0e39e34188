"""manage.py cluster add|test|list|gateway|set-metrics|test-metrics|remove: the clusters that are
followed."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet import wiring, wiring_metrics
from fleet.domain.requests.records import MetricsFacts
from fleet.errors import BadInput, FleetError
from fleet.history import cluster_admin, clusters
from fleet.history.access import Deed
from fleet.history.metrics_settings import MetricsPlace, set_metrics
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
        _add_metrics_arguments(verbs.add_parser("set-metrics", help="where requests are counted"))
        look = verbs.add_parser("test-metrics", help="ask, and say what can be told")
        look.add_argument("name")
        remove = verbs.add_parser("remove", help="stop following; history is kept")
        remove.add_argument("name")

    def handle(self, *_: Any, verb: str, **options: Any) -> None:
        try:
            getattr(self, f"_{verb.replace('-', '_')}")(**options)
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

    def _set_metrics(self, *, name: str, off: bool, **options: Any) -> None:
        place = MetricsPlace() if off else _place(**options)
        secret = {} if off else _secret(name=name, **options)
        sealed = None
        if secret is not None:
            sealed = wiring_metrics.sealed_metrics_secret(name, secret)
        set_metrics(name, place, sealed, _deed())
        self.stdout.write(f"metrics of {name} are {_read_from(place)}")

    def _test_metrics(self, *, name: str, **_: Any) -> None:
        facts = wiring_metrics.look_at_metrics(clusters.found(name))
        self.stdout.write("\n".join(metrics_described(facts)))

    def _remove(self, *, name: str, **_: Any) -> None:
        cluster_admin.remove(name, _deed())
        self.stdout.write(f"removed {name}: its history is kept")


def _add_metrics_arguments(parser: ArgumentParser) -> None:
    """Secrets come from files, never by argument: others on the host could read them there."""
    parser.add_argument("name")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--url", default="", help="of a Prometheus-compatible API")
    where.add_argument("--pages", action="store_true", help="no Prometheus: read pages of pods")
    where.add_argument("--off", action="store_true", help="metrics are not read any more")
    parser.add_argument("--bearer-file", type=Path, help="holds the token")
    parser.add_argument("--username", default="")
    parser.add_argument("--password-file", type=Path)
    parser.add_argument("--anonymous", action="store_true", help="forget the secret that is kept")
    parser.add_argument("--ca-file", type=Path, help="PEM")
    parser.add_argument("--header", action="append", default=[], help="NAME=VALUE, as a tenant's")


def _place(
    *, url: str, pages: bool, ca_file: Path | None, header: list[str], **_: Any
) -> MetricsPlace:
    pairs = [line.partition("=") for line in header]
    return MetricsPlace(
        url=url,
        pages=pages,
        ca_pem=_text(ca_file) if ca_file else "",
        headers={name.strip(): value.strip() for name, _, value in pairs},
    )


def _secret(
    *,
    bearer_file: Path | None,
    username: str,
    password_file: Path | None,
    anonymous: bool,
    **_: Any,
) -> dict[str, str] | None:
    """None = the one that is kept."""
    if bearer_file:
        return {"bearer": _text(bearer_file).strip()}
    if bool(username) != bool(password_file):
        raise BadInput("--username and --password-file go together")
    if password_file:
        return {"username": username, "password": _text(password_file).strip()}
    return {} if anonymous else None


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({type(error).__name__})") from error


def _read_from(place: MetricsPlace) -> str:
    if place.url:
        return f"read from {place.url}"
    return "read from the pages of its pods" if place.pages else "not read"


def metrics_described(facts: MetricsFacts) -> list[str]:
    """What metrics can tell, as lines for people."""
    found = {
        "source": f"{facts.source} {facts.version}".strip(),
        "Knative's names": facts.era.value,
        "queue-proxy": facts.queue_proxy,
        "ingress": facts.ingress,
        "endpoint picker": facts.picker,
        "vLLM": facts.vllm,
        "told apart": ", ".join(sorted(hop.value for hop in facts.told)),
    }
    return [
        *(f"{name}: {value or 'none'}" for name, value in found.items()),
        *(f"to do: {advice.code}" + _rolls(advice.rolls_pods) for advice in facts.advice),
    ]


def _rolls(rolls_pods: bool) -> str:
    return " (restarts every model pod)" if rolls_pods else ""


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
