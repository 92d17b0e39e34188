"""A hosted API server with recorded objects, and readers of it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.reader import KubernetesReader
from fleet.ports import Clock
from simulator.api.hosted import HostedApi
from tests.hosted.loading import load

Read = Callable[..., KubernetesReader]


def wall_clock() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def api() -> Iterator[HostedApi]:
    """One Knative model that loads, one LLMInferenceService at zero."""
    with HostedApi() as hosted:
        load(hosted, "loading")
        load(hosted, "llm_at_zero")
        yield hosted


@pytest.fixture
def kubeconfig(api: HostedApi, tmp_path: Path) -> Path:
    """Contexts hosted (viewer), hosted-admin."""
    return api.kubeconfig(tmp_path / "kubeconfig", users=("viewer", "admin"))


@pytest.fixture
def read(kubeconfig: Path) -> Iterator[Read]:
    """Makes readers by context; all are closed at the end."""
    made: list[KubernetesReader] = []

    def make(context: str = "hosted", *, clock: Clock = wall_clock) -> KubernetesReader:
        access = Access(context=context, kubeconfig=str(kubeconfig))
        made.append(KubernetesReader(access, clock=clock))
        return made[-1]

    yield make
    for reader in made:
        reader.close()
