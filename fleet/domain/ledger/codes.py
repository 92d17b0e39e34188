"""Closed sets of codes that the ledger speaks in. Their texts are made at the edge."""

from enum import StrEnum


class StateCode(StrEnum):
    """Why a model is in its state. Parameters of each in brackets."""

    STOPPED = "stopped"  # []
    START_FAILED = "start-failed"  # [class, reason, phase, replica, trigger]
    REPLICA_REFUSED = "replica-refused"  # [reason]: no pod could be made (quota, webhook)
    PAST_DEADLINE = "past-deadline"  # [reason]: declared failed, and no pod left
    REVISION_FAILED = "revision-failed"  # [revision, reason]: none that could serve, all at zero
    STARTING = "starting"  # [trigger, phase, replicas]
    NO_REPLICA_YET = "no-replica-yet"  # [desired]
    NOT_MADE = "not-made"  # [reason]: the controller refuses to make anything of it
    NOT_MADE_YET = "not-made-yet"  # []: nothing was made of it yet
    FAILED_START_BESIDE = "failed-start-beside"  # as START_FAILED, while others serve
    MOSTLY_ERRORS = "mostly-errors"  # [share, lost, requests]: of the last five minutes
    SOME_ERRORS = "some-errors"  # as MOSTLY_ERRORS
    READY = "ready"  # [ready, desired]
    ASLEEP = "asleep"  # []: a request wakes it
    AT_ZERO = "at-zero"  # []: no request wakes it


class NotTakenRule(StrEnum):
    """Which rule kept a service from being taken for vLLM."""

    COMMAND_OVERRIDDEN = "command-overridden"  # LLMInferenceService whose main runs something else
    OTHER_RUNTIME = "other-runtime"  # its runtime names another server type
    OTHER_BACKEND = "other-backend"  # huggingfaceserver told to use plain transformers
    NO_SIGN = "no-sign"  # neither runtime, image nor command line speaks of vLLM
    NOTHING_SEEN = "nothing-seen"  # no container to judge by


class Cause(StrEnum):
    """Why a wish changed."""

    DEMAND = "demand"
    MIN_CHANGE = "min-change"
    ROLLOUT = "rollout"
    MANUAL = "manual"
    IDLE = "idle"
    GAVE_UP = "gave-up"
    UNKNOWN = "unknown"
