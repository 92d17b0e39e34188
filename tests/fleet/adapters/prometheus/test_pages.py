"""Metrics pages through an API server's proxy: the recorded cases again, one step after the
other."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.prometheus.pages import PagesReader
from fleet.adapters.prometheus.shared_pages import shared_pages
from fleet.domain.requests.eras import Program
from fleet.domain.requests.pages import Page
from fleet.domain.requests.records import Era, Hop, MetricsFacts
from fleet.errors import Forbidden
from tests.fleet.adapters.prometheus import cases

START = datetime(2026, 11, 30, 10, tzinfo=UTC)
STEP = timedelta(seconds=30)
PORTS = {Program.ACTIVATOR: 9090, Program.AUTOSCALER: 9090, Program.QUEUE_PROXY: 9091}


class ApiServer:
    """Pages by path; anything else is forbidden."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.asked: list[str] = []
        self.access = Access()

    def put(self, found: list[cases.Page]) -> list[Page]:
        """Pages of recorded pods, under the addresses of the proxy."""
        made = [page_of(each) for each in found]
        self.pages = {
            path_of(page): each.text + "process_start_time_seconds 1\n"
            for page, each in zip(made, found, strict=True)
        }
        return made


def page_of(found: cases.Page) -> Page:
    program = found.target.program
    return Page(
        program=program,
        namespace=found.labels.get("namespace", "knative-serving"),
        pod=found.labels["pod"],
        uid=found.labels["pod"],
        port=PORTS[program],
        revision=found.labels.get("revision", ""),
    )


def path_of(page: Page) -> str:
    return f"/api/v1/namespaces/{page.namespace}/pods/{page.pod}:{page.port}/proxy/metrics"


@contextmanager
def serving() -> Iterator[ApiServer]:
    made = ApiServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802 - the server's own name
            made.asked.append(self.path)
            text = made.pages.get(self.path.partition("?")[0])
            refusal = json.dumps({"kind": "Status", "message": "no", "reason": "Forbidden"})
            self.send_response(200 if text is not None else 403)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write((text if text is not None else refusal).encode())

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    made.access = Access(
        server=f"http://127.0.0.1:{server.server_port}", token=lambda: "reader-token"
    )
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def api() -> Iterator[ApiServer]:
    with serving() as made:
        yield made


