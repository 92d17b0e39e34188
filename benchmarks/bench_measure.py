"""How many starts are measured a second: evidence to phases, and recorded messages to starts."""

import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import report
from fleet.adapters.kubernetes.parse.stream import Recording, lines_of
from fleet.domain.coldstart.evidence import Evidence, evidence_of
from fleet.domain.coldstart.measure import measure
from fleet.domain.ledger.ledger import Ledger

STREAMS = Path("tests/fixtures/streams")
RUNS = 200
AT_ONCE = 100
GROUP_OF = 4
# Every start in flight is measured again with each batch.
LEAST_A_SECOND = 2_000.0


def recorded() -> list[Evidence]:
    """What is kept of every replica in the recorded streams, at its end."""
    found: dict[str, Evidence] = {}
    for path in sorted(STREAMS.glob("*.jsonl.gz")):
        ledger, recording = Ledger("bench"), Recording()
        for message in recording.messages(lines_of(path)):
            ledger.apply(message)
        assert recording.last is not None
        for row in ledger.settle_all(now=recording.last).replicas:
            found[row.uid] = evidence_of(row.facts)
    return list(found.values())


def grouped(pods: Sequence[Evidence]) -> list[Evidence]:
    """Replicas of several pods each."""
    groups = [evidence_of({"version": 1, "uid": pod.uid}) for pod in pods]
    for at, (group, pod) in enumerate(zip(groups, pods, strict=True)):
        for name in Evidence.__slots__:
            setattr(group, name, getattr(pod, name))
        others = [pods[(at + n) % len(pods)] for n in range(1, GROUP_OF)]
        group.members = {other.uid: other for other in others}
    return groups


def ms_each(replicas: Sequence[Evidence]) -> list[float]:
    """Processor time of one measuring, in ms; each value is the mean of some."""
    values = []
    for run in range(RUNS):
        some = [replicas[(run * AT_ONCE + n) % len(replicas)] for n in range(AT_ONCE)]
        began = time.process_time()
        for evidence in some:
            measure(evidence, cluster="bench", now=evidence.looked + 1.0)
        values.append((time.process_time() - began) * 1000.0 / AT_ONCE)
    return values


def ms_each_from_messages() -> list[float]:
    """Processor time from a stream's lines to its starts, settled every 0.25 s, for each start."""
    values = []
    for path in sorted(STREAMS.glob("*.jsonl.gz")):
        texts = list(lines_of(path))
        began, starts = time.process_time(), _starts_of(texts)
        values.append((time.process_time() - began) * 1000.0 / max(1, starts))
    return values


def _starts_of(texts: Sequence[bytes]) -> int:
    ledger, recording, found = Ledger("bench"), Recording(), set[str]()
    settled = 0.0
    for message in recording.messages(texts):
        ledger.apply(message)
        if message.received_at.timestamp() - settled >= 0.25:
            settled = message.received_at.timestamp()
            found |= {s.replica_uid for s in ledger.settle(now=message.received_at).starts}
    return len(found)


def main() -> bool:
    """Every budget is the processor time that one start may take."""
    pods = recorded()
    budget = {"median": 1000.0 / LEAST_A_SECOND}
    oks = []
    for name, replicas in (("pods", pods), (f"groups of {GROUP_OF}", grouped(pods))):
        values = sorted(ms_each(replicas))
        a_second = 1000.0 / values[len(values) // 2]
        note = f"{a_second:.0f} starts a second and core"
        oks.append(report(f"measure: {name}", values, unit="ms a start", budget=budget, note=note))
    values = ms_each_from_messages()
    note = "reference: parsing, folding and every settling of a whole recording, a start"
    report("measure: recorded streams", values, unit="ms a start", budget={}, note=note)
    return all(oks)


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
