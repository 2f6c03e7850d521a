"""A pytest plugin with a Kafka-protocol cluster as a fixture.

    def test_an_order_is_shipped(kafka_cluster):
        ship(kafka_cluster.bootstrap, ...)

    @pytest.mark.antechamber(brokers=3, config={"min.insync.replicas": 2})
    def test_a_slow_follower_delays_an_order(kafka_cluster):
        kafka_cluster.pause(3)
        ...

- kafka_cluster: an `antechamber.Cluster` with the options of the session and of the marker.
  It starts with the first test that uses it. Tests with equal options share a cluster; nodes that
  a test has paused or stopped, and a clock that it has adjusted, run again after the test.
- clean_kafka_cluster: a cluster without what other tests have made in it. It is reset before
  each test, in a few milliseconds.
- kafka_prefix: a prefix for names in `kafka_cluster`, for tests that run at the same time. What has
  the prefix is removed after the test.
- shared_kafka_cluster: the cluster with the options of the session, for wider fixture scopes.
- kafka_service: the address of that cluster, as fixtures of pytest-databases have those of others.
- antechamber_options: the arguments of `antechamber.Cluster`; override it in conftest.py. The
  marker's arguments override them. With ``admin``, they are those of `antechamber.RunningCluster`,
  and the fixtures are that cluster.

``fresh=True`` in the marker starts a cluster for this test alone, and so do ``faults``, whose rules
count the requests of a test. The workers of pytest-xdist have
clusters of their own, or share them with ``--antechamber-shared``. A run that uses no cluster
imports only this file of the package.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from antechamber.cluster import Cluster
    from antechamber.handle import Handle
    from antechamber.testing.clusters import AnyCluster, Clusters

Options = dict[str, Any]

_CLUSTERS = pytest.StashKey["Clusters"]()  # of the session
_TRACES = pytest.StashKey[Path]()  # the folder of trace files without an option
_BEGINS = pytest.StashKey[dict[Any, int]]()  # of a test, by the clock of each cluster
_HANDLES = pytest.StashKey[dict[Any, Any]]()  # the cluster of each fixture that has one
_SERVER = pytest.StashKey[Any]()  # the `ClusterServer` of pytest-xdist's controller
_WORKER_INPUT = "antechamber_clusters"
_IS_MARKER_READ = pytest.StashKey[bool]()  # of a test
_FIXTURES = frozenset({"kafka_cluster", "shared_kafka_cluster"})
# How the message of pytest begins if a fixture with a wider scope uses one of these.
_SCOPE_MISMATCHES = tuple(
    f"ScopeMismatch: You tried to access the function scoped fixture {name} "
    for name in ("kafka_cluster", "clean_kafka_cluster")
)


class KafkaService(NamedTuple):
    """The address of the first node of `shared_kafka_cluster`."""

    host: str
    port: int

    @property
    def bootstrap_servers(self) -> str:
        """The address for clients: ``HOST:PORT``."""
        return f"{self.host}:{self.port}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("antechamber", "clusters of the fixture kafka_cluster")
    group.addoption(
        "--antechamber-traces",
        metavar="DIR",
        help="the folder of the trace files of failed tests, by default in the temporary folder",
    )
    group.addoption(
        "--antechamber-shared",
        action="store_true",
        help="the workers of pytest-xdist share clusters; by default each has its own",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "antechamber(*, fresh=False, brokers=1, config={}, topics=[], ...): "
        "the cluster of the fixture kafka_cluster; arguments are those of antechamber.Cluster",
    )


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give the address of the clusters to a worker of pytest-xdist; runs in its controller."""
    if not node.config.getoption("--antechamber-shared"):
        return
    from antechamber.testing import cluster_server

    if _SERVER not in node.config.stash:
        node.config.stash[_SERVER] = cluster_server.ClusterServer()
    node.workerinput[_WORKER_INPUT] = node.config.stash[_SERVER].address


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the clusters that workers have shared."""
    if _SERVER in config.stash:
        config.stash[_SERVER].close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note the times of running clusters, so that a report has the requests of the test only."""
    clusters = item.config.stash.get(_CLUSTERS, None)
    if clusters is not None and _FIXTURES & {*getattr(item, "fixturenames", ())}:
        from antechamber.testing.failures import times

        item.stash[_BEGINS] = times(clusters.running())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Warn after a test whose own marker no fixture has read."""
    __tracebackhide__ = True
    result = yield
    is_marked = any(mark.name == "antechamber" for mark in item.own_markers)
    if is_marked and _IS_MARKER_READ not in item.stash:
        words = "has no effect: the test uses neither kafka_cluster nor clean_kafka_cluster"
        item.warn(pytest.PytestWarning(f"@pytest.mark.antechamber {words}"))
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the reports of the clusters among the fixtures of a test that has failed.

    The report of a fixture whose scope is too wide for `kafka_cluster` names the other fixture.
    """
    report = yield
    if call.excinfo is not None and str(call.excinfo.value).startswith(_SCOPE_MISMATCHES):
        words = "A fixture with a wider scope than function can use shared_kafka_cluster."
        report.sections.append(("antechamber", words))
    if report.failed and call.when != "teardown" and (used := _used_handles(item)):
        from antechamber.testing.failures import add_reports

        begins = item.stash.get(_BEGINS, {})
        since_us = {handle: begins.get(handle, 0) for handle in used}
        add_reports(report, item, since_us, _traces_folder(item.config))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """Note the fixtures whose value is a cluster, also those of users."""
    __tracebackhide__ = True
    value = yield
    handle = sys.modules.get("antechamber.handle")  # is not imported before the first cluster
    if handle is not None and isinstance(value, handle.Handle):
        request.config.stash.setdefault(_HANDLES, {})[fixturedef] = value
    return value


