"""How much work there is: waiting, running, tokens a second; from samples or from vLLM's own lines.

Source: vllm/v1/metrics/loggers.py; sglang, TGI and the endpoint picker name theirs differently.
"""

import re
from dataclasses import dataclass

from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.evidence import Pod, Sample
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.records import Piece
from fleet.domain.diagnosis.series import rate, seconds_between
from fleet.domain.diagnosis.texts import Text

WAITING = (
    "num_requests_waiting",
    "num_queue_reqs",
    "average_queue_size",
    "queue_size",
    "queue_depth",
)
RUNNING = ("num_requests_running", "num_running_reqs", "average_running", "batch_current_size")
CACHE = ("kv_cache_usage", "gpu_cache_usage", "kv_cache_utilization", "token_usage")
QUEUED = ("kn_revision_request_queued", "request_queued", "pending_requests", "rq_pending_active")
_TOKENS = ("generation_tokens_total", "iteration_tokens_total_count", "prompt_tokens_total")
_LINE = re.compile(
    r"avg prompt throughput: ([\d.]{1,12}) tokens/s, avg generation throughput: ([\d.]{1,12})"
    r" tokens/s, running: (\d{1,7}) reqs(?:, swapped: \d{1,7} reqs)?,"
    r" (?:waiting|pending): (\d{1,7}) reqs"
)
_FULL = 0.9
_LEAST_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """One of vLLM's lines: tokens a second, requests running and waiting."""

    text: Text
    tokens_s: float
    running: int
    waiting: int


def throughputs(case: Case) -> list[Throughput]:
    """vLLM's lines in their order."""
    found = []
    for each in case.all_texts:
        if each.where is Where.ENGINE and (match := _LINE.search(each.low[:600])) is not None:
            found.append(
                Throughput(
                    text=each,
                    tokens_s=float(match[1]) + float(match[2]),
                    running=int(match[3]),
                    waiting=int(match[4]),
                )
            )
    return found


def waiting(case: Case) -> float:
    """Requests that wait at the servers now."""
    lines = throughputs(case)
    sampled = case.series.total(*WAITING)
    return sampled if sampled is not None else float(lines[-1].waiting if lines else 0)


def running(case: Case) -> float:
    """Requests at work now."""
    lines = throughputs(case)
    sampled = case.series.total(*RUNNING)
    return sampled if sampled is not None else float(lines[-1].running if lines else 0)


def queued(case: Case) -> float:
    """Requests held before the pods: at the activator, or at a gateway."""
    return case.series.total(*QUEUED) or 0.0


def cache_share(case: Case) -> float | None:
    """The fullest cache, 0 to 1; None if nobody says."""
    found = case.series.most(*CACHE)
    if found is None:
        return None
    return found.value / 100 if found.value > 1.5 else found.value


def stalled_counters(case: Case) -> list[Sample]:
    """Counters of tokens or engine steps that did not move; [] if one did, or none is known."""
    pairs = [pair for pair in case.series.changes(*_TOKENS) if seconds_between(pair) >= _LEAST_S]
    rates = [rate(pair) for pair in pairs]
    if not pairs or any(each is not None and each > 0 for each in rates):
        return []
    return [last for _, last in pairs]


def moves(case: Case) -> bool:
    """Whether tokens come out, as far as one can see."""
    lines = throughputs(case)
    if lines:
        return lines[-1].tokens_s > 0
    pairs = case.series.changes(*_TOKENS)
    return any((rate(pair) or 0.0) > 0 for pair in pairs)


def is_busy(case: Case, pod: Pod | None = None) -> bool:
    """Whether servers work at what they can: much runs or waits, and tokens come out."""
    if stalled_counters(case):
        return False
    lines = throughputs(case)
    if lines and lines[-1].tokens_s == 0 and lines[-1].running > 0:
        return False
    share = cache_share(case)
    full = share is not None and share >= _FULL
    at_work = running(case)
    if pod is not None and not (at_work or lines):
        return False
    return waiting(case) > 0 or full or at_work >= 16 or _works_hard(case)


def _works_hard(case: Case) -> bool:
    utilisation = case.series.most("gpu_util", "gr_engine_active", "cpu_throttl")
    if utilisation is None:
        return False
    share = utilisation.value / 100 if utilisation.value > 1.5 else utilisation.value
    return share >= _FULL


def load_pieces(case: Case) -> tuple[Piece, ...]:
    """How busy it was, as evidence."""
    lines = throughputs(case)
    samples = case.series.latest(*WAITING, *RUNNING, *CACHE)
    return (*measured(samples), *quoted([each.text for each in lines[-1:]]))
