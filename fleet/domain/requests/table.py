"""What moved for one subject in consecutive windows, and sums over it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from fleet.domain.requests.moves import Move, Moves, Role, Way


@dataclass(slots=True)
class Table:
    """The moves of one subject in consecutive windows: a column of counts for each kind."""

    length: int
    columns: dict[Move, list[int]] = field(default_factory=dict)

    def column_of(self, move: Move) -> list[int]:
        """Counts of one kind of call, to be added to: two series of one kind add up."""
        column = self.columns.get(move)
        if column is None:
            column = self.columns[move] = [0] * self.length
        return column

    def column(
        self, role: Role, *, code: int | None = None, way: Way | None = None, failed: bool = False
    ) -> list[int]:
        """What a role counted, summed over what is not asked for; failed: only without a status."""
        columns = [
            counts
            for move, counts in self.columns.items()
            if move.role is role
            and (way is None or move.way is way)
            and (code is None or move.code == code)
            and not (failed and move.code)
        ]
        if len(columns) == 1:
            return list(columns[0])
        return [sum(counts) for counts in zip(*columns, strict=True)] or [0] * self.length

    def has(self, roles: Collection[Role]) -> bool:
        """Whether any of these roles counted anything here."""
        return any(move.role in roles for move in self.columns)

    def codes(self) -> list[int]:
        """The 5xx that any role counted."""
        return sorted({move.code for move in self.columns if 500 <= move.code <= 599})


def table_of(windows: Sequence[Moves]) -> Table:
    """Consecutive windows of one subject, oldest first."""
    table = Table(len(windows))
    for at, moves in enumerate(windows):
        for move, count in moves.items():
            table.column_of(move)[at] += count
    return table
