"""Which connection writes: pages read before stay in the memory of the one that does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex.stores.sqlite.connections import Connections


@pytest.fixture
def connections(tmp_path: Path) -> Iterator[Connections]:
    made = Connections(tmp_path / "main.sqlite", synchronous="full", busy_timeout_ms=1_000)
    yield made
    made.close()


def test_a_receipt_is_written_with_the_connection_that_was_read_with_last(connections: Connections) -> None:
    with connections.reading() as before:
        seen = before.execute("PRAGMA data_version").fetchone()
    with connections.writing(durable=False) as writer:
        writer.execute("INSERT INTO meta (key, value) VALUES ('receipt', '1')")
    with connections.reading() as after:
        assert after is before
        assert after.execute("PRAGMA data_version").fetchone() == seen  # its pages are those of the file
        assert after.execute("SELECT value FROM meta WHERE key = 'receipt'").fetchone() == ("1",)


def test_what_has_to_last_is_on_disk_when_it_is_written(connections: Connections) -> None:
    with connections.reading() as reader:
        pass
    with connections.writing() as writer:
        assert writer is not reader
        assert writer.execute("PRAGMA synchronous").fetchone() == (2,)
    with connections.writing(durable=False) as writer:
        assert writer.execute("PRAGMA synchronous").fetchone() == (1,)


def test_a_receipt_is_written_while_everybody_else_reads(connections: Connections) -> None:
    with connections.reading() as reader, connections.writing(durable=False) as writer:
        assert writer is not reader
        writer.execute("INSERT INTO meta (key, value) VALUES ('receipt', '1')")
        assert reader.execute("SELECT count(*) FROM meta WHERE key = 'receipt'").fetchone() == (0,)
