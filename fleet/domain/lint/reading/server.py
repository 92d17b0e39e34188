"""What the server's container says of itself."""

from fleet.domain.lint.given import Given
from fleet.domain.lint.reading.container import Template, environment
from fleet.domain.lint.reading.raw import Raw, listed, text, under, whole, words
from fleet.domain.lint.settings import Place, Server
from fleet.domain.records.engine import engine_of, image_is_vllm, model_of_line, served_names_of

API_KEY_FLAG = "--api-key"
API_KEY_NAME = "VLLM_API_KEY"
# Source: kserve config/runtimes, annotation serving.kserve.io/server-type.
SERVER_TYPE = "serving.kserve.io/server-type"
SERVER_TYPES = {"vllmserver": "vllm-module", "huggingfaceserver": "huggingfaceserver"}
FORMATS = {"vllm": "vllm-module", "huggingface": "huggingfaceserver"}


def server_of(template: Template, place: Place, *, engine: str, name: str) -> Server:
    """name: of the model's object, which runtimes serve it by. engine: as told from outside the
    container, used where its own words name none."""
    container = template.container
    line = [*words(container.get("command")), *words(container.get("args"))]
    env = environment(container)
    image = text(container.get("image"))
    ports = listed(container.get("ports"))
    return Server(
        engine=engine_of(line) or engine or ("vllm-serve" if image_is_vllm(image) else ""),
        image=image,
        port=whole(ports[0].get("containerPort")) if ports else whole(flag(line, "--port")),
        api_key=API_KEY_NAME in env or flag(line, API_KEY_FLAG) is not None,
        complete=template.complete,
        tensor_parallel=_tensor_parallel(line),
        max_seqs=whole(flag(line, "--max-num-seqs", "--max_num_seqs")),
        model=model_of_line(line) or "",
        served=next(iter(served_names_of(line)), "") or name,
        env=env,
        pre_stop=_pre_stop(template),
        place=place,
    )


def flag(line: list[str], *names: str) -> str | None:
    """The value behind the last occurrence of a flag, "" for one without; None if absent. A shell
    script in one argument is taken apart at blanks."""
    parts = [part for word in line for part in word.split()]
    found = None
    for at, word in enumerate(parts):
        name, equals, value = word.partition("=")
        if name in names:
            after = parts[at + 1] if at + 1 < len(parts) else ""
            found = value if equals else after
    return found


def engine_told(runtime: Raw, model: Raw) -> str:
    """By the runtime's mark, else by its stock name, else by the model's format."""
    marked = SERVER_TYPES.get(text(under(runtime, "metadata", "annotations").get(SERVER_TYPE)), "")
    named = text(model.get("runtime")).lower()
    by_name = next((engine for word, engine in SERVER_TYPES.items() if word in named), "")
    wanted = text(under(model, "modelFormat").get("name")).lower()
    return marked or by_name or FORMATS.get(wanted, "")


def _tensor_parallel(line: list[str]) -> int:
    names = ("--tensor-parallel-size", "--tensor_parallel_size", "-tp")
    return whole(flag(line, *names)) or 1


def _pre_stop(template: Template) -> Given[bool]:
    """Knative puts its own in at the Deployment; a Revision has none."""
    if not template.complete:
        return Given()
    has = bool(under(template.container, "lifecycle", "preStop"))
    return Given(has, template.origin, template.at)
