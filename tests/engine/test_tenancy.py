"""Two users' memories never meet, and neither do two agents'."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from backends import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from laboratory import RECIPE_NAMES, assistant, ids, opened, user

from cortex.domain.events import EventKind
from cortex.domain.lanes import Lane
from cortex.domain.memory import Draft
from cortex.domain.query import Query
from cortex.errors import Conflict, InvalidRequest, NotFound
from cortex.memory import Cortex
from cortex.ports.store import Filter, JobState
from cortex.services.alerts import AlertService
from cortex.workspace.flush import FlushSession

# What only the other tenant knows: the words of `ASKED` may be guessed, the others must never come back.
CANARY = "zyxquark keeps the vorpal kettle behind frumious bandersnatch"
ASKED = "who keeps the vorpal kettle?"
SECRETS = ("zyxquark", "frumious", "bandersnatch", "mimsy", "borogove", "slithy-scope", "tulgey-session", "jubjub")


ASKED_ID = re.compile(r"[0-9a-f-]{36}")
"""An error repeats the id it was given."""


class Canary:
    """Everything that belongs to another user, by the ids a curious tenant may have guessed."""

    def __init__(self, engine: Cortex) -> None:
        self.engine = engine.bind(user="jubjub")
        self.memory = self.engine.remember(
            CANARY, scope="slithy-scope", topic="mimsy", tags=["borogove"], subject="zyxquark", source_ref="frumious"
        ).memory
        self.rule = self.engine.remember("Always greet the frumious bandersnatch", kind="rule").memory
        self.newer = self.engine.remember(CANARY + " mimsy", supersedes=self.memory.id).memory
        turns = [user("Who keeps the vorpal kettle?", speaker="Jubjub"), assistant("zyxquark does")]
        self.turns = self.engine.store_turns("tulgey-session", turns, scope="slithy-scope").ids
        self.folder = engine.context.dependencies.home / "burrow"
        self.folder.mkdir()
        (self.folder / "kettle.md").write_text(f"# The vorpal kettle\n\n{CANARY}.\n")
        self.engine.index(self.folder, scope="slithy-scope")
        self.chunks = [trace.id for trace in self.engine.list(Filter(lanes=frozenset({Lane.NOTES})))]
        self.recalled = self.engine.recall(ASKED)
        self.engine.flush()
        assert "zyxquark" in self.recalled.block

    @property
    def trace_ids(self) -> list[str]:
        return [self.memory.id, self.rule.id, self.newer.id, *self.turns, *self.chunks]


def _line(canary: Canary) -> str:
    return json.dumps(
        {"type": "memory", "id": canary.memory.id, "text": "mine", "created_at": "2026-01-05T09:00:00+00:00"}
    )


def _jobs_of(canary: Canary) -> list[str]:
    canary.engine.ingest([user("Who polishes the vorpal kettle?")], session="jubjub-session")
    found = [job.id for job in canary.engine.jobs(states=list(JobState))]
    assert found
    return found


def _refused(call: Callable[[], Any]) -> str:
    """What a refused call says; foreign ids are not found, whatever is asked of them."""
    with pytest.raises(NotFound) as refused:
        call()
    return ASKED_ID.sub("", str(refused.value))


def _impossible(call: Callable[[], Any]) -> str:
    """Why a call cannot be carried out in the state that it finds."""
    with pytest.raises((InvalidRequest, Conflict, NotFound)) as refused:
        call()
    return str(refused.value)


def _bulk_of(canary: Canary) -> str:
    return canary.engine.bulk("edit", [canary.rule.id], importance=0.9).run


def _alerted(canary: Canary) -> None:
    AlertService(canary.engine.context).raise_alert("frumious", "the bandersnatch is near")


_EVENT = {"at": "2026-01-05T09:00:00+00:00", "session": "s1", "type": "tool_result"}


def _imported(engine: Cortex, canary: Canary) -> Any:
    try:
        return engine.import_([_line(canary)])
    except InvalidRequest as error:
        return str(error)


def _export(folder: Path, text: str) -> Path:
    """What another program exported."""
    path = folder / "export.jsonl"
    path.write_text(json.dumps({"text": text}) + "\n")
    return path


def _own_export(engine: Cortex) -> Path:
    return _export(engine.context.dependencies.home, "The kettle is kept on the stove")


def _import_of(canary: Canary) -> str:
    return canary.engine.import_from(_export(canary.folder, CANARY)).run


def _imported_markdown(engine: Cortex, canary: Canary) -> list[str]:
    """What is said of a page that names what another user has."""
    (page,) = engine.export_markdown()
    own = next(line for line in page.text.split("\n") if "cortex:id=" in line)
    foreign = [page.text.replace(own, ASKED_ID.sub(id, own, count=1)) for id in canary.trace_ids]
    return [_refused(lambda page=page: engine.import_markdown(page, forget_missing=True)) for page in foreign]


def _found(engine: Cortex, canary: Canary) -> list[Any]:
    """What a search of the files answers, and what is said of files that another user follows."""
    return [
        engine.memory_search(ASKED, min_score=0.0),
        engine.files.search(ASKED, min_score=0.0, lanes=frozenset({Lane.NOTES, Lane.DOCS, Lane.SESSIONS})),
        [source.name for source in engine.files.sources()],
        engine.files.status(),
    ]


def _read(engine: Cortex, canary: Canary) -> list[str]:
    refusals = []
    for path in ("burrow/kettle.md", str(canary.folder / "kettle.md"), "kettle.md"):
        with pytest.raises(InvalidRequest) as refused:
            engine.memory_get(path)
        refusals.append(str(refused.value))
    with pytest.raises(NotFound):
        engine.memory_get("sessions/tulgey-session")
    return refusals


def _indexed(engine: Cortex, canary: Canary) -> list[Any]:
    own = canary.folder.parent / "own"
    own.mkdir()
    (own / "mine.md").write_text("The kettle is mine.\n")
    return [engine.index(), engine.index(own), engine.index(force=True), *_found(engine, canary), engine.list()]


def _undone(engine: Cortex, canary: Canary) -> str:
    with pytest.raises(Conflict) as refused:
        engine.undo_consolidation("0-4")
    return str(refused.value)


# One entry for every public method: what a curious tenant would ask of it. A new method without one fails below.
READS: dict[str, Callable[[Cortex, Canary], Any]] = {
    "remember": lambda engine, canary: [
        engine.remember("my own kettle"),
        *(_refused(lambda id=id: engine.remember("mine now", supersedes=id)) for id in canary.trace_ids),
        _refused(lambda: engine.remember("mine", source_turns=tuple(canary.turns))),
    ],
    "remember_all": lambda engine, canary: engine.remember_all([Draft(text="my other kettle", scope="a")]),
    "store_turns": lambda engine, canary: [
        engine.store_turns("tulgey-session", [user("who keeps the vorpal kettle?")]),
        engine.recall(ASKED).block,
    ],
    "edit": lambda engine, canary: [_refused(lambda id=id: engine.edit(id, text="mine")) for id in canary.trace_ids],
    "forget": lambda engine, canary: [_refused(lambda id=id: engine.forget(id)) for id in canary.trace_ids],
    "restore": lambda engine, canary: [_refused(lambda id=id: engine.restore(id)) for id in canary.trace_ids],
    "contradictions": lambda engine, canary: engine.contradictions(),
    "resolve": lambda engine, canary: [_refused(lambda id=id: engine.resolve(id)) for id in canary.trace_ids],
    "erase": lambda engine, canary: [_refused(lambda id=id: engine.erase(id)) for id in canary.trace_ids],
    "erasures": lambda engine, canary: engine.erasures(),
    "certificate": lambda engine, canary: [_refused(lambda id=id: engine.certificate(id)) for id in canary.trace_ids],
    "finish_erasures": lambda engine, canary: engine.finish_erasures(),
    "forget_matching": lambda engine, canary: engine.forget_matching(ASKED),
    "recall": lambda engine, canary: [
        *(engine.recall(ASKED, recipe=recipe, min_score=0.0) for recipe in RECIPE_NAMES),
        *(engine.recall(ASKED, as_of=position, quarantined=True) for position in range(0, 12, 3)),
        engine.recall(Query(text=ASKED)),
        engine.recall("project:guessed " + ASKED),
    ],
    "host_status": lambda engine, canary: engine.host_status(),
    "search": lambda engine, canary: [engine.search(ASKED, recipe=recipe, min_score=0.0) for recipe in RECIPE_NAMES],
    "explain": lambda engine, canary: engine.explain(ASKED),
    "replay": lambda engine, canary: _refused(lambda: engine.replay(canary.recalled.receipt.id, query=ASKED)),
    "get": lambda engine, canary: [_refused(lambda id=id: engine.get(id)) for id in canary.trace_ids],
    "show": lambda engine, canary: [_refused(lambda id=id: engine.show(id)) for id in canary.trace_ids],
    "list": lambda engine, canary: [
        engine.list(),
        engine.list(newest=True),
        engine.list(after="00000000-0000-7000-8000-000000000000"),
        engine.list(Filter(ids=frozenset(canary.trace_ids))),
        engine.list(Filter(scopes=frozenset({"slithy-scope"}))),
        engine.list(Filter(sessions=frozenset({"tulgey-session"}))),
    ],
    "stats": lambda engine, canary: [engine.stats(), engine.stats(Filter(scopes=frozenset({"slithy-scope"})))],
    "events": lambda engine, canary: engine.events(),
    "timeline": lambda engine, canary: [
        engine.timeline(kinds=frozenset(EventKind)),
        engine.timeline(before=4),
        *(engine.timeline(id=id) for id in canary.trace_ids),
    ],
    "growth": lambda engine, canary: [engine.growth(lane=lane) for lane in Lane],
    "pulse": lambda engine, canary: engine.pulse(),
    "hooks": lambda engine, canary: [
        engine.hooks().before(ASKED, session="tulgey-session"),
        engine.hooks().state("tulgey-session"),
    ],
    "receipts": lambda engine, canary: [
        engine.receipts(limit=1_000),
        _refused(lambda: engine.receipts(before=canary.recalled.receipt.id)),
    ],
    "receipt_log": lambda engine, canary: [
        engine.receipt_log(limit=200),
        engine.receipt_log(session="jubjub-session"),
        _refused(lambda: engine.receipt_log(before=canary.recalled.receipt.id)),
    ],
    "compare_receipts": lambda engine, canary: _refused(
        lambda: engine.compare_receipts(canary.recalled.receipt.id, canary.recalled.receipt.id)
    ),
    "usage": lambda engine, canary: engine.usage(),
    "activity": lambda engine, canary: engine.activity(),
    "jobs": lambda engine, canary: engine.jobs(states=list(JobState)),
    "retry_job": lambda engine, canary: [_refused(lambda id=id: engine.retry_job(id)) for id in _jobs_of(canary)],
    "cancel_job": lambda engine, canary: [_refused(lambda id=id: engine.cancel_job(id)) for id in _jobs_of(canary)],
    "receipt": lambda engine, canary: _refused(lambda: engine.receipt(canary.recalled.receipt.id)),
    "status": lambda engine, canary: engine.status(),
    "doctor": lambda engine, canary: engine.doctor(),
    "backfill": lambda engine, canary: engine.backfill(),
    "verify": lambda engine, canary: engine.verify(),
    "optimize": lambda engine, canary: engine.optimize(),
    "export": lambda engine, canary: [*engine.export(redact=False), *engine.export()],
    "import_": _imported,
    "export_markdown": lambda engine, canary: [
        *engine.export_markdown(),
        *engine.export_markdown(Filter(ids=frozenset(canary.trace_ids))),
        *engine.export_markdown(by_scope=True),
    ],
    "import_markdown": _imported_markdown,
    "preview_import": lambda engine, canary: engine.preview_import(_own_export(engine)),
    "import_from": lambda engine, canary: engine.import_from(_own_export(engine)),
    "imports": lambda engine, canary: (_import_of(canary), engine.imports())[1],
    "undo_import": lambda engine, canary: _refused(lambda: engine.undo_import(_import_of(canary))),
    "ingest": lambda engine, canary: engine.ingest([user("who has a kettle?")], session="tulgey-session").ids,
    "capture": lambda engine, canary: engine.capture([user("I prefer my kettle")], session="tulgey-session").memories,
    "run_jobs": lambda engine, canary: engine.run_jobs(),
    "next_due": lambda engine, canary: engine.next_due(),
    "synthesize": lambda engine, canary: engine.synthesize(ASKED),
    "consolidate": lambda engine, canary: [engine.consolidate(dry_run=True), engine.consolidate()],
    "undo_consolidation": _undone,
    "run_due": lambda engine, canary: engine.run_due(),
    "files": _found,
    "searching": lambda engine, canary: [engine.searching.search(ASKED, min_score=0.0), engine.searching.status()],
    "index": _indexed,
    "memory_search": _found,
    "memory_get": _read,
    "alerts": lambda engine, canary: [_alerted(canary), engine.alerts(closed=True)][1],
    "ingest_events": lambda engine, canary: [
        engine.ingest_events([{**_EVENT, "text": "my kettle boils"}]),
        engine.list(Filter(lanes=frozenset({Lane.OUTCOMES}))),
    ],
    "sessions": lambda engine, canary: [each.session for each in engine.sessions() if each.session != "s1"],
    "session": lambda engine, canary: _refused(lambda: engine.session("tulgey-session")).replace("tulgey-session", ""),
    "tag": lambda engine, canary: engine.tag("mine"),
    "tags": lambda engine, canary: (canary.engine.tag("slithy"), engine.tags())[1],
    "untag": lambda engine, canary: (canary.engine.tag("theirs"), _refused(lambda: engine.untag("theirs")))[1],
    "diff": lambda engine, canary: engine.diff(0, turns=True),
    "rollback": lambda engine, canary: [engine.tag("mine"), engine.rollback("mine", turns=True)],
    "drift": lambda engine, canary: engine.drift(),
    "take_census": lambda engine, canary: engine.take_census(),
    "grade": lambda engine, canary: engine.grade(all=True),
    "writeback": lambda engine, canary: [engine.grade(), engine.writeback(force=True)],
    "golden": lambda engine, canary: engine.golden(),
    "build_golden": lambda engine, canary: _impossible(engine.build_golden),
    "mark_golden": lambda engine, canary: _refused(lambda: engine.mark_golden(canary.recalled.receipt.id, silent=True)),
    "canary": lambda engine, canary: engine.canary(),
    "start_canary": lambda engine, canary: _impossible(lambda: engine.start_canary({"recall.recipe": "typed.v1"})),
    "promote_canary": lambda engine, canary: _impossible(engine.promote_canary),
    "stop_canary": lambda engine, canary: _impossible(engine.stop_canary),
    "digest": lambda engine, canary: engine.digest(),
    "gaps": lambda engine, canary: engine.gaps(),
    "rehearse": lambda engine, canary: [engine.recall(ASKED), engine.rehearse({"recall.recipe": "typed.v1"})][1],
    "bulk": lambda engine, canary: list(engine.bulk("forget", canary.trace_ids).statuses.values()),
    "undo_bulk": lambda engine, canary: _impossible(lambda: engine.undo_bulk(_bulk_of(canary))),
    "inbox": lambda engine, canary: [
        engine.inbox(all=True),
        *(_refused(lambda id=id: engine.inbox(ids=[id])) for id in canary.trace_ids),
    ],
    "decide": lambda engine, canary: [
        ASKED_ID.sub("", _impossible(lambda id=id: engine.decide([{"id": id, "revision": "0", "verdict": "reject"}])))
        for id in canary.trace_ids
    ],
    "undo_decisions": lambda engine, canary: _refused(lambda: engine.undo_decisions([canary.recalled.receipt.id])),
    "decisions": lambda engine, canary: engine.decisions(),
    "thresholds": lambda engine, canary: engine.thresholds(),
    "revoke_threshold": lambda engine, canary: _impossible(lambda: engine.revoke_threshold("rules:en")),
    "conversations": lambda engine, canary: engine.conversations(),
    "conversation": lambda engine, canary: _refused(lambda: engine.conversation("tulgey-session")).replace(
        "tulgey-session", ""
    ),
    "indexed_files": lambda engine, canary: engine.indexed_files(),
    "indexed_file": lambda engine, canary: [
        _refused(lambda path=path: engine.indexed_file(path)).replace(path, "")
        for path in ("burrow/kettle.md", str(canary.folder / "kettle.md"))
    ],
    "views": lambda engine, canary: (canary.engine.save_view("frumious", "scope=slithy-scope"), engine.views())[1],
    "save_view": lambda engine, canary: engine.save_view("mine", "kind=rule"),
    "remove_view": lambda engine, canary: (
        canary.engine.save_view("theirs", "scope=slithy-scope"),
        _refused(lambda: engine.remove_view("theirs")),
    )[1],
    "retention": lambda engine, canary: [engine.retention(), engine.retention(apply=True)],
    "hold": lambda engine, canary: [_refused(lambda id=id: engine.hold(ids=[id])) for id in canary.trace_ids],
    "holds": lambda engine, canary: (canary.engine.hold(scope="slithy-scope"), engine.holds())[1],
    "release_hold": lambda engine, canary: _refused(
        lambda: engine.release_hold(canary.engine.hold(scope="slithy-scope").hold.name)
    ),
    "flush_plan": lambda engine, canary: engine.flush_plan(FlushSession(context_window=10_000, tokens_used=9_000)),
}
HANDLES = {"bind", "over", "connect", "context", "close", "flush", "tenant", "scheduler", "settings"}
"""What answers nothing: `bind` is the way to be someone else, by name."""
OPERATORS = {
    "backup", "backups", "drill", "last_drill", "restore_backup", "users",
    "find_subject", "export_subject", "erase_subject", "subject_certificate",
}  # fmt: skip
"""The operator's own: a backup is of everyone who uses an agent, and a person may be in anybody's memory."""


def told(value: Any) -> str:
    """Everything a caller could read in an answer."""
    return f"{value!r}\n{json.dumps(value, default=repr, skipkeys=True, ensure_ascii=False)}".casefold()


def test_every_public_method_has_a_case_here():
    """DESIGN 3: there is no call that searches across tenants"""
    public = {name for name, _ in inspect.getmembers(Cortex) if not name.startswith("_")}
    assert public - HANDLES - OPERATORS == set(READS)


@pytest.mark.parametrize("name", READS)
def test_nothing_of_another_user_comes_back(engine, name):
    """DESIGN 3: a handle, not a filter"""
    canary = Canary(engine)
    engine.remember("The kettle is mine")
    engine.store_turns("s1", [user("where is my kettle?")])
    before = canary.engine.get(canary.newer.id)
    answer = told(READS[name](engine, canary))
    for secret in SECRETS:
        assert secret not in answer
    for id in canary.trace_ids:
        assert id not in answer or name == "import_"
    canary.engine.flush()
    assert canary.engine.get(canary.newer.id) == before
    assert canary.engine.recall(ASKED).hits


def test_a_session_of_the_same_name_is_another_session(engine):
    """DESIGN 3"""
    canary = Canary(engine)
    (mine,) = engine.store_turns("tulgey-session", [user("hello kettle")]).ids
    assert engine.get(mine).seq == 0
    assert canary.engine.get(canary.turns[1]).seq == 1


def test_a_name_of_a_speaker_is_known_to_its_own_tenant_alone(engine):
    """DESIGN 3: what others are called does not change my answers"""
    asked = "What did Jubjub keep?"
    engine.remember("Someone did keep the harbour key")
    before = engine.search(asked)
    Canary(engine)
    after = engine.search(asked)
    assert [(hit.trace.id, hit.score) for hit in after.hits] == [(hit.trace.id, hit.score) for hit in before.hits]


def test_what_others_remember_does_not_change_my_scores(engine):
    """DESIGN 9: the statistics are those of what is searched"""
    engine.remember_all(Draft(text=f"harbour kettle number {number}") for number in range(4))
    before = [(hit.trace.id, hit.score) for hit in engine.search("harbour kettle 2").hits]
    engine.bind(user="jubjub").remember_all(Draft(text="harbour kettle " * 5) for _ in range(20))
    assert [(hit.trace.id, hit.score) for hit in engine.search("harbour kettle 2").hits] == before


def test_a_backfill_embeds_ones_own_alone(engine, embedder):
    """C7"""
    engine.bind(user="jubjub").remember(CANARY, embed=False)
    engine.remember("mine", embed=False)
    embedder.documents.clear()
    assert engine.backfill().facts["embedded"] == 1
    assert embedder.documents == ["mine"]


def test_two_handles_of_one_engine_are_two_users(engine):
    """DESIGN 3"""
    anna, boris = engine.bind(user="anna"), engine.bind(user="boris")
    kept = anna.remember("The deploy key rotates on Mondays").memory
    assert ids(anna.recall("deploy key")) == [kept.id]
    assert boris.recall("deploy key").hits == ()
    assert ids(engine.bind(user="anna").recall("deploy key")) == [kept.id]
    assert (anna.tenant.agent, anna.tenant.user) == ("main", "anna")


def test_two_agents_have_two_files(open_engine, tmp_path):
    """B3: one index per agent"""
    engine = open_engine()
    other = engine.bind(agent="other")
    kept = other.remember(CANARY).memory
    engine.remember("mine")
    assert engine.recall(ASKED, min_score=0.0).hits == () or "zyxquark" not in engine.recall(ASKED).block
    with pytest.raises(NotFound):
        engine.get(kept.id)
    assert ids(other.recall(ASKED)) == [kept.id]
    engine.flush()
    files = {path.name for path in (tmp_path / "agents").glob("*.sqlite")}
    assert files == {"main.sqlite", "other.sqlite"}
    engine.close()
    for path in (tmp_path / "agents").glob("main.sqlite*"):
        assert b"zyxquark" not in path.read_bytes()


@pytest.mark.parametrize("name", ["../main", "MAIN", "", "a/b"])
def test_an_agents_name_cannot_reach_another_agents_file(engine, name):
    """DESIGN 3: an empty name is no name, and not the agent's own"""
    with pytest.raises(InvalidRequest, match="agent"):
        engine.bind(agent=name)


