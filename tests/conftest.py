"""What every test may rely on: no setting of the machine reaches it, and a slow machine fails nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from cortex.settings import user_models

# Every test finds the models in one place, whatever home it runs in, so they are fetched once.
os.environ.setdefault("CORTEX_MODELS", str(user_models()))

settings.register_profile(
    "cortex",
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("cortex")


@pytest.fixture(scope="session", autouse=True)
def plain_environment() -> Iterator[None]:
    """The operator's own `CORTEX_…` variables do not reach the tests; only the models are shared."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("CORTEX_") and name != "CORTEX_MODELS":
                patch.delenv(name)
        yield
