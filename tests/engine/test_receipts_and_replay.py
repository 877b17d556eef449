"""Receipts, replay and looking at the past."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from backends import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from laboratory import RECIPE_NAMES, assistant, ids, opened, texts, user

from cortex.domain.memory import Draft
from cortex.domain.query import Mode
from cortex.domain.receipt import CAMEL_CASE_KEYS
from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest, NotFound
from cortex.ports.store import PutReceipt
from cortex.recall.recipes import DEFAULT, named
from cortex.recall.replay import compared
from cortex.testing import FakeClock, FakeEmbedder
from cortex.write_behind import WriteBehindQueue

KEY = "The deploy key rotates on Mondays"
ASKED = "when does the deploy key rotate?"

# Words no id, key or reason is spelled with.
words = st.text(alphabet="qwzjkxy", min_size=5, max_size=9)
sayings = st.lists(st.lists(words, min_size=2, max_size=6).map(" ".join), min_size=1, max_size=6)


# --- E12 ------------------------------------------------------------------------------------------


def _keys(value):
    """Every key of a JSON value, however deep."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from _keys(each)


def test_keys_of_receipts_are_snake_case_except_those_a_requirement_spells(engine, tmp_path):
    """E12, E13, S5, C13"""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "key.md").write_text(KEY, encoding="utf-8")
    engine.files.add(notes)
    engine.index()
    kept = engine.remember(KEY).memory
    engine.edit(kept.id, text=f"{KEY} at nine")
    engine.store_turns("s1", [user("hello harbour")])
    engine.capture([{"role": "user", "content": "I moved to Lisbon in May."}], session="s2")
    engine.recall(ASKED)
    engine.synthesize(ASKED)
    engine.forget(kept.id)
    engine.restore(kept.id)
    engine.import_(['{"importance": 1.5}'], skip_bad=True)
    engine.consolidate(dry_run=True)
    engine.backfill()
    engine.flush()
    found = engine.receipts(limit=50)
    assert {"import", "consolidate", "index", "edit", "recall"} <= {receipt.op for receipt in found}
    keys = {key for receipt in found for key in _keys(receipt.to_json())}
    assert {key for key in keys if key != key.lower()} <= CAMEL_CASE_KEYS.keys()
    assert {"ftsTop", "policyTier", "embeddingSkipped", "bad_lines", "dry_run"} <= keys


def test_every_operation_leaves_a_receipt_with_a_versioned_schema(engine):
    """E12"""
    kept = engine.remember(KEY).memory
    engine.store_turns("s1", [user("hello harbour")])
    engine.recall(ASKED)
    engine.forget(kept.id)
    engine.restore(kept.id)
    engine.forget_matching("nothing of the sort")
    engine.backfill()
    engine.import_([])
    found = engine.receipts(limit=50)
    assert {receipt.op for receipt in found} == {
        "remember", "store_turns", "recall", "forget", "restore", "backfill", "import",
    }  # fmt: skip
    for receipt in found:
        payload = receipt.to_json()
        assert payload["schema"] == f"cortex.{receipt.op}.receipt.v1"
        assert {"id", "at", "agent", "user", "position", "latency_ms"} <= set(payload)
        assert engine.receipt(receipt.id) == receipt


def test_a_replay_says_when_the_recipe_has_changed_and_not_when_nobody_can_tell(engine):
    """E12: earlier versions recorded a fingerprint that no other process could come to"""
    engine.remember(KEY)
    done = engine.replay(engine.recall(ASKED).receipt.id)
    assert done.differences == ()
    assert compared(done.receipt, done.answer, "0" * 16).differences == ("the recipe has changed since",)
    earlier = replace(done.receipt, facts={**done.receipt.facts, "recipe_fingerprint": "0123456789ab"})
    assert compared(earlier, done.answer, named(DEFAULT).fingerprint).differences == ()


