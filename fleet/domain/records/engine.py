"""What a container's image and command line say of vLLM."""

import re
import shlex
from collections.abc import Sequence

# Sources: kserve config/runtimes/kserve-vllmserver.yaml, kserve-huggingfaceserver.yaml,
# config/llmisvcconfig/config-llm-template.yaml.
_IMAGES = ("vllm/vllm-openai", "/llm-d-cuda", "kserve/huggingfaceserver")
_VERSIONED = re.compile(r"(?:^|/)vllm(?:-openai[a-z0-9-]*)?:v?(0\.\d{1,3}\.\d{1,3}(?:\.post\d)?)$")
_STARTS = (
    ("vllm serve", "vllm-serve"),
    ("vllm.entrypoints.openai.api_server", "vllm-module"),
    ("huggingfaceserver", "huggingfaceserver"),
)
_NAMES_AT_MOST = 16
_NAME_LENGTH = 200
_MODEL_FLAGS = ("--model", "--model_id", "--model-id", "--model_dir", "--model-dir")
_FLAGS = ("--served-model-name", "--model_name", "--model-name", "--model")


def engine_of(command_line: Sequence[str]) -> str:
    """vllm-serve, vllm-module or huggingfaceserver; "" if the command line names none."""
    text = " ".join(command_line)
    return next((engine for sign, engine in _STARTS if sign in text), "")


def image_is_vllm(image: str) -> bool:
    """Whether the repository is one of those that hold vLLM, whatever registry, tag or digest."""
    name = image.split("@", 1)[0]
    repository = name if ":" not in name.rsplit("/", 1)[-1] else name.rsplit(":", 1)[0]
    slashed = "/" + repository
    return any(f"/{sign.lstrip('/')}" in slashed and _ends(slashed, sign) for sign in _IMAGES)


def version_of_image(image: str) -> str:
    """vLLM's version by its own images' tag, such as vllm/vllm-openai:v0.11.0 -> 0.11.0; "" where
    the tag is none: images of others count their own versions."""
    found = _VERSIONED.search(image.split("@", 1)[0])
    return found.group(1) if found else ""


def _ends(slashed: str, sign: str) -> bool:
    """Siblings such as vllm-openai-cpu count; another repository below does not."""
    rest = slashed.rsplit(sign.lstrip("/"), 1)[-1]
    return "/" not in rest


def served_names_of(command_line: Sequence[str]) -> tuple[str, ...]:
    """The names a server answers to: the last --served-model-name (it may hold several), else
    --model_name, else --model, else what follows `vllm serve`. () if none is named.

    Arguments of runtime and model are joined, so the last flag wins.
    Source: kserve pkg/controller/v1beta1/inferenceservice/utils/utils.go, MergeRuntimeContainers.
    """
    words = _words(command_line)
    for flag in _FLAGS:
        values = _values(words, flag)
        if values:
            return tuple(value[:_NAME_LENGTH] for value in values[:_NAMES_AT_MOST])
    return _positional(words)


def model_of_line(command_line: Sequence[str]) -> str | None:
    """What is served: the last of the model flags, else what follows `vllm serve`; "" for a flag
    without a value, None if the command line names no model."""
    words = _words(command_line)
    for flag in _MODEL_FLAGS:
        if any(word == flag or word.startswith(flag + "=") for word in words):
            return next(iter(_values(words, flag)), "")
    return next(iter(_positional(words)), None)


def _words(command_line: Sequence[str]) -> list[str]:
    """Arguments as words: a shell script in one argument is taken apart."""
    words: list[str] = []
    for argument in command_line:
        words.extend(_split(argument) if "vllm serve" in argument else [argument])
    return words


def _split(script: str) -> list[str]:
    """The words from `vllm serve` on; one that no shell would take is cut at blanks."""
    text = script[script.index("vllm serve") :].replace("\\\n", " ")
    try:
        return shlex.split(text, comments=False)
    except ValueError:
        return text.split()


def _values(words: Sequence[str], flag: str) -> list[str]:
    """What stands behind the last occurrence of a flag, up to the next flag; [] if it is absent."""
    found: list[str] = []
    for at, word in enumerate(words):
        if word.startswith(flag + "="):
            found = [word.split("=", 1)[1]]
        elif word == flag:
            found = _until_flag(words[at + 1 :])[: None if flag == _FLAGS[0] else 1]
    return [value for value in found if value and not value.startswith("$")]


def _until_flag(words: Sequence[str]) -> list[str]:
    taken: list[str] = []
    for word in words:
        if word.startswith("-"):
            break
        taken.append(word)
    return taken


def _positional(words: Sequence[str]) -> tuple[str, ...]:
    """The model behind `vllm serve`."""
    for at, word in enumerate(words[:-2]):
        if word.endswith("vllm") and words[at + 1] == "serve":
            return tuple(_until_flag(words[at + 2 : at + 3]))
    return ()
