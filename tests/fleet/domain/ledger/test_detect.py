"""Which services are taken for vLLM, by which rule not, and the names they answer to."""

import pytest

from fleet.domain.ledger.codes import NotTakenRule
from fleet.domain.ledger.detect import served_names, verdict
from fleet.domain.ledger.group import Group
from fleet.domain.records.common import Meta
from fleet.domain.records.engine import engine_of, image_is_vllm, served_names_of
from fleet.domain.records.keys import Mode, ModelKey, ModelKind
from fleet.domain.records.serving import Container, ModelRecord, RevisionRecord, RuntimeRecord
from fleet.domain.records.workload import WorkloadRecord
from tests.fleet.domain.scene import START, VLLM, Scene

META = Meta(uid="u", name="llama", namespace="chat", created_at=START)
TRITON = "nvcr.io/nvidia/tritonserver:25.01"


def group(record: ModelRecord | None, *, made: tuple[Container, ...] = ()) -> Group:
    """A model with the containers that were made of it."""
    kind = record.kind if record is not None else ModelKind.INFERENCE_SERVICE
    found = Group(ModelKey("demo", str(kind), "chat", "llama"), record=record)
    if made:
        found.revisions["r"] = RevisionRecord(meta=META, model="llama", containers=made)
    return found


def isvc(*containers: Container, runtime: str = "") -> ModelRecord:
    """An InferenceService."""
    return ModelRecord(
        meta=META,
        kind=ModelKind.INFERENCE_SERVICE,
        mode=Mode.KNATIVE,
        containers=containers,
        runtime=runtime,
    )


def llm(*containers: Container, name: str = "") -> ModelRecord:
    """An LLMInferenceService."""
    return ModelRecord(
        meta=META,
        kind=ModelKind.LLM_INFERENCE_SERVICE,
        mode=Mode.LLM,
        containers=containers,
        model_name=name,
    )


def typed(server_type: str) -> RuntimeRecord:
    """A runtime with its mark."""
    return RuntimeRecord(meta=META, kind="ClusterServingRuntime", server_type=server_type)


def main(image: str = "", *args: str) -> Container:
    """The model's container."""
    return Container(name="main", image=image, args=args, engine=engine_of(args), served_names=())


@pytest.mark.parametrize(
    ("record", "runtime", "made", "rule"),
    [
        pytest.param(llm(), None, (), None, id="an LLMInferenceService of the preset"),
        pytest.param(llm(main("", "--max-model-len=8")), None, (), None, id="flags alone"),
        pytest.param(llm(main("", "vllm serve /m")), None, (), None, id="its own vllm serve"),
        pytest.param(
            llm(main("", "python", "my.py")), None, (), NotTakenRule.COMMAND_OVERRIDDEN,
            id="an LLMInferenceService that runs something else",
        ),
        pytest.param(
            llm(main("sglang:1", "--x")), None, (), NotTakenRule.COMMAND_OVERRIDDEN,
            id="an LLMInferenceService with another image and arguments",
        ),
        pytest.param(isvc(runtime="r"), typed("vllmserver"), (), None, id="runtime says vllm"),
        pytest.param(
            isvc(runtime="r"), typed("huggingfaceserver"), (), None, id="runtime says hf"
        ),
        pytest.param(
            isvc(runtime="r"), typed("tritonserver"), (), NotTakenRule.OTHER_RUNTIME,
            id="runtime says something else",
        ),
        pytest.param(isvc(runtime="kserve-vllmserver"), None, (), None, id="a stock runtime"),
        pytest.param(
            isvc(runtime="mine"), None, (main("registry.local/x/vllm/vllm-openai-cpu:1"),), None,
            id="by the image that was made of it",
        ),
        pytest.param(
            isvc(main("me/mine:1", "python", "-m", "vllm.entrypoints.openai.api_server")),
            None, (), None, id="by its command line",
        ),
        pytest.param(
            isvc(main(TRITON)), None, (), NotTakenRule.NO_SIGN, id="no sign of vLLM anywhere"
        ),
        pytest.param(
            isvc(main("kserve/huggingfaceserver:v1", "huggingfaceserver", "--backend=huggingface")),
            None, (), NotTakenRule.OTHER_BACKEND, id="huggingfaceserver without vLLM",
        ),
        pytest.param(isvc(runtime="x"), None, (), NotTakenRule.NOTHING_SEEN, id="nothing to see"),
        pytest.param(None, None, (), NotTakenRule.NOTHING_SEEN, id="no record"),
    ],
)  # fmt: skip
def test_verdict(
    record: ModelRecord | None,
    runtime: RuntimeRecord | None,
    made: tuple[Container, ...],
    rule: NotTakenRule | None,
) -> None:
    found = verdict(group(record, made=made), runtime)
    assert (found[0] if found else None) == rule


