"""Which remedy is named, under which conditions, and what it would save by own starts."""

from typing import Any

import pytest

from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.next_step import NextSteps, next_steps
from fleet.domain.compare.records import Compared
from fleet.domain.compare.remedies import StepCode
from tests.fleet.domain.compare.made import MODE, phased

PLAIN = {"fetch-model": 2.0, "load-engine": 60.0}


def some(
    count: int, first: int = 100, *, phases_s: dict[str, float] | None = None, **more: Any
) -> list[Compared]:
    """As many starts, scaled up by hand where the test does not say otherwise."""
    given = {"trigger": "scale-up", **more}
    return [phased(first + n, phases_s or PLAIN, **given) for n in range(count)]


def codes(starts: list[Compared], mode: str = MODE) -> list[str]:
    return [step.code.value for step in next_steps(starts, mode=mode).steps]


def logged(parts_s: dict[str, float], **facts: Any) -> dict[str, Any]:
    return {"parts_s": parts_s, "log_facts": facts}


def both(starts: list[Compared], others: list[Compared]) -> list[Compared]:
    return [*starts, *others]


PULLED = {"pull-image": 200.0, "load-engine": 60.0}
FETCHED = {"fetch-model": 90.0, "load-engine": 60.0}
NFS = {"filesystem": "nfs4", "checkpoint_gib": 15.0}


@pytest.mark.parametrize(
    ("starts", "mode", "expected"),
    [
        pytest.param([], MODE, [], id="nothing known, nothing said"),
        pytest.param(some(4, phases_s=FETCHED), MODE, [], id="four starts are too few"),
        pytest.param(some(9), MODE, [], id="nothing told, nothing advised"),
        pytest.param(
            some(9, phases_s=PULLED, start_mode="cold"), "cold", ["prepull-image"], id="full pulls"
        ),
        pytest.param(some(9, phases_s=PULLED), MODE, [], id="an image that is there is not pulled"),
        pytest.param(
            some(9, phases_s={"pull-image": 9.0, "load-engine": 60.0}, start_mode="cold"),
            "cold",
            [],
            id="nine seconds are not worth a change",
        ),
        pytest.param(
            some(9, phases_s=FETCHED, weights_from="storage-initializer"),
            MODE,
            ["keep-weights-near"],
            id="weights fetched for each start",
        ),
        pytest.param(
            some(9, phases_s=FETCHED), MODE, [], id="weights of which nothing says where from"
        ),
        pytest.param(
            some(9, weights_from="download", **logged({"weights_download": 40.0})),
            MODE,
            ["keep-weights-near"],
            id="weights that the server downloads",
        ),
        pytest.param(
            some(9, weights_from="download"), MODE, [], id="a download that the log does not tell"
        ),
        pytest.param(
            some(9, **logged({"compile_total": 50.0}, compile_cache="miss")),
            MODE,
            ["persist-compile-cache"],
            id="compiled anew each time",
        ),
        pytest.param(
            some(9, **logged({"compile_total": 50.0}, compile_cache="hit")),
            MODE,
            [],
            id="compiled graphs from the cache",
        ),
        pytest.param(
            some(9, **logged({"compile_total": 50.0})), MODE, [], id="a cache that nobody speaks of"
        ),
        pytest.param(
            both(
                some(5, **logged({"compile_total": 50.0}, compile_cache="miss")),
                some(5, 300, **logged({"compile_total": 5.0}, compile_cache="hit")),
            ),
            MODE,
            [],
            id="half of the starts are not most",
        ),
        pytest.param(
            some(9, **logged({"jit_warmup": 90.0})),
            MODE,
            ["persist-kernel-caches"],
            id="kernels warmed up for long",
        ),
        pytest.param(
            some(9, **logged({"graph_capture": 17.0})),
            MODE,
            ["fewer-capture-sizes"],
            id="many graphs captured",
        ),
        pytest.param(
            some(9, node_pool="a100", **logged({"profile_run": 30.0})),
            MODE,
            ["set-kv-cache-memory"],
            id="long profiling on nodes of one kind",
        ),
        pytest.param(
            some(9, **logged({"profile_run": 30.0})), MODE, [], id="on nodes of unknown kind"
        ),
        pytest.param(
            some(9, **logged({"weights_load": 60.0}, ram_gib=200.0, **NFS)),
            MODE,
            ["prefetch-weights"],
            id="slow reads from a network filesystem",
        ),
        pytest.param(
            some(9, **logged({"weights_load": 60.0}, ram_gib=8.0, **NFS)),
            MODE,
            [],
            id="weights that do not fit into memory",
        ),
        pytest.param(
            some(9, **logged({"weights_load": 60.0}, **NFS)), MODE, [], id="memory not known"
        ),
        pytest.param(
            some(9, **logged({"weights_load": 60.0}, ram_gib=200.0, prefetch_s=9.0, **NFS)),
            MODE,
            [],
            id="already read ahead",
        ),
        pytest.param(
            some(9, weights_from="local-cache", **logged({"weights_load": 30.0})),
            MODE,
            ["faster-loader"],
            id="local weights read by the default loader",
        ),
        pytest.param(
            some(9, weights_from="local-cache", **logged({"weights_load": 30.0}, loader="x")),
            MODE,
            [],
            id="another loader is there already",
        ),
        pytest.param(
            some(9, trigger="scale-from-zero"), MODE, ["keep-warm"], id="mostly woken from zero"
        ),
    ],
)
def test_a_remedy_is_named_only_where_its_condition_is_met(
    starts: list[Compared], mode: str, expected: list[str]
) -> None:
    assert codes(starts, mode) == expected