@settings(max_examples=20)
@given(sayings, st.sampled_from(RECIPE_NAMES), st.sampled_from(["low", "high"]))
def test_no_word_of_a_memory_or_a_query_occurs_in_a_receipt(tmp_path_factory, said, recipe, verbosity):
    """E12: ids, scores and counts, never text"""
    with opened(tmp_path_factory.mktemp("home"), "ephemeral", receipts={"verbosity": verbosity}) as engine:
        kept = [engine.remember(text, topic=text, subject=text).memory.id for text in said]
        engine.remember(said[0] + " anew", supersedes=kept[0])
        engine.store_turns("s1", [user(text, speaker="Ann") for text in said])
        engine.recall(said[0], recipe=recipe, min_score=0.0)
        engine.search(said[-1], recipe=recipe, limit=1, budget=60)
        engine.forget_matching(said[-1])
        engine.import_(json.dumps(line) for line in engine.export(redact=False))
        payload = json.dumps([receipt.to_json() for receipt in engine.receipts(limit=1_000)])
        for word in " ".join(said).split():
            assert word not in payload


@pytest.mark.parametrize("most", [1, 3, 10])
def test_a_receipt_names_at_most_so_many_items(open_engine, most):
    """E12: max items 3, cap 10"""
    engine = open_engine(receipts={"max_items": most})
    engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(20))
    facts = engine.recall("deploy key number 3", limit=15).receipt.facts
    for name in ("ftsTop", "vecTop", "fusedTop", "returned"):
        assert len(facts[name]) == most
    assert facts["counts"]["returned"] == 15


def test_a_receipt_names_three_items_unless_told_otherwise(engine):
    """E12"""
    engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(9))
    assert len(engine.recall("deploy key").receipt.facts["fusedTop"]) == 3


def test_a_receipt_says_what_was_asked_tried_and_found(engine):
    """E12: filters, counts, tiers, top ids, recipe"""
    kept = engine.remember(KEY, scope="infra").memory
    facts = engine.recall(ASKED, scope="infra", limit=7).receipt.facts
    assert facts["recipe"] == "balanced.v1"
    assert (facts["request"]["scope"], facts["request"]["limit"], facts["request"]["mode"]) == ("infra", 7, "auto")
    assert facts["ftsTop"] == facts["vecTop"] == facts["fusedTop"] == [kept.id]
    assert facts["counts"] == {"candidates": 1, "returned": 1, "dropped": {}}
    assert facts["policyTier"]
    assert facts["returned"][0]["id"] == kept.id
    assert (facts["skipped"], facts["degraded"], facts["embeddingSkipped"]) == (None, [], False)


def test_a_verbose_receipt_also_names_what_was_dropped_and_why(open_engine):
    """E12"""
    engine = open_engine(receipts={"verbosity": "high"})
    engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(4))
    facts = engine.recall("deploy key", limit=1).receipt.facts
    assert {each["reason"] for each in facts["dropped"]} == {"over_limit"}
    assert len(facts["dropped"]) == facts["counts"]["dropped"]["over_limit"] == 3


def test_a_quiet_receipt_does_not(engine):
    """E12"""
    engine.remember(KEY)
    assert "dropped" not in engine.recall(ASKED).receipt.facts


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
def test_the_same_state_gives_the_same_receipt(tmp_path, recipe):
    """E12: deterministic, apart from its time, latency and id"""

    def told(home: str, backend: str) -> dict:
        with opened(tmp_path / home, backend) as engine:
            engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(9))
            receipt = engine.recall("deploy key number 3", recipe=recipe).receipt.to_json()
        for leg in receipt["legs"].values():
            leg.pop("ms")
        return {name: value for name, value in receipt.items() if name not in {"id", "at", "latency_ms"}}

    assert told("one", "sqlite") == told("two", "sqlite")


def test_receipts_can_be_turned_off(open_engine):
    """E12"""
    engine = open_engine(receipts={"enabled": False})
    engine.remember(KEY)
    engine.recall(ASKED)
    assert list(engine.receipts()) == []


