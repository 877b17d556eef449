"""Every method of the client against a real server: what it gives is what the engine behind it gives."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from served import Served, serving

from cortex import Cortex
from cortex.access.tokens import Right
from cortex.client import RemoteCortex
from cortex.domain.events import EventKind
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Draft, Kind
from cortex.domain.query import Query
from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest, NotFound, StoreBusy
from cortex.ports.store import Filter
from cortex.services.edit import Remembered
from cortex.workspace.flush import FlushSession

SAID = [
    {"role": "user", "content": "I prefer Rust for systems programming."},
    {"role": "assistant", "content": "Noted."},
]


# --- remember and forget ----------------------------------------------------------------------------------------------


def test_a_memory_is_remembered_with_everything_said_of_it(served: Served, remote: RemoteCortex) -> None:
    (turn, _) = remote.ingest(SAID, session="s1").ids
    old = remote.remember("The deploy key rotates on Sundays")
    assert isinstance(old, Remembered)
    fields = {
        "kind": "rule", "scope": "infra", "topic": "keys", "tags": ["ops"], "importance": 0.9, "confidence": 0.7,
        "retention": "ttl", "ttl": timedelta(hours=36), "source_kind": "user", "source_ref": "https://example.org",
        "source_turns": (turn,), "lang": "en", "subject": "deploy key", "attribute": "rotation", "value": "Mondays",
        "valid_from": datetime(2026, 1, 5, tzinfo=UTC), "supersedes": old.memory.id, "media_refs": ["a.png"],
        "media_kind": "image", "created_at": datetime(2026, 1, 4, 9, tzinfo=UTC), "trust": "trusted",
    }  # fmt: skip
    kept = remote.remember("The deploy key rotates on Mondays", **fields).memory
    assert kept == served.engine.get(kept.id)
    assert (kept.ttl, kept.tags, kept.source_turns, kept.value) == (timedelta(hours=36), ("ops",), (turn,), "Mondays")
    assert kept.created_at == datetime(2026, 1, 4, 9, tzinfo=UTC)
    assert remote.get(old.memory.id).state is State.SUPERSEDED


def test_what_is_not_said_is_chosen_as_the_engine_would(served: Served, remote: RemoteCortex) -> None:
    theirs = remote.remember("I live in Rome", as_new=True).memory
    ours = served.engine.remember("I live in Rome", as_new=True).memory
    assert theirs.revised(id=ours.id, created_at=ours.created_at) == ours


def test_many_are_remembered_one_by_one(served: Served, remote: RemoteCortex) -> None:
    kept = remote.remember_all([Draft(text="one"), Draft(text="two", kind=Kind.RULE)])
    assert [served.engine.get(id).text for id in kept.ids] == ["one", "two"]
    assert kept.receipt.op == "remember"


def test_what_is_forgotten_can_be_restored(remote: RemoteCortex) -> None:
    id = remote.remember("I live in Rome").memory.id
    assert remote.forget(id).ids == (id,)
    assert remote.get(id).state is State.FORGOTTEN
    assert remote.restore(id).ids == (id,)
    assert remote.restore(id).ids == ()


def test_several_that_may_be_meant_are_shown_and_none_is_forgotten(remote: RemoteCortex) -> None:
    """L5"""
    kept = {remote.remember(f"The {side} anchor is heavy").memory for side in ("north", "south")}
    done = remote.forget_matching("anchor is heavy")
    assert (done.ids, {each.id for each in done.candidates}) == ((), {each.id for each in kept})


# --- conversations ----------------------------------------------------------------------------------------------------


def test_a_history_is_ingested_once(served: Served, remote: RemoteCortex) -> None:
    first = remote.ingest(SAID, session="s1", scope="infra", channel="telegram")
    assert [served.engine.get(id).scope for id in first.ids if id] == ["infra", "infra"]
    assert remote.ingest(SAID, session="s1").ids == (None, None)
    assert remote.ingest([{"role": "user", "content": "More"}], session="s1", follows=2).ids[0] is not None


@pytest.mark.parametrize("name", ["agent", "user"])
def test_an_empty_name_is_not_the_default_one(remote: RemoteCortex, tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{name}: "):
        remote.bind(**{name: ""})
    with pytest.raises(InvalidRequest, match=f"{name}: "):
        Cortex(tmp_path / "other", **{name: ""})


def test_a_capture_gives_turns_and_memories(served: Served, remote: RemoteCortex) -> None:
    done = remote.capture(SAID, session="s1", scope="code")
    assert [memory.source_turns for memory in done.memories] == [(done.turns[0],)]
    assert served.engine.get(done.memories[0].id) == done.memories[0]
    assert remote.show(done.turns[0]).derived == served.engine.show(done.turns[0]).derived


def test_work_is_done_and_asked_for(tmp_path: Path) -> None:
    slow = {"capture": {"debounce_seconds": 3600, "max_wait_seconds": 7200}}
    with serving(tmp_path / "home", settings=slow) as served, Cortex.connect(served.url) as remote:
        assert remote.next_due() is None
        remote.ingest(SAID, session="s1")
        for _ in range(500):  # the server embeds the turns meanwhile; then memories are due, an hour from now
            if remote.next_due() == served.engine.next_due():
                break
            time.sleep(0.02)
        else:
            raise AssertionError
        assert remote.run_jobs(limit=1).op == "run_jobs"


# --- recall -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def known(remote: RemoteCortex) -> RemoteCortex:
    remote.remember("The deploy key rotates on Mondays", scope="infra")
    remote.remember("The kettle is behind the shed", scope="home", trust="untrusted")
    return remote


def test_a_recall_gives_what_the_engine_gives(served: Served, known: RemoteCortex) -> None:
    ours = known.recall("When does the deploy key rotate?")
    theirs = served.engine.recall("When does the deploy key rotate?")
    assert [(hit.trace.id, hit.legs, hit.parts.reasons, hit.excerpt) for hit in ours.hits] == [
        (hit.trace.id, hit.legs, hit.parts.reasons, hit.excerpt) for hit in theirs.hits
    ]
    assert [hit.score for hit in ours.hits] == pytest.approx([hit.score for hit in theirs.hits], abs=0.01)
    assert (ours.block, ours.tokens) == (theirs.block, theirs.tokens)
    assert ours.receipt.facts["recipe"] == theirs.receipt.facts["recipe"]
    assert known.receipt(ours.receipt.id) == served.engine.receipt(ours.receipt.id) == ours.receipt


def test_every_option_of_a_recall_can_be_asked(known: RemoteCortex) -> None:
    then = datetime.now(UTC)
    options = {
        "scope": "infra", "lanes": [Lane.MEMORIES], "kinds": ["fact"], "recipe": "typed.v1", "limit": 3, "budget": 200,
        "min_score": 0.1, "since": then - timedelta(days=1), "until": then + timedelta(days=1), "deadline_ms": 5_000,
    }  # fmt: skip
    arguments = known.recall("deploy key", **options).receipt.facts["request"]
    assert (arguments["scope"], arguments["kinds"], arguments["limit"], arguments["budget"]) == (
        "infra",
        ["fact"],
        3,
        200,
    )
    assert known.recall(Query(text="deploy key", scope="home")).receipt.facts["request"]["scope"] == "home"
    assert known.recall("deploy key", as_of=0).hits == ()
    assert known.recall("deploy key", as_of=then).hits


def test_the_project_at_hand_is_preferred_and_nothing_is_left_out_for_it(remote: RemoteCortex) -> None:
    """X6"""
    everywhere = remote.remember("The gateway uses port 8000").memory.id
    here = remote.remember("The gateway uses port 8300", scope="billing", retention="project").memory.id
    found = remote.recall("which port does the gateway use?", project="billing")
    assert [hit.trace.id for hit in found.hits] == [here, everywhere]


def test_a_search_shows_what_a_recall_would_not(known: RemoteCortex) -> None:
    assert next(hit.trace.text for hit in known.search("kettle").hits) == "The kettle is behind the shed"


def test_an_explanation_has_every_candidate(served: Served, known: RemoteCortex) -> None:
    ours = known.explain("deploy key kettle", mode="search")
    theirs = served.engine.explain("deploy key kettle", mode="search")
    assert [each.trace.id for each in ours.answer.ranked] == [each.trace.id for each in theirs.answer.ranked]
    assert [each.reason for each in ours.answer.dropped] == [each.reason for each in theirs.answer.dropped]
    assert ours.answer.tried == theirs.answer.tried
    assert ours.answer.hits == ours.result.hits


def test_a_recall_is_replayed(known: RemoteCortex) -> None:
    receipt = known.recall("When does the deploy key rotate?").receipt
    again = known.replay(receipt.id)
    assert (again.same, again.differences, again.receipt) == (True, (), receipt)
    assert [hit.trace.text for hit in again.answer.hits] == ["The deploy key rotates on Mondays"]


def test_what_is_known_is_told_in_one_piece(served: Served, known: RemoteCortex) -> None:
    """C5"""
    ours, theirs = known.synthesize("deploy key"), served.engine.synthesize("deploy key")
    assert ours.synthesis == theirs.synthesis
    assert ours.recall.block == theirs.recall.block
    assert ours.receipt.op == "synthesize"


# --- look -------------------------------------------------------------------------------------------------------------


def test_what_is_shown_is_what_the_engine_shows(served: Served, remote: RemoteCortex, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "2026-01-05.md").write_text("# Keys\n\nThe deploy key rotates.\n", encoding="utf-8")
    assert remote.index(notes).synced.added == 1
    id = remote.remember("I live in Rome").memory.id
    remote.ingest(SAID, session="s1")
    served.client.patch(f"/v1/memories/{id}", json={"text": "I live in Oslo"})
    every = served.engine.list()
    assert {trace.lane for trace in every} == {Lane.MEMORIES, Lane.SESSIONS, Lane.NOTES}
    assert remote.list() == every
    assert [remote.show(trace.id) for trace in every] == [served.engine.show(trace.id) for trace in every]
    assert len(remote.show(id).versions) == 2


def test_lists_and_counts_are_narrowed(served: Served, remote: RemoteCortex) -> None:
    for number in range(4):
        remote.remember(f"Fact {number}", scope="odd" if number % 2 else "even")
    only = Filter(scopes=frozenset({"odd"}), kinds=frozenset({Kind.FACT}), states=frozenset(State))
    assert [trace.text for trace in remote.list(only)] == ["Fact 1", "Fact 3"]
    assert [trace.text for trace in remote.list(only, newest=True, limit=1)] == ["Fact 3"]
    assert [trace.text for trace in remote.list(only, after=remote.list(only)[0].id)] == ["Fact 3"]
    assert remote.stats() == served.engine.stats()
    assert remote.stats(only) == served.engine.stats(only)


def test_what_happened_is_what_the_engine_says_happened(served: Served, remote: RemoteCortex) -> None:
    id = remote.remember("I live in Rome").memory.id
    remote.ingest(SAID, session="s1")
    remote.forget(id)
    served.engine.flush()
    assert remote.events(after=1, limit=3) == served.engine.events(after=1, limit=3)
    assert remote.timeline() == served.engine.timeline()
    arguments = {"limit": 1, "kinds": [EventKind.REMEMBERED, EventKind.FORGOTTEN], "id": id, "lane": Lane.MEMORIES}
    assert remote.timeline(**arguments) == served.engine.timeline(**arguments)
    assert remote.timeline(kinds=()) == served.engine.timeline(kinds=())
    assert remote.growth(days=3) == served.engine.growth(days=3)
    assert remote.growth(lane=Lane.SESSIONS) == served.engine.growth(lane=Lane.SESSIONS)
    assert remote.pulse().total == served.engine.pulse().total == 3


def test_receipts_come_newest_first(served: Served, remote: RemoteCortex) -> None:
    for number in range(3):
        remote.remember(f"Fact {number}")
    every = remote.receipts(op="remember")
    assert list(every) == list(served.engine.receipts(op="remember"))
    assert remote.receipts(op="remember", before=every[0].id, limit=1) == [every[1]]


def test_how_it_stands_is_told(served: Served, remote: RemoteCortex) -> None:
    assert remote.status()["agent"] == "main"
    ours, theirs = remote.doctor(), served.engine.doctor()
    assert [(check.name, check.group) for check in ours] == [(check.name, check.group) for check in theirs]


# --- keep -------------------------------------------------------------------------------------------------------------


def test_upkeep_is_done_at_the_server(served: Served, remote: RemoteCortex) -> None:
    served.engine.remember("I live in Rome", embed=False)
    remote.backfill()
    assert remote.status()["vectors"]["lacking"] == 0
    assert remote.verify() == remote.verify(repair=True) == []
    assert remote.optimize().keys() == served.engine.optimize().keys()
    made = remote.backup()
    assert made.backup in remote.backups()
    assert list(remote.backups()) == list(served.engine.backups())


def test_what_is_exported_can_be_imported(tmp_path: Path, served: Served, remote: RemoteCortex) -> None:
    """E14"""
    kept = [remote.remember(f"Fact {number}").memory for number in range(3)]
    assert list(remote.export()) == list(served.engine.export())
    lines = [json.dumps(line) for line in remote.export(redact=False)]
    with serving(tmp_path / "other") as second, Cortex.connect(second.url) as other:
        assert other.import_(lines, dry_run=True).plan.lines == 3
        done = other.import_(lines, trusted=True)
        assert (done.receipt.facts["memories"], done.plan.facts()["bad"]) == (3, 0)
        assert [trace.text for trace in other.list()] == [memory.text for memory in kept]
        assert other.import_(lines).plan.duplicates["id"] == 3


def test_an_export_may_be_left_off(remote: RemoteCortex) -> None:
    for number in range(3):
        remote.remember(f"Fact {number}")
    lines = remote.export()
    assert next(lines)["type"] == "memory"
    lines.close()
    assert remote.stats().total == 3


def test_pages_are_edited_and_returned(served: Served, remote: RemoteCortex) -> None:
    remote.remember("I live in Rome", scope="home")
    remote.remember("Keys rotate", scope="infra")
    pages = {page.name: page.text.replace("Rome", "Oslo") for page in remote.export_markdown(by_scope=True)}
    assert len(pages) == 2
    done = remote.import_markdown(pages)
    assert (done.receipt.facts["edited"], done.plan.unchanged) == (1, 1)
    assert "I live in Oslo" in {trace.text for trace in served.engine.list()}
    (page,) = remote.export_markdown(Filter(scopes=frozenset({"infra"})))
    assert page.memories == 1
    assert remote.import_markdown(page.text, dry_run=True).plan.dry_run


def run_first(remote: RemoteCortex) -> None:
    """Have the run behind us that a new memory is due at once: the server's scheduler would do it in our place."""
    for _ in range(100):
        try:
            remote.consolidate()
            return
        except StoreBusy:
            time.sleep(0.1)
    raise AssertionError("the store stays busy")


