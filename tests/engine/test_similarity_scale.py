"""Thresholds mean the same for every embedder: the scale of similarities is measured on what is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from laboratory import texts, user

from cortex.domain.calibration import LEAST_TEXTS, UNRELATED
from cortex.domain.memory import Draft
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector, unit
from cortex.memory import Cortex
from cortex.ports.store import PatchSession
from cortex.recall.synthesis import for_the_next_turn
from cortex.services.turn_hooks import TurnHooks
from cortex.testing import FakeEmbedder, FakeLLM

THINGS = """
anchor barrel candle dagger eagle feather garden hammer island jacket kettle ladder mirror needle orchard pencil
quiver ribbon saddle teapot umbrella violin walnut yoghurt zeppelin acorn bonnet cradle donkey engine
""".split()
PLACES = """
attic basement cellar dresser entrance fireplace garage hallway inn kitchen library museum nursery office porch
quarry rooftop stable tower upstairs veranda workshop yard zoo alcove bakery chapel depot estuary forge
""".split()
FACTS = [f"{thing} {place}" for thing, place in zip(THINGS, PLACES, strict=True)]
ALIKE = [Draft(text=f"lantern harbour {fact}") for fact in FACTS + FACTS[::-1]]
"""So much alike that the scale shifts."""
ELSEWHERE = "photosynthesis chloroplast wavelengths"


class Squeezing:
    """A model whose unrelated texts have a cosine of `level`, and that declares nothing about it."""

    def __init__(self, level: float, *, prefixes: str = "", model: str = "squeezing") -> None:
        self._words = FakeEmbedder(2_046)
        self._level = level
        self.space = EmbeddingSpace("fake", model, 2_048, prefixes=prefixes)
        self.queries = 0

    def embed_query(self, text: str) -> Vector:
        self.queries += 1
        # As with prefixes: what queries have in common is only half of what documents have in common.
        common = (1, 1) if self.space.prefixes else (1, 0)
        return self._squeezed(self._words.embed_query(text), common)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return [self._squeezed(each, (1, 0)) for each in self._words.embed_documents(texts)]

    def _squeezed(self, vector: Vector, common: tuple[int, int]) -> Vector:
        shared = unit(np.array(common, np.float32)) * np.sqrt(np.float32(self._level))
        return np.concatenate([shared, np.sqrt(np.float32(1 - self._level)) * vector]).astype(np.float32)


@pytest.fixture
def filled(open_engine: Callable[..., Cortex]) -> Callable[..., Cortex]:
    def fill(embedder: Squeezing, backend: str = "sqlite", facts: Sequence[str] = FACTS) -> Cortex:
        engine = open_engine(backend, embedder=embedder)
        engine.remember_all([Draft(text=fact) for fact in facts])
        return engine

    return fill


def scale(engine: Cortex) -> dict[str, object]:
    return dict(engine.status()["vectors"]["calibration"])


def test_a_model_whose_unrelated_texts_are_near_does_not_show_every_memory(filled, backend):
    """L1: nothing when nothing is relevant"""
    unscaled = Squeezing(0.5)
    unscaled.space = replace(unscaled.space, calibration=Calibration())
    assert len(filled(unscaled, backend).recall(ELSEWHERE).hits) > 5
    engine = filled(Squeezing(0.5, model="measured"), backend)
    assert engine.recall(ELSEWHERE).hits == ()
    assert texts(engine.recall("violin workshop"))[0] == "violin workshop"


@pytest.mark.parametrize("level", [0.0, 0.3, 0.5, 0.8])
def test_thresholds_mean_the_same_for_every_model(filled, level):
    """B7: one scale, so one set of thresholds"""
    engine = filled(Squeezing(level))
    ranked = engine.explain("violin", mode="search").answer.ranked
    alike = {each.trace.text: each.similarity for each in ranked}
    others = [similarity for text, similarity in alike.items() if text != "violin workshop"]
    assert alike["violin workshop"] == pytest.approx(UNRELATED + (1 - UNRELATED) * np.sqrt(0.5), abs=0.04)
    assert np.median(others) == pytest.approx(UNRELATED, abs=0.04)


def test_a_model_that_embeds_queries_in_its_own_way_is_measured_by_queries(filled):
    """What documents have in common says nothing of a query and a document."""
    embedder = Squeezing(0.8, prefixes="query: |passage: ")
    engine = filled(embedder)
    assert 0 < embedder.queries <= 8
    found = engine.explain(ELSEWHERE, mode="search").answer.ranked
    assert np.median([each.similarity for each in found]) == pytest.approx(UNRELATED, abs=0.05)


def test_what_a_model_declares_is_not_measured(filled):
    embedder = Squeezing(0.5)
    embedder.space = EmbeddingSpace("fake", "squeezing", 2_048, calibration=Calibration(0.5))
    engine = filled(embedder)
    assert scale(engine) == {"floor": 0.5, "basis": "declared", "texts": None}


@pytest.mark.parametrize("level", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("prefixes", ["", "query: |passage: "], ids=["alike", "with prefixes"])
def test_with_few_texts_the_scale_is_estimated_on_unrelated_sentences(filled, backend, level, prefixes):
    """E9: else each question would get all of a handful of memories"""
    embedder = Squeezing(level, prefixes=prefixes)
    engine = filled(embedder, backend, facts=FACTS[: LEAST_TEXTS - 1])
    assert (scale(engine)["basis"], scale(engine)["texts"]) == ("estimated", None)
    assert engine.recall(ELSEWHERE).hits == ()
    assert texts(engine.recall(FACTS[0]))[0] == FACTS[0]
    asked = embedder.queries
    engine.remember("one more thing at sea")
    assert (scale(engine)["basis"], scale(engine)["texts"]) == ("measured", LEAST_TEXTS)
    assert embedder.queries <= asked + 8


def test_a_recall_on_an_estimated_scale_is_replayed_alike(filled, backend):
    """E12: after the scale was measured"""
    engine = filled(Squeezing(0.5), backend, facts=FACTS[:5])
    before = engine.recall(FACTS[0])
    assert before.receipt.facts["calibration"]["basis"] == "estimated"
    engine.remember_all([Draft(text=fact) for fact in FACTS[5:]])
    assert scale(engine)["basis"] == "measured"
    assert engine.replay(before.receipt.id).same


def test_the_doctor_tells_that_the_scale_is_estimated(filled):
    payload = {check.name: check.detail for check in filled(Squeezing(0.5), facts=FACTS[:3]).doctor()}
    assert "(estimated; measured from 12 texts on)" in payload["similarities"]


def test_the_scale_is_measured_again_when_texts_have_doubled_and_not_before(filled):
    engine = filled(Squeezing(0.5), facts=FACTS[:15])
    engine.remember_all([Draft(text=fact) for fact in FACTS[15:29]])
    assert scale(engine)["texts"] == 15
    engine.remember(FACTS[29])
    assert scale(engine)["texts"] == 30


def test_recall_neither_measures_nor_embeds_anything_for_it(filled):
    """S2: a turn waits for its own query alone"""
    embedder = Squeezing(0.5, prefixes="query: |passage: ")
    engine = filled(embedder)
    asked = embedder.queries
    engine.recall("violin workshop")
    assert embedder.queries == asked + 1


def test_a_recall_is_replayed_on_the_scale_it_had(filled, backend):
    """E12: the answer is the same after the scale has changed"""
    engine = filled(Squeezing(0.5), backend, facts=FACTS[:15])
    before = engine.recall("violin nursery island", mode="search")
    engine.remember_all(ALIKE)
    assert before.receipt.facts["calibration"]["floor"] != scale(engine)["floor"]
    replayed = engine.replay(before.receipt.id)
    assert (replayed.same, replayed.differences) == (True, ())


def test_the_past_has_the_scale_it_had(filled, backend):
    """E10"""
    engine = filled(Squeezing(0.5), backend, facts=FACTS[:15])
    before = engine.recall("violin nursery island", mode="search")
    engine.flush()
    engine.remember_all(ALIKE)
    assert scale(engine)["floor"] > before.receipt.facts["calibration"]["floor"]
    then = engine.recall("violin nursery island", mode="search", as_of=before.receipt.position)
    assert then.receipt.facts["calibration"] == before.receipt.facts["calibration"]


def test_another_model_is_measured_once_its_vectors_are_there(filled, open_engine):
    """C7: the scale of one model is not that of another"""
    filled(Squeezing(0.5)).close()
    engine = open_engine(embedder=Squeezing(0.8, model="narrower"))
    assert scale(engine)["basis"] == "assumed"
    engine.backfill()
    assert scale(engine)["floor"] == pytest.approx((0.8 - UNRELATED) / (1 - UNRELATED), abs=0.03)


def test_a_replay_says_when_the_model_is_another(filled, open_engine):
    """E12"""
    engine = filled(Squeezing(0.5))
    receipt = engine.recall("violin workshop").receipt
    engine.flush()
    engine.close()
    other = open_engine(embedder=Squeezing(0.8, model="narrower"))
    other.backfill()
    assert "the embedding model has changed since" in other.replay(receipt.id).differences


def test_turns_embedded_in_the_background_are_measured_too(open_engine):
    engine = open_engine(embedder=Squeezing(0.5))
    for number, fact in enumerate(FACTS):
        engine.ingest([{"role": "user", "content": f"I left it: {fact}"}], session=f"s{number}", debounce=False)
    engine.run_jobs()
    assert scale(engine)["basis"] == "measured"


def test_files_alone_are_enough_to_measure(open_engine, tmp_path):
    """B1: an agent that only has files"""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number, fact in enumerate(FACTS):
        (notes / f"{number}.md").write_text(f"{fact}\n")
    engine = open_engine(embedder=Squeezing(0.5))
    engine.index(notes)
    assert scale(engine)["floor"] == pytest.approx(0.35, abs=0.1)


def test_another_user_has_a_scale_of_their_own(filled):
    """L10: it is measured on nobody else's texts"""
    engine = filled(Squeezing(0.5))
    before = scale(engine)["floor"]
    other = engine.bind(user="boris")
    other.remember("violin workshop")
    assert scale(other)["basis"] == "estimated"
    assert scale(engine) == {**scale(engine), "floor": before, "basis": "measured"}
    assert other.recall(ELSEWHERE).hits == ()


