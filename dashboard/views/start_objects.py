"""What is kept of a start's objects, as YAML without secrets.

Values of environment variables never reach the database; texts are redacted once more here, for
arguments may carry keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext_lazy as _

from dashboard.words import Words
from fleet.domain.enginelog.redact import redacted
from fleet.domain.records.keys import Resource
from fleet.models import Cluster, ColdStart, ObservedObject

LONGEST_TEXT = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptText:
    """One object. text: YAML."""

    title: Words
    name: str
    text: str


TITLES: Mapping[str, Words] = {
    Resource.PODS: _("Pod"),
    Resource.REVISIONS: _("Revision"),
    Resource.REPLICA_SETS: _("ReplicaSet"),
    Resource.LEADER_WORKER_SETS: _("LeaderWorkerSet"),
    Resource.INFERENCE_SERVICES: _("InferenceService"),
    Resource.LLM_INFERENCE_SERVICES: _("LLMInferenceService"),
}


def kept_objects(start: ColdStart, cluster: Cluster | None) -> list[KeptText]:
    """The pod, its revision and its model, as far as they live: what is gone has left facts only,
    and those are on the page. One query."""
    uids = [uid for uid in (start.replica_uid, start.revision_uid, start.model_uid) if uid]
    if cluster is None:
        return []
    # Whose an object is it says itself: what it names in another namespace is not shown.
    rows = ObservedObject.objects.filter(
        cluster=cluster, namespace=start.namespace, resource__in=TITLES, uid__in=uids
    )
    found = sorted(rows, key=lambda row: uids.index(row.uid))
    return [
        KeptText(title=TITLES[row.resource], name=row.name, text=as_yaml(row.record))
        for row in found
    ]


def as_yaml(record: str) -> str:
    """A kept record, bare of what says nothing and of what may be secret; bounded."""
    try:
        plain = json.loads(record)
    except ValueError:
        return ""
    text = yaml.safe_dump(_bare(plain), sort_keys=False, allow_unicode=True, width=100)
    return text[:LONGEST_TEXT]


def _bare(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(_members(value))
    if isinstance(value, list):
        return [_bare(each) for each in value]
    return redacted(value) if isinstance(value, str) else value


def _members(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, member in value.items():
        if member not in (None, "", [], {}, False):
            yield name, _bare(member)
