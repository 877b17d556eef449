"""What needs a provider that a process does not have is left to a process that has it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import laboratory
import pytest

from cortex.capture import intake
from cortex.domain.identity import Uuid7Source
from cortex.errors import ModelUnavailable
from cortex.memory import Cortex
from cortex.ports.store import Job, JobState
from cortex.providers.embedders import none
from cortex.testing import FakeClock, FakeEmbedder, FakeLLM

SAID = [{"role": "user", "content": "I live in Rome."}, {"role": "assistant", "content": "Noted."}]


def opened(home: Path, clock: FakeClock, **options: Any) -> Cortex:
    """One process after the other on the same home: each gives ids of its own."""
    engine = laboratory.opened(home, clock=clock, **options)
    engine.context.dependencies.ids = Uuid7Source()
    return engine


class Unfetched(FakeEmbedder):
    """An embedder whose model was never fetched."""

    def trouble(self, *, thorough: bool = False) -> ModelUnavailable:
        return ModelUnavailable("the model is not here", hint="run `cortex models fetch`")

    def embed_documents(self, texts):
        raise self.trouble()


def waiting(engine: Cortex) -> list[Job]:
    with engine.context.store.view(engine.tenant) as view:
        return list(view.jobs(JobState.WAITING))


@pytest.mark.parametrize("embedder", [none.create({}, Path()), Unfetched(256)], ids=["turned off", "not fetched"])
def test_a_process_without_an_embedder_leaves_embed_jobs_to_one_that_has_it(tmp_path: Path, embedder) -> None:
    home, clock = tmp_path / "home", FakeClock()
    with opened(home, clock) as able:
        able.ingest(SAID, session="s1", debounce=False)
        (before,) = [job for job in waiting(able) if job.kind == intake.EMBED]
    with opened(home, clock, embedder=embedder) as unable:
        for _ in range(8):  # more often than a job may fail
            unable.run_jobs()
            clock.advance(timedelta(minutes=10))
        assert waiting(unable) == [before]  # not even claimed
        assert unable.stats().by_lane["memories"] == 1  # the rest of the work is done
        assert unable.next_due() is None  # nothing to come back for, so nobody asks again and again
        assert unable.run_due() > clock.now()
    with opened(home, clock) as able:
        assert able.run_jobs().facts["counts"]["embedded"] == 2
        assert waiting(able) == []


def test_a_process_without_a_language_model_leaves_its_jobs_to_one_that_has_it(tmp_path: Path) -> None:
    home, clock = tmp_path / "home", FakeClock()
    model = FakeLLM(lambda _: '{"memories": []}')
    with opened(home, clock, model=model) as able:
        able.ingest(SAID, session="s1", debounce=False)
    with opened(home, clock) as unable:
        unable.run_jobs()
        assert [job.kind for job in waiting(unable)] == [intake.ENRICH]
        assert unable.next_due() is None
    with opened(home, clock, model=model) as able:
        assert able.run_jobs().facts["done"] == {"enrich": 1}


def test_a_capture_does_not_wait_for_what_only_others_can_do(tmp_path: Path, monkeypatch) -> None:
    home, clock = tmp_path / "home", FakeClock()
    with opened(home, clock) as able:
        able.ingest(SAID, session="s1", debounce=False)
    monkeypatch.setattr("cortex.services.jobs._MOST_PAUSES", 0)  # any wait would be one too many
    with opened(home, clock, embedder=none.create({}, Path())) as unable:
        more = [*SAID, {"role": "user", "content": "My cat is called Felix."}]
        assert len(unable.capture(more, session="s1").memories) == 1


def test_work_that_waits_for_long_is_told_with_what_it_waits_for(tmp_path: Path) -> None:
    home, clock = tmp_path / "home", FakeClock()
    with opened(home, clock) as able:
        able.ingest(SAID, session="s1", debounce=False)
    with opened(home, clock, embedder=none.create({}, Path())) as unable:
        unable.run_jobs()
        assert not [each for each in unable.status()["degraded"] if each["what"] == "jobs"]
        clock.advance(timedelta(hours=1))
        (told,) = [each for each in unable.status()["degraded"] if each["what"] == "jobs"]
        assert told["why"] == "1 embed jobs need an embedder, which is not available here"
        (check,) = [each for each in unable.doctor() if each.name == "background work"]
        assert (check.ok, check.detail) == (None, told["why"])
