"""A view over an engine for vectors shows what a view without one shows: nothing that is gone, and all that is there.

Truth is fed to the engine after the commit. Whatever becomes of the engine, the answer is right, and says what failed.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearest_engines import DIMENSION, KEEPING, NAMES, Place, clustered, place_of
from s3_server import S3Server, gateway, options_at, unsigned
from samples import ANNA, AT, BORIS, id_, memory

from cortex.clock import SystemClock
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import NearestUnavailable
from cortex.ports.nearest import Accelerated, Acceleration, Candidates, Nearest, NearestState, Points, Watermark
from cortex.ports.store import Embed, Filter, Match, Put, Remove, Store
from cortex.runtime.deadline import Deadline
from cortex.stores.nearest.codes import CodesNearest
from cortex.stores.relational import accelerator
from cortex.stores.sqlite import SqliteStore
from cortex.testing import FakeClock

SPACE = EmbeddingSpace("fake", "sphere", DIMENSION)
BASE = 1_100
"""A space has codes from 1,025 vectors on."""
EVERYTHING = 800
"""So many results are asked for that every vector is a candidate: then the answer has to be exact."""
VECTORS = clustered(BASE + 400)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with so many vectors that it has codes."""
    path = tmp_path_factory.mktemp("base") / "main.sqlite"
    store = SqliteStore(path)
    put(store, range(BASE))
    store.close()
    return path


def put(store: SqliteStore, numbers: Sequence[int] | range, scope: str = "home") -> None:
    traces = [memory(number, f"berth {number}", scope=scope) for number in numbers]
    store.apply(ANNA, [Put(trace, EventKind.REMEMBERED) for trace in traces], at=AT)
    store.apply(ANNA, [Embed(id_(number), SPACE, (VECTORS[number],)) for number in numbers], at=AT)


@dataclass
class Tenant:
    """A store in a folder of its own, accelerated or not."""

    path: Path
    store: SqliteStore

    def nearest(self, vector: np.ndarray, limit: int = EVERYTHING, scope: str | None = None) -> list[Match]:
        filter = Filter() if scope is None else Filter(scopes=frozenset({scope}))
        with self.store.view(ANNA) as view:
            return view.nearest(vector, SPACE, filter, limit)

    def degraded(self) -> list[str]:
        with self.store.view(ANNA) as view:
            view.nearest(VECTORS[0], SPACE, Filter(), 5)
            return list(view.degraded)

    def exact(self, vector: np.ndarray, limit: int = EVERYTHING, scope: str | None = None) -> list[Match]:
        """The same by a store that has no engine."""
        plain = SqliteStore(self.path)
        try:
            return Tenant(self.path, plain).nearest(vector, limit, scope)
        finally:
            plain.close()

    def is_exact(self) -> bool:
        return all(self.nearest(VECTORS[at]) == self.exact(VECTORS[at]) for at in (0, 7, BASE + 3))

    @property
    def state(self) -> str:
        status = self.store.nearest_status()
        assert status is not None
        return str(status["state"])


@pytest.fixture
def tenant(base: Path, tmp_path: Path) -> Iterator[Tenant]:
    path = tmp_path / "main.sqlite"
    shutil.copy(base, path)
    store = SqliteStore(path)
    yield Tenant(path, store)
    store.close()


