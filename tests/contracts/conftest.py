"""Every store under test, and one tenant's hands on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from samples import ANNA, BORIS, Desk

from cortex.ports.store import Store
from cortex.stores.ephemeral import EphemeralStore

StoreFactory = Callable[[Path], Store]


def _ephemeral(_: Path) -> Store:
    return EphemeralStore()


def _sqlite(folder: Path) -> Store:
    from cortex.stores.sqlite import SqliteStore

    return SqliteStore(folder / "store.db")


@pytest.fixture(params=[_ephemeral, _sqlite], ids=["ephemeral", "sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Opens the store under test; the test closes it."""
    factory: StoreFactory = request.param
    return lambda: factory(tmp_path)


@pytest.fixture
def store(open_store: Callable[[], Store]) -> Iterator[Store]:
    """The store under test. Whatever a test did to it, it must verify clean afterwards."""
    opened = open_store()
    yield opened
    findings = list(opened.verify())
    opened.close()
    assert findings == []


@pytest.fixture
def anna(store: Store) -> Desk:
    return Desk(store, ANNA)


@pytest.fixture
def boris(store: Store) -> Desk:
    """Another user of the same agent, in the same store."""
    return Desk(store, BORIS)
