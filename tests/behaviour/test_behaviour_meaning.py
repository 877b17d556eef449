"""With the real model: what shares no word with the question is found by its meaning, over every surface."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from behaving import SURFACES
from worlds import QUICK, World, world_in

from cortex import settings
from cortex.providers.models import EMBEDDER, ModelState, ModelStore
from sweeps import sweep


def _model_is_here() -> bool:
    models = ModelStore(settings.models_home(settings.default_home()))
    return {each.model.name: each.state for each in models.status()}[EMBEDDER.name] is ModelState.READY


pytestmark = pytest.mark.skipif(
    not _model_is_here() and "CI" not in os.environ, reason="the model is not here: make models"
)


@pytest.fixture(scope="module")
def meaningful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    chosen = {**QUICK, "embedding": {"provider": "local"}, "recall": {"deadline_ms": 60_000}}
    with world_in(tmp_path_factory.mktemp("meaning"), settings=chosen) as made:
        yield made


@pytest.mark.parametrize("most", sweep([2, len(SURFACES)], [2]))
def test_every_surface_finds_the_same_by_meaning(meaningful: World, scope: str, most: int) -> None:
    """Each surface but the first loads a model of its own"""
    everyone = [meaningful.surface(name, scope) for name in SURFACES[:most]]
    texts = ["Mara is allergic to walnuts", "The studio is in Porto", "Invoices go out on the first", "Ada plays chess"]
    for text, memory in zip(texts, itertools.cycle(everyone), strict=False):
        memory.remember(text)
    then = datetime.now(UTC)
    items = []
    for memory in everyone:
        found = memory.search("which nut makes her ill?", as_of=then)
        items.append([(hit.id, round(hit.score, 6), hit.legs) for hit in found.hits])
        assert (found.texts[0], found.hits[0].legs) == ("Mara is allergic to walnuts", ("vector",))
    assert all(each == items[0] for each in items[1:])
    for memory in everyone:
        lines = memory.memory_search("In which city does Mara have her atelier?", min_score=0.0)
        assert lines["mode"] == "hybrid"
        assert "Porto" in lines["results"][0]["snippet"]
