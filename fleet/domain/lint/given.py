"""A setting and where it comes from; a probe as declared."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")


class Origin(StrEnum):
    """Where a value was read. default: what the software does without being told, whatever the
    cluster's configuration says. assumed: what it ships with, where the ConfigMap that may say
    otherwise was not read."""

    OBJECT = "object"
    ANNOTATION = "annotation"
    RUNTIME = "runtime"
    CONFIG_MAP = "config-map"
    DEFAULT = "default"
    ASSUMED = "assumed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Given(Generic[T]):
    """value None: known to be absent, or, with origin unknown, not known. at: the object or field
    that says so."""

    value: T | None = None
    origin: Origin = Origin.UNKNOWN
    at: str = ""

    @property
    def known(self) -> bool:
        return self.origin is not Origin.UNKNOWN

    @property
    def absent(self) -> bool:
        """Known not to be there."""
        return self.known and self.value is None

    @property
    def certain(self) -> bool:
        """Known, and no other ConfigMap can make it otherwise."""
        return self.origin not in (Origin.UNKNOWN, Origin.ASSUMED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A probe; absent fields are Kubernetes' defaults. Source: kubernetes core/v1 Probe.

    how: http, tcp, grpc or exec. authorised: whether it sends an Authorization header.
    """

    how: str
    path: str = ""
    port: str = ""
    initial_delay_s: float = 0.0
    period_s: float = 10.0
    timeout_s: float = 1.0
    failures: int = 3
    authorised: bool = False

    @property
    def budget_s(self) -> float:
        """From the container's start to the kill, when it never succeeds."""
        return self.initial_delay_s + self.period_s * self.failures
