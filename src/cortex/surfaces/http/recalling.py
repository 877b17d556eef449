"""Asking: for what helps with a message, what there is on a topic, and that in one piece; and by which recipes."""

from __future__ import annotations

from fastapi import APIRouter

from cortex.domain.query import Mode
from cortex.recall.recipes import RECIPES
from cortex.surfaces.http.visiting import Reading, StrictRoute, Visit
from cortex.surfaces.schemas import RecallAnswer, RecallRequest, RecipeAnswer, RecipesAnswer, SynthesisedAnswer

router = APIRouter(tags=["recall"], route_class=StrictRoute)


@router.post("/v1/recall", response_model_exclude_unset=True)
async def recall(asked: RecallRequest, visit: Reading) -> RecallAnswer:
    """The right few lines for a message, packed to a budget; nothing when nothing is relevant."""
    return await _answer(asked, visit, Mode.AUTO)


@router.post("/v1/search", response_model_exclude_unset=True)
async def search(asked: RecallRequest, visit: Reading) -> RecallAnswer:
    """What there is on a topic; untrusted and superseded memories are shown, and marked."""
    return await _answer(asked, visit, Mode.SEARCH)


@router.post("/v1/synthesise", response_model_exclude_unset=True)
async def synthesise(asked: RecallRequest, visit: Reading) -> SynthesisedAnswer:
    """What is remembered on a topic in one piece: by a language model, or as a digest where there is none."""
    return SynthesisedAnswer.of(
        await visit.call(lambda engine: engine.synthesise(asked.query, **asked.options()), asked)
    )


@router.get("/v1/recipes")
async def recipes(visit: Reading) -> RecipesAnswer:
    """The recipes there are, and the one that is used where none is named."""
    default = visit.served.engine.settings.recall.recipe
    return RecipesAnswer(default=default, recipes=[RecipeAnswer.of(recipe) for recipe in RECIPES.values()])


async def _answer(asked: RecallRequest, visit: Visit, mode: Mode) -> RecallAnswer:
    found = await visit.call(lambda engine: engine.explain(asked.query, mode=mode, **asked.options()), asked)
    return RecallAnswer.of(found, whole=asked.explain)