def test_capture_and_the_lifecycle_judge_on_the_measured_scale(filled):
    """X13: 0.92 means nearly the same for every model"""
    engine = filled(Squeezing(0.8))
    # Half of the words are the same: on the raw scale that is a cosine of 0.9, on the common one far from 0.92.
    engine.store_turns("s1", [user("hello")])
    engine.remember_all([Draft(text="lantern green harbour boat"), Draft(text="lantern green cottage cat")])
    assert engine.consolidate(dry_run=True).outcome.planned == 0


def test_the_doctor_tells_on_what_scale_similarities_are(filled):
    engine = filled(Squeezing(0.5))
    payload = {check.name: check.detail for check in engine.doctor()}
    assert payload["similarities"] == "cosines above 0.35 count (measured on 30 texts)"


def test_an_embedder_that_fails_leaves_the_scale_as_it_is(open_engine):
    """E13: fail open"""
    embedder = Squeezing(0.5, prefixes="query: |passage: ")
    embedder.embed_query = FakeEmbedder(failure=RuntimeError("down")).embed_query  # type: ignore[method-assign]
    engine = open_engine(embedder=embedder)
    assert engine.remember_all([Draft(text=fact) for fact in FACTS]).receipt.facts["stored"] == len(FACTS)
    assert scale(engine)["basis"] == "assumed"


