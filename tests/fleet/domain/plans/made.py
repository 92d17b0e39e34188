"""Facts for tests of plans: one sleeping model in each mode; every field may be given."""

from dataclasses import replace
from typing import Any

from fleet.domain.plans.facts import Autoscaler, Facts, ModelNow, Part, TrafficRevision
from fleet.domain.records.keys import Mode

ISVC = "serving.kserve.io/v1beta1/InferenceService/chat/pilot"
REVISION = "serving.knative.dev/v1/Revision/chat/pilot-predictor-00001"
PA = "autoscaling.internal.knative.dev/v1alpha1/PodAutoscaler/chat/pilot-predictor-00001"
LLM = "serving.kserve.io/v1alpha2/LLMInferenceService/chat/pilot"
FLOOR = "metadata.annotations[autoscaling.knative.dev/min-scale]"
CEILING = "metadata.annotations[autoscaling.knative.dev/max-scale]"
MIN = "spec.predictor.minReplicas"
MAX = "spec.predictor.maxReplicas"
ONE_GPU = {"nvidia.com/gpu": 1}


def revision(**given: Any) -> TrafficRevision:
    pa = Autoscaler(object=PA, uid="pa", min_scale="0", max_scale="3", desired=0, actual=0)
    base = TrafficRevision(
        object=REVISION,
        uid="rev",
        name="pilot-predictor-00001",
        percent=100,
        min_scale="0",
        max_scale="3",
        ceiling=3,
        template_repeats=False,
        autoscaler=replace(pa, **given.pop("pa", {})),
    )
    return replace(base, **given)


def knative(**given: Any) -> Facts:
    model = ModelNow(
        object=ISVC,
        uid="isvc",
        mode=Mode.KNATIVE,
        main=Part(min_field=MIN, min=0, max_field=MAX, max=3),
        gpus=ONE_GPU,
        traffic=(("pilot-predictor-00001", 100),),
    )
    revisions = given.pop("revisions", (revision(**given.pop("revision", {})),))
    model = replace(model, **given.pop("model", {}))
    return Facts(**{"knative": "1.22.0", "model": model, "revisions": revisions, **given})


def standard(**given: Any) -> Facts:
    facts = knative(revisions=(), model={"mode": Mode.STANDARD, "traffic": ()})
    model = replace(facts.model, **given.pop("model", {}))
    return replace(facts, model=model, **given)


def llm(**given: Any) -> Facts:
    main = Part(min_field="spec.replicas", min=0)
    facts = standard(model={"object": LLM, "uid": "llm", "mode": Mode.LLM, "main": main})
    return replace(facts, model=replace(facts.model, **given.pop("model", {})), **given)
