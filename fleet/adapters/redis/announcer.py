"""The bell: what changed, on one Redis channel. Losing it costs seconds, never facts."""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence

import msgspec
from redis import Redis, RedisError

logger = logging.getLogger(__name__)

CHANNEL = "pilotlight:changed"
TIMEOUT_S = 1.0
# After a failure nobody waits for the next one.
SILENT_S = 5.0
KEYS_AT_ONCE = 500


class RedisAnnouncer:
    """Publishes `{epoch, n, keys}`: n counts the messages of one announcer, epoch names it, so
    that whoever listens can tell a gap from a restart."""

    def __init__(self, url: str, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._redis = Redis.from_url(
            url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S
        )
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._epoch = uuid.uuid4().hex
        self._n = 0
        self._silent_until = 0.0

    def changed(self, *, cluster: str, keys: Sequence[str]) -> None:
        """Ring. Never raises; a number is used up even if its message is lost."""
        for first in range(0, len(keys), KEYS_AT_ONCE):
            self._publish(cluster, keys[first : first + KEYS_AT_ONCE])

    def close(self) -> None:
        """Drop the connection."""
        self._redis.close()

    def _publish(self, cluster: str, keys: Sequence[str]) -> None:
        with self._lock:
            self._n += 1
            if self._monotonic() < self._silent_until:
                return
            text = msgspec.json.encode({"epoch": self._epoch, "n": self._n, "keys": list(keys)})
            try:
                self._redis.publish(CHANNEL, text)
            except (RedisError, OSError) as error:
                self._silent_until = self._monotonic() + SILENT_S
                logger.warning("lost a bell cluster=%s because=%s", cluster, type(error).__name__)


class SilentAnnouncer:
    """Without Redis nothing rings."""

    def changed(self, *, cluster: str, keys: Sequence[str]) -> None:
        """Nothing."""
