"""The Celery application: queues, schedule, and what keeps workers honest."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

from django.conf import settings  # noqa: E402 - its module has to be named before

from workers import beat  # noqa: E402
from workers.schedule import SCHEDULE  # noqa: E402

app = Celery(
    "pilotlight",
    include=[
        "workers.act",
        "workers.follow",
        "workers.sample",
        "workers.diagnose",
        "workers.chores",
    ],
)
app.conf.update(
    broker_url=settings.REDIS_URL or "memory://",
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        # Who rings is answering a person: a broker that is away must cost less than a second. By
        # default kombu tries again after 2 and 4 s, `retry=False` or not. Workers that lost the
        # broker try on by `broker_connection_retry`.
        "max_retries": 0,
        "socket_connect_timeout": 0.8,
        "socket_timeout": 30,
        "socket_keepalive": True,
        "health_check_interval": 15,
    },
    beat_schedule=SCHEDULE,
    task_default_queue="chores",
    task_routes={
        "workers.act.*": {"queue": "act"},
        "workers.diagnose.*": {"queue": "sample"},
        "workers.chores.*": {"queue": "chores"},
        "workers.follow.*": {"queue": "follow"},
        "workers.sample.*": {"queue": "sample"},
    },
    task_ignore_result=True,
    # Else one worker takes all clusters from the queue and the others stay idle.
    worker_disable_prefetch=True,
    # A running task follows its cluster all the same while the broker is away.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    task_send_sent_event=False,
    enable_utc=True,
    timezone="UTC",
)
beat.install(app)
