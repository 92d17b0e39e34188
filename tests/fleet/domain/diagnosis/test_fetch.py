# ruff: noqa: E501 - what programs say, as they say it
"""A model that cannot be fetched, or slowly."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    ended,
    event,
    isvc,
    main,
    pod,
    running,
    sample,
    status,
    waiting,
)


def init_fails(*lines: str, last: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    loop = status(
        "storage-initializer", waiting("CrashLoopBackOff"), restarts=5, last=last or ended(1)
    )
    held = status("kserve-container", waiting("PodInitializing"))
    return bundle(
        inferenceservice=isvc(condition("Ready", "False", "MinimumReplicasUnavailable")),
        pods=[pod(inits=[loop], statuses=[held], phase="Pending", **more)],
        logs={"storage-initializer (previous)": list(lines)},
    )


def init_runs(*lines: str, ago: float, **parts: Any) -> dict[str, Any]:
    return bundle(
        pods=[
            pod(
                created=ago + 10,
                inits=[status("storage-initializer", running(ago))],
                statuses=[status("kserve-container", waiting("PodInitializing"))],
                phase="Pending",
            )
        ],
        logs={"storage-initializer": list(lines)},
        **parts,
    )


def crashes(
    *lines: str, code: int = 1, container: dict[str, Any] | None = None, **parts: Any
) -> dict[str, Any]:
    spec = container or main()
    name = spec["name"]
    loop = status(
        name, waiting("CrashLoopBackOff"), restarts=4, last=ended(code, ran=parts.pop("ran", 40.0))
    )
    return bundle(
        pods=[pod(created=900, containers=[spec], statuses=[loop])],
        events=[
            event(
                "BackOff",
                f"Back-off restarting failed container {name} in pod x",
                container=name,
                count=9,
            ),
            *parts.pop("events", []),
        ],
        logs={f"{name} (previous)": list(lines)},
        **parts,
    )


def loads(
    *lines: str, ago: float, container: dict[str, Any] | None = None, **parts: Any
) -> dict[str, Any]:
    spec = container or main()
    return bundle(
        pods=[
            pod(
                created=ago + 20,
                containers=[spec],
                statuses=[status(spec["name"], running(ago))],
                **parts.pop("of_pod", {}),
            )
        ],
        logs={spec["name"]: list(lines)},
        **parts,
    )


CASES = [
    case(
        "a gated repository",
        "model-download-denied",
        init_fails(
            "huggingface_hub.errors.GatedRepoError: 403 Client Error.",
            "Cannot access gated repo for url https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct/resolve/main/config.json.",
        ),
        remedy="accept-model-licence",
    ),
    case(
        "no token, a private repository",
        "model-download-denied",
        init_fails(
            "huggingface_hub.errors.RepositoryNotFoundError: 401 Client Error.",
            "Repository Not Found for url: https://huggingface.co/api/models/acme/private.",
            "If you are trying to access a private or gated repo, make sure you are authenticated.",
        ),
        remedy="pass-hub-token-to-initializer",
    ),
    case(
        "the service account may not read the bucket",
        "model-download-denied",
        init_fails(
            "google.api_core.exceptions.Forbidden: 403 GET https://storage.googleapis.com/storage/v1/b/models: sa@x.iam.gserviceaccount.com does not have storage.objects.list access to the Google Cloud Storage bucket."
        ),
        remedy="fix-storage-credentials",
    ),
    case(
        "no credentials at all",
        "model-download-denied",
        init_fails("botocore.exceptions.NoCredentialsError: Unable to locate credentials"),
        remedy="fix-storage-credentials",
    ),
    case(
        "a SAS token that ran out",
        "model-download-denied",
        init_fails(
            "azure.core.exceptions.ClientAuthenticationError: Server failed to authenticate the request. ErrorCode:AuthenticationFailed"
        ),
        remedy="fix-storage-credentials",
    ),
    case(
        "the server downloads by itself and is refused",
        "model-download-denied",
        crashes(
            "OSError: You are trying to access a gated repo.",
            "Make sure to have access to it at https://huggingface.co/google/gemma-2-9b-it.",
            "401 Client Error. (Request ID: Root=1)",
            container=main("vllm", args=["--model", "google/gemma-2-9b-it"]),
        ),
    ),
    case(
        "a bucket that is not there",
        "model-download-failed",
        init_fails(
            "botocore.errorfactory.NoSuchBucket: An error occurred (NoSuchBucket) when calling the ListObjects operation: The specified bucket does not exist"
        ),
        remedy="fix-model-uri",
    ),
    case(
        "a scheme nobody knows",
        "model-download-failed",
        init_fails(
            "Exception: Cannot recognize storage type for model://x",
            "'gs://', 's3://', 'hdfs://' are the current available storage type.",
        ),
        remedy="fix-model-uri",
    ),
    case(
        "a revision that is not there",
        "model-download-failed",
        init_fails(
            "huggingface_hub.errors.RevisionNotFoundError: 404 Client Error. Revision Not Found for url: https://huggingface.co/api/models/x/y/revision/v2."
        ),
        remedy="fix-model-uri",
    ),
    case(
        "an endpoint nobody answers at",
        "model-download-failed",
        init_fails(
            'botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: "http://minio.models:9000/models?prefix=x"'
        ),
    ),
    case(
        "a download that breaks off",
        "model-download-failed",
        init_fails(
            "requests.exceptions.ChunkedEncodingError: ('Connection broken: IncompleteRead(123 bytes read, 456 more expected)')"
        ),
        remedy="download-timeout-and-retry",
    ),
    case(
        "an empty claim",
        "model-download-failed",
        crashes(
            "ValueError: Invalid repository ID or local directory specified: '/mnt/models'",
            "Please verify the following requirements: 1. Provide a valid Hugging Face repository ID. 2. Specify a local directory that contains a recognized configuration file.",
        ),
    ),
    case(
        "the hub counts requests",
        "upstream-hub-rate-limit",
        init_fails(
            "huggingface_hub.errors.HfHubHTTPError: 429 Client Error: Too Many Requests for url: https://huggingface.co/api/models/x"
        ),
        remedy="use-hub-token-or-mirror",
    ),
    case(
        "the hub's name is not known",
        "mesh-or-network",
        init_fails(
            "urllib3.exceptions.NameResolutionError: Failed to resolve 'huggingface.co' ([Errno -3] Temporary failure in name resolution)"
        ),
        remedy="fix-dns-or-egress",
    ),
    case(
        "no way out to the hub",
        "mesh-or-network",
        crashes(
            "requests.exceptions.ConnectTimeout: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /x/resolve/main/config.json (Caused by ConnectTimeoutError: Connection to huggingface.co timed out.)"
        ),
        remedy="fix-dns-or-egress",
    ),
    case(
        "the sidecar is not up yet when the initializer asks",
        "mesh-or-network",
        init_fails(
            'botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: "https://s3.amazonaws.com/models"',
            "urllib3.exceptions.NewConnectionError: Failed to establish a new connection: [Errno 111] Connection refused",
            containers=[main(), {"name": "istio-proxy"}],
        ),
        remedy="exempt-initializer-from-mesh",
    ),
    case(
        "the initializer is killed for its memory",
        "host-oom",
        init_fails("Fetching 30 files: 10%", last=ended(137, "OOMKilled")),
        remedy="raise-storage-initializer-memory",
    ),
    case(
        "bytes trickle",
        "model-download-slow",
        init_runs(
            "Copying contents of s3://m/x to local",
            ago=1500,
            metrics=[
                sample(
                    "container_network_receive_bytes_total",
                    1e9,
                    ago=600,
                    pod="chat-predictor-6c8d9f7b5-aaaaa",
                ),
                sample(
                    "container_network_receive_bytes_total",
                    2e9,
                    ago=10,
                    pod="chat-predictor-6c8d9f7b5-aaaaa",
                ),
            ],
        ),
        remedy="cache-model-locally",
    ),
    case(
        "no byte for ten minutes",
        "model-download-slow",
        init_runs(
            "Copying contents of hf://org/x to local",
            "Fetching 41 files:  20%",
            ago=2400,
            metrics=[
                sample(
                    "container_network_receive_bytes_total",
                    9e9,
                    ago=700,
                    pod="chat-predictor-6c8d9f7b5-aaaaa",
                ),
                sample(
                    "container_network_receive_bytes_total",
                    9e9,
                    ago=10,
                    pod="chat-predictor-6c8d9f7b5-aaaaa",
                ),
            ],
        ),
        remedy="download-timeout-and-retry",
    ),
    case(
        "a fetch of a minute is nothing",
        "none",
        init_runs("Copying contents of s3://m/x to local", ago=60),
    ),
    case(
        "the server downloads silently",
        "model-download-slow",
        loads(
            "INFO 11-20 11:30:00 [gpu_model_runner.py:1] Starting to load model Qwen/Qwen3-32B...",
            ago=1800,
            metrics=[
                sample(
                    "container_network_receive_bytes_total",
                    1e9,
                    ago=900,
                    pod="chat-predictor-6c8d9f7b5-aaaaa",
                ),
                sample(
                    "container_network_receive_bytes_total",
                    30e9,
                    ago=10,
                    pod="chat-predictor-6c8d9f7b5-aaaaa",
                ),
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_fetch(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
