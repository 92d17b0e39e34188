"""Builds what collects a model's objects, and hands it to the use case that diagnoses."""

from functools import lru_cache

from django.conf import settings

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.collect import KubernetesCollector
from fleet.models import Cluster
from fleet.observe import diagnosing
from fleet.ports import ObjectCollector
from fleet.wiring import announcer, now, reader_access

# Connections, and settings of controllers, that are kept between looks.
COLLECTORS = 100


def models_to_look_at() -> list[int]:
    """Insights that are due on followed clusters, worst first, a few a cluster."""
    return diagnosing.mark_due(_followed(), now=now())


def note_advice() -> None:
    """Whose settings are to be judged, on followed clusters."""
    diagnosing.mark_advice(_followed(), now=now())


def _followed() -> list[str]:
    return list(Cluster.objects.followed().values_list("name", flat=True))


def look_at_model(insight: int) -> bool:
    """Look at one model, if nobody does."""
    tools = diagnosing.Tools(
        clock=now,
        collector=collector_of,
        announcer=announcer(),
        profile_label=settings.PROFILE_LABEL,
    )
    return diagnosing.look_at(insight, tools)


def collector_of(cluster: str) -> ObjectCollector:
    """Reads what belongs to one model, with the reader's credentials."""
    row = Cluster.objects.present().get(name=cluster)
    return _collector(row.name, row.context, row.server, bytes(row.reader_secret))


@lru_cache(maxsize=COLLECTORS)
def _collector(name: str, context: str, server: str, secret: bytes) -> KubernetesCollector:
    """One for each way to reach a cluster."""
    access: Access = reader_access(Cluster.objects.present().get(name=name))
    return KubernetesCollector(access, clock=now)