@pytest.fixture(params=NAMES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return place_of(request.param, tmp_path / "engine", request)


class Failing:
    """An engine that a test can stop at any call."""

    def __init__(self, inner: Nearest) -> None:
        self.inner = inner
        self.calls: list[str] = []
        self.fails_at: int | None = None
        """At which call from now on it fails."""

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.fails_at is not None:
            self.fails_at -= 1
            if self.fails_at < 0:
                raise NearestUnavailable("it is gone")

    def watermark(self) -> Watermark | None:
        self._called("watermark")
        return self.inner.watermark()

    def put(self, points: Points, watermark: Watermark) -> None:
        self._called("put")
        self.inner.put(points, watermark)

    def drop(self, ids: Sequence[int]) -> None:
        self._called("drop")
        self.inner.drop(ids)

    def search(self, vector: np.ndarray, facets: Sequence[int], limit: int) -> Candidates | None:
        self._called("search")
        return self.inner.search(vector, facets, limit)

    def clear(self) -> None:
        self._called("clear")
        self.inner.clear()

    def optimize(self, *, purge: bool = False) -> None:
        self._called("optimize")
        self.inner.optimize(purge=purge)

    def describe(self) -> dict[str, object]:
        return dict(self.inner.describe())

    def close(self) -> None:
        self.inner.close()


class Clock(SystemClock):
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.later = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.later


def accelerated(engine: Nearest, *, seconds: float = 60.0, clock: SystemClock | None = None) -> Acceleration:
    return Acceleration(lambda name, dimension: engine, "codes:", 1, seconds, clock or SystemClock())


# --- the same answers ------------------------------------------------------------------------------------------------


def test_a_view_shows_the_same_with_an_engine_as_without(tenant: Tenant, place: Place):
    """X17, L1: before it was fed, once it was, and for everything that came after"""
    tenant.store.accelerate(place.acceleration())
    assert tenant.degraded() == ["nearest:behind"]
    tenant.store.feed_nearest()
    assert tenant.degraded() == []
    assert tenant.is_exact()
    put(tenant.store, range(BASE, BASE + 20), scope="work")
    tenant.store.apply(ANNA, [Remove(id_(7)), Remove(id_(BASE + 3))], at=AT)
    assert tenant.is_exact()
    assert tenant.nearest(VECTORS[BASE + 5], 3, scope="work") == tenant.exact(VECTORS[BASE + 5], 3, scope="work")
    assert tenant.nearest(VECTORS[BASE + 5], 1)[0].id == id_(BASE + 5)
    assert id_(7) not in {match.id for match in tenant.nearest(VECTORS[7])}
    tenant.store.feed_nearest()
    assert tenant.is_exact()
    status = tenant.store.nearest_status()
    assert status is not None
    assert (status["state"], status["behind"], status["vectors"]) == ("ready", 0, BASE + 18)
    assert status["spaces"][SPACE.key]["points"] == BASE + 18


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, BASE + 399)),
        st.tuples(st.just("remove"), st.integers(0, BASE + 399)),
        st.tuples(st.just("move"), st.integers(0, BASE + 399)),
        st.tuples(st.just("forget"), st.integers(0, BASE + 399)),
        st.tuples(st.just("feed"), st.just(0)),
        st.tuples(st.just("crash"), st.integers(0, 5)),
        st.tuples(st.just("lose"), st.just(0)),
    ),
    min_size=1,
    max_size=25,
)


@given(operations=OPERATIONS)
def test_whatever_happens_a_view_equals_the_exact_search(base: Path, tmp_path_factory, operations):
    """Puts, removals, moves between facets, feeds, feeds that are cut off at any call, and an engine that is lost"""
    path = tmp_path_factory.mktemp("random") / "main.sqlite"
    shutil.copy(base, path)
    engine = Failing(CodesNearest(DIMENSION))
    with closing(SqliteStore(path)) as store, closing(SqliteStore(path)) as plain:
        store.accelerate(accelerated(engine))
        both = Tenant(path, store), Tenant(path, plain)
        for what, number in operations:
            carry_out(what, number, store, engine)
            for scope in (None, "move"):
                found, exact = (each.nearest(VECTORS[number], scope=scope) for each in both)
                assert found == exact
        store.feed_nearest()
        assert both[0].degraded() == []
        assert both[0].nearest(VECTORS[5]) == both[1].nearest(VECTORS[5])


def carry_out(what: str, number: int, store: SqliteStore, engine: Failing) -> None:
    with store.view(ANNA) as view:
        old = view.load([id_(number)])
    if what == "put":
        put(store, [number])
    elif what == "remove" and old:
        store.apply(ANNA, [Remove(id_(number))], at=AT)
    elif what in ("move", "forget") and old:
        state = State.FORGOTTEN if what == "forget" else State.ACTIVE
        store.apply(ANNA, [Put(replace(old[0], scope=what, state=state), EventKind.REVISED)], at=AT)
    elif what == "feed":
        store.feed_nearest()
    elif what == "lose":
        engine.inner.clear()
    elif what == "crash":
        engine.fails_at = number
        with suppress(NearestUnavailable):
            store.feed_nearest()
        engine.fails_at = None


