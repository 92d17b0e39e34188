"""Which addresses may be called."""

import pytest

from fleet.adapters.openai.caller import OpenAiCaller
from fleet.adapters.openai.hosts import NotAllowed, allowed_host, checked, refuse_address


@pytest.mark.parametrize(
    ("host", "allowed", "expected"),
    [
        pytest.param("llama.example.com", ["llama.example.com"], True, id="named"),
        pytest.param("LLAMA.example.com.", ["llama.example.com"], True, id="case, final dot"),
        pytest.param("llama.example.com", ["*.example.com"], True, id="below"),
        pytest.param("example.com", ["*.example.com"], False, id="itself is not below itself"),
        pytest.param("badexample.com", ["*.example.com"], False, id="a mere suffix"),
        pytest.param("llama.example.com", [], False, id="nothing allowed"),
    ],
)
def test_allowed_host(host: str, allowed: list[str], expected: bool) -> None:
    assert allowed_host(host, allowed) is expected


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("file:///etc/passwd", id="a file"),
        pytest.param("gopher://host/x", id="another scheme"),
        pytest.param("http://user:pw@host/", id="credentials in the address"),
        pytest.param("http:///x", id="no host"),
        pytest.param("http://host:99999/", id="no port"),
    ],
)
def test_what_is_no_address_of_a_model(url: str) -> None:
    with pytest.raises(NotAllowed):
        checked(url)
    assert not OpenAiCaller(gateway_url="http://gw", allowed=["host"]).allows(url)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "fe80::1",
        "fe80::1%eth0",
        "::ffff:169.254.169.254",
        "fd00:ec2::254",
        "100.100.100.200",
        "0.0.0.0",
        "224.0.0.1",
    ],
)
def test_addresses_of_clouds_and_links_are_refused(address: str) -> None:
    with pytest.raises(NotAllowed):
        refuse_address(address)


@pytest.mark.parametrize("address", ["10.0.0.7", "127.0.0.1", "192.0.2.1", "2001:db8::1"])
def test_an_admin_may_name_private_addresses(address: str) -> None:
    refuse_address(address)


def test_a_name_that_points_at_metadata_is_refused_after_resolving() -> None:
    caller = OpenAiCaller(gateway_url="", allowed=["169.254.169.254"])
    answer = caller.complete(
        url="http://169.254.169.254/latest",
        path="/v1/completions",
        model="m",
        tokens=1,
        timeout_s=1,
        api_key=None,
    )
    assert (answer.status, "not allowed" in answer.error) == (None, True)
