"""The act worker: the only one that holds the actor's credentials. A bell wakes it; what no bell
announced, the sweep finds."""

import logging
import os
import socket
import uuid
from typing import TYPE_CHECKING

from kombu.exceptions import OperationalError

from fleet import wiring
from fleet.errors import FleetError
from workers.celery import app

if TYPE_CHECKING:
    from celery import Task

logger = logging.getLogger(__name__)

# Work that no worker took in this time is found again by the sweep.
EXPIRES_S = 5.0


@app.task
def preview_plan(plan_id: str) -> None:
    """Make one plan planned or refused."""
    wiring.preview_plan(plan_id, worker=_worker())


@app.task
def advance_action(action_id: str) -> None:
    """Do what is due for one action."""
    try:
        wiring.advance_action(action_id, worker=_worker())
    except FleetError as error:
        logger.warning("could not advance action=%s because=%s", action_id, error)


@app.task
def sweep() -> None:
    """Plans and actions that are waiting, whoever asked for them."""
    for plan_id in wiring.waiting_plans():
        wake_plan(plan_id)
    for action_id in wiring.waiting_actions():
        wake_action(action_id)


def wake_plan(plan_id: str) -> None:
    """Ring for a plan that was just asked for. Never raises: a lost bell costs a second."""
    _ring(preview_plan, plan_id)


def wake_action(action_id: str) -> None:
    """Ring for an action that is due. Never raises: a lost bell costs a second."""
    _ring(advance_action, action_id)


def _ring(task: "Task[[str], None]", id_: str) -> None:
    try:
        task.apply_async((id_,), expires=EXPIRES_S, retry=False)
    except OperationalError as error:
        logger.warning("could not ring for=%s because=%s", id_, type(error).__name__)


def _worker() -> str:
    """A name that no other task bears, so that claims tell who holds them."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"