def test_a_lifecycle_is_run_and_taken_back(served: Served, remote: RemoteCortex) -> None:
    """X16"""
    run_first(remote)
    fields = {"retention": "ttl", "ttl": timedelta(seconds=1), "created_at": datetime(2026, 1, 1, tzinfo=UTC)}
    id = remote.remember("Parked on level 3", **fields).memory.id
    planned = remote.consolidate(dry_run=True).outcome
    assert (planned.planned, planned.applied, planned.dry_run) == (1, 0, True)
    assert planned.steps["expiry"].plans[0].ids == (id,)
    done = remote.consolidate()
    assert remote.get(id).state is State.EXPIRED
    assert done.receipt.facts | done.outcome.facts() == done.receipt.facts
    back = remote.undo_consolidation(str(done.outcome.run))
    assert (back.undone.restored, back.undone.refused) == ((id,), ())
    assert remote.get(id).state is State.ACTIVE


# --- files ------------------------------------------------------------------------------------------------------------


def test_files_of_the_server_are_searched_and_read(served: Served, remote: RemoteCortex, tmp_path: Path) -> None:
    """B9, B10"""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "keys.md").write_text("# Keys\n\nThe deploy key rotates on Mondays.\n", encoding="utf-8")
    done = remote.index(notes, scope="infra", lane=Lane.DOCS, force=True)
    assert (done.synced.seen, done.problems, done.receipt.op) == (1, [], "index")
    found = remote.memory_search("deploy key", min_score=0.0)
    path = found["results"][0]["path"]
    assert remote.memory_get(path, start=3, lines=1) == served.engine.memory_get(path, start=3, lines=1)


