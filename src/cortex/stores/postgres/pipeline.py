"""The statements of one write, which are sent together once an answer to one of them is read.

A cursor of psycopg costs more than most of these statements do. In its own pipeline each of them is sent by itself, and
wakes the server.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import count
from types import TracebackType
from typing import Any, NamedTuple, Self

import psycopg
from psycopg import errors, pq
from psycopg.abc import PQGen
from psycopg.adapt import PyFormat, Transformer
from psycopg.generators import fetch_many, send

Key = tuple[bytes, tuple[int, ...]]
"""What one prepared statement is for: SQL, and the types of its parameters."""

_MOST_MET = 200
_MOST_WAITING = 256
"""So many statements are sent at most before their answers are taken."""

_FAILED = (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.PIPELINE_ABORTED, pq.ExecStatus.BAD_RESPONSE)


class Statements:
    """What a session has prepared: the statements that were met often. Those that were met last are kept."""

    def __init__(self, after: int) -> None:
        """One that was met `after` times is prepared when it is met again."""
        self._after = after
        self._met: OrderedDict[Key, bytes | int] = OrderedDict()
        self._numbers = count()

    def find(self, key: Key) -> tuple[bytes | None, bool]:
        """The name of a statement, if it has one, and whether it is still to be prepared."""
        known = self._met.get(key, 0)
        is_new = known == self._after
        if isinstance(known, int):
            known = f"cortex_{next(self._numbers)}".encode() if is_new else known + 1
            self._met[key] = known
        self._met.move_to_end(key)
        return (known, is_new) if isinstance(known, bytes) else (None, False)

    def forget(self, key: Key) -> None:
        self._met.pop(key, None)

    def clear(self) -> None:
        self._met.clear()

    def surplus(self) -> Iterator[bytes]:
        """The names of those that are kept no longer."""
        while len(self._met) > _MOST_MET:
            _, name = self._met.popitem(last=False)
            if isinstance(name, bytes):
                yield name


class Answer:
    """The rows that a statement returned; the first who reads them waits for all that was sent."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._result: pq.abc.PGresult | None = None
        self._rows: Iterator[tuple[Any, ...]] | None = None

    @property
    def rowcount(self) -> int:
        changed = self._known().command_tuples
        return -1 if changed is None else changed

    def fetchone(self) -> Any:
        return next(self._read(), None)

    def fetchmany(self, size: int = 1) -> list[Any]:
        return [row for row, _ in zip(self._read(), range(size), strict=False)]

    def fetchall(self) -> list[Any]:
        return list(self._read())

    def __iter__(self) -> Iterator[Any]:
        return self._read()

    def come(self, result: pq.abc.PGresult) -> None:
        self._result = result

    def _known(self) -> pq.abc.PGresult:
        if self._result is None:
            self._pipeline.read()
        assert self._result is not None, "its statement failed"
        return self._result

    def _read(self) -> Iterator[tuple[Any, ...]]:
        if self._rows is None:
            self._rows = iter(self._pipeline.rows(self._known()))
        return self._rows


class _Sent(NamedTuple):
    """A statement whose answer is still to come: who reads it, or what it prepares."""

    answer: Answer | None
    key: Key | None = None


class Pipeline:
    """The statements of one transaction on a connection; all are answered when this ends."""

    def __init__(self, connection: psycopg.Connection[Any], statements: Statements | None) -> None:
        """`statements` are those of the session, where it stays ours."""
        self._connection = connection
        self._libpq = connection.pgconn
        self._statements = statements
        self._types = Transformer(connection)
        self._waiting: list[_Sent] = []
        self.is_answered = False
        """Whether the server has done anything yet."""

    def execute(self, sql: bytes, parameters: Sequence[Any] = ()) -> Answer:
        """Send a statement before the next answer is read."""
        if len(self._waiting) >= _MOST_WAITING:
            self.read()
        values = self._types.dump_sequence(parameters, [PyFormat.AUTO] * len(parameters))
        types, formats = self._types.types or (), self._types.formats
        key = sql, types
        name, is_new = (None, False) if self._statements is None else self._statements.find(key)
        if name is None:
            self._libpq.send_query_params(sql, values, types, formats, pq.Format.BINARY)
        else:
            if is_new:
                self._libpq.send_prepare(name, *key)
                self._waiting.append(_Sent(None, key))
            self._libpq.send_query_prepared(name, values, formats, pq.Format.BINARY)
        answer = Answer(self)
        self._waiting.append(_Sent(answer))
        for old in self._statements.surplus() if self._statements is not None else ():
            self._libpq.send_query_params(b"DEALLOCATE " + old, None)
            self._waiting.append(_Sent(None))
        return answer

    def read(self) -> None:
        """Send what waits and take the answers to it; raises the first error among them."""
        if self._waiting:
            sent, self._waiting = self._waiting, []
            self._libpq.pipeline_sync()
            self._connection.wait(self._answers(sent))

    def _answers(self, sent: Sequence[_Sent]) -> PQGen[None]:
        error: psycopg.Error | None = None
        try:
            yield from send(self._libpq)
            for answer, key in sent:
                for result in (yield from fetch_many(self._libpq)):
                    if result.status not in _FAILED:
                        self.is_answered = True
                        if answer is not None:
                            answer.come(result)
                        continue
                    error = error or errors.error_from_result(result, self._connection.info.encoding)
                    self._forget(key, error)
            yield from fetch_many(self._libpq)
        except psycopg.OperationalError as lost:
            error = error or lost  # a server that ends a session says why
        if error is not None:
            raise error

    def _forget(self, key: Key | None, error: psycopg.Error) -> None:
        """What was not prepared, or is no longer: psycopg drops the statements of the whole session now and then."""
        if self._statements is not None and isinstance(error, errors.InvalidSqlStatementName):
            self._statements.clear()
        elif self._statements is not None and key is not None:
            self._statements.forget(key)

    def rows(self, result: pq.abc.PGresult) -> list[tuple[Any, ...]]:
        self._types.set_pgresult(result)
        return self._types.load_rows(0, result.ntuples, tuple)

    def __enter__(self) -> Self:
        self._libpq.enter_pipeline_mode()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.read()
        except psycopg.Error:
            if raised is None:
                raise
        finally:
            if self._libpq.status == pq.ConnStatus.OK:
                self._leave()

    def _leave(self) -> None:
        try:
            self._libpq.exit_pipeline_mode()
        except psycopg.OperationalError:  # somebody broke off in the middle of an answer
            self._connection.close()
