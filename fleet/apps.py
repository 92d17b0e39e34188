"""The fleet as a Django app."""

from django.apps import AppConfig


class FleetConfig(AppConfig):
    """What the fleet is, was and should be."""

    name = "fleet"
    verbose_name = "Fleet"