def test_receipts_come_newest_first_and_by_operation(engine):
    """E12"""
    engine.remember(KEY)
    engine.recall(ASKED)
    engine.recall("and the ferry?")
    assert [receipt.op for receipt in engine.receipts()] == ["recall", "recall", "remember"]
    assert [receipt.op for receipt in engine.receipts(op="remember")] == ["remember"]
    assert len(engine.receipts(limit=1)) == 1


def test_an_unknown_receipt_is_not_found(engine):
    with pytest.raises(NotFound, match="cortex admin receipts"):
        engine.receipt("019b8d62-7a80-7000-8000-00000000ffff")


# --- replay ---------------------------------------------------------------------------------------


def test_a_replay_asks_the_same_state_and_gets_the_same_answer(engine, clock):
    """DESIGN 3: after more writes, revisions, forgets and recalls"""
    old = engine.remember(KEY).memory
    first = engine.recall(ASKED)
    clock.advance(3_600)
    engine.remember("The deploy key rotates on Fridays", supersedes=old.id)
    second = engine.recall(ASKED)
    engine.forget(old.id)
    engine.flush()
    for found in (first, second):
        replay = engine.replay(found.receipt.id)
        assert (replay.same, replay.differences) == (True, ())
        assert [hit.trace.id for hit in replay.answer.hits] == ids(found)


def test_a_receipt_can_be_replayed_as_soon_as_it_is_handed_out(tmp_path):
    """E12: whether or not it has been written yet"""
    engine = opened(tmp_path, "ephemeral")
    store = engine.context.dependencies.store("main")
    held, plainly = threading.Event(), store.apply

    def late(tenant, changes, *, at, **by):
        if any(isinstance(change, PutReceipt) for change in changes):
            held.wait(0.2)
        return plainly(tenant, changes, at=at, **by)

    store.apply = late
    engine.remember(KEY)
    assert engine.replay(engine.recall(ASKED).receipt.id).same
    engine.close()


class BusyClock(FakeClock):
    """Every look at it takes a tenth of a second, as on a machine with too much to do."""

    def monotonic(self):
        self._monotonic += 0.1
        return self._monotonic


def test_a_replay_takes_longer_than_a_recall_may(tmp_path):
    with opened(tmp_path) as engine:
        engine.remember(KEY)
        then = engine.recall(ASKED).receipt
    with opened(tmp_path, clock=BusyClock(), recall={"deadline_ms": 200}) as engine:
        assert engine.recall(ASKED).receipt.facts["degraded"]
        assert engine.replay(then.id).same


def test_a_replay_that_lacks_a_leg_says_so(engine, embedder):
    engine.remember(KEY)
    receipt = engine.recall(ASKED).receipt
    embedder.fail()
    found = engine.replay(receipt.id)
    assert not found.same
    assert found.differences[0].startswith("this replay was degraded: vector:")


def test_a_replay_leaves_no_trace(engine):
    """DESIGN 3"""
    kept = engine.remember(KEY).memory
    receipt = engine.recall(ASKED).receipt
    engine.flush()
    position, count = engine.status()["position"], len(engine.receipts())
    engine.replay(receipt.id)
    engine.flush()
    assert (engine.status()["position"], len(engine.receipts())) == (position, count)
    assert engine.get(kept.id).access_count == 1


def test_a_skipped_recall_can_be_replayed(engine):
    """E10"""
    receipt = engine.recall("ok👍").receipt
    engine.flush()
    assert engine.replay(receipt.id).same


def test_a_recall_without_vectors_is_replayed_without_vectors(engine, embedder, clock):
    """C6: the leg that was absent then is absent again"""
    engine.remember(KEY)
    embedder.fail()
    receipt = engine.recall(ASKED).receipt
    embedder.failure = None
    clock.advance(60)
    engine.flush()
    assert engine.replay(receipt.id).same