@pytest.mark.parametrize(
    ("image", "is_vllm"),
    [
        ("vllm/vllm-openai", True),
        ("docker.io/vllm/vllm-openai:v0.11.0", True),
        ("registry:5000/vllm/vllm-openai-cpu@sha256:abc", True),
        ("ghcr.io/llm-d/llm-d-cuda:v0.3", True),
        ("kserve/huggingfaceserver:v0.15-gpu", True),
        ("docker.io/vllm/vllm-openai/other:1", False),
        ("nvcr.io/nvidia/tritonserver:25.01", False),
        ("", False),
    ],
)
def test_images(image: str, is_vllm: bool) -> None:
    assert image_is_vllm(image) is is_vllm


@pytest.mark.parametrize(
    ("line", "names"),
    [
        pytest.param(["--served-model-name=llama"], ("llama",), id="a flag with ="),
        pytest.param(["--served-model-name", "a", "b", "--x"], ("a", "b"), id="several names"),
        pytest.param(
            ["--served-model-name=a", "--served-model-name=b"], ("b",), id="the last flag wins"
        ),
        pytest.param(["--model_name=hf", "--model_id=org/m"], ("hf",), id="huggingfaceserver"),
        pytest.param(["--model", "org/m", "--port=1"], ("org/m",), id="else the model itself"),
        pytest.param(["vllm", "serve", "org/m", "--port=1"], ("org/m",), id="positional"),
        pytest.param(["bash", "-c", "x; vllm serve /mnt \\\n --served-model-name m n"], ("m", "n"),
                     id="inside a shell script"),
        pytest.param(["bash", "-c", "vllm serve 'open"], ("'open",), id="a broken script"),
        pytest.param(["--served-model-name=$NAME"], (), id="a variable names nothing"),
        pytest.param(["--port=8080"], (), id="none named"),
    ],
)  # fmt: skip
def test_names_on_a_command_line(line: list[str], names: tuple[str, ...]) -> None:
    assert served_names_of(line) == names


def test_names_of_an_llm() -> None:
    assert served_names(group(llm(name="Qwen/Q"))) == ("Qwen/Q", "publishers/chat/models/Qwen/Q")
    assert served_names(group(llm()))[0] == "llama"


def test_names_of_a_service_come_from_what_was_made_of_it() -> None:
    placeholder = Container(name="x", served_names=("{{.Name}}",))
    made = Container(name="kserve-container", image=VLLM, served_names=("chat",))
    assert served_names(group(isvc(placeholder), made=(made,))) == ("chat",)
    assert served_names(group(isvc(placeholder))) == ("llama",)
    assert served_names(group(None)) == ()
    only = group(isvc())
    only.workloads["d"] = WorkloadRecord(meta=META, kind="Deployment", containers=(made,))
    assert served_names(only) == ("chat",)


def test_a_refusal_waits_until_children_must_have_been_made() -> None:
    scene = Scene()
    record = scene.model(runtime="x")
    scene.objects.clear()
    bare = ModelRecord(
        meta=scene.meta("other", name="other"), kind=record.kind, mode=record.mode, runtime="x"
    )
    scene.send(bare)
    assert scene.said("not_taken") == []
    scene.wait(90)
    refused = scene.ledger.settle_running(now=scene.now).not_taken
    assert [(item.key.name, item.rule) for item in refused] == [("other", "nothing-seen")]
    scene.gone("other")
    assert [item.gone for item in scene.said("not_taken")] == [True]
