from __future__ import annotations

import os
from pathlib import Path

import pytest

from cortex.errors import ModelUnavailable
from cortex.providers.models import PINNED, ModelState, ModelStore


@pytest.fixture(scope="session")
def models() -> Path:
    """The real models, fetched once when they are missing."""
    directory = Path(os.environ["CORTEX_MODELS"])
    store = ModelStore(directory)
    missing = [status.model.name for status in store.status() if status.state is not ModelState.READY]
    try:
        store.fetch(*missing)
    except ModelUnavailable as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"the models are not here and cannot be fetched: {error}")
    assert {status.model.name for status in store.status()} == set(PINNED)
    return directory