def test_another_user_of_the_agent_finds_only_their_own(tenant: Tenant, place: Place):
    """X17: users lie in facets of their own"""
    own = memory(BASE + 1, "berth of Boris")
    tenant.store.apply(BORIS, [Put(own, EventKind.REMEMBERED), Embed(own.id, SPACE, (VECTORS[0],))], at=AT)
    tenant.store.accelerate(place.acceleration())
    tenant.store.feed_nearest()
    with tenant.store.view(BORIS) as view:
        assert [match.id for match in view.nearest(VECTORS[0], SPACE, Filter(), 10)] == [own.id]
    assert own.id not in {match.id for match in tenant.nearest(VECTORS[0])}


def test_the_past_and_filters_that_facets_do_not_answer_do_without_it(tenant: Tenant):
    engine = Failing(CodesNearest(DIMENSION))
    tenant.store.accelerate(accelerated(engine))
    tenant.store.feed_nearest()
    engine.calls.clear()
    with tenant.store.view(ANNA) as view:
        position = view.position
        later = view.nearest(VECTORS[3], SPACE, Filter(since=AT), 5)
    with tenant.store.view(ANNA, as_of=position) as past:
        then = past.nearest(VECTORS[3], SPACE, Filter(), 5)
    assert engine.calls == []
    assert tenant.nearest(VECTORS[3], 5) == then == later
    assert engine.calls == ["search"]


def test_fewer_vectors_than_it_is_used_from_are_left_to_the_codes(tenant: Tenant):
    engine = Failing(CodesNearest(DIMENSION))
    tenant.store.accelerate(replace(accelerated(engine), from_vectors=BASE + 1))
    tenant.store.feed_nearest()
    assert tenant.is_exact()
    assert engine.calls == []
    assert tenant.degraded() == []
    assert tenant.state == NearestState.IDLE
    put(tenant.store, [BASE])
    tenant.store.feed_nearest()
    assert tenant.state == NearestState.READY
    assert tenant.is_exact()
    assert "search" in engine.calls


@pytest.mark.parametrize("open_store", ["sqlite", "postgresql"], indirect=True)
@pytest.mark.parametrize("kind", ["codes", "lancedb"])
def test_every_store_that_has_codes_can_use_an_engine(store: Store, tmp_path: Path, request, kind: str):
    """What is nearest is computed here from the vectors themselves"""
    assert isinstance(store, Accelerated)
    there = set(range(BASE))
    put(store, range(BASE))  # type: ignore[arg-type]

    def expected(number: int) -> list[TraceId]:
        near = sorted(there, key=lambda at: (-round(float(VECTORS[at] @ VECTORS[number]), 4), id_(at)))
        return [id_(at) for at in near[:3]]

    store.accelerate(place_of(kind, tmp_path / "engine", request).acceleration())
    store.feed_nearest()
    with store.view(ANNA) as before:
        assert [match.id for match in before.nearest(VECTORS[7], SPACE, Filter(), 3)] == expected(7)
        earlier = expected(7)
        put(store, range(BASE, BASE + 20))  # type: ignore[arg-type]
        store.apply(ANNA, [Remove(id_(7))], at=AT)
        there |= {*range(BASE, BASE + 20)} - {7}
        there -= {7}
        for is_fed in (False, True):
            if is_fed:
                store.feed_nearest()
            with store.view(ANNA) as view:
                for number in (7, 30, BASE + 4):
                    found = [match.id for match in view.nearest(VECTORS[number], SPACE, Filter(), 3)]
                    assert found == expected(number)
                assert list(view.degraded) == []
        assert [match.id for match in before.nearest(VECTORS[7], SPACE, Filter(), 3)] == earlier
    status = store.nearest_status()
    assert status is not None
    assert (status["state"], status["behind"]) == ("ready", 0)
    assert status["spaces"][SPACE.key]["points"] == BASE + 19
    assert store.compact()


# --- snapshots -------------------------------------------------------------------------------------------------------


def test_a_view_that_is_older_than_a_removal_still_shows_what_was_removed(tenant: Tenant, place: Place):
    tenant.store.accelerate(place.acceleration())
    tenant.store.feed_nearest()
    with tenant.store.view(ANNA) as view:
        before = view.nearest(VECTORS[7], SPACE, Filter(), 5)
        tenant.store.apply(ANNA, [Remove(id_(7))], at=AT)
        put(tenant.store, [BASE + 1])
        tenant.store.feed_nearest()
        assert view.nearest(VECTORS[7], SPACE, Filter(), 5) == before
        assert before[0].id == id_(7)
        assert view.degraded == []
    assert tenant.is_exact()


