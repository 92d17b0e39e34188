"""Which starts a start is compared with."""

from typing import Any

import pytest

from fleet.domain.compare.like import Kin, like
from fleet.domain.compare.records import Compared, finished, usual_mode
from tests.fleet.domain.compare.made import made

SUBJECT = made(999, outcome="running", revision_uid="rev-2", image_digest="sha256:b", gpus=1)


def some(count: int, first: int = 1, **changes: Any) -> list[Compared]:
    return [made(first + n, **changes) for n in range(count)]


SAME_REVISION = some(5, 100, revision_uid="rev-2", image_digest="sha256:b", gpus=1)
SAME_IMAGE = some(5, 200, image_digest="sha256:b", gpus=1)
SAME_MODEL = some(5, 300, image_digest="sha256:a", gpus=1)
THERE = some(5, 400, model_uid="other", gpus=1)
ELSEWHERE = some(5, 500, model_uid="far", cluster="two", gpus=1)


@pytest.mark.parametrize(
    ("pool", "kin", "n"),
    [
        pytest.param([], None, 0, id="nothing known, nothing like it"),
        pytest.param(SAME_REVISION[:4], None, 0, id="four are too few"),
        pytest.param([*SAME_MODEL, *SAME_REVISION], Kin.REVISION, 5, id="its revision first"),
        pytest.param([*SAME_REVISION[:4], *SAME_IMAGE], Kin.IMAGE, 9, id="then its image"),
        pytest.param([*SAME_IMAGE[:4], *SAME_MODEL], Kin.MODEL, 9, id="then its model"),
        pytest.param([*SAME_MODEL[:4], *THERE], Kin.CLUSTER, 9, id="then its cluster"),
        pytest.param([*THERE[:4], *ELSEWHERE], Kin.FLEET, 9, id="then the fleet"),
        pytest.param(
            some(9, start_mode="cold", gpus=1), None, 0, id="another start mode is never like it"
        ),
        pytest.param(some(9, outcome="failed", gpus=1), None, 0, id="failed ones have no length"),
        pytest.param(
            some(9, model_uid="other", gpus=8), None, 0, id="other models with other GPUs are not"
        ),
        pytest.param(
            some(9, model_uid="other", gpus=1, weights_from="pvc"),
            None,
            0,
            id="other models with weights from elsewhere are not",
        ),
    ],
)
def test_nearest_first(pool: list[Compared], kin: Kin | None, n: int) -> None:
    found = like(SUBJECT, pool, enough=5)
    assert (found.kin, found.n) == (kin, n)


def test_the_newest_count() -> None:
    found = like(SUBJECT, some(90), enough=5)
    assert [start.id for start in found.starts] == list(range(90, 50, -1))


def test_a_start_is_not_like_itself() -> None:
    subject = made(3)
    assert 3 not in {start.id for start in like(subject, some(9), enough=5).starts}


def test_unknown_digests_are_not_the_same_digest() -> None:
    subject = made(999, outcome="running", revision_uid="", image_digest="")
    assert like(subject, some(9, revision_uid=""), enough=5).kin is Kin.MODEL


@pytest.mark.parametrize(
    ("version", "kin"),
    [
        pytest.param("0.11.0", Kin.IMAGE, id="the same version"),
        pytest.param("", Kin.IMAGE, id="a version not told"),
        pytest.param("0.12.0", Kin.MODEL, id="another version under the same digest"),
    ],
)
def test_an_image_is_the_same_with_the_same_version(version: str, kin: Kin) -> None:
    subject = made(999, outcome="running", image_digest="x", engine_version="0.11.0")
    pool = some(9, revision_uid="rev-0", image_digest="x", engine_version=version)
    assert like(subject, pool, enough=5).kin is kin


def test_while_the_mode_is_not_known_the_usual_one_is_assumed() -> None:
    subject = made(999, outcome="running", start_mode="unknown")
    found = like(subject, [*some(6), *some(5, 100, start_mode="cold")], enough=5)
    assert (found.mode, found.mode_assumed, found.n) == ("cached-image", True, 6)


def test_without_own_starts_an_unknown_mode_stays_unknown() -> None:
    subject = made(999, outcome="running", start_mode="unknown", model_uid="new")
    assert like(subject, some(9), enough=5).kin is None


@pytest.mark.parametrize(
    ("starts", "mode"),
    [
        pytest.param([], "", id="none without starts"),
        pytest.param([*some(2), *some(3, 50, start_mode="cold")], "cold", id="the commonest"),
        pytest.param([*some(2), *some(2, 50, start_mode="cold")], "cold", id="of two, the newer"),
        pytest.param(some(3, outcome="failed"), "", id="failed ones do not count"),
    ],
)
def test_usual_mode(starts: list[Compared], mode: str) -> None:
    assert usual_mode(starts) == mode


def test_finished_ones_are_ready_with_a_length() -> None:
    starts = [made(1), made(2, total_s=None), made(3, outcome="partial"), made(4, start_mode="x")]
    assert [start.id for start in finished(starts, mode="cached-image")] == [1]
