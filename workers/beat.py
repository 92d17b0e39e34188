"""Beat as a thread of a worker: `celery worker --with-beat`.

Celery's own `-B` forks a process that holds nearly as much memory as the worker itself.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery import Celery
from celery.beat import Scheduler, Service
from celery.bootsteps import StartStopStep
from click import Option

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1
AGAIN_AFTER_S = 5.0


class Beat(threading.Thread):
    """Enqueues what is due until told to stop; after an error it begins anew."""

    def __init__(self, app: Celery) -> None:
        super().__init__(name="beat", daemon=True)
        self._app = app
        self._over = threading.Event()
        self._service: Service | None = None

    def run(self) -> None:
        """Until `stop`."""
        self._app.set_current()
        while not self._over.is_set():
            try:
                # Late beats are harmless: nothing is kept between runs.
                self._service = Service(
                    self._app, scheduler_cls=Scheduler, max_interval=LOOK_EVERY_S
                )
                self._service.start()
            except Exception:
                logger.exception("stopped beat=embedded again_in_s=%.0f", AGAIN_AFTER_S)
                self._over.wait(AGAIN_AFTER_S)

    def stop(self) -> None:
        """Ends within the interval of its looks; does not wait for it."""
        self._over.set()
        if self._service is not None:
            self._service.stop(wait=False)


class WithBeat(StartStopStep):
    """The worker's step that starts and stops the thread."""

    label = "Beat"

    def __init__(self, parent: Any, with_beat: bool = False, **options: Any) -> None:
        self.enabled = with_beat
        super().__init__(parent, **options)

    def create(self, parent: Any) -> Beat:  # type: ignore[override]  # the stubs say None
        """One thread for the worker; what Celery starts and stops."""
        return Beat(parent.app)


def install(app: Celery) -> None:
    """Give the worker command its option."""
    app.user_options["worker"].add(
        Option(("--with-beat",), is_flag=True, help="Run beat as a thread of this worker.")
    )
    app.steps["worker"].add(WithBeat)
