"""Secrets at rest."""

import pytest

from fleet.adapters.credentials import KeyRing, WrongKey

ABOUT = "cluster/demo-a/token"


def test_what_is_sealed_opens_again_and_is_not_to_be_read() -> None:
    ring = KeyRing("first", zone="actor")
    sealed = ring.seal("s3cret-token", about=ABOUT)
    assert b"s3cret" not in sealed
    assert ring.open(sealed, about=ABOUT) == "s3cret-token"
    assert ring.seal("s3cret-token", about=ABOUT) != sealed, "no two are alike"


@pytest.mark.parametrize(
    ("text", "zone", "about"),
    [
        pytest.param("first", "actor", "cluster/demo-b/token", id="moved to another row"),
        pytest.param("first", "reader", ABOUT, id="the same text in another trust zone"),
        pytest.param("second", "actor", ABOUT, id="another key"),
        pytest.param("", "actor", ABOUT, id="no key at all"),
    ],
)
def test_what_does_not_open(text: str, zone: str, about: str) -> None:
    sealed = KeyRing("first", zone="actor").seal("s3cret", about=ABOUT)
    with pytest.raises(WrongKey) as caught:
        KeyRing(text, zone=zone).open(sealed, about=about)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("cut", [0, 1, 8, 20, 30])
def test_what_was_cut_or_altered_does_not_open(cut: int) -> None:
    ring = KeyRing("first", zone="actor")
    sealed = ring.seal("s3cret", about=ABOUT)
    with pytest.raises(WrongKey):
        ring.open(sealed[:cut], about=ABOUT)
    with pytest.raises(WrongKey):
        ring.open(sealed[:-1] + bytes([sealed[-1] ^ 1]), about=ABOUT)


def test_a_new_key_in_front_seals_and_the_old_one_still_opens() -> None:
    sealed = KeyRing("old", zone="reader").seal("s3cret", about=ABOUT)
    ring = KeyRing("new, old", zone="reader")
    assert ring.open(sealed, about=ABOUT) == "s3cret"


def test_resealed_with_the_new_key_the_old_one_is_not_needed() -> None:
    sealed = KeyRing("old", zone="reader").seal("s3cret", about=ABOUT)
    again = KeyRing("new, old", zone="reader").reseal(sealed, about=ABOUT)
    alone = KeyRing("new", zone="reader")
    assert alone.open(again, about=ABOUT) == "s3cret"
    assert alone.reseal(again, about=ABOUT) == again
    with pytest.raises(WrongKey):
        alone.reseal(sealed, about=ABOUT)


def test_without_a_key_nothing_is_sealed() -> None:
    with pytest.raises(WrongKey, match="no actor key"):
        KeyRing("", zone="actor").seal("x", about=ABOUT)
