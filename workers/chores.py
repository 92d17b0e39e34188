"""Small work in the background: what no bell announced, figures that age, what is past its time."""

import logging
from typing import Any

from celery.signals import worker_ready

from fleet import wiring, wiring_metrics
from workers import follow
from workers.celery import app

logger = logging.getLogger(__name__)


@app.task
def sweep() -> None:
    """A follower for each cluster that has none."""
    for cluster in wiring.clusters_without_follower():
        follow.enqueue(cluster)


@app.task
def refresh() -> None:
    """Figures that time alone changes."""
    wiring.refresh_figures()


@app.task
def count_starts() -> None:
    """Starts that are over, into counters and sums of days."""
    if counted := wiring.count_starts():
        logger.info("counted starts=%d", counted)


@app.task
def prune() -> None:
    """Delete what is past its time."""
    logger.info("pruned rows=%s", wiring.prune())


@app.task
def end_incidents() -> None:
    """Incidents of clusters whose metrics are not read any more."""
    if ended := wiring_metrics.end_unseen_incidents():
        logger.info("ended unseen incidents=%d", ended)


@app.task
def make_reports() -> None:
    """Reports of weeks that are over, each once, whichever worker comes first."""
    for week in wiring.make_due_reports():
        logger.info("made report week=%s", week)


@worker_ready.connect
def sweep_at_once(**_: Any) -> None:
    """A new worker begins without waiting for the first beat."""
    sweep.delay()
