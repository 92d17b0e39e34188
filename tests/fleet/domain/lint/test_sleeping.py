"""Models that sleep: PL010, PL017, PL018."""

from __future__ import annotations

import pytest
import yaml

from fleet.domain.lint.measured import Measured
from fleet.domain.lint.reading.cron import pause_s
from fleet.domain.lint.rules.sleeping import warm_window
from tests.fleet.domain.lint.objects import (
    AUTOSCALING,
    Raw,
    config,
    cron_job,
    isvc,
    linted,
    severity,
)

KEDA = {"serving.kserve.io/autoscalerClass": "keda"}
ASLEEP = isvc(minReplicas=0)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        pytest.param(isvc(mode="Standard", notes=KEDA, minReplicas=0), "warning", id="KEDA at 0"),
        pytest.param(isvc(mode="Standard", notes=KEDA, minReplicas=1), None, id="KEDA at 1"),
        pytest.param(isvc(mode="Standard", minReplicas=0), None, id="an HPA makes 1 of it"),
        pytest.param(isvc(notes=KEDA, minReplicas=0), None, id="Knative holds the request"),
    ],
)
def test_without_activator(raw: Raw, says: str | None) -> None:
    assert severity("PL010", [raw]) == says


@pytest.mark.parametrize(
    ("schedule", "seconds"),
    [
        pytest.param("* * * * *", 60, id="each minute"),
        pytest.param("*/10 * * * *", 600, id="each ten minutes"),
        pytest.param("0,30 8-18 * * 1-5", 1800, id="twice an hour by day"),
        pytest.param("0 8-18/2 * * *", 7200, id="each second hour by day"),
        pytest.param("15 6 * * *", 86400, id="once a day"),
        pytest.param("5/20 * * * *", 1200, id="from the fifth minute on"),
        pytest.param("@hourly", None, id="a nickname"),
        pytest.param("61 * * * *", None, id="no such minute"),
        pytest.param("x * * * *", None, id="no number"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_the_pause_between_two_runs(schedule: str, seconds: float | None) -> None:
    assert pause_s(schedule) == seconds


WINDOW = f"{AUTOSCALING}window"


@pytest.mark.parametrize(
    ("objects", "says"),
    [
        pytest.param([ASLEEP, cron_job("*/10 * * * *")], "warning", id="asleep after 90 s"),
        pytest.param([ASLEEP, cron_job("* * * * *")], None, id="asked each minute"),
        pytest.param(
            [isvc(minReplicas=0, notes={WINDOW: "15m"}), cron_job("*/10 * * * *")],
            None,
            id="a window of a quarter of an hour",
        ),
        pytest.param(
            [
                ASLEEP,
                cron_job("*/10 * * * *"),
                config("config-autoscaler", scale_to_zero_pod_retention_period="10m"),
            ],
            None,
            id="the cluster keeps the last replica",
        ),
        pytest.param([isvc(minReplicas=1), cron_job("*/10 * * * *")], None, id="never asleep"),
        pytest.param([ASLEEP], None, id="no job"),
        pytest.param(
            [ASLEEP, cron_job("*/10 * * * *", "http://other.chat/v1/models")],
            None,
            id="it asks another model",
        ),
        pytest.param(
            [ASLEEP, cron_job("*/10 * * * *", "http://llama.other.example.com/")],
            None,
            id="of the same name in another namespace",
        ),
        pytest.param(
            [ASLEEP, cron_job("*/10 * * * *", "https://llama-chat.example.com/v1/models")],
            "warning",
            id="by its host outside",
        ),
        pytest.param(
            [ASLEEP, cron_job("*/10 * * * *", "http://llama.svc/")], "warning", id="by its name"
        ),
        pytest.param(
            [ASLEEP, cron_job("*/10 * * * *"), cron_job("* * * * *")], None, id="the oftener of two"
        ),
    ],
)
def test_warm_up_rare(objects: list[Raw], says: str | None) -> None:
    assert severity("PL018", objects) == says


def test_a_job_that_is_suspended_warms_nothing() -> None:
    job = cron_job("*/10 * * * *")
    job["spec"]["suspend"] = True
    assert severity("PL018", [ASLEEP, job]) is None


def test_a_pause_of_more_than_an_hour_cannot_be_bridged() -> None:
    found = linted([ASLEEP, cron_job("0 8-18/2 * * *")])["PL018"]
    assert (found.patch, found.params["retention_min"]) == ("", None)
    bridged = linted([ASLEEP, cron_job("*/10 * * * *")])["PL018"]
    assert 'scale-to-zero-pod-retention-period: "10m"' in bridged.patch


def week(*hours: int, days: int = 5, each: float = 10.0, night: float = 0.0) -> tuple[float, ...]:
    """Requests in some hours of the first days of a week."""
    return tuple(
        each if day < days and hour in hours else night for day in range(7) for hour in range(24)
    )


OFFICE = week(*range(8, 18))


@pytest.mark.parametrize(
    ("by_hour", "window"),
    [
        pytest.param(OFFICE, (8, 18, 1.0), id="office hours"),
        pytest.param(week(*range(8, 18), days=3), (8, 18, 1.0), id="three days of five"),
        pytest.param(week(*range(8, 18), days=2), None, id="two days of five"),
        pytest.param(week(8, 9, 10), None, id="three hours are too few"),
        pytest.param(week(*range(24)), None, id="all day and night"),
        pytest.param(week(*range(8, 12), 20, 21, 22), None, id="half of it is elsewhere"),
        pytest.param(week(*range(8, 18), days=7), (8, 18, 5 / 7), id="weekends too"),
        pytest.param(week(*range(8, 18), night=10.0), None, id="as much at night"),
        pytest.param((0.0,) * 168, None, id="no request"),
        pytest.param((1.0,) * 24, None, id="no week"),
    ],
)
def test_warm_window(by_hour: tuple[float, ...], window: tuple[int, int, float] | None) -> None:
    assert warm_window(by_hour) == (window and pytest.approx(window))


@pytest.mark.parametrize(
    ("objects", "measured", "says"),
    [
        pytest.param([ASLEEP], Measured(by_hour=OFFICE, from_zero=3), "advice", id="office hours"),
        pytest.param([ASLEEP], Measured(by_hour=OFFICE, from_zero=0), None, id="nobody waited"),
        pytest.param([ASLEEP], Measured(from_zero=3), None, id="no traffic figures"),
        pytest.param(
            [isvc(minReplicas=1)], Measured(by_hour=OFFICE, from_zero=3), None, id="never asleep"
        ),
    ],
)
def test_business_hours(objects: list[Raw], measured: Measured, says: str | None) -> None:
    assert severity("PL017", objects, measured) == says


def test_the_job_that_is_proposed_keeps_the_model_awake() -> None:
    patch = linted([ASLEEP], Measured(by_hour=OFFICE, from_zero=3))["PL017"].patch
    job = yaml.safe_load(patch)
    assert job["spec"]["schedule"] == "* 8-17 * * 1-5"
    assert severity("PL018", [ASLEEP, job]) is None


def test_where_it_sleeps_within_a_minute_no_schedule_keeps_it_awake() -> None:
    quick = config("config-autoscaler", stable_window="20s", scale_to_zero_grace_period="10s")
    found = linted([ASLEEP, quick], Measured(by_hour=OFFICE, from_zero=3))["PL017"]
    assert found.patch == ""


def test_a_name_that_is_none_reaches_no_address() -> None:
    odd = ASLEEP | {"metadata": ASLEEP["metadata"] | {"name": "evil.example/x?"}}
    assert linted([odd], Measured(by_hour=OFFICE, from_zero=3))["PL017"].patch == ""