said = st.lists(st.sampled_from(["harbour", "kettle", "pier", "anchor"]), min_size=1, max_size=4).map(" ".join)


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=8)
@given(kept=st.lists(st.tuples(st.sampled_from(["anna", "boris"]), said), min_size=1, max_size=10), asked=said)
def test_whatever_two_users_say_each_gets_ones_own_back(tmp_path_factory, backend, kept, asked):
    """DESIGN 3"""
    with opened(tmp_path_factory.mktemp("home"), backend) as engine:
        own: dict[str, set[str]] = {"anna": set(), "boris": set()}
        for at, (name, text) in enumerate(kept):
            handle = engine.bind(user=name)
            own[name].add(handle.remember(text).memory.id)
            own[name].update(handle.store_turns(f"s{at % 2}", [user(text)]).ids)
        for name, mine in own.items():
            handle = engine.bind(user=name)
            for recipe in RECIPE_NAMES:
                assert set(ids(handle.search(asked, recipe=recipe, min_score=0.0))) <= mine
            assert {trace.id for trace in handle.list()} == mine
            assert handle.stats().total == len(mine)


def positions(engine: Cortex) -> set[int]:
    """Every position that a user is told, by whatever is asked."""
    items = [
        engine.pulse().position,
        engine.status()["position"],
        engine.recall(ASKED).receipt.position,
        engine.search(ASKED).receipt.position,
        engine.recall(ASKED, as_of=10_000).receipt.position,
        engine.recall(ASKED, as_of=engine.context.dependencies.clock.now()).receipt.position,
        engine.run_jobs().position,
        engine.consolidate(dry_run=True).receipt.position,
        engine.import_([], dry_run=True).receipt.position,
        engine.forget_matching("no such thing at all").receipt.position,
    ]
    engine.flush()
    return {*items, *(receipt.position for receipt in engine.receipts())}