def best(starts: list[Compared], mode: str = MODE) -> tuple[StepCode, float, float | None, int]:
    step = next_steps(starts, mode=mode).steps[0]
    return step.code, step.spends_s, step.saves_s, step.n_with


COLD = some(9, phases_s=PULLED, start_mode="cold")
MISSES = some(9, **logged({"compile_total": 50.0, "engine_init": 90.0}, compile_cache="miss"))
HIT = logged({"compile_total": 12.0, "engine_init": 45.0}, compile_cache="hit")


@pytest.mark.parametrize(
    ("starts", "mode", "expected"),
    [
        pytest.param(
            both(COLD, some(5, 300)),
            "cold",
            (StepCode.PREPULL_IMAGE, 200.0, 200.0, 5),
            id="five starts with the image there",
        ),
        pytest.param(
            both(COLD, some(4, 300)),
            "cold",
            (StepCode.PREPULL_IMAGE, 200.0, None, 4),
            id="four tell nothing",
        ),
        pytest.param(
            both(MISSES, some(5, 10, **HIT)),
            MODE,
            (StepCode.PERSIST_COMPILE_CACHE, 50.0, 45.0, 5),
            id="tracing stays when graphs come from the cache",
        ),
        pytest.param(
            both(
                some(9, phases_s=FETCHED, weights_from="storage-initializer"),
                some(5, 10, phases_s={"load-engine": 100.0}, weights_from="pvc"),
            ),
            MODE,
            (StepCode.KEEP_WEIGHTS_NEAR, 90.0, 50.0, 5),
            id="reading from a volume costs some of it",
        ),
    ],
)
def test_what_is_saved_is_told_by_own_starts(
    starts: list[Compared], mode: str, expected: tuple[StepCode, float, float | None, int]
) -> None:
    assert best(starts, mode) == expected


def test_what_own_starts_show_to_be_no_gain_is_not_named() -> None:
    slow_volume = some(5, 10, phases_s={"load-engine": 148.0}, weights_from="pvc")
    fetched = some(9, phases_s=FETCHED, weights_from="storage-initializer")
    assert codes([*fetched, *slow_volume]) == []


def several() -> NextSteps:
    phases_s = {"fetch-model": 90.0, "load-engine": 120.0}
    parts = {"compile_total": 50.0, "graph_capture": 17.0, "engine_init": 90.0}
    starts = some(
        9,
        phases_s=phases_s,
        weights_from="storage-initializer",
        trigger="scale-from-zero",
        **logged(parts, compile_cache="miss"),
    )
    return next_steps(starts, mode=MODE)


def test_the_worst_phase_first_then_what_saves_most_and_avoiding_starts_last() -> None:
    found = several()
    assert (found.worst, found.worst_s, found.n) == (Phase.LOAD_ENGINE, 120.0, 9)
    assert [step.code.value for step in found.steps] == [
        "persist-compile-cache",
        "fewer-capture-sizes",
        "keep-weights-near",
        "keep-warm",
    ]
