"""Logs of containers, through the API server. Needs the right `get` on `pods/log`.

The text itself is the kubelet's, text/plain whatever Accept says; `sinceTime` counts whole
seconds, so lines of that second come again. Source: kubernetes pkg/kubelet/kuberuntime/logs.
"""

from datetime import UTC, datetime

from fleet.adapters.kubernetes.answers import FOREIGN, raise_unreachable
from fleet.adapters.kubernetes.bodies import body_within
from fleet.adapters.kubernetes.client import Access, Client

READ_S, WHOLE_S = 10.0, 30.0


class KubernetesLogs:
    """The LogReader of an API server; may be used from many threads."""

    def __init__(self, access: Access) -> None:
        self._client = Client(access)

    def lines(
        self,
        *,
        namespace: str,
        pod: str,
        container: str,
        since: float | None,
        previous: bool,
        at_most: int,
    ) -> list[str]:
        """Whole lines with the kubelet's stamps, oldest first."""
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/log"
        query = {"container": container, "timestamps": "true", "limitBytes": str(at_most)}
        if previous:
            query["previous"] = "true"
        if since is not None:
            query["sinceTime"] = f"{datetime.fromtimestamp(since, UTC):%Y-%m-%dT%H:%M:%SZ}"
        response = self._client.open(path, query=query, accept="*/*", read_s=READ_S)
        with response:
            try:
                body = body_within(response, at_most, whole_s=WHOLE_S)
            except FOREIGN as error:
                raise_unreachable(f"GET {path}", error)
        whole, _, _ = body.rpartition(b"\n")
        return whole.decode(errors="replace").split("\n") if whole else []

    def close(self) -> None:
        """Drop idle connections."""
        self._client.close()
