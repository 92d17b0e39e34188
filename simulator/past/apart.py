"""Clusters with a long past, each in a process of its own: they live through it side by side."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess

from simulator.world.kinds import plans_of
from simulator.world.papers import Options, Papers, write_papers
from simulator.world.run import Running
from simulator.world.world import WorldPlan

# Linux, <linux/prctl.h>: the signal that a process gets when its parent dies.
PR_SET_PDEATHSIG = 1
LOOK_EVERY_S = 0.2
END_WITHIN_S = 5.0


@dataclass(slots=True)
class Part:
    """One cluster's process, and where its papers come from once it is up."""

    process: ForkProcess
    papers: Connection


def run_apart(options: Options) -> None:
    """As simulator.world.run.run; ends as well, with an error, when one cluster's process ends."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    options.directory.mkdir(parents=True, exist_ok=True)
    described = options.directory / "simulated.json"
    described.unlink(missing_ok=True)
    (options.directory / "truth.jsonl").write_text("")
    options.begin_truths()
    try:
        with _parts(options) as parts:
            papers = [found for part in parts if (found := _papers(part, parts, stop))]
            if len(papers) == len(parts):
                write_papers(options, papers)
            while not stop.is_set():
                _all_run(parts)
    finally:
        described.unlink(missing_ok=True)


@contextmanager
def _parts(options: Options) -> Iterator[list[Part]]:
    """A process for each cluster; all of them have ended afterwards."""
    wanted = plans_of(options)
    parts: list[Part] = []
    try:
        for number, plan in enumerate(wanted):
            parts.append(_part(plan, options, number))
        yield parts
    finally:
        for part in parts:
            part.process.terminate()
        for part in parts:
            part.process.join(END_WITHIN_S)
            part.process.kill()
            part.process.join()


def _part(plan: WorldPlan, options: Options, number: int) -> Part:
    here, there = multiprocessing.Pipe(duplex=False)
    fork = multiprocessing.get_context("fork")
    name, asked = plan.settings.name, (plan, options, number, there, os.getpid())
    process = fork.Process(target=_live, args=asked, name=name)
    process.start()
    there.close()
    return Part(process, here)


def _papers(part: Part, parts: Sequence[Part], stop: threading.Event) -> Papers | None:
    """The papers of one cluster, when it is up; None when told to stop before."""
    while not stop.is_set():
        if part.papers.poll():
            papers: Papers = part.papers.recv()
            return papers
        _all_run(parts)
    return None


def _all_run(parts: Sequence[Part]) -> None:
    """Look a little while whether any of them ends."""
    sentinels = [part.process.sentinel for part in parts]
    if wait(sentinels, timeout=LOOK_EVERY_S):
        ended = [part.process.name for part in parts if not part.process.is_alive()]
        raise SystemExit(f"the process of {', '.join(ended)} ended")


def _live(plan: WorldPlan, options: Options, number: int, papers: Connection, parent: int) -> None:
    """In the cluster's own process, which ends with its parent."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with (options.directory / "truth.jsonl").open("a") as truth:
        running = Running(plan, options, truth)
        running.live_through_the_past()
        asyncio.run(_serve(running, number, options, papers))


async def _serve(running: Running, number: int, options: Options, papers: Connection) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    running.catch_up()
    await running.start(number, options.port_base)
    papers.send(running.papers())
    await stop.wait()
    await running.stop()
