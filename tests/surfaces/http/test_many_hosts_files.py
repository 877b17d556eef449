"""Two servers with homes of their own on one PostgreSQL database: each keeps its own files, and finds those of both."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from serve_process import Process
from served import Served, eventually, serving

import store_list
from cortex import Cortex
from cortex.domain.chunk import Chunk
from cortex.errors import InvalidRequest, NotFound
from cortex.testing import FakeEmbedder, FakeReranker

FERRY, CRANE = "The ferry to Porto leaves at nine.", "The crane lifts forty tons."


@pytest.fixture
def url(tmp_path: Path) -> str:
    return store_list.STORE_URLS["postgresql"](tmp_path)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return folder(tmp_path / "one-disk" / "notes", ferry=FERRY)


@pytest.fixture
def hosts(tmp_path: Path, url: str, notes: Path) -> Iterator[tuple[Served, Served]]:
    """Two hosts, of which the first has indexed its notes."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(host(tmp_path / name, url)) for name in ("one", "other"))
        one.engine.files.add(notes)
        one.engine.index()
        assert eventually(lambda: other.engine.context.indexes)
        yield one, other
        assert one.engine.verify() == other.engine.verify() == []


@contextmanager
def host(home: Path, url: str) -> Iterator[Served]:
    with serving(home, settings={"store": {"url": url}}) as served:
        yield served


