"""Getting a container's image onto the node: present, pulled, or not to be had.

Source: kubernetes/kubernetes pkg/kubelet/images/image_manager.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.store.json_values import JsonObject
from simulator.world.podstatus import ContainerState, PodState
from simulator.world.shapes import go_duration
from simulator.world.stages import image_bytes

if TYPE_CHECKING:
    from simulator.world.kubelet import Kubelet

# A tag that no registry knows; whoever asks for it waits for ever.
MISSING_TAGS = (":nosuch", ":missing")
# The pull of the image with the weights is how they come. Source: kserve/kserve pkg/constants.
MODELCAR = "modelcar-init"
MODELCAR_MARKS = {"full_pull_started": "fetch_started", "pull_ended": "fetch_ended"}
ASKING_S = 1.3
BACK_OFF_FIRST_S = 10.0
BACK_OFF_MOST_S = 300.0
SAID_AGAIN_S = 11.0


class Images:
    def __init__(self, kubelet: Kubelet) -> None:
        self.kubelet = kubelet

    def ensure(
        self, state: PodState, pod: JsonObject, container: ContainerState, then: Callable[[], None]
    ) -> None:
        """Calls then() once the image is on the node."""
        node = self.kubelet.nodes.images[state.node]
        self._mark(state, container, "pull_started")
        if container.image in node.present:
            self._note_present(state, container)
            self._present(state, pod, container, then)
            return
        text = f'Pulling image "{container.image}"'
        self._say(state, pod, container, "Pulling", text)
        self._mark(state, container, "full_pull_started")
        withdrawn = container.image in self.kubelet.nodes.withdrawn
        if withdrawn or container.image.endswith(MISSING_TAGS):
            self.kubelet.later(state, ASKING_S, lambda: self._missing(state, pod, container, 0))
            return

        def done(pull_s: float, spent_s: float) -> None:
            self._pulled(state, pod, container, (pull_s, spent_s))
            self.kubelet.later(state, 0.004, then)

        node.pull(container.image, done)

    def _note_present(self, state: PodState, container: ContainerState) -> None:
        """Another pod may have pulled the server's image since this one came to the node."""
        start = self.kubelet.cluster.truth.of(state.uid)
        if start is None or start.pods > 1 or container is not state.server:
            return
        pod = self.kubelet.pod_of(state)
        profile = self.kubelet.behaviours.profile_of(pod) if pod else None
        baked = profile is not None and profile.baked
        cold = "cached-both" if baked else "cached-image"
        start.start_mode = {"cold": cold, "cached-weights": "cached-both"}.get(
            start.start_mode, start.start_mode
        )

    def _present(
        self, state: PodState, pod: JsonObject, container: ContainerState, then: Callable[[], None]
    ) -> None:
        text = f'Container image "{container.image}" already present on machine'
        self._say(state, pod, container, "Pulled", f"{text} and can be accessed by the pod")
        self._mark(state, container, "pull_ended")
        self.kubelet.later(state, 0.004, then)

    def _pulled(
        self,
        state: PodState,
        pod: JsonObject,
        container: ContainerState,
        seconds: tuple[float, float],
    ) -> None:
        self.kubelet.nodes.image_changed(state.node)
        if state.stopping or state.uid not in self.kubelet.pods:
            return
        self._mark(state, container, "pull_ended")
        pulled, spent = (go_duration(each) for each in seconds)
        text = (
            f'Successfully pulled image "{container.image}" in {pulled} ({spent} including waiting)'
        )
        size = f"Image size: {image_bytes(container.image)} bytes."
        self._say(state, pod, container, "Pulled", f"{text}. {size}")

    def _missing(
        self, state: PodState, pod: JsonObject, container: ContainerState, tries: int
    ) -> None:
        image = container.image
        cause = f'failed to resolve reference "{image}": {image}: not found'
        cause = f'failed to pull and unpack image "{image}": {cause}'
        message = f"rpc error: code = NotFound desc = {cause}"
        self._say_failed(state, pod, container, f'Failed to pull image "{image}": {message}')
        self._say_failed(state, pod, container, "Error: ErrImagePull")
        self._wait(state, container, "ErrImagePull", message)
        wait_s = min(BACK_OFF_MOST_S, BACK_OFF_FIRST_S * 2**tries)
        self.kubelet.later(state, 1.3, lambda: self._back_off(state, pod, container, wait_s))

        def again() -> None:
            self._say(state, pod, container, "Pulling", f'Pulling image "{image}"')
            self.kubelet.later(
                state, ASKING_S, lambda: self._missing(state, pod, container, tries + 1)
            )

        self.kubelet.later(state, wait_s, again)

    def _back_off(
        self, state: PodState, pod: JsonObject, container: ContainerState, left_s: float
    ) -> None:
        text = f'Back-off pulling image "{container.image}"'
        self._say(state, pod, container, "BackOff", text)
        self._say_failed(state, pod, container, "Error: ImagePullBackOff")
        self._wait(state, container, "ImagePullBackOff", text)
        if left_s > SAID_AGAIN_S:
            rest = left_s - SAID_AGAIN_S
            self.kubelet.later(
                state, SAID_AGAIN_S, lambda: self._back_off(state, pod, container, rest)
            )

    def _wait(self, state: PodState, container: ContainerState, reason: str, message: str) -> None:
        container.waiting = (reason, message)
        start = self.kubelet.cluster.truth.of(state.uid)
        if start is not None:
            start.failure = reason
        self.kubelet.later(state, 0.05, lambda: self.kubelet.sync(state))

    def _mark(self, state: PodState, container: ContainerState, boundary: str) -> None:
        if container.name == MODELCAR and boundary in MODELCAR_MARKS:
            self.kubelet.mark(state, MODELCAR_MARKS[boundary])
        if not container.init and container is state.server:
            self.kubelet.mark(state, boundary)

    def _say(
        self, state: PodState, pod: JsonObject, container: ContainerState, reason: str, text: str
    ) -> None:
        self.kubelet.say(pod, state, reason, text, container=container)

    def _say_failed(
        self, state: PodState, pod: JsonObject, container: ContainerState, text: str
    ) -> None:
        self.kubelet.say(pod, state, "Failed", text, container=container, kind="Warning")