class Clock:
    """Stands where it is put."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


def reader_of(api: ApiServer, pages: list[Page], clock: Clock, at_most: int = 50) -> PagesReader:
    return PagesReader(api.access, pages=lambda: pages, clock=clock, at_most=at_most)


def looked(api: ApiServer, name: str) -> tuple[PagesReader, Clock, MetricsFacts, list[Page]]:
    pages, clock = api.put(list(cases.pages(name, "before"))), Clock()
    reader = reader_of(api, pages, clock)
    return reader, clock, reader.look(now=START), pages


# In the others a pod begins within the case, or the page after it is all there is.
STEADY = [
    "direct-backend-500",
    "direct-backend-reset",
    "direct-timeout-504",
    "direct-sse-client-cancel",
    "mixed-incident",
    "mixed-paths-500",
    "proxied-backend-down-502",
    "proxied-timeout-504",
    "proxied-client-gone-while-queued",
]


@pytest.mark.parametrize("name", STEADY)
def test_what_happened_between_two_steps(name: str, api: ApiServer) -> None:
    reader, clock, facts, pages = looked(api, name)
    assert reader.windows(facts, since=START - STEP, until=START) is None
    clock.now += STEP
    pages[:] = api.put(list(cases.pages(name, "after")))
    found = reader.windows(facts, since=START, until=START + STEP)
    reader.close()
    (wanted,) = cases.tallies_of_case(name).values()
    assert found is not None
    (window,) = [w for w in found if w.tally.requests or w.tally.broken]
    assert (window.at, dict(window.tally.errors)) == (START, dict(wanted.errors))
    assert (window.tally.requests, window.tally.broken) == (wanted.requests, wanted.broken)


def test_what_pages_can_tell(api: ApiServer) -> None:
    reader, _, facts, _ = looked(api, "mixed-incident")
    reader.close()
    assert (facts.source, facts.era) == ("pages", Era.OPENTELEMETRY)
    assert facts.told == {Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER}


def test_after_a_gap_nobody_knows_in_which_window_it_was(api: ApiServer) -> None:
    reader, clock, facts, _ = looked(api, "mixed-incident")
    reader.windows(facts, since=START - STEP, until=START)
    clock.now += 3 * STEP
    assert reader.windows(facts, since=START + STEP, until=START + 2 * STEP) is None
    clock.now += STEP
    assert reader.windows(facts, since=START + 2 * STEP, until=START + 3 * STEP) == []
    reader.close()


def test_soon_after_the_first_reading_most_of_the_window_is_not_known(api: ApiServer) -> None:
    reader, clock, facts, _ = looked(api, "mixed-incident")
    reader.windows(facts, since=START - STEP, until=START)
    clock.now += timedelta(seconds=9)
    assert reader.windows(facts, since=START, until=START + STEP) is None
    reader.close()


def test_a_step_that_failed_is_no_reading(api: ApiServer) -> None:
    reader, clock, facts, _ = looked(api, "mixed-incident")
    reader.windows(facts, since=START - STEP, until=START)
    pages, api.pages = api.pages, {}
    clock.now += STEP
    with pytest.raises(Forbidden):
        reader.windows(facts, since=START, until=START + STEP)
    api.pages = pages
    clock.now += STEP
    assert reader.windows(facts, since=START + STEP, until=START + 2 * STEP) is None
    reader.close()


def test_a_pod_cannot_speak_for_another_ones_model(api: ApiServer) -> None:
    page = Page(program=Program.VLLM, namespace="chat", pod="a", uid="a", port=8080)
    facts = MetricsFacts(source="pages", asked_at=START, vllm="vllm:")
    api.pages[path_of(page)] = 'vllm:num_requests_running{namespace="other",pod="b"} 7\n'
    clock = Clock()
    reader = reader_of(api, [page], clock)
    reader.windows(facts, since=START - STEP, until=START)
    clock.now += STEP
    (window,) = reader.windows(facts, since=START, until=START + STEP) or ()
    reader.close()
    assert (window.subject.namespace, window.subject.name) == ("chat", "a")


def test_no_more_than_the_bound_is_read_in_a_step(api: ApiServer) -> None:
    pages, clock = api.put(list(cases.pages("mixed-incident", "before"))), Clock()
    reader = reader_of(api, pages, clock, at_most=1)
    facts = MetricsFacts(source="pages", asked_at=START, era=Era.OPENTELEMETRY)
    reader.windows(facts, since=START - STEP, until=START)
    reader.close()
    assert len(api.asked) == 1


def test_one_page_that_does_not_answer_is_left_out(api: ApiServer) -> None:
    reader, clock, facts, pages = looked(api, "mixed-incident")
    del api.pages[path_of(pages[-1])]
    reader.windows(facts, since=START - STEP, until=START)
    clock.now += STEP
    assert reader.windows(facts, since=START, until=START + STEP) == []
    reader.close()


def test_a_missing_right_is_an_error_that_names_the_page(api: ApiServer) -> None:
    reader, _, facts, _ = looked(api, "mixed-incident")
    api.pages.clear()
    with pytest.raises(Forbidden, match="proxy/metrics"):
        reader.windows(facts, since=START - STEP, until=START)
    reader.close()


def test_pods_that_all_models_share_are_found_by_label(api: ApiServer) -> None:
    pods = {"items": [{"metadata": {"name": "activator-1", "uid": "u1"}}]}
    api.pages["/api/v1/namespaces/knative-serving/pods"] = json.dumps(pods)
    (page,) = shared_pages(api.access)
    assert (page.program, page.pod, page.port) == (Program.ACTIVATOR, "activator-1", 9090)
    assert any("labelSelector=app%3Dactivator" in path for path in api.asked)


def test_a_process_that_began_anew_counts_whole_also_where_it_caught_up(api: ApiServer) -> None:
    reader, clock, facts, pages = looked(api, "mixed-incident")
    reader.windows(facts, since=START - STEP, until=START)
    clock.now += STEP
    path = path_of(next(page for page in pages if page.program is Program.ACTIVATOR))
    began = f"process_start_time_seconds {START.timestamp() + 10}"
    api.pages[path] = api.pages[path].replace("process_start_time_seconds 1", began)
    found = reader.windows(facts, since=START, until=START + STEP)
    reader.close()
    assert found is not None
    assert sum(window.tally.requests or 0 for window in found) == 7 + 5 + 5 + 4 + 2


def test_a_rule_of_a_route_that_is_dropped_is_no_new_beginning(api: ApiServer) -> None:
    page = Page(program=Program.INGRESS, namespace="e", pod="e-0", uid="e-0", port=19001)
    series = 'envoy_cluster_upstream_rq{envoy_cluster_name="httproute/chat/llama/rule/%d",' + (
        'envoy_response_code="200"} %d\n'
    )
    clock = Clock()
    reader = reader_of(api, [page], clock)
    facts = MetricsFacts(
        source="pages",
        asked_at=START,
        ingress="envoy-gateway",
        jobs={"ingress": ("ingress",)},
    )
    api.pages[path_of(page)] = series % (0, 600) + series % (1, 400)
    reader.windows(facts, since=START - STEP, until=START)
    clock.now += STEP
    api.pages[path_of(page)] = series % (0, 607)
    found = reader.windows(facts, since=START, until=START + STEP)
    reader.close()
    assert [window.tally.requests for window in found or ()] == [7]