def test_what_others_do_moves_no_position_that_a_user_is_told(engine: Cortex) -> None:
    """A user with no memories is at position 0, whatever the other users of the agent have done."""
    Canary(engine)
    reader = engine.bind(user="reader")
    assert positions(reader) == {0}
    kept = reader.remember("My own teapot is blue")
    own = reader.events()[-1].position
    assert kept.receipt.position == reader.pulse().position == own
    others = engine.bind(user="jubjub")
    for number in range(3):
        others.remember(f"{CANARY} {number}")
    assert reader.pulse().position == reader.status()["position"] == own
    assert [event.position for event in reader.events()][-1] == own


def test_a_recall_is_replayed_exactly_whatever_others_did_around_it(engine: Cortex) -> None:
    """E12"""
    engine.remember("The teapot is blue")
    engine.bind(user="jubjub").remember(CANARY)
    first = engine.recall("what color is the teapot?", limit=5)
    engine.bind(user="jubjub").remember(f"{CANARY} again")
    engine.remember("The teapot is on the shelf")
    assert engine.replay(first.receipt.id).same


def test_what_the_store_tells_of_itself_counts_nothing_of_others(engine: Cortex) -> None:
    told = engine.bind(user="reader").status()["store"]
    Canary(engine)
    after = engine.bind(user="reader").status()["store"]
    assert {name for name in after if after[name] != told.get(name)} <= {"bytes", "spaces"}
