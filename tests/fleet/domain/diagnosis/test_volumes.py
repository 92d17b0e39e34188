# ruff: noqa: E501 - what programs say, as they say it
"""Disks that do not come."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    event,
    main,
    pod,
    running,
    status,
    waiting,
)

GPU_CONTAINER = [main()]


def pending(message: str, **more: Any) -> dict[str, Any]:
    return pod(created=1200, refused=message, containers=GPU_CONTAINER, **more)


def refused(message: str) -> dict[str, Any]:
    return event("FailedScheduling", message, first=1200, count=9, source="default-scheduler")


CASES = [
    case(
        "a disk hangs on another node",
        "volume-attach",
        bundle(
            pods=[
                pod(
                    statuses=[status("kserve-container", waiting("ContainerCreating"))], created=700
                )
            ],
            events=[
                event(
                    "FailedAttachVolume",
                    'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
                    count=4,
                ),
                event(
                    "FailedMount",
                    "Unable to attach or mount volumes: unmounted volumes=[kserve-pvc-source], unattached volumes=[]: timed out waiting for the condition",
                ),
            ],
        ),
        remedy="release-volume",
    ),
    case(
        "the claim is not bound",
        "volume-attach",
        bundle(
            pods=[
                pending(
                    "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
                )
            ]
        ),
    ),
    case(
        "a mount helper fails",
        "volume-attach",
        bundle(
            pods=[
                pod(
                    statuses=[status("kserve-container", waiting("ContainerCreating"))], created=700
                )
            ],
            events=[
                event(
                    "FailedMount",
                    'MountVolume.SetUp failed for volume "models" : mount failed: exit status 32 mount.nfs: Connection timed out',
                    count=6,
                )
            ],
        ),
    ),
    case(
        "a mount that failed before the pod was ready is past",
        "none",
        bundle(
            pods=[pod(ready=600, statuses=[status("kserve-container", running(900), ready=True)])],
            events=[event("FailedMount", 'MountVolume.SetUp failed for volume "x"', ago=3000)],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_volumes(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