def pytest_fixture_post_finalizer(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> None:
    """Forget a fixture that has ended."""
    request.config.stash.get(_HANDLES, {}).pop(fixturedef, None)


def _used_handles(item: pytest.Item) -> list[Handle]:
    """The clusters among the fixtures of a test, each once."""
    names = {*getattr(item, "fixturenames", ())}
    handles = item.config.stash.get(_HANDLES, {}).items()
    return [*{each: None for fixture, each in handles if fixture.argname in names}]


def _traces_folder(config: pytest.Config) -> Path | None:
    given: str | None = config.getoption("--antechamber-traces")
    if given is not None:
        return config.invocation_params.dir / given
    return config.stash.get(_TRACES, None)


@pytest.fixture(scope="session")
def antechamber_options() -> Options:
    """Arguments of `antechamber.Cluster` for every cluster; override it in conftest.py."""
    return {}


@pytest.fixture(scope="session")
def _kafka_clusters(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Clusters]:
    """The clusters of the session."""
    from antechamber.testing.clusters import Clusters

    server = getattr(pytestconfig, "workerinput", {}).get(_WORKER_INPUT)
    clusters = pytestconfig.stash[_CLUSTERS] = Clusters(server)
    pytestconfig.stash[_TRACES] = tmp_path_factory.getbasetemp() / "antechamber-traces"
    yield clusters
    clusters.close()


@pytest.fixture(scope="session")
def shared_kafka_cluster(_kafka_clusters: Clusters, antechamber_options: Options) -> AnyCluster:
    """The cluster with the options of the session."""
    __tracebackhide__ = True
    return _kafka_clusters.get(antechamber_options)


@pytest.fixture(scope="session")
def kafka_service(shared_kafka_cluster: Cluster) -> KafkaService:
    """The address of the cluster with the options of the session."""
    node = shared_kafka_cluster.nodes[0]
    return KafkaService(node.host, node.port)


@pytest.fixture
def kafka_cluster(
    request: pytest.FixtureRequest, _kafka_clusters: Clusters, antechamber_options: Options
) -> Iterator[AnyCluster]:
    """A cluster with the options of the session and of ``@pytest.mark.antechamber``."""
    from antechamber.testing.clusters import undo_faults

    __tracebackhide__ = True
    fresh, options = _options(request, antechamber_options)
    if fresh:
        with _kafka_clusters.start(options) as fresh_cluster:
            yield fresh_cluster
        return
    cluster = _kafka_clusters.get(options)
    yield cluster
    if cluster.is_running:
        undo_faults(cluster)


@pytest.fixture
def clean_kafka_cluster(
    request: pytest.FixtureRequest, _kafka_clusters: Clusters, antechamber_options: Options
) -> Iterator[AnyCluster]:
    """A cluster as after its start; the options are those of `kafka_cluster`.

    Only this fixture uses it, and resets it before each test, which takes a few milliseconds.
    """
    __tracebackhide__ = True
    fresh, options = _options(request, antechamber_options)
    if fresh:
        with _kafka_clusters.start(options) as fresh_cluster:
            yield fresh_cluster
        return
    cluster = _kafka_clusters.get(options, is_reset=True)
    cluster.reset()
    yield cluster


@pytest.fixture
def kafka_prefix(request: pytest.FixtureRequest, kafka_cluster: AnyCluster) -> Iterator[str]:
    """A prefix for the names of the test: of topics, groups and transactional ids.

    It has the name of the test, and no other test has it. What has the prefix in `kafka_cluster` is
    removed after the test.
    """
    from antechamber.testing.clusters import undo_faults
    from antechamber.testing.names import unique_prefix

    prefix = unique_prefix(request.node.name)
    yield prefix
    if kafka_cluster.is_running:
        undo_faults(kafka_cluster)  # a stopped node cannot end the transactions of the test
        kafka_cluster.reset(prefix)


def _options(request: pytest.FixtureRequest, given: Options) -> tuple[bool, Options]:
    """Whether the test has a cluster of its own, and the options of its cluster."""
    __tracebackhide__ = True
    fresh, marked = _marker_options(request)
    options = {**given, **marked}
    if "admin" in options and (fresh or marked):
        raise pytest.UsageError(
            f"@pytest.mark.antechamber has no effect on the cluster at {options['admin']}, "
            "which runs already; deselect its tests with -m 'not antechamber'"
        )
    return fresh, options


def _marker_options(request: pytest.FixtureRequest) -> tuple[bool, Options]:
    __tracebackhide__ = True
    request.node.stash[_IS_MARKER_READ] = True
    marker = request.node.get_closest_marker("antechamber")
    if marker is None:
        return False, {}
    if marker.args:
        raise pytest.UsageError(
            f"@pytest.mark.antechamber takes arguments by name only, not {marker.args[0]!r}"
        )
    options = dict(marker.kwargs)
    fresh = options.pop("fresh", options.get("faults") is not None)
    if not isinstance(fresh, bool):
        raise pytest.UsageError(f"@pytest.mark.antechamber: fresh is True or False, not {fresh!r}")
    return fresh, options
