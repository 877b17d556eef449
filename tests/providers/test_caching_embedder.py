from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable
from cortex.providers.embedders.vector_cache import CacheFile, CachingEmbedder
from cortex.testing import FakeClock, FakeEmbedder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embeddings.db"


def cached(path: Path, inner: FakeEmbedder, clock: FakeClock | None = None, cap: int = 100) -> CachingEmbedder:
    return CachingEmbedder(inner, path, cap, clock or FakeClock())


def rows(path: Path) -> int:
    with sqlite3.connect(path) as database:
        count: int = database.execute("SELECT count(*) FROM vectors").fetchone()[0]
    database.close()
    return count


def test_a_text_seen_before_is_not_embedded_again(path: Path) -> None:
    """B18: also by another embedder on the same file."""
    inner = FakeEmbedder()
    first = cached(path, inner).embed_query("hello there")
    again = cached(path, inner).embed_query("hello there")
    assert inner.queries == ["hello there"]
    assert np.array_equal(first, again)


def test_only_the_new_ones_of_many_documents_are_embedded_each_once(path: Path) -> None:
    """B18: duplicates within one call too, and the order is kept."""
    inner = FakeEmbedder()
    embedder = cached(path, inner, cap=5_000)
    texts = [f"text {number}" for number in range(1_200)]
    embedder.embed_documents(texts[:700])
    inner.documents.clear()
    vectors = embedder.embed_documents([*texts, texts[0], "new", "new"])
    assert inner.documents == [*texts[700:], "new"]
    expected = FakeEmbedder().embed_documents([*texts, texts[0], "new", "new"])
    assert all(np.array_equal(one, other) for one, other in zip(vectors, expected, strict=True))


def test_a_query_and_a_document_are_different_entries(path: Path) -> None:
    """B18: providers embed the two differently."""
    inner = FakeEmbedder()
    embedder = cached(path, inner)
    embedder.embed_query("same")
    embedder.embed_documents(["same"])
    assert (inner.queries, inner.documents) == (["same"], ["same"])


def test_another_space_never_gets_this_ones_vectors(path: Path) -> None:
    """B18: the key covers provider, model and endpoint."""
    cached(path, FakeEmbedder(model="one")).embed_query("hello")
    other = FakeEmbedder(model="other")
    cached(path, other).embed_query("hello")
    assert other.queries == ["hello"]


def test_the_least_recently_used_leave_first(path: Path) -> None:
    """B18: LRU with a cap."""
    clock, inner = FakeClock(), FakeEmbedder()
    embedder = cached(path, inner, clock, cap=10)
    for number in range(10):
        embedder.embed_query(f"text {number}")
        clock.advance(120)
    embedder.embed_query("text 0")
    clock.advance(120)
    embedder.embed_query("one too many")
    assert rows(path) <= 10
    inner.queries.clear()
    embedder.embed_query("text 0")
    embedder.embed_query("one too many")
    assert inner.queries == []
    embedder.embed_query("text 1")
    assert inner.queries == ["text 1"]


def test_a_cap_of_zero_keeps_nothing(path: Path) -> None:
    inner = FakeEmbedder()
    embedder = cached(path, inner, cap=0)
    embedder.embed_query("hello")
    embedder.embed_query("hello")
    assert len(inner.queries) == 2
    assert not path.exists()


def test_forgotten_texts_leave_no_vector_behind(path: Path) -> None:
    """B18: an erased text has no vector and no hash left, in the file or its log."""
    inner = FakeEmbedder()
    embedder = cached(path, inner)
    vector = embedder.embed_query("my secret")
    embedder.embed_documents(["my secret", "harmless"])
    cache = CacheFile(path)
    assert cache.forget(map(cache.key, ["my secret", "never seen"])) == ""
    remains = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))
    assert vector.tobytes() not in remains
    embedder.embed_documents(["my secret", "harmless"])
    assert inner.documents == ["my secret", "harmless", "my secret"]


def test_forgetting_without_a_cache_file_has_nothing_to_do(path: Path) -> None:
    cache = CacheFile(path)
    assert cache.forget([cache.key("anything")]) == ""
    assert not path.exists()


def test_a_file_that_is_no_cache_never_breaks_embedding(path: Path) -> None:
    """B18, C6: it degrades to no cache, says so, and leaves the file as it was."""
    path.write_bytes(b"this is not a database" * 100)
    before = path.read_bytes()
    inner = FakeEmbedder()
    embedder = cached(path, inner)
    assert embedder.degraded is None
    embedder.embed_query("hello")
    embedder.embed_documents(["hello"])
    assert (inner.queries, inner.documents) == (["hello"], ["hello"])
    assert str(path) in (embedder.degraded or "")
    cache = CacheFile(path)
    assert str(path) in cache.forget([cache.key("hello")])
    assert path.read_bytes() == before


