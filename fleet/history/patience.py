"""A batch written in spite of a database that is busy or away for a while."""

import logging
from collections.abc import Callable
from datetime import datetime

from django.db import OperationalError, connection

from fleet.history.batch import Batch, write_batch
from fleet.history.leases import Lease
from fleet.ports import StopFlag

logger = logging.getLogger(__name__)

TRIES = 5
WAIT_S = 0.5


def write_patiently(
    lease: Lease, batch: Batch, *, clock: Callable[[], datetime], stop: StopFlag
) -> tuple[str, ...]:
    """`write_batch`, again while the database is locked or lost. The last failure is raised: the
    next follower starts from what is written, and reads the rest again from the cluster."""
    for attempt in range(1, TRIES):
        try:
            return write_batch(lease, batch, now=clock())
        except OperationalError as error:
            logger.warning("retried a batch cluster=%s because=%s", lease.cluster, error)
            connection.close_if_unusable_or_obsolete()
            if stop.wait(WAIT_S * attempt):
                break
    return write_batch(lease, batch, now=clock())
