"""What processes hold, as the kernel counts it: proportional set size, shared pages divided."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """The process and all that it started, and they."""
    children: dict[int, list[int]] = {}
    for found in Path("/proc").glob("[0-9]*"):
        parent = _parent(found)
        if parent is not None:
            children.setdefault(parent, []).append(int(found.name))
    all_of_them, ahead = [], [pid]
    while ahead:
        one = ahead.pop()
        all_of_them.append(one)
        ahead += children.get(one, [])
    return all_of_them


def _parent(process: Path) -> int | None:
    try:
        # The name before it may hold spaces and brackets.
        fields = (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1])


def pss_bytes(pid: int) -> int:
    """0 for a process that is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def command_line(pid: int) -> str:
    """Words with blanks between; "" for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""


def sum_mb(pids: Iterable[int]) -> float:
    """Of all together, in MB (10^6 bytes)."""
    return sum(pss_bytes(pid) for pid in pids) / 1e6