@pytest.mark.parametrize(
    "state",
    [
        FlushSession(context_window=10_000, tokens_used=9_999),
        FlushSession(context_window=200_000, messages=[{"role": "user", "content": "hello"}], compactions=2),
        FlushSession(context_window=200_000, transcript_bytes=1 << 30),
    ],
)
def test_a_flush_is_planned_as_the_engine_plans_it(served: Served, remote: RemoteCortex, state: FlushSession) -> None:
    """B20"""
    options = {"timezone": "Europe/Berlin", "workspace_has": ["MEMORY.md"]}
    assert remote.flush_plan(state, **options) == served.engine.flush_plan(state, **options)
    assert remote.flush_plan(state, **options).prompt == served.engine.flush_plan(state, **options).prompt


# --- whose memory -----------------------------------------------------------------------------------------------------


def test_a_handle_is_of_one_agent_and_user(served: Served, remote: RemoteCortex) -> None:
    anna = remote.bind(user="anna")
    kept = anna.remember("I live in Rome").memory
    assert anna.list() == served.engine.bind(user="anna").list() == [kept]
    assert remote.list() == []
    assert (remote.tenant, anna.tenant) == (Tenant("main", "default"), Tenant("main", "anna"))
    assert next(anna.export(redact=False))["text"] == "I live in Rome"
    assert anna.pulse().total == 1


