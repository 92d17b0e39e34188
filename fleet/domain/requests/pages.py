"""Which metrics pages are read, when not all can be."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fleet.domain.requests.eras import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A metrics page of a pod. uid: the pod's. revision: a Knative Revision's name, "" = none.

    urgent: its pod starts or errs.
    """

    program: Program
    namespace: str
    pod: str
    uid: str
    port: int
    path: str = "/metrics"
    revision: str = ""
    urgent: bool = False

    @property
    def identity(self) -> tuple[str, int]:
        return self.uid, self.port


def chosen(
    pages: Iterable[Page], *, at_most: int, read_at: Mapping[tuple[str, int], float]
) -> list[Page]:
    """Those of the path all models share first, then urgent ones, then those read longest ago.

    read_at: when each was last read, by identity, in seconds since the epoch.
    """
    shared = (Program.ACTIVATOR, Program.INGRESS, Program.PICKER, Program.AUTOSCALER)
    ranked = sorted(
        pages,
        key=lambda page: (
            page.program not in shared,
            not page.urgent,
            read_at.get(page.identity, 0.0),
            page.identity,
        ),
    )
    return ranked[:at_most]