# --- the synthesis of the turn before (C10) ---------------------------------------------------------------------------


def used(engine: Cortex, message: str) -> bool:
    """Whether a synthesis on violins, prepared a moment ago, is used for `message`."""
    now = engine.context.dependencies.clock.now()
    hits, model = engine.recall("violin workshop").hits[:1], FakeLLM(["Violin workshop [1]."])
    cached = for_the_next_turn("violin workshop", hits, model, now)
    assert cached is not None
    engine.context.store.apply(engine.tenant, [PatchSession("s", {"synthesis": cached.to_state()})], at=now)
    return TurnHooks(engine).before(message, session="s").synthesis


@pytest.mark.parametrize("level", [0.0, 0.5, 0.85])
@pytest.mark.parametrize(
    "facts", [FACTS, [*FACTS[: LEAST_TEXTS - 2], "violin workshop"]], ids=["measured", "estimated"]
)
@pytest.mark.parametrize("prefixes", ["", "query: |passage: "], ids=["alike", "with prefixes"])
def test_a_synthesis_is_used_on_its_topic_alone_whatever_the_models_scale(open_engine, level, facts, prefixes):
    """C10: a model whose unrelated texts have a cosine of 0.5 or 0.85 does not keep it for every message"""
    patient = {"deadline_ms": 60_000, "ingest_timeout_ms": 60_000}
    engine = open_engine(embedder=Squeezing(level, prefixes=prefixes), hooks=patient)
    engine.remember_all([Draft(text=fact) for fact in facts])
    assert scale(engine)["basis"] == ("measured" if facts is FACTS else "estimated")
    assert used(engine, "is the violin still in the workshop?")
    assert not used(engine, ELSEWHERE)
    assert not used(engine, "how is the kettle in the library?")
