"""Every store under test, and one tenant's hands on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from s3_server import S3Server
from samples import ANNA, BORIS, Desk

import store_list
from cortex.ports.store import Store


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A real S3 server, started once."""
    server = S3Server(tmp_path_factory.mktemp("s3")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def qdrant_server() -> Iterator[Any]:
    """What speaks Qdrant's protocol, started once."""
    from qdrant_server import qdrant_server

    with qdrant_server() as server:
        yield server


@pytest.fixture(params=list(store_list.STORE_URLS))
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Store]:
    """Opens the store under test, as durable as it can be, or another in a folder that is given; the test closes it."""
    return lambda folder=tmp_path: store_list.open_store(request.param, folder, {})


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
