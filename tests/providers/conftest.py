from __future__ import annotations

import os
from pathlib import Path

import pytest

from cortex.errors import ModelUnavailable
from cortex.providers.models import PINNED, ModelState, ModelStore
from cortex.settings import models_home

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def models() -> Path:
    """The real models: from CORTEX_MODELS, or under the repository; fetched once when they are missing."""
    directory = models_home(REPOSITORY / ".models") if os.environ.get("CORTEX_MODELS") else REPOSITORY / ".models"
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