def test_what_a_feed_is_about_to_drop_is_told_before_it_is_dropped(tenant: Tenant):
    """A search between the two would otherwise lack what its snapshot has"""
    engine = Failing(CodesNearest(DIMENSION))
    tenant.store.accelerate(accelerated(engine))
    tenant.store.feed_nearest()
    with tenant.store.view(ANNA) as view:
        before = view.nearest(VECTORS[7], SPACE, Filter(), 5)
        tenant.store.apply(ANNA, [Remove(id_(7))], at=AT)
        put(tenant.store, [BASE + 1])
        engine.fails_at = 3  # the watermark, the points and the removal are done, and the last word is not
        with pytest.raises(NearestUnavailable):
            tenant.store.feed_nearest()
        engine.fails_at = None
        assert engine.calls[-4:] == ["watermark", "put", "drop", "put"]
        assert view.nearest(VECTORS[7], SPACE, Filter(), 5) == before
    assert tenant.is_exact()
    tenant.store.feed_nearest()
    assert tenant.state == NearestState.READY
    assert tenant.is_exact()


def test_a_memory_that_was_restored_from_an_earlier_copy_feeds_its_engine_anew(tenant: Tenant, place: Place):
    """Numbers are given again after that, to other vectors"""
    earlier = tenant.path.with_name("earlier.sqlite")
    tenant.store.backup(earlier)
    tenant.store.accelerate(place.acceleration())
    tenant.store.feed_nearest()
    between = tenant.path.with_name("between.sqlite")
    tenant.store.backup(between)
    put(tenant.store, range(BASE, BASE + 30))
    tenant.store.feed_nearest()
    for copy, number in ((earlier, 40), (between, 100)):
        tenant.store.close()
        for file in tenant.path.parent.glob("main.sqlite*"):
            file.unlink()
        shutil.copy(copy, tenant.path)
        tenant.store = SqliteStore(tenant.path)
        tenant.store.accelerate(place.acceleration())
        put(tenant.store, range(BASE + number, BASE + number + 60))
        assert tenant.degraded() != [] or place.kind == "codes"
        assert tenant.is_exact()
        tenant.store.feed_nearest()
        assert tenant.degraded() == []
        assert tenant.is_exact()


# --- out of order ----------------------------------------------------------------------------------------------------


def test_an_engine_that_is_down_is_left_alone_for_a_while_and_then_asked_again(tenant: Tenant):
    """X17: the answer is the same, and says so"""
    engine, clock = Failing(CodesNearest(DIMENSION)), Clock()
    tenant.store.accelerate(accelerated(engine, clock=clock))
    tenant.store.feed_nearest()
    engine.calls.clear()
    engine.fails_at = 0
    assert tenant.degraded() == ["nearest:unavailable"]
    engine.fails_at = None
    for _ in range(3):
        assert tenant.degraded() == ["nearest:unavailable"]
    assert engine.calls == ["search"]
    status = tenant.store.nearest_status()
    assert status is not None
    assert (status["state"], status["why"]) == ("unavailable", "it is gone")
    assert "reachable" in status["fix"]
    clock.later = accelerator.PAUSE_SECONDS
    assert tenant.degraded() == []
    assert tenant.state == NearestState.READY


def test_an_engine_that_is_slow_is_not_waited_for(tenant: Tenant):
    """C8: a deadline is kept, and a caller in a hurry does not close the engine to others"""
    release = threading.Event()

    class Slow(Failing):
        def search(self, vector: np.ndarray, facets: Sequence[int], limit: int) -> Candidates | None:
            release.wait(60)
            return super().search(vector, facets, limit)

    engine = Slow(CodesNearest(DIMENSION))
    tenant.store.accelerate(accelerated(engine))
    tenant.store.feed_nearest()
    with tenant.store.view(ANNA) as view:
        hurry = Deadline.after(FakeClock(), 0.2)  # which stands still, so that the rest is in time on any machine
        found = view.nearest(VECTORS[3], SPACE, Filter(), 5, hurry)
        assert list(view.degraded) == ["nearest:late"]
    release.set()
    assert found == tenant.exact(VECTORS[3], 5)
    assert tenant.degraded() == []