def test_a_recall_from_before_embedding_was_turned_on_is_replayed_without_it(open_engine):
    """C6, B16"""
    from cortex.providers.embedders.none import create

    first = open_engine(embedder=create({}, None))
    first.remember(KEY)
    receipt = first.recall(ASKED).receipt
    first.close()
    assert open_engine().replay(receipt.id).same


def test_a_query_that_was_not_kept_has_to_be_given(open_engine):
    """E12: keep_queries"""
    engine = open_engine(receipts={"keep_queries": False})
    engine.remember(KEY)
    receipt = engine.recall(ASKED).receipt
    engine.flush()
    with pytest.raises(InvalidRequest, match="query"):
        engine.replay(receipt.id)
    assert engine.replay(receipt.id, query=ASKED).same
    assert not engine.replay(receipt.id, query="giraffes").same


def test_only_recalls_can_be_replayed(engine):
    receipt = engine.remember(KEY).receipt
    engine.flush()
    with pytest.raises(NotFound):
        engine.replay(receipt.id)


VOCABULARY = ["harbour", "pier", "anchor", "tide", "dawn", "rope", "gull", "mate"]
said = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=5).map(" ".join)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("remember"), said, st.sampled_from(["fact", "rule", "preference"])),
        st.tuples(st.just("pass"), said, st.sampled_from(["session", "ttl"])),
        st.tuples(st.just("supersede"), said, st.integers(0, 9)),
        st.tuples(st.just("forget"), st.integers(0, 9)),
        st.tuples(st.just("restore"), st.integers(0, 9)),
        st.tuples(st.just("say"), said, said),
        st.tuples(st.just("recall"), said, st.sampled_from(RECIPE_NAMES), st.sampled_from(Mode)),
        st.tuples(st.just("break"), st.booleans()),
        st.tuples(st.just("backfill")),
        st.tuples(st.just("wait"), st.integers(1, 40)),
    ),
    min_size=4,
    max_size=16,
)


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=18)
@given(history=steps)
def test_every_recall_of_any_history_can_be_replayed(tmp_path_factory, backend, history):
    """DESIGN 3: the same state gives the same answer"""
    clock, embedder = FakeClock(), FakeEmbedder(256)
    with opened(tmp_path_factory.mktemp("home"), backend, clock=clock, embedder=embedder) as engine:
        kept = [engine.remember("harbour pier anchor").memory.id]
        answers = []
        for step in [*history, ("recall", "harbour", "balanced.v1", Mode.AUTO)]:
            match step:
                case "remember", text, kind:
                    kept.append(engine.remember(text, kind=kind).memory.id)
                case "pass", text, retention:
                    kept.append(engine.remember(text, retention=retention).memory.id)
                case "supersede", text, which:
                    kept.append(engine.remember(text, supersedes=kept[which % len(kept)]).memory.id)
                case "forget" | "restore" as verb, which:
                    id = kept[which % len(kept)]
                    if (engine.get(id).state == "forgotten") is (verb == "restore"):
                        getattr(engine, verb)(id)
                case "say", one, other:
                    engine.store_turns("s1", [user(one + "?"), assistant(other)])
                case "recall", text, recipe, mode:
                    answers.append(engine.recall(text, recipe=recipe, mode=mode))
                case "break", broken:
                    embedder.failure = RuntimeError("down") if broken else None
                case ("backfill",):
                    engine.backfill()
                case "wait", hours:
                    clock.advance(timedelta(hours=hours))
        embedder.failure = None
        clock.advance(timedelta(days=400))
        engine.flush()
        for answer in answers:
            replay = engine.replay(answer.receipt.id)
            assert replay.same, replay.differences
            assert [hit.trace.id for hit in replay.answer.hits] == ids(answer)
            assert [hit.trace.text for hit in replay.answer.hits] == texts(answer)


# --- the past -------------------------------------------------------------------------------------


