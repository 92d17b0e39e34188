"""What would shorten a model's starts, in sentences; codes: `fleet.domain.compare.remedies`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy

from dashboard.words import Words
from fleet.domain.compare.remedies import NextStep, StepCode


@dataclass(frozen=True, slots=True)
class Advice:
    """does: the step. because: what of these starts calls for it. only: where it does not help."""

    does: Words
    because: Words
    only: Words


ADVICE: Mapping[StepCode, Advice] = {
    StepCode.PREPULL_IMAGE: Advice(
        gettext_lazy("Have the image on the nodes before a start needs it"),
        gettext_lazy("These starts pull the whole image"),
        gettext_lazy("Pulling ahead or smaller layers help a new node only; its first start."),
    ),
    StepCode.KEEP_WEIGHTS_NEAR: Advice(
        gettext_lazy("Keep the weights on a volume, or in a cache on the node"),
        gettext_lazy("The weights are fetched for every start"),
        gettext_lazy(
            "The first start on each node still pays, and a shared network volume can be slower."
        ),
    ),
    StepCode.PERSIST_COMPILE_CACHE: Advice(
        gettext_lazy("Keep VLLM_CACHE_ROOT on a volume, or bake it into the image"),
        gettext_lazy("Graphs are compiled anew at most starts"),
        gettext_lazy(
            "Tracing stays; the cache is void after a change of model, flags, VLLM_ variables, "
            "vLLM, torch or GPU."
        ),
    ),
    StepCode.PERSIST_KERNEL_CACHES: Advice(
        gettext_lazy("Keep the caches of Triton, FlashInfer and DeepGEMM on a volume"),
        gettext_lazy("Kernels are warmed up at every start"),
        gettext_lazy("Void after a change of vLLM, torch, driver or GPU."),
    ),
    StepCode.FEWER_CAPTURE_SIZES: Advice(
        gettext_lazy("Capture fewer graph sizes (--cudagraph-capture-sizes)"),
        gettext_lazy("CUDA graphs are captured for many batch sizes"),
        gettext_lazy("Costs throughput at the batch sizes left out."),
    ),
    StepCode.SET_KV_CACHE_MEMORY: Advice(
        gettext_lazy("Set --kv-cache-memory to the value that the last start printed"),
        gettext_lazy("Each start measures the free memory"),
        gettext_lazy("Valid only for the same GPU and the same free memory."),
    ),
    StepCode.PREFETCH_WEIGHTS: Advice(
        gettext_lazy("Read weights ahead (--safetensors-load-strategy prefetch)"),
        gettext_lazy("Weights are read from a network filesystem piece by piece"),
        gettext_lazy("Needs memory for the whole checkpoint."),
    ),
    StepCode.FASTER_LOADER: Advice(
        gettext_lazy("Try a faster loader (--load-format fastsafetensors)"),
        gettext_lazy("Local weights are read by the default loader"),
        gettext_lazy("Others report about half the time; may need another format on disk."),
    ),
    StepCode.KEEP_WARM: Advice(
        gettext_lazy("Keep one replica warm (min replicas 1)"),
        gettext_lazy("Most starts are woken from zero by a request that waits"),
        gettext_lazy("Shortens no start: it avoids them, at the price of the GPU."),
    ),
}


def advice(step: NextStep) -> Advice:
    """The sentences of a step."""
    return ADVICE[step.code]
