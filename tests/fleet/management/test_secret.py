"""Keys that are exchanged: every secret is sealed anew, and the old key can go."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from fleet import wiring
from fleet.adapters.credentials import KeyRing, WrongKey
from fleet.models import AuditEntry, Cluster
from tests.factories import make_cluster

pytestmark = pytest.mark.django_db
ALL = {"reader token demo-a", "actor token demo-a", "model key demo-a/chat/pilot"}
Keys = Callable[..., None]


@pytest.fixture
def keys(settings: Any) -> Iterator[Keys]:
    """Sets what a process is given."""

    def given(*, reader: str, actor: str) -> None:
        settings.READER_KEY, settings.ACTOR_KEY = reader, actor
        wiring.reader_ring.cache_clear()
        wiring.actor_ring.cache_clear()

    yield given
    wiring.reader_ring.cache_clear()
    wiring.actor_ring.cache_clear()


@pytest.fixture
def old(keys: Keys) -> None:
    """A cluster with all it can have, sealed with the old keys."""
    keys(reader="old-r", actor="old-a")
    cluster = make_cluster(source="token", server="https://10.0.0.1:6443")
    cluster.reader_secret = wiring.sealed_reader_token("demo-a", "reads")
    cluster.save()
    wiring.keep_actor_token("demo-a", "writes", by="t")
    wiring.keep_model_key("demo-a", "chat/pilot", "sk-1", by="t")


def opened() -> tuple[str, str, str | None]:
    cluster = Cluster.objects.get()
    return (
        wiring.reader_token(cluster),
        wiring.actor_token(cluster),
        wiring.model_key(cluster, "chat/pilot"),
    )


def resealed() -> set[str]:
    entries = AuditEntry.objects.filter(outcome="resealed", who="command line")
    return {f"{entry.what} {entry.target}" for entry in entries}


def test_after_resealing_the_old_keys_are_not_needed(
    old: None, keys: Keys, capsys: pytest.CaptureFixture[str]
) -> None:
    keys(reader="new-r,old-r", actor="new-a,old-a")
    call_command("secret", "reseal")
    assert capsys.readouterr().out == "resealed 3\n"
    assert resealed() == ALL
    keys(reader="new-r", actor="new-a")
    assert opened() == ("reads", "writes", "sk-1")
    call_command("secret", "reseal")
    assert capsys.readouterr().out == "resealed 0\n"
    assert AuditEntry.objects.filter(outcome="resealed").count() == len(ALL)


def test_a_zone_without_a_key_is_left_alone(old: None, keys: Keys) -> None:
    keys(reader="new-r,old-r", actor="")
    call_command("secret", "reseal")
    assert resealed() == {"reader token demo-a"}
    keys(reader="new-r", actor="old-a")
    assert opened() == ("reads", "writes", "sk-1")


def test_what_cannot_be_opened_is_named_and_kept_and_the_rest_is_done(
    old: None, keys: Keys
) -> None:
    keys(reader="new-r", actor="new-a,old-a")
    with pytest.raises(CommandError, match="reader secret of cluster/demo-a/token"):
        call_command("secret", "reseal")
    assert resealed() == ALL - {"reader token demo-a"}
    keys(reader="old-r", actor="new-a")
    assert opened() == ("reads", "writes", "sk-1")


def test_a_secret_of_another_place_is_not_made_good(old: None, keys: Keys) -> None:
    elsewhere = KeyRing("old-a", zone="actor").seal("writes", about="cluster/other/token")
    Cluster.objects.update(actor_secret=elsewhere)
    keys(reader="new-r,old-r", actor="new-a,old-a")
    with pytest.raises(CommandError, match="does not belong there"):
        call_command("secret", "reseal")
    with pytest.raises(WrongKey):
        wiring.actor_token(Cluster.objects.get())
