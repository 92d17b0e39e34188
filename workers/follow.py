"""Following clusters: one task for one cluster for some minutes."""

import logging
import os
import socket
import uuid

from kombu.exceptions import OperationalError

from fleet import wiring
from fleet.errors import LeaseLost
from workers.celery import app
from workers.stopping import stopping, until_stopped

logger = logging.getLogger(__name__)

DEADLINE_S = 300.0
# Work that no worker took in this time is found again by the sweep.
EXPIRES_S = 5.0


@app.task
def follow_cluster(cluster: str, deadline_s: float = DEADLINE_S) -> None:
    """Follow the cluster unless somebody does; then hand on to the next task.

    While there is no broker to hand on by, the task goes on itself.
    """
    while _follow(cluster, deadline_s) and not stopping():
        if enqueue(cluster, deadline_s):
            return


def _follow(cluster: str, deadline_s: float) -> bool:
    """Whether the cluster was followed to the deadline."""
    owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"
    with until_stopped() as over:
        try:
            return wiring.follow_cluster(cluster, owner=owner, deadline_s=deadline_s, over=over)
        except LeaseLost as error:
            logger.warning("stopped cluster=%s because=%s", cluster, error)
            return False


def enqueue(cluster: str, deadline_s: float = DEADLINE_S) -> bool:
    """Ask for a follower; False when the broker is away."""
    try:
        follow_cluster.apply_async((cluster, deadline_s), expires=EXPIRES_S, retry=False)
    except OperationalError as error:
        logger.warning("could not enqueue cluster=%s because=%s", cluster, type(error).__name__)
        return False
    return True
