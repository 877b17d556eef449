from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tended import Household

import store_list
from cortex.ports.store import Store


@pytest.fixture(params=list(store_list.STORE_URLS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each store that needs nothing installed. Whatever a test did to it, it must verify clean afterwards."""
    opened = store_list.open_store(request.param, tmp_path / "agents")
    yield opened
    findings = list(opened.verify())
    opened.close()
    assert findings == []


@pytest.fixture
def home(store: Store) -> Household:
    return Household(store)
