"""Where the simulated clusters listen, and the name by which others reach them.

Loopback, but for containers: there SIMULATED_LISTEN is an address of the container's network, and
SIMULATED_NAME the name that stands in kubeconfig, certificates and gateway addresses.
"""

from __future__ import annotations

import os

LISTEN = os.environ.get("SIMULATED_LISTEN", "127.0.0.1")
NAME = os.environ.get("SIMULATED_NAME", LISTEN)
