"""manage.py secret actor-token|model-key|reseal: secrets, most of which only the act worker opens.

Run where PILOTLIGHT_ACTOR_KEY is set. The secret comes by standard input, never by argument: others
on the host could read it there.
"""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet import wiring
from fleet.errors import FleetError

BY = "command line"


class Command(BaseCommand):
    """Thin: each verb calls one function."""

    help = (
        "Set (or, with empty input, remove) a cluster's actor token or a model's API key;"
        " reseal them all with the newest key."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        token = verbs.add_parser("actor-token", help="the token that changes a cluster")
        token.add_argument("cluster")
        key = verbs.add_parser("model-key", help="the API key that a model asks for")
        key.add_argument("cluster")
        key.add_argument("model", help="namespace/name")
        verbs.add_parser("reseal", help="seal all secrets with the first of the keys that are set")

    def handle(self, *_: Any, verb: str, cluster: str = "", model: str = "", **__: Any) -> None:
        if verb == "reseal":
            self._reseal()
            return
        secret = sys.stdin.read().strip()
        try:
            if verb == "actor-token":
                wiring.keep_actor_token(cluster, secret, by=BY)
            else:
                wiring.keep_model_key(cluster, model, secret, by=BY)
        except FleetError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("kept" if secret else "removed")

    def _reseal(self) -> None:
        changed, problems = wiring.reseal(by=BY)
        self.stdout.write(f"resealed {changed}")
        if problems:
            raise CommandError("; ".join(problems))