def test_recall_as_of_a_position_searches_what_was_known_then(engine, clock):
    """E18, DESIGN 3"""
    old = engine.remember(KEY).memory
    then = engine.status()["position"]
    clock.advance(60)
    new = engine.remember("The deploy key rotates on Fridays", supersedes=old.id).memory
    assert ids(engine.recall(ASKED)) == [new.id]
    assert ids(engine.recall(ASKED, as_of=then)) == [old.id]
    assert engine.recall(ASKED, as_of=0).hits == ()


def test_recall_as_of_a_time_searches_what_was_known_then(engine, clock):
    """E18, DESIGN 3"""
    before = clock.now()
    clock.advance(60)
    kept = engine.remember(KEY).memory
    known = clock.now()
    clock.advance(60)
    engine.forget(kept.id)
    assert engine.recall(ASKED).hits == ()
    assert ids(engine.recall(ASKED, as_of=known)) == [kept.id]
    assert engine.recall(ASKED, as_of=before).hits == ()


def test_what_has_expired_since_was_known_then(engine, clock):
    """E18, X6: the past is judged by its own time"""
    kept = engine.remember(KEY, retention="session").memory
    then = clock.now()
    clock.advance(timedelta(days=3))
    assert ids(engine.recall(ASKED, as_of=then)) == [kept.id]


def test_nothing_was_known_before_the_first_position_and_everything_after_the_last(engine):
    kept = engine.remember(KEY).memory
    assert ids(engine.recall(ASKED, as_of=10_000)) == [kept.id]
    with pytest.raises(InvalidRequest, match="as_of"):
        engine.recall(ASKED, as_of=-1)


def test_a_look_at_the_past_can_be_replayed(engine, clock):
    """E12, E18"""
    engine.remember(KEY)
    then = engine.status()["position"]
    clock.advance(60)
    engine.remember("The deploy key is blue")
    receipt = engine.recall(ASKED, as_of=then).receipt
    engine.flush()
    assert receipt.position == then
    assert engine.replay(receipt.id).same


def test_what_is_written_late_says_so_and_does_not_reach_into_the_past():
    """DESIGN 3: what was known at a time is what had been stored by then, however late a use is written down"""
    clock, begun, free, told = FakeClock(), threading.Event(), threading.Event(), []

    class Slow:
        def apply(self, tenant, changes, *, at, **by):
            told.append(at)
            begun.set()
            assert free.wait(60)
            return 0

    queue = WriteBehindQueue(clock.now)
    queue.add(Slow(), Tenant(), ())
    assert begun.wait(60)
    queue.add(Slow(), Tenant(), ())
    clock.advance(5)
    free.set()
    queue.flush()
    queue.close()
    assert told[1] - told[0] == timedelta(seconds=5)


def test_what_is_added_after_closing_is_written_at_once_and_leaves_no_thread():
    """A recall that outlives `close` must not start a second writer: the two would wait for one end."""
    written = []

    class Writes:
        def apply(self, tenant, changes, *, at, **by):
            written.append(threading.current_thread())
            return 0

    queue = WriteBehindQueue(FakeClock().now)
    queue.add(Writes(), Tenant(), ())
    queue.close()
    before = threading.active_count()
    queue.add(Writes(), Tenant(), ())
    queue.flush()
    assert written[1:] == [threading.current_thread()]
    assert threading.active_count() == before


def test_changes_that_are_worked_out_later_are_written_once_and_spoil_no_others():
    """What no answer should wait for is worked out when it is written, in order; what fails is counted alone."""
    written, worked_out = [], []

    class Writes:
        def apply(self, tenant, changes, *, at, **by):
            written.extend(changes)
            return 0

    def fails():
        raise ValueError

    def later():
        worked_out.append(threading.current_thread())
        return ("second",)

    queue = WriteBehindQueue(FakeClock().now)
    for changes in (("first",), fails, later):
        queue.add(Writes(), Tenant(), changes)
    queue.flush()
    queue.close()
    assert written == ["first", "second"]
    assert (len(worked_out), queue.lost) == (1, 1)
    assert worked_out[0] is not threading.current_thread()
