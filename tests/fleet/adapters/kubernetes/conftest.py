"""The hosted API server."""

from tests.hosted.fixtures import api, kubeconfig, read

__all__ = ["api", "kubeconfig", "read"]
