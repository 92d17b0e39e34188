"""Two small threads beside the readers: the pulse, and the first look at the cluster."""

import logging
import time
from collections.abc import Sequence

from fleet.errors import FleetError
from fleet.observe.backoff import wait_s
from fleet.observe.reading import Surroundings
from fleet.observe.trouble import code_of

logger = logging.getLogger(__name__)

PULSE_EVERY_S = 5.0


def keep_pulse(around: Surroundings) -> None:
    """Ask the server for the smallest thing every few seconds, until stopped. Never raises."""
    while not around.stop.is_set():
        began = time.monotonic()
        try:
            around.reader.pulse()
        except FleetError as error:
            around.board.unanswered(trouble=code_of(error), detail=str(error))
        except Exception as error:
            logger.exception("failed pulse")
            around.board.unanswered(trouble="failed", detail=type(error).__name__)
        else:
            took_s = time.monotonic() - began
            around.board.answered(at=around.clock(), took_s=took_s)
        around.stop.wait(PULSE_EVERY_S)


def look_once(around: Surroundings, *, namespaces: Sequence[str]) -> None:
    """Look at the cluster until it was possible once; the facts go to the inbox. Never raises."""
    failures = 0
    while not around.stop.is_set():
        try:
            around.inbox.put(around.reader.look(namespaces=namespaces), stop=around.stop)
        except FleetError as error:
            logger.info("could not look because=%s", error)
        except Exception:
            logger.exception("failed look")
        else:
            return
        failures += 1
        around.stop.wait(wait_s(failures))
