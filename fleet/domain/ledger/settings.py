"""What a ledger is told from outside."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerSettings:
    """Label names and thresholds. Times in seconds.

    team_label, environment_label: on the model, else on its namespace; "" = off.
    keep_gone_s: how long a replica that is gone stays in memory, for late Events and the trigger of
    its successors.
    """

    team_label: str = "team"
    environment_label: str = "environment"
    keep_gone_s: float = 900.0