def folder(path: Path, **texts: str) -> Path:
    """A folder with a note for each text."""
    path.mkdir(parents=True)
    for name, text in texts.items():
        (path / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n")
    return path


def found(host: Served | Process, query: str = "When does the ferry leave?") -> list[str]:
    """The files that a recall cites."""
    answer = host.client.post("/v1/recall", json={"query": query})
    assert answer.status_code == 200, answer.text
    return [hit["trace"]["path"] for hit in answer.json()["hits"]]


def name_of(host: Served) -> str:
    return host.engine.context.host


def hosts_in(host: Served) -> list[dict[str, Any]]:
    hosts: list[dict[str, Any]] = host.engine.files.status()["hosts"]
    return hosts


# --- finding ---------------------------------------------------------------------------------------------------------


def test_notes_that_one_host_follows_are_found_by_the_other(hosts: tuple[Served, Served]) -> None:
    one, other = hosts
    assert found(one) == ["notes/ferry.md"]
    assert eventually(lambda: found(other) == [f"{name_of(one)}:notes/ferry.md"])
    lines = other.engine.memory_search("ferry Porto")["results"]
    assert [line["path"] for line in lines] == [f"{name_of(one)}:notes/ferry.md"]


def test_an_edit_on_one_host_is_seen_by_the_other(hosts: tuple[Served, Served], notes: Path) -> None:
    one, other = hosts
    assert eventually(lambda: found(other))
    (notes / "ferry.md").write_text("# Ferry\n\nThe ferry to Porto leaves at ten, from pier four.\n")
    one.engine.index()
    (hit,) = other.client.post("/v1/recall", json={"query": "ferry Porto pier"}).json()["hits"]
    assert "at ten, from pier four" in hit["trace"]["text"]


def test_a_file_that_is_deleted_on_its_host_is_gone_for_both(hosts: tuple[Served, Served], notes: Path) -> None:
    one, other = hosts
    assert eventually(lambda: found(other))
    (notes / "ferry.md").unlink()
    one.engine.index()
    assert found(one) == found(other) == []


def test_a_sync_on_a_host_that_does_not_have_the_folder_removes_nothing(
    hosts: tuple[Served, Served], tmp_path: Path
) -> None:
    one, other = hosts
    other.engine.files.add(folder(tmp_path / "other-disk" / "yard", crane=CRANE))
    assert other.engine.index(force=True).synced.seen == 1
    assert found(one) == ["notes/ferry.md"]
    assert eventually(lambda: found(one, "What does the crane lift?") == [f"{name_of(other)}:yard/crane.md"])


def test_a_host_that_goes_and_comes_back_removes_nothing(
    hosts: tuple[Served, Served], tmp_path: Path, url: str, notes: Path
) -> None:
    one, other = hosts
    yard = folder(tmp_path / "third-disk" / "yard", crane=CRANE)
    for _ in range(2):
        with host(tmp_path / "third", url) as third:
            third.engine.files.add(yard)
            third.engine.index()
            assert found(third) == [f"{name_of(one)}:notes/ferry.md"]
        assert eventually(lambda: found(other, "What does the crane lift?"))
        assert found(one) == ["notes/ferry.md"]


def test_the_same_path_on_two_hosts_is_two_sources(hosts: tuple[Served, Served], notes: Path) -> None:
    """Both tests and servers run on one machine: what differs is when each has read the folder."""
    one, other = hosts
    (notes / "ferry.md").write_text(f"# Ferry\n\n{FERRY} Bring a coat.\n")
    other.engine.files.add(notes)
    other.engine.index()
    cited = eventually(lambda: len(both := found(other)) == 2 and both)
    assert set(cited) == {"notes/ferry.md", f"{name_of(one)}:notes/ferry.md"}
    other.engine.files.remove("notes")
    other.engine.index()
    assert found(other) == [f"{name_of(one)}:notes/ferry.md"]
    assert [source.name for source in one.engine.files.sources()] == ["notes"]


def test_words_are_searched_where_another_host_embeds_with_another_model(
    hosts: tuple[Served, Served], tmp_path: Path, url: str
) -> None:
    one, _ = hosts
    settings = {"store": {"url": url}}
    with Cortex(tmp_path / "third", settings=settings, embedder=FakeEmbedder(64), reranker=FakeReranker()) as third:
        answer = third.explain("When does the ferry leave?")
    assert [hit.trace.path for hit in answer.result.hits if isinstance(hit.trace, Chunk)] == [
        f"{name_of(one)}:notes/ferry.md"
    ]
    assert answer.answer.degraded == ["files:other_host_model_unavailable"]


# --- reading ---------------------------------------------------------------------------------------------------------


def test_lines_of_a_file_of_another_host_come_from_its_chunks(hosts: tuple[Served, Served]) -> None:
    one, other = hosts
    path = f"{name_of(one)}:notes/ferry.md"
    answer = other.client.get("/v1/files/lines", params={"path": path}).json()
    assert (answer["text"], answer["total"]) == (f"# Ferry\n\n{FERRY}", 3)
    assert other.engine.memory_get(path, start=3, lines=1)["text"] == FERRY


def test_a_path_without_its_host_is_refused_with_the_host_that_has_it(hosts: tuple[Served, Served]) -> None:
    one, other = hosts
    with pytest.raises(NotFound, match="is not a file of this host") as refused:
        other.engine.memory_get("notes/ferry.md")
    assert f"{name_of(one)}:notes/ferry.md" in refused.value.hint


# --- whose they are --------------------------------------------------------------------------------------------------


def test_the_status_says_which_host_has_what(hosts: tuple[Served, Served], notes: Path) -> None:
    one, other = hosts
    assert one.engine.files.status()["host"] == name_of(one)
    (seen,) = hosts_in(other)
    assert (seen["host"], seen["files"], seen["chunks"]) == (name_of(one), 1, 1)
    assert [source["root"] for source in seen["sources"]] == [str(notes)]
    assert other.engine.files.status()["sources"] == hosts_in(one) == []


def test_a_source_of_another_host_is_not_removed(hosts: tuple[Served, Served], notes: Path) -> None:
    one, other = hosts
    for given in ("notes", str(notes), name_of(one)):
        with pytest.raises(InvalidRequest, match=name_of(one)) as refused:
            other.engine.files.remove(given)
        assert "--force" in refused.value.hint
    assert found(other) == [f"{name_of(one)}:notes/ferry.md"]


def test_the_files_of_a_host_that_is_gone_can_be_dropped(
    tmp_path: Path, url: str, hosts: tuple[Served, Served]
) -> None:
    one, other = hosts
    with host(tmp_path / "third", url) as third:
        gone = name_of(third)
        third.engine.files.add(folder(tmp_path / "third-disk" / "yard", crane=CRANE))
        third.engine.index()
    assert eventually(lambda: found(other, "What does the crane lift?"))
    other.engine.files.remove(gone, force=True)
    assert found(other, "What does the crane lift?") == []
    assert [each["host"] for each in hosts_in(other)] == [name_of(one)]
    with host(tmp_path / "third", url) as third:
        assert third.engine.files.sources() == []
        assert name_of(third) == gone


def test_an_erasure_names_the_file_of_another_host_that_says_the_same(hosts: tuple[Served, Served]) -> None:
    one, other = hosts
    kept = other.remember(FERRY)
    certificate = other.engine.erase(kept)
    assert f"{name_of(one)}:notes/ferry.md#L1-L3" in {each.where for each in certificate.certificate.remains}


# --- dying -----------------------------------------------------------------------------------------------------------


def test_a_host_that_is_killed_while_it_indexes_leaves_a_whole_index_for_both(
    tmp_path: Path, url: str, notes: Path
) -> None:
    many = folder(
        tmp_path / "one-disk" / "many", **{f"berth{number}": f"Berth {number} is dry." for number in range(400)}
    )
    settings = {"CORTEX_STORE__URL": url, "CORTEX_FILES__SYNC__WATCH": "false"}
    with Process(tmp_path / "other", **settings) as other:
        with Process(tmp_path / "one", **settings) as one:
            assert one.client.post("/v1/index", json={"path": str(notes)}).status_code == 200
            (before,) = found(one)
            (cited,) = eventually(lambda: found(other))
            assert cited.endswith(f":{before}")
            with ThreadPoolExecutor(1) as pool:
                index = pool.submit(one.client.post, "/v1/index", json={"path": str(many), "force": True}, timeout=60)
                assert eventually(lambda: states(url) == ["building", "in_use"])
                one.end(signal.SIGKILL)
                assert isinstance(index.exception(), httpx.TransportError)
            assert states(url) == ["building", "in_use"]
        assert cited in found(other)
        with Process(tmp_path / "one", **settings) as one:
            assert before in found(one)
            assert one.client.post("/v1/index", json={}).json()["synced"]["seen"] == 401
            assert eventually(lambda: found(other, "Is berth 217 dry?"))
            assert cited in found(other)
            assert states(url) == ["in_use"]


def states(url: str) -> list[str]:
    """The indexes that there are in the database."""
    import psycopg

    with psycopg.connect(url, options="-c cortex.everyone=on") as connection:
        rows = connection.execute('SELECT state FROM "cortex_main~files".indexes ORDER BY state')
        return [state for (state,) in rows]