def test_a_cache_damaged_in_the_middle_never_breaks_embedding(path: Path) -> None:
    """B18: pages that were overwritten are noticed at the latest when they are read."""
    writer = cached(path, FakeEmbedder(), cap=1_000)
    texts = [f"text {number}" for number in range(300)]
    expected = writer.embed_documents(texts)
    writer.close()
    damaged = bytearray(path.read_bytes())
    damaged[8192:] = b"\xa5" * (len(damaged) - 8192)
    path.write_bytes(bytes(damaged))
    embedder = cached(path, FakeEmbedder(), cap=1_000)
    vectors = embedder.embed_documents(texts)
    assert all(np.array_equal(one, other) for one, other in zip(vectors, expected, strict=True))
    assert embedder.degraded


def test_a_locked_cache_is_passed_by_and_used_again_later(path: Path) -> None:
    """B18, C6: embedding waits for no other process."""
    inner = FakeEmbedder()
    embedder = cached(path, inner)
    embedder.embed_query("before")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    embedder.embed_query("meanwhile")
    assert "locked" in (embedder.degraded or "")
    holder.execute("ROLLBACK")
    holder.close()
    embedder.embed_query("meanwhile")
    embedder.embed_query("meanwhile")
    assert inner.queries == ["before", "meanwhile", "meanwhile"]
    assert embedder.degraded is None


def test_a_home_that_cannot_be_written_never_breaks_embedding(tmp_path: Path) -> None:
    """C6."""
    (tmp_path / "file").write_text("in the way")
    embedder = cached(tmp_path / "file" / "embeddings.db", FakeEmbedder())
    assert embedder.embed_query("hello").shape == (64,)
    assert embedder.degraded


def test_an_entry_of_the_wrong_size_is_ignored_and_replaced(path: Path) -> None:
    """B18: never a vector that does not fit its space."""
    inner = FakeEmbedder()
    embedder = cached(path, inner)
    embedder.embed_query("hello")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE vectors SET vector = x'00000000'")
    database.close()
    assert embedder.embed_query("hello").shape == (64,)
    embedder.embed_query("hello")
    assert len(inner.queries) == 2


def test_a_damaged_vector_is_a_miss_that_is_counted_and_replaced(path: Path) -> None:
    """A flipped bit in the file never becomes a flipped bit in an answer."""
    inner = FakeEmbedder()
    embedder = cached(path, inner)
    true = embedder.embed_query("hello")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE vectors SET vector = CAST(x'00000040' || substr(vector, 5) AS BLOB)")
    database.close()
    assert [finding.code for finding in embedder.verify_cache()] == ["cache"]
    assert np.array_equal(embedder.embed_query("hello"), true)
    assert embedder.cache_status()["damaged"] == 1
    assert embedder.verify_cache() == []
    embedder.embed_query("hello")
    assert len(inner.queries) == 2


@pytest.mark.parametrize("wrong", [np.full(64, np.nan, np.float32), np.ones(3, np.float32)], ids=["nan", "size"])
def test_a_vector_that_cannot_be_compared_is_not_kept(path: Path, wrong: Vector) -> None:
    """B18: a bad answer is not made to last."""
    inner = FakeEmbedder()
    inner._vector = lambda text: wrong  # type: ignore[method-assign]
    cached(path, inner).embed_query("hello")
    assert rows(path) == 0


def test_a_failure_of_the_inner_embedder_is_not_cached(path: Path) -> None:
    """C6: the next call asks again; what is cached still answers meanwhile."""
    inner = FakeEmbedder()
    embedder = cached(path, inner)
    embedder.embed_query("known")
    inner.fail()
    embedder.embed_query("known")
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_query("unknown")
    inner.failure = None
    embedder.embed_query("unknown")
    assert inner.queries == ["known", "unknown", "unknown"]


WORK = """
import sys
from pathlib import Path
from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable
from cortex.providers.embedders.vector_cache import CachingEmbedder
from cortex.testing import FakeClock, FakeEmbedder

embedder = CachingEmbedder(FakeEmbedder(), Path(sys.argv[1]), 10_000, FakeClock())
for start in range(0, 400, 20):
    embedder.embed_documents([f"text {number}" for number in range(start, start + 20)])
    embedder.embed_query(f"{sys.argv[2]} {start}")
"""


def test_processes_share_one_cache(path: Path) -> None:
    """B18: writers side by side, none of them fails, and the file stays sound."""
    workers = [subprocess.Popen([sys.executable, "-c", WORK, str(path), str(number)]) for number in range(3)]
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    inner = FakeEmbedder()
    cached(path, inner).embed_documents([f"text {number}" for number in range(400)])
    assert len(inner.documents) < 400
