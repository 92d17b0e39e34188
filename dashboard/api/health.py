"""`/healthz` and `/readyz`: ok or not, no names; the only answers that need no sign-in."""

from __future__ import annotations

import logging

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

logger = logging.getLogger(__name__)


class Readiness:
    """Whether the migrations ran: looked up until they did, then kept, since they stay."""

    migrated = False

    def is_ready(self) -> bool:
        """True when the database answers and holds the tables of this release."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        if not self.migrated:
            executor = MigrationExecutor(connection)
            self.migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        return self.migrated


readiness = Readiness()


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    """200 when requests can be served, else 503."""
    try:
        ready = readiness.is_ready()
    except DatabaseError as error:
        logger.warning("not ready error=%s", type(error).__name__)
        ready = False
    return HttpResponse(
        "ok\n" if ready else "not ready\n", content_type="text/plain", status=200 if ready else 503
    )
