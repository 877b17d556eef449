"""Where something of an erased text used to stay behind: caches, jobs, copies in other letters, files left over."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from backends import BACKENDS
from laboratory import by_rows, opened
from test_erase_interrupted import held

from cortex.domain.erasure import ErasureMatch, Sought
from cortex.domain.memory import Draft
from cortex.domain.terms import TOKENIZER
from cortex.memory import Cortex
from cortex.stores.sqlite import schema
from cortex.testing import FakeEmbedder
from sweeps import for_each

SECRET = "My locker in the north hall opens with seven turns"
OTHER = "The tram to the harbour leaves from platform four"
CACHED = {"cache_entries": 1_000}

COPIES = {
    "upper case": SECRET.upper(),
    "other spaces": SECRET.replace(" ", "   "),
    "broken lines": SECRET.replace(" ", "\n"),
    "punctuation": SECRET.replace(" hall ", " hall, ") + "!",
    "inside another": f"He said: “{SECRET.lower()}”, and left.",
    "other letters": "My locker in the north hall ｏｐｅｎｓ with séven turns",
    "a word changed": SECRET.replace("My", "Your") + ", as you said",
}


@pytest.fixture(params=BACKENDS)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cortex]:
    with opened(tmp_path / "home", request.param, embedding=CACHED) as made:
        yield made


@pytest.mark.parametrize("provider", ["another", "none"])
def test_the_cached_vector_goes_whichever_embedder_is_in_use(tmp_path: Path, provider: str) -> None:
    home = tmp_path / "home"
    with opened(home, embedding=CACHED) as engine:
        gone = engine.remember(SECRET).memory
        engine.recall(f"Do you know: {SECRET}?")
    first = FakeEmbedder(256)
    vectors = [first.embed_query(text).tobytes() for text in (SECRET, f"Do you know: {SECRET}?")]
    cache = home / "embeddings.sqlite"
    assert all(any(vector in path.read_bytes() for path in home.glob("embeddings*")) for vector in vectors)
    embedder = FakeEmbedder(64 if provider == "another" else 0)
    with opened(home, embedder=embedder, embedding=CACHED) as engine:
        assert engine.erase(gone.id).certificate.clean
        with closing(sqlite3.connect(cache)) as database:
            left = database.execute("SELECT count(*) FROM vectors WHERE space = ?", (first.space.key,)).fetchone()
        assert left == (0,)
    assert all(vector not in path.read_bytes() for vector in vectors for path in home.glob("embeddings*"))


def test_a_locked_cache_keeps_the_erasure_pending_until_it_is_free(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with opened(home, embedding=CACHED) as engine:
        gone = engine.remember(SECRET).memory
        with closing(sqlite3.connect(home / "embeddings.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert "embedding cache" in engine.erase(gone.id).certificate.pending
        engine.run_due()
        assert engine.certificate(gone.id).clean


def test_a_job_that_is_done_keeps_no_query(tmp_path: Path) -> None:
    home = tmp_path / "home"
    asked = "which of my lockers opens with seven turns, the one in the north hall?"
    with opened(home) as engine:
        engine.remember(SECRET)
        hooks = engine.hooks()
        hooks.before(asked, session="s1")
        hooks.flush()
        engine.flush()
        engine.run_jobs()
        engine.flush()
    with closing(sqlite3.connect(home / "agents" / "main.sqlite")) as database:
        jobs = database.execute("SELECT kind, state, payload FROM jobs WHERE state = 'done'").fetchall()
    assert [kind for kind, _, _ in jobs] == ["synthesize"]
    assert all(json.loads(payload) == {} for _, _, payload in jobs)


def test_jobs_that_were_done_by_an_earlier_release_lose_their_query_on_opening(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = home / "agents" / "main.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(schema.MIGRATIONS[0])
        database.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        database.execute("PRAGMA user_version = 1")
        database.execute("INSERT INTO meta VALUES ('tokeniser', ?)", (TOKENIZER,))
        database.execute("INSERT INTO jobs VALUES ('1', 1, 'synthesise', 's', 0, 'done', 1, NULL, '', ?)",
                         (json.dumps({"query": SECRET}),))  # fmt: skip
        database.commit()
    with opened(home) as engine, closing(sqlite3.connect(engine.status()["store"]["path"])) as database:
        assert database.execute("SELECT payload FROM jobs").fetchall() == [("{}",)]


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES.keys())
def test_a_copy_in_other_letters_or_spaces_is_shown_to_decide_on(engine: Cortex, copy: str) -> None:
    gone = engine.remember(SECRET).memory
    twin = engine.remember(copy, as_new=True).memory
    other = engine.remember(OTHER).memory
    certificate = by_rows(engine.erase(gone.id).certificate)
    assert certificate.remains == ()
    assert [near.where for near in certificate.near] == [twin.id]
    assert twin.id in certificate.near[0].fix
    assert not certificate.clean
    assert "locker" not in json.dumps(certificate.to_json()).lower()
    assert by_rows(engine.erase(twin.id).certificate).clean
    assert engine.get(other.id).text == OTHER


def test_an_earlier_version_that_nearly_says_it_is_shown_too(engine: Cortex) -> None:
    gone = engine.remember(SECRET).memory
    twin = engine.remember(SECRET.upper(), as_new=True).memory
    page = engine.export_markdown()[0].text
    engine.import_markdown(page.replace(SECRET.upper(), "The gate is open"))
    assert [near.where for near in engine.erase(gone.id).certificate.near] == [twin.id]


def test_queries_and_jobs_that_nearly_say_it_lose_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    near = SECRET.upper().replace(" ", "\n")
    with opened(home) as engine:
        gone = engine.remember(SECRET).memory
        engine.remember(OTHER)
        asked = engine.search(near, scope="elsewhere").receipt
        hooks = engine.hooks()
        hooks.before(near, session="s1")
        hooks.flush()
        engine.flush()
        assert held(home, near)
        certificate = engine.erase(gone.id).certificate
        assert certificate.clean, certificate
        assert held(home, near) == []
        assert engine.receipt(asked.id) is not None


def test_lines_of_a_followed_file_that_nearly_say_it_are_cited(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text(f"# Places\n\n{SECRET.upper()}\n", encoding="utf-8")
    with opened(tmp_path / "home") as engine:
        engine.index(notes)
        gone = engine.remember(SECRET).memory
        (near,) = engine.erase(gone.id).certificate.near
        assert "MEMORY.md" in near.where


def test_what_a_file_said_before_it_was_edited_is_in_no_index(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    notes.mkdir()
    note = notes / "MEMORY.md"
    note.write_text(f"# Places\n\n{SECRET}.\n", encoding="utf-8")
    with opened(home) as engine:
        engine.index(notes)
        gone = engine.remember(SECRET).memory
        note.write_text(f"# Places\n\n{OTHER}.\n", encoding="utf-8")
        engine.index()
        assert engine.erase(gone.id).certificate.clean
        assert held(home, SECRET) == []


@pytest.mark.parametrize("name", ["main.sqlite-journal", ".main.sqlite.1.999999999.partial"])
def test_what_sqlite_or_a_crash_left_beside_the_database_goes(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    with opened(home) as engine:
        gone = engine.remember(SECRET).memory
        engine.flush()
        # A journal that begins with nothing is one SQLite is done with.
        (home / "agents" / name).write_bytes(bytes(512) + SECRET.encode())
        assert engine.erase(gone.id).certificate.clean
    assert held(home, SECRET) == []


@pytest.mark.parametrize("name", ["agents/main.sqlite.bak", "agents/main.sqlite-quarantine"])
def test_a_copy_that_is_not_ours_to_remove_is_named(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    with opened(home) as engine:
        gone = engine.remember(SECRET).memory
        (home / name).write_text(f"a copy: {SECRET}", encoding="utf-8")
        (home / "agents" / "main.sqlite-x.sqlite").write_text("another agent's: {SECRET}", encoding="utf-8")
        assert [each.where for each in engine.erase(gone.id).certificate.remains] == [Path(name).name]


def test_hundreds_of_texts_are_looked_for_in_one_pass(tmp_path: Path) -> None:
    """Each row is read as often for three hundred texts as for one."""
    with opened(tmp_path / "home", embedder=FakeEmbedder(0)) as engine:
        kept = engine.remember_all(Draft(text=f"Berth {number} is rented until May") for number in range(20))
        gone = engine.remember_all(Draft(text=f"Note {number}: safe {number} opens at dawn") for number in range(300))
        engine.flush()
        read: list[str] = []
        connections = engine.context.dependencies.store("main")._connections  # type: ignore[attr-defined]
        take = connections._take

        def watched() -> sqlite3.Connection:
            connection = take()
            connection.set_trace_callback(read.append)
            return connection

        connections._take = watched
        certificate = engine.erase(*gone.ids).certificate
        assert certificate.clean, certificate
        assert certificate.texts == 300
        assert len(read) < 100 + 4 * len(gone.ids), "looking for them costs a few statements, planning a few for each"
        assert engine.stats().total == len(kept.ids)


@for_each(
    ("text", "likeness"),
    [
        (SECRET, ErasureMatch.SAME),
        (f"x{SECRET}y", ErasureMatch.SAME),
        *((copy, ErasureMatch.NEAR) for copy in COPIES.values()),
        (OTHER, ErasureMatch.NONE),
        ("My locker in the south wing opens with a key", ErasureMatch.NONE),
        ("", ErasureMatch.NONE),
    ],
)
def test_likeness_is_told_by_letters_and_by_runs_of_words(text: str, likeness: ErasureMatch) -> None:
    sought = Sought(["kurz", OTHER.swapcase(), SECRET, "🔑🔑🔑🔑🔑"])
    expected = ErasureMatch.NEAR if text == OTHER else likeness
    assert sought.likeness(["", text]) is expected


def test_a_text_in_a_script_without_spaces_is_known_however_it_is_broken() -> None:
    text = "私のロッカーは北館にあり、七回まわすと開きます"
    sought = Sought([text])
    assert sought.likeness([text[:8] + "\n" + text[8:]]) is ErasureMatch.NEAR
    assert sought.likeness([text.replace("私", "彼")]) is ErasureMatch.NEAR
    assert sought.likeness(["北館は七時に開きます"]) is ErasureMatch.NONE
