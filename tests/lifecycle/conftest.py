from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tended import Household

from cortex.ports.store import Store
from cortex.stores.ephemeral import EphemeralStore
from cortex.stores.sqlite import SqliteStore


@pytest.fixture(params=["sqlite", "ephemeral"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each store that needs nothing installed. Whatever a test did to it, it must verify clean afterwards."""
    path = tmp_path / "agents" / "main.sqlite"
    opened: Store = SqliteStore(path, synchronous="normal") if request.param == "sqlite" else EphemeralStore()
    yield opened
    findings = list(opened.verify())
    opened.close()
    assert findings == []


@pytest.fixture
def home(store: Store) -> Household:
    return Household(store)
