from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from cortex.domain.identity import checked_id
from cortex.errors import ProviderError
from cortex.testing import CountingIds, FakeClock, FakeEmbedder, FakeLLM, FakeReranker


def test_texts_that_share_words_are_near() -> None:
    fake = FakeEmbedder()
    near, far = fake.embed_documents(["the deploy key rotates", "peanuts are tasty"])
    query = fake.embed_query("when does the deploy key rotate")
    assert float(query @ near) > float(query @ far)


def test_a_stalled_embedder_answers_when_it_is_let_go() -> None:
    fake = FakeEmbedder(stall=threading.Event())
    answered: list[int] = []
    thread = threading.Thread(target=lambda: answered.append(len(fake.embed_query("hello"))))
    thread.start()
    assert not answered
    assert fake.stall is not None
    fake.stall.set()
    thread.join(10)
    assert answered == [64]


def test_an_embedder_can_be_of_the_wrong_size() -> None:
    assert FakeEmbedder(8, answer_dimension=9).embed_query("x").shape == (9,)


def test_ids_count_up_and_look_like_ids() -> None:
    clock, ids = FakeClock(), CountingIds()
    made = [ids(clock.now()) for _ in range(3)]
    clock.advance(timedelta(seconds=1))
    made.append(ids(clock.now()))
    assert made == sorted(made)
    assert [checked_id(one) for one in made] == made
    assert CountingIds()(FakeClock().now()) == made[0]


def test_time_passes_only_when_told() -> None:
    clock = FakeClock()
    before = clock.now(), clock.monotonic()
    assert (clock.now(), clock.monotonic()) == before
    clock.advance(90)
    assert clock.now() - before[0] == timedelta(seconds=90)
    assert clock.monotonic() - before[1] == 90


def test_a_reranker_and_a_model_that_follow_a_script() -> None:
    assert FakeReranker().scores("deploy key", ["the deploy key", "a key", "peanuts"]) == [1.0, 0.5, 0.0]
    script = FakeLLM(["first"])
    assert script.complete(system="s", prompt="p", max_tokens=10).text == "first"
    with pytest.raises(ProviderError):
        script.complete(system="s", prompt="p", max_tokens=10)
    assert script.prompts == [("s", "p"), ("s", "p")]
    assert FakeLLM(str.upper).complete(system="", prompt="loud", max_tokens=10).text == "LOUD"
