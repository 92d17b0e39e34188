"""Rows, one file per noun with its QuerySet. Only `fleet.history` writes them."""

from fleet.models.access import ApiToken, Membership, OneTimeLink
from fleet.models.action import Action, ActionStep, AuditEntry, Plan
from fleet.models.cluster import Cluster, ObservedObject, WatchPosition
from fleet.models.cold_start import ColdStart
from fleet.models.events import Gap, ProbeFailure, ScaleEvent
from fleet.models.incident import Incident
from fleet.models.insight import ModelInsight
from fleet.models.report import Report
from fleet.models.requests import RequestHour
from fleet.models.served_model import NotTaken, ServedModel
from fleet.models.start_counts import StartDay, StartTally
from fleet.models.workload import Replica, Revision

__all__ = [
    "Action",
    "ActionStep",
    "ApiToken",
    "AuditEntry",
    "Cluster",
    "ColdStart",
    "Gap",
    "Incident",
    "Membership",
    "ModelInsight",
    "NotTaken",
    "ObservedObject",
    "OneTimeLink",
    "Plan",
    "ProbeFailure",
    "Replica",
    "Report",
    "RequestHour",
    "Revision",
    "ScaleEvent",
    "ServedModel",
    "StartDay",
    "StartTally",
    "WatchPosition",
]