def test_a_token_opens_the_memory_it_was_made_for(served: Served) -> None:
    secret = served.token(Right.WRITE, user="anna")["Authorization"].removeprefix("Bearer ")
    with Cortex.connect(served.url, token=secret) as anna:
        assert anna.tenant == Tenant("main", "anna")
        anna.remember("I live in Rome")
    assert served.engine.bind(user="anna").stats().total == 1


# --- tags and rollback ------------------------------------------------------------------------------------------------


def test_a_tag_is_created_searched_compared_and_gone_back_to(served: Served, remote: RemoteCortex) -> None:
    """E18"""
    kept = remote.remember("The deploy key rotates on Mondays").memory
    (tag,) = remote.tag("good", reason="before the upgrade").tags
    assert remote.tags() == served.engine.tags() == [tag]
    remote.edit(kept.id, text="The deploy key rotates on Fridays")
    assert [each.text for each in remote.list(as_of="good")] == [kept.text]
    assert remote.show(kept.id, as_of="good").trace.text == kept.text
    assert [line["text"] for line in remote.export(redact=False, as_of="good")] == [kept.text]
    assert remote.search("deploy key", as_of="good").hits[0].trace.text == kept.text
    found = remote.diff("good")
    assert found.differences == served.engine.diff("good").differences
    assert [(each.id, each.fields) for each in found.differences] == [(kept.id, ("text",))]
    (done,) = remote.rollback("good").users
    assert (done.rollback.reverted, remote.get(kept.id).text) == ([kept.id], kept.text)
    assert remote.rollback(done.undo, everyone=True).users[0].rollback.reverted == [kept.id]
    assert remote.untag("good", everyone=True).tags == (tag,)
    with pytest.raises(NotFound, match="no tag 'good'"):
        remote.list(as_of="good")


def test_drift_is_told_as_the_engine_tells_it(served: Served, remote: RemoteCortex) -> None:
    """S3"""
    remote.remember("The deploy key rotates on Mondays")
    assert remote.drift() == served.engine.drift()
    served.engine.take_census()
    assert remote.drift() == served.engine.drift()
    assert len(remote.drift().verdicts) == 6


# --- erase ------------------------------------------------------------------------------------------------------------


def test_what_is_erased_over_http_is_gone_and_certified(served: Served, remote: RemoteCortex) -> None:
    gone = remote.remember("My locker in the north hall opens with seven turns").memory
    done = remote.erase(gone.id)
    assert (done.certificate.clean, done.certificate.erased) == (True, (gone.id,))
    assert type(done.certificate).from_json(done.certificate.to_json()) == done.certificate
    assert done.receipt == served.engine.receipt(done.receipt.id)
    with pytest.raises(NotFound):
        remote.get(gone.id)
    again = remote.erase(gone.id)
    assert (again.certificate, again.receipt.facts["erased"]) == (done.certificate, 0)
    assert remote.certificate(gone.id) == remote.certificate(done.certificate.id) == done.certificate
    assert remote.erasures() == [done.certificate]
    assert remote.finish_erasures() == []