def test_too_much_behind_the_watermark_is_left_to_the_codes(tenant: Tenant, monkeypatch: pytest.MonkeyPatch):
    engine = Failing(CodesNearest(DIMENSION))
    tenant.store.accelerate(accelerated(engine))
    tenant.store.feed_nearest()
    monkeypatch.setattr(accelerator, "MOST_TAIL", 10)
    put(tenant.store, range(BASE, BASE + 11))
    assert tenant.degraded() == ["nearest:behind"]
    assert tenant.is_exact()
    status = tenant.store.nearest_status()
    assert status is not None
    assert (status["state"], status["behind"]) == ("behind", 11)
    assert "cortex admin optimize" in status["fix"]
    tenant.store.feed_nearest()
    assert tenant.degraded() == []


def test_a_background_feed_begins_once_enough_is_behind(tenant: Tenant, monkeypatch: pytest.MonkeyPatch):
    """E16: on thresholds"""
    fed = threading.Event()

    class Told(Failing):
        def optimize(self, *, purge: bool = False) -> None:
            super().optimize(purge=purge)
            fed.set()

    engine = Told(CodesNearest(DIMENSION))
    monkeypatch.setattr(accelerator, "FEED_FROM", 10)
    tenant.store.accelerate(accelerated(engine))

    def begin_and_wait() -> None:
        fed.clear()
        tenant.store.begin_feeding()
        assert fed.wait(60)
        tenant.store.feed_nearest()  # waits for the one that runs

    begin_and_wait()
    assert tenant.degraded() == []
    put(tenant.store, range(BASE, BASE + 9))
    engine.calls.clear()
    tenant.store.begin_feeding()
    assert engine.calls == []
    put(tenant.store, [BASE + 9])
    begin_and_wait()
    assert tenant.store.nearest_status()["behind"] == 0


@pytest.mark.parametrize("place", ["lancedb"], indirect=True)
def test_a_folder_that_was_deleted_is_fed_anew(tenant: Tenant, place: Place, tmp_path: Path):
    """Bad input: the folder is gone"""
    tenant.store.accelerate(place.acceleration())
    tenant.store.feed_nearest()
    shutil.rmtree(tmp_path / "engine" / "lancedb")
    assert tenant.degraded() == ["nearest:lost"]
    assert tenant.is_exact()
    assert tenant.state == NearestState.LOST
    tenant.store.feed_nearest()
    assert tenant.degraded() == []
    assert tenant.is_exact()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("qdrant://127.0.0.1:1", "127.0.0.1:1"),
        ("qdrant://user:hidden-word@127.0.0.1:1", "has a password in it"),
        ("qdrant://", "is not qdrant://host:6333"),
        ("qdrant://host:no-port", "has no such port"),
        ("lancedb://host/folder", "is not lancedb:///folder"),
        ("s3://", "is not lancedb:///folder"),
        ("milvus://host", "'milvus' is not one of the nearest"),
        ("lancedb:///proc/no-such-place", "proc/no-such-place"),
    ],
)
def test_a_wrong_url_stops_nothing_and_is_named_without_its_password(tenant: Tenant, url: str, why: str):
    """Bad input: a wrong URL, and one with a password"""
    for package in ("qdrant_client", "lancedb"):
        pytest.importorskip(package, reason="pip install qdrant-client lancedb")
    options = {"timeout": 1} if "127" in url else {}
    tenant.store.accelerate(Place(url, options).acceleration())
    with pytest.raises(NearestUnavailable) as error:
        tenant.store.feed_nearest()
    assert why in str(error.value)
    assert "hidden-word" not in str(error.value)
    assert error.value.hint
    assert tenant.is_exact()
    assert tenant.degraded() != []
    status = tenant.store.nearest_status()
    assert status is not None
    assert "hidden-word" not in str(status)
    assert status["fix"]


def test_s3_that_goes_away_and_comes_back(tenant: Tenant, s3: S3Server):
    """Bad input: the server is gone in the middle"""
    with gateway(s3.port) as door:
        place = Place("s3://vectors/away", {**options_at(door.server_port), "client_max_retries": "0"})
        clock = Clock()
        tenant.store.accelerate(replace(place.acceleration(), clock=clock))
        tenant.store.feed_nearest()
        assert tenant.degraded() == []
        put(tenant.store, range(BASE, BASE + 10))
        door.behind = 1  # nothing listens there
        with pytest.raises(NearestUnavailable):
            tenant.store.feed_nearest()
        assert tenant.degraded() == ["nearest:unavailable"]
        assert tenant.is_exact()
        assert tenant.state == NearestState.UNAVAILABLE
        door.behind = s3.port
        clock.later = accelerator.PAUSE_SECONDS
        assert tenant.degraded() == []
        assert tenant.is_exact()
        tenant.store.feed_nearest()
        assert tenant.is_exact()


