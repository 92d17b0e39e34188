"""Reading metrics: one short task for one cluster, whenever whole windows are there."""

import logging

from kombu.exceptions import OperationalError

from fleet import wiring_metrics
from fleet.errors import LeaseLost
from workers.celery import app

logger = logging.getLogger(__name__)

# Work that no worker took in this time is found again by the sweep.
EXPIRES_S = 5.0


@app.task
def sweep() -> None:
    """A task for each cluster that has something new; errors that are too old are forgotten."""
    wiring_metrics.forget_old_errors()
    for cluster in wiring_metrics.clusters_to_sample():
        enqueue(cluster)


@app.task
def sample_cluster(cluster: str) -> None:
    """Read what is new of one cluster, unless somebody does."""
    try:
        wiring_metrics.sample_cluster(cluster)
    except LeaseLost as error:
        logger.warning("left cluster=%s because=%s", cluster, error)


def enqueue(cluster: str) -> None:
    """Ring for one cluster. Never raises: a lost bell costs a beat."""
    try:
        sample_cluster.apply_async((cluster,), expires=EXPIRES_S, retry=False)
    except OperationalError as error:
        logger.warning("could not enqueue cluster=%s because=%s", cluster, type(error).__name__)
