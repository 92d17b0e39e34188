"""Looking at models: who is due, and one model a task. A bell wakes it; what no bell announced, the
next beat finds."""

import logging

from kombu.exceptions import OperationalError

from fleet import wiring_insights
from workers.celery import app

logger = logging.getLogger(__name__)

# Work that no worker took in this time is found again by the next beat.
EXPIRES_S = 5.0


@app.task
def sweep() -> None:
    """Whoever is due, worst first."""
    for insight in wiring_insights.models_to_look_at():
        look_at.apply_async((insight,), expires=EXPIRES_S, retry=False)


@app.task
def advise() -> None:
    """Note whose settings changed, or were never judged; the sweep takes them in their turn."""
    wiring_insights.note_advice()


@app.task
def look_at(insight: int) -> None:
    """Say what is wrong with one model and what could be better."""
    wiring_insights.look_at_model(insight)


def wake() -> None:
    """Ring when somebody asks for a look. Never raises: a lost bell costs two seconds."""
    try:
        sweep.apply_async(expires=EXPIRES_S, retry=False)
    except OperationalError as error:
        logger.warning("could not ring for=diagnose because=%s", type(error).__name__)
