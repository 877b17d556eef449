"""Row-level security: SQL without any filter, under the setting of one user, reaches nobody else's rows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from samples import ANNA, AT, BORIS, EAST, NORTH, SPACE, Desk, chunk, followed, id_, job, memory, receipt, turn

import cortex
import postgres_server
import store_list
from cortex import settings, wiring
from cortex.domain.erasure import Erasure
from cortex.domain.events import EventKind
from cortex.domain.scope import Tenant
from cortex.domain.vectors import Basis, Calibration
from cortex.errors import InvalidRequest
from cortex.ports.index import Follow
from cortex.ports.store import Calibrate, Embed, Erase, PatchSession, Put, PutJob, PutReceipt, RecordAccess, Store
from cortex.ports.store_url import StoreUrl
from cortex.stores.postgres import PostgresOptions, row_security
from cortex.stores.postgres.index import Opening, PgIndexes
from cortex.stores.relational.code_index import MANY

pytestmark = pytest.mark.skipif(bool(postgres_server.missing()), reason=postgres_server.missing())

FILES = "cortex_main~files"
ROOM = Path(cortex.__file__).parent / "stores" / "postgres"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = store_list.open_store("postgresql", tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def tables(store: Store) -> list[str]:
    """Every table that holds something of a user, with rows of two users in each."""
    for tenant, first in ((ANNA, 0), (BORIS, 100)):
        fill(store, tenant, first)
    with connected("postgres") as connection:
        # What only a repair or an interrupted load leaves.
        for user in numbers(connection):
            connection.execute("INSERT INTO loads VALUES (%s, 'elsewhere', 0)", (user,))
            connection.execute("INSERT INTO chains VALUES (%s, 0, '', NULL, NULL, 0)", (user,))
            connection.execute(
                'INSERT INTO quarantine (source, key, "user", position, why, seal, rest)'
                " VALUES ('jobs', 'k', %s, 1, 'it is damaged', '', '{}')",
                (user,),
            )
        return [table for table in known_tables(connection) if table not in row_security.NOBODYS]


def fill(store: Store, tenant: Tenant, first: int) -> None:
    desk = Desk(store, tenant)
    said, spoken, drawn = (
        memory(first + 1),
        turn(first + 2, speaker="Zoë"),
        memory(first + 3, source_turns=(id_(first + 2),)),
    )
    desk.put(said, spoken, drawn, memory(first + 4))
    desk.put(memory(first + 1, "The harbour opens at noon"))
    desk.apply(Embed(said.id, SPACE, [EAST] * (MANY + 1)), Embed(drawn.id, SPACE, [NORTH]))
    desk.apply(Embed(drawn.id, SPACE, [EAST]), Calibrate(SPACE, Calibration(0.1, Basis.MEASURED, 5)))
    desk.apply(RecordAccess([said.id], at=AT), PutReceipt(receipt(first + 5)), PutJob(job(first + 6)))
    desk.apply(PatchSession("s1", {"count": 1}))
    erasure = Erasure(id=f"erasure-{first}", user=tenant.user, at=AT, ids=(id_(first + 4),))
    store.record_erasure(erasure)
    desk.apply(Erase(erasure, loosely=True))


@contextmanager
def connected(role: str = postgres_server.OWNER, user: str | None = None) -> Iterator[Any]:
    """A transaction that is rolled back; under the setting of a user, as the store begins one."""
    import psycopg

    with psycopg.connect(postgres_server.shared().url(user=role), autocommit=role == "postgres") as connection:
        connection.execute("SET search_path TO cortex_main, public")
        connection.execute(row_security.in_sql(row_security.begin(user)).encode() or b"SELECT 1")
        yield connection
        connection.rollback()


def known_tables(connection: Any, schema: str = "cortex_main") -> list[str]:
    rows = connection.execute(
        "SELECT relname FROM pg_class"
        " WHERE relnamespace = quote_ident(%s)::regnamespace AND relkind IN ('r', 'p', 'f', 'm')",
        (schema,),
    ).fetchall()
    return [name for (name,) in rows]


def numbers(connection: Any) -> list[int]:
    names = [ANNA.user, BORIS.user]
    rows = connection.execute("SELECT id FROM users WHERE name = ANY (%s) ORDER BY name", (names,)).fetchall()
    return [id for (id,) in rows]


def all_rows(connection: Any, table: str) -> set[str]:
    return {row for (row,) in connection.execute(f"SELECT t::text FROM {table} t").fetchall()}


def rows_by_user(table: str) -> Sequence[set[str]]:
    """The rows of Anna and of Boris, as an administrator sees them."""
    column = {"users": "id"}.get(table, '"user"')
    with connected("postgres") as connection:
        whose = [ANNA.user, BORIS.user] if table == "erasure_log" else numbers(connection)
        query = f"SELECT t::text FROM {table} t WHERE {column} = %s"
        return [{row for (row,) in connection.execute(query, (user,)).fetchall()} for user in whose]


def test_sql_without_a_filter_sees_one_user_in_every_table(tables: list[str]) -> None:
    for table in tables:
        annas, boriss = rows_by_user(table)
        assert annas, f"{table} has nothing to hide"
        assert boriss, f"{table} has nothing to hide"
        with connected(user=ANNA.user) as connection:
            assert all_rows(connection, table) == annas, table
        with connected(user=BORIS.user) as connection:
            assert all_rows(connection, table) == boriss, table


def test_without_the_setting_nothing_of_anybody_is_seen(tables: list[str]) -> None:
    for user in (None, "somebody else"):
        with connected(user=user) as connection:
            assert {table: all_rows(connection, table) for table in tables} == {table: set() for table in tables}


def test_a_row_of_another_user_is_refused_in_every_table(tables: list[str]) -> None:
    from psycopg import errors

    for table in tables:
        _, boriss = rows_by_user(table)
        with connected(user=ANNA.user) as connection, pytest.raises(errors.InsufficientPrivilege):
            connection.execute(f"INSERT INTO {table} SELECT (%s::{table}).*", (sorted(boriss)[0],))


def test_updates_and_deletions_without_a_filter_reach_one_user(tables: list[str]) -> None:
    for table in set(tables) - {"users", "facets", "spaces"}:  # others point to these
        annas, _ = rows_by_user(table)
        with connected(user=ANNA.user) as connection:
            assert connection.execute(f"DELETE FROM {table}").rowcount == len(annas), table
    with connected(user=ANNA.user) as connection:
        assert connection.execute("UPDATE facets SET traces = 0").rowcount == len(rows_by_user("facets")[0])


def test_no_row_can_be_given_to_another_user(tables: list[str]) -> None:
    from psycopg import errors

    with connected("postgres") as connection:
        _, boris = numbers(connection)
    for table in set(tables) - {"users", "erasure_log"}:
        with connected(user=ANNA.user) as connection, pytest.raises(errors.InsufficientPrivilege):
            connection.execute(f'UPDATE {table} SET "user" = %s', (boris,))


def test_a_receipt_or_job_with_the_id_of_somebody_elses_is_refused(store: Store) -> None:
    Desk(store, BORIS).apply(PutReceipt(receipt(1)), PutJob(job(2)))
    for change in (PutReceipt(receipt(1)), PutJob(job(2))):
        with pytest.raises(InvalidRequest, match="is taken"):
            Desk(store, ANNA).apply(change)
    assert list(store.verify()) == []


def test_a_name_that_means_something_in_sql_is_a_name(store: Store) -> None:
    names = ["o'hara", "back\\slash", "'; SET LOCAL cortex.everyone = on; --", "%s", "$1", "?"]
    for number, name in enumerate(names):
        Desk(store, Tenant(user=name)).put(memory(number))
    assert [Desk(store, Tenant(user=name)).total() for name in names] == [1] * len(names)
    assert store.users() == sorted(names)


def test_only_these_work_over_all_users() -> None:
    """Whoever adds one has to say so here."""
    found = {
        f"{path.stem}.{function.name}"
        for path in ROOM.glob("*.py")
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == "EVERYONE"
    }
    assert found == {
        "row_security.begin", "index._findings", "store.accelerate", "store.users", "store.load", "store.transact",
        "store.verify", "store._findings", "store._vacuum", "store.describe", "store.erasures",
        "store.withdraw_erasure", "store._follow_tokenizer", "erasure_marks.follow", "erasure_marks.keep_out",
        "erasure_marks.keep_out_of_others", "hnsw._coded",
    }  # fmt: skip


def test_the_doctor_warns_of_a_role_that_sees_through_it(store: Store, tmp_path: Path) -> None:
    def checked(role: str) -> tuple[bool | None, str]:
        url = postgres_server.shared().url(user=role)
        checks = wiring.Stores(tmp_path, settings.load(tmp_path, {"store": {"url": url}})).checks()
        return next((check.ok, check.fix) for check in checks if check.name == "row-level security")

    assert checked(postgres_server.OWNER) == (True, "")
    ok, fix = checked("postgres")
    assert ok is None
    assert "BYPASSRLS" in fix


def test_the_files_of_a_user_are_walled_off_in_every_index(tmp_path: Path) -> None:
    """In a schema of files a user has a number in each index, and is let into all of them and no other's."""
    from psycopg import errors

    url = StoreUrl(store_list.STORE_URLS["postgresql"](tmp_path))
    with ExitStack() as opened:
        opening = Opening(url, "main", tmp_path, PostgresOptions())
        opened.callback(opening.close)
        for number, (tenant, host) in enumerate([(ANNA, "desk"), (ANNA, "laptop"), (BORIS, "desk")]):
            own = PgIndexes(opening, host, tenant.user, tmp_path / f"{number}.lock")
            with own.write_lock(0), own.build("{}") as building:
                building.publish()
            index = own.current()
            assert index is not None
            said = chunk(number)
            index.apply(tenant, [Put(said, EventKind.CHUNKED), Follow(followed(said.path, said))], at=AT)
            index.apply(tenant, [Embed(said.id, SPACE, [EAST])], at=AT)
        with _among_files("postgres") as connection:
            filled = [table for table in known_tables(connection, FILES) if all_rows(connection, table)]
            everything = {table: all_rows(connection, table) for table in filled if table not in row_security.NOBODYS}
        assert {"users", "indexes", "files", "traces", "vectors"} <= everything.keys()
        seen = {}
        for user in (ANNA.user, BORIS.user):
            with _among_files(user=user) as connection:
                seen[user] = {table: all_rows(connection, table) for table in everything}
        for table, rows in everything.items():
            assert seen[ANNA.user][table], table
            assert seen[BORIS.user][table], table
            assert not seen[ANNA.user][table] & seen[BORIS.user][table], table
            assert seen[ANNA.user][table] | seen[BORIS.user][table] == rows, table
            boriss = sorted(seen[BORIS.user][table])[0]
            with _among_files(user=ANNA.user) as connection, pytest.raises(errors.InsufficientPrivilege):
                connection.execute(f"INSERT INTO {table} SELECT (%s::{table}).*", (boriss,))
        with _among_files() as connection:
            assert {table: all_rows(connection, table) for table in everything} == {
                table: set() for table in everything
            }


@contextmanager
def _among_files(role: str = postgres_server.OWNER, user: str | None = None) -> Iterator[Any]:
    with connected(role) as connection:
        connection.execute(f'SET search_path TO "{FILES}", public')
        connection.execute(row_security.in_sql(row_security.begin_files(user)).encode() or b"SELECT 1")
        yield connection
