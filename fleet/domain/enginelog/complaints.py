"""What went wrong by a log: complaints by their weight, and the few lines that tell of it."""

from fleet.domain.enginelog.failures import RANK, WRAPPERS
from fleet.domain.enginelog.lines import without_repeats
from fleet.domain.enginelog.redact import RAW_AT_MOST, redacted

DECISIVE_AT_MOST = 5
DECISIVE_LENGTH = 300
# A crash after the server was up says one of these; others are a request's own trouble.
_FATAL = WRAPPERS | {"cuda_fault", "cuda_oom", "nccl_error", "killed_by_sigterm", "shm_too_small"}
_ENGINES = ("EngineCore", "Worker", "VllmWorker", "RayWorker")


class Complaints:
    """Of each class the first line. died: one came after the server was up."""

    def __init__(self) -> None:
        self.died = False
        self._lines: dict[str, str] = {}
        self._suspected: tuple[str, str] | None = None

    def take(self, class_: str, text: str, *, process: str, answers: bool, serves: bool) -> None:
        """answers: requests are answered, so that a complaint may be one's own. serves: it listens,
        as far as one can tell."""
        if answers and class_ not in _FATAL:
            self._suspect(class_, text, process=process)
            return
        if (answers or (serves and class_ in WRAPPERS)) and not self.died:
            self.died = True
            self._lines.clear()
        self._lines.setdefault(class_, text[:RAW_AT_MOST])

    def _suspect(self, class_: str, text: str, *, process: str) -> None:
        """The engine's own trouble counts once the engine is dead; a request's never does."""
        if process.startswith(_ENGINES) and self._suspected is None:
            self._suspected = (class_, text[:RAW_AT_MOST])

    def by_weight(self) -> list[tuple[str, str]]:
        """Classes and their lines, redacted, the weightiest first."""
        known = dict(self._lines)
        if self.died and self._suspected is not None:
            known.setdefault(*self._suspected)
        ordered = sorted(known.items(), key=lambda each: RANK[each[0]])
        kept = ordered[:DECISIVE_AT_MOST]
        return [(class_, redacted(without_repeats(line))) for class_, line in kept]