@pytest.mark.parametrize("status", [501, pytest.param(412, marks=pytest.mark.slow)])  # 412 is tried again for 30 s
def test_a_bucket_that_refuses_conditional_writes_is_not_fed(tenant: Tenant, s3: S3Server, status: int):
    """Bad input: an S3 bucket that refuses a conditional write"""
    with gateway(s3.port) as door:
        place = Place(f"s3://vectors/refused-{status}", {**options_at(door.server_port), "client_max_retries": "0"})
        tenant.store.accelerate(place.acceleration())
        tenant.store.feed_nearest()
        put(tenant.store, range(BASE, BASE + 10))
        door.refusal = status
        with pytest.raises(NearestUnavailable):
            tenant.store.feed_nearest()
        assert door.refused
        assert tenant.is_exact()
        door.refusal = None
        tenant.store.feed_nearest()
        assert tenant.degraded() == []
        assert tenant.is_exact()


def test_a_bucket_that_loses_conditional_writes_leaves_the_watermark_behind_at_most(tenant: Tenant, s3: S3Server):
    """Bad input: an S3 bucket that loses a conditional write, with two that feed at once"""
    with gateway(s3.port) as door:
        door.ignores_conditions = True
        places = [Place("s3://vectors/lost", unsigned(door.server_port)) for _ in range(2)]
        stores = [SqliteStore(tenant.path) for _ in places]
        for store, place in zip(stores, places, strict=True):
            store.accelerate(place.acceleration())
        stores[0].feed_nearest()
        for number in range(2):
            put(tenant.store, range(BASE + 10 * number, BASE + 10 * number + 10))
            _both(*(store.feed_nearest for store in stores))
            for store in stores:
                assert Tenant(tenant.path, store).is_exact()
        stores[0].feed_nearest()
        assert Tenant(tenant.path, stores[0]).degraded() == []
        assert Tenant(tenant.path, stores[0]).is_exact()
        for store in stores:
            store.close()


def _both(*calls: Callable[[], None]) -> None:
    """Call these at the same time. One may fail: the other, or the next feed, goes on."""

    def run(call: Callable[[], None]) -> None:
        with suppress(NearestUnavailable):
            call()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("place", KEEPING, indirect=True)
def test_several_stores_feed_one_engine_at_once(tenant: Tenant, place: Place):
    """A server and a command line on one memory"""
    stores = [SqliteStore(tenant.path) for _ in range(2)]
    for store in stores:
        store.accelerate(place.acceleration())
    for number in range(3):
        put(tenant.store, range(BASE + 10 * number, BASE + 10 * number + 10))
        tenant.store.apply(ANNA, [Remove(id_(number))], at=AT)
        _both(*(store.feed_nearest for store in stores))
        for store in stores:
            assert Tenant(tenant.path, store).is_exact()
    stores[0].feed_nearest()
    assert Tenant(tenant.path, stores[0]).degraded() == []
    for store in stores:
        store.close()


# --- erasing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["lancedb"], indirect=True)
def test_what_was_erased_leaves_the_files_of_the_engine(tenant: Tenant, place: Place, tmp_path: Path):
    """X7: a vector says much of a text"""
    tenant.store.accelerate(place.acceleration())
    tenant.store.feed_nearest()
    needle = VECTORS[7].tobytes()

    def holding() -> list[Path]:
        files = (path for path in (tmp_path / "engine").rglob("*") if path.is_file())
        return [path for path in files if needle in path.read_bytes()]

    assert holding()
    tenant.store.apply(ANNA, [Remove(id_(7))], at=AT)
    assert tenant.store.compact()
    assert holding() == []
    assert tenant.is_exact()
    assert tenant.degraded() == []


def test_an_erasure_waits_for_an_engine_that_is_down(tenant: Tenant):
    """X7"""
    engine = Failing(CodesNearest(DIMENSION))
    tenant.store.accelerate(accelerated(engine))
    tenant.store.feed_nearest()
    tenant.store.apply(ANNA, [Remove(TraceId(id_(7)))], at=AT)
    engine.fails_at = 0
    with pytest.raises(NearestUnavailable):
        tenant.store.compact()
    engine.fails_at = None
    assert tenant.store.compact()
    assert engine.describe()["points"] == BASE - 1
