"""Whose a count is."""

from datetime import UTC, datetime

import pytest

from fleet.domain.records.keys import Mode, ModelKey
from fleet.domain.requests.owners import Member, Names, Owner, names_of, windows_by_model
from fleet.domain.requests.records import Hop, Subject, SubjectKind, SubjectWindow, Tally

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
KNATIVE = Owner("uid-a", ModelKey("one", "InferenceService", "chat", "a"))
STANDARD = Owner("uid-b", ModelKey("one", "InferenceService", "chat", "b"))
LLM = Owner("uid-c", ModelKey("one", "LLMInferenceService", "chat", "c"))
TRICKY = Owner("uid-d", ModelKey("one", "InferenceService", "chat", "b-predictor"))


def names() -> Names:
    return names_of(
        {
            TRICKY: Mode.STANDARD,
            KNATIVE: Mode.KNATIVE,
            STANDARD: Mode.STANDARD,
            LLM: Mode.LLM,
        },
        revisions=[
            Member("chat", "a-predictor-00001", "", "uid-a"),
            Member("chat", "gone-predictor-00001", "", "uid-gone"),
        ],
        pods=[
            Member("chat", "a-pod", "a-predictor-00001", "uid-a"),
            Member("chat", "b-pod-1", "b-rs", "uid-b"),
            Member("chat", "b-pod-2", "b-rs", "uid-b"),
        ],
    )


@pytest.mark.parametrize(
    ("kind", "name", "owner", "revision"),
    [
        pytest.param("revision", "a-predictor-00001", KNATIVE, "a-predictor-00001", id="revision"),
        pytest.param(
            "service", "a-predictor-00001", KNATIVE, "a-predictor-00001", id="its Service"
        ),
        pytest.param(
            "service", "a-predictor-00001-private", KNATIVE, "a-predictor-00001", id="private one"
        ),
        pytest.param("service", "b-predictor", STANDARD, "", id="predictor of a Standard model"),
        pytest.param("service", "b", STANDARD, "", id="its route"),
        pytest.param("service", "c-kserve-workload-svc", LLM, "", id="workload of an LLM model"),
        pytest.param("pool", "c-inference-pool", LLM, "", id="its pool"),
        pytest.param("pod", "b-pod-1", STANDARD, "b-rs", id="a pod"),
    ],
)
def test_owner(kind: SubjectKind, name: str, owner: Owner, revision: str) -> None:
    owned = names().owner_of(Subject("chat", SubjectKind(kind), name))
    assert owned == (owner, revision)


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        pytest.param("other", "a-predictor-00001", id="another namespace"),
        pytest.param("chat", "gone-predictor-00001", id="a model that is gone"),
        pytest.param("chat", "stranger", id="no model of ours"),
    ],
)
def test_nobodys(namespace: str, name: str) -> None:
    assert names().owner_of(Subject(namespace, SubjectKind.REVISION, name)) is None


def counted(kind: SubjectKind, name: str, tally: Tally) -> SubjectWindow:
    return SubjectWindow(subject=Subject("chat", kind, name), at=AT, tally=tally)


def test_pods_of_a_revision_are_added() -> None:
    found = windows_by_model(
        [
            counted(SubjectKind.POD, "b-pod-1", Tally(requests=2, in_flight=1.0)),
            counted(SubjectKind.POD, "b-pod-2", Tally(requests=3, in_flight=2.0)),
        ],
        names(),
    )
    (window,) = found[STANDARD]
    assert (window.revision, window.tally.requests, window.tally.in_flight) == ("b-rs", 5, 3.0)


def test_a_request_counted_at_the_ingress_and_in_the_pod_is_one() -> None:
    found = windows_by_model(
        [
            counted(SubjectKind.POD, "b-pod-1", Tally(requests=5, queued=1.0)),
            counted(SubjectKind.SERVICE, "b-predictor", Tally(requests=6)),
        ],
        names(),
    )
    (window,) = found[STANDARD]
    assert (window.revision, window.tally.requests, window.tally.queued) == ("", 6, 1.0)


def test_the_ingress_of_a_revision_stands_in_front_of_it() -> None:
    ingress = Tally(requests=9, errors={(Hop.INGRESS, 503): 1}, told=frozenset({Hop.INGRESS}))
    behind = Tally(requests=8, told=frozenset({Hop.ACTIVATOR}))
    found = windows_by_model(
        [
            counted(SubjectKind.REVISION, "a-predictor-00001", behind),
            counted(SubjectKind.SERVICE, "a-predictor-00001", ingress),
            counted(SubjectKind.SERVICE, "a", Tally(requests=9)),
        ],
        names(),
    )
    (window,) = found[KNATIVE]
    assert window.revision == "a-predictor-00001"
    assert (window.tally.requests, window.tally.lost) == (9, 1)
    assert window.tally.told == {Hop.INGRESS, Hop.ACTIVATOR}
