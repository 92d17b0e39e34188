"""The work of a request is not handed between the event loop and a thread."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.handlers.asgi import ASGIHandler

STATIC_FILES = "servestatic.middleware.ServeStaticMiddleware"


class Watched(ASGIHandler):
    """Notes which middleware Django runs on the event loop."""

    def adapt_method_mode(self, is_async: bool, *args: Any, **more: Any) -> Any:
        """As Django's; `name` is given for whole middleware only."""
        on_loop = self.__dict__.setdefault("on_loop", set())
        if is_async and more.get("name"):
            on_loop.add(more["name"].removeprefix("middleware "))
        return super().adapt_method_mode(is_async, *args, **more)


def test_only_what_stands_before_the_static_files_runs_on_the_event_loop() -> None:
    """Each hook of a middleware that could run either way would be a hop of its own there."""
    before = settings.MIDDLEWARE[: settings.MIDDLEWARE.index(STATIC_FILES) + 1]
    assert Watched().__dict__["on_loop"] == set(before)
    assert len(before) == 2
