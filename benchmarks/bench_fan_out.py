"""500 viewers of the fleet page on one web process: from a changed row and its ring to the message
at each viewer. The viewers live in this process, the web server in another."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import time
from collections.abc import Mapping, Sequence

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.broker import broker
from benchmarks.common import load_now, report
from benchmarks.web import Web, web
from fleet.adapters.redis.announcer import RedisAnnouncer

VIEWERS = 500
ROUNDS = 20
WARM_UP = 3
# Longer than the hub's pause after a change, so that each round is a first change.
BETWEEN_S = 0.7
ROUND_LIMIT_S = 30.0
AT_ONCE = 25
CHANGED = "bench-0"


class Crowd:
    """The viewers; notes when each saw the mark of the present round."""

    def __init__(self) -> None:
        self.sockets: list[ClientConnection] = []
        self.readers: list[asyncio.Task[None]] = []
        self.mark = ""
        self.seen_at: dict[int, float] = {}
        self.bytes_last = 0
        self.all_seen = asyncio.Event()

    async def come(self, served: Web, addresses: Sequence[str]) -> None:
        """Connect, a few at a time, each having asked for what its page lacks."""
        for first in range(0, len(addresses), AT_ONCE):
            some = addresses[first : first + AT_ONCE]
            self.sockets += await asyncio.gather(*(self._enter(served, path) for path in some))
        for number, socket in enumerate(self.sockets):
            self.readers.append(asyncio.create_task(self._read(number, socket)))

    async def _enter(self, served: Web, path: str) -> ClientConnection:
        address = served.url.replace("http://", "ws://") + path
        socket = await connect(
            address,
            additional_headers={"Cookie": served.cookie},
            origin=served.url,  # type: ignore[arg-type]
            max_size=None,
            compression=None,
            ping_interval=None,
        )
        await socket.send(json.dumps({"have": {}, "language": "en"}))
        await socket.recv()
        return socket

    async def _read(self, number: int, socket: ClientConnection) -> None:
        async for message in socket:
            at = time.perf_counter()
            text = message if isinstance(message, str) else message.decode()
            if self.mark and self.mark in text and number not in self.seen_at:
                self.seen_at[number] = at
                self.bytes_last = len(text)
                if len(self.seen_at) == len(self.sockets):
                    self.all_seen.set()

    async def wait_for(self, mark: str) -> None:
        """From now on look for that mark."""
        self.mark, self.seen_at = mark, {}
        self.all_seen = asyncio.Event()

    async def leave(self) -> None:
        """Close all."""
        for reader in self.readers:
            reader.cancel()
        await asyncio.gather(*(socket.close() for socket in self.sockets))


async def rounds_ms(served: Web, redis_url: str, addresses: Sequence[str]) -> list[float]:
    """Milliseconds of each viewer and round; a message that never came ends the benchmark."""
    crowd, announcer = Crowd(), RedisAnnouncer(redis_url)
    rows = sqlite3.connect(served.environ["DATABASE_URL"].removeprefix("sqlite:///"), timeout=20)
    await crowd.come(served, addresses)
    taken: list[float] = []
    for number in range(WARM_UP + ROUNDS):
        await asyncio.sleep(BETWEEN_S)
        mark = f"bench tick {number}"
        await crowd.wait_for(mark)
        change(rows, mark)
        began = time.perf_counter()
        announcer.changed(cluster=CHANGED, keys=[f"{CHANGED}/InferenceService/x/y"])
        await asyncio.wait_for(crowd.all_seen.wait(), ROUND_LIMIT_S)
        if number >= WARM_UP:
            taken += [(at - began) * 1000 for at in crowd.seen_at.values()]
    await crowd.leave()
    rows.close()
    return taken


def change(rows: sqlite3.Connection, mark: str) -> None:
    """The worst model, which stands first on everybody's page, gives another reason."""
    with rows:
        rows.execute(
            "UPDATE fleet_servedmodel SET state_code = ?, version = version + 1 WHERE id = "
            "(SELECT id FROM fleet_servedmodel ORDER BY rank, cluster, namespace, name LIMIT 1)",
            (mark.replace(" ", "-"),),
        )


def measured(
    name: str, addresses: Sequence[str], *, models: int, budget: Mapping[str, float]
) -> bool:
    """One figure, on a web process of its own."""
    with broker() as redis_url, web(models=models, redis_url=redis_url) as served:
        taken = asyncio.run(rounds_ms(served, redis_url, addresses))
        load = load_now()
    note = f"{len(addresses)} viewers x {ROUNDS} changes, {models} models in SQLite"
    return report(name, taken, unit="ms", budget=budget, note=note, load=load)


def main() -> bool:
    """All figures; whether they keep to their budgets."""
    alike = ["/ws/fleet/"] * VIEWERS
    # Eight pages that differ in their filters, so eight looks at the rows a change.
    differing = [f"/ws/fleet/?q={'model-0'[: number % 8]}" for number in range(VIEWERS)]
    return all(
        [
            measured("fan-out to 500 viewers", alike, models=24, budget={"p99": 300}),
            measured("fan-out to 500 viewers of 8 pages", differing, models=24, budget={}),
            measured("fan-out to 500 viewers, 5,000 models", alike, models=5000, budget={}),
        ]
    )


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
