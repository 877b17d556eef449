"""Vectors in a LanceDB table, in a folder or on S3.

The watermark is a row of the same table and is committed together with the points it speaks of. Whatever becomes of a
commit, lost, refused or overwritten by another writer, a version of the table is consistent in itself.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from cortex.domain.vectors import Vector
from cortex.errors import InvalidRequest, NearestUnavailable, ProviderMissing, install_command
from cortex.ports.nearest import Candidates, OpenNearest, Points, Watermark

_WATERMARK = 0
"""The id of the row that keeps the watermark. It lies in no facet, so no search finds it."""
_NO_FACET = -1

INDEX_FROM = 50_000
"""From so many rows on the vectors are indexed; fewer are compared one by one."""

ROWS_PER_PARTITION = 4_096
PROBED = 0.5
"""The share of the partitions that a search looks at. A filter may need all of them, so it looks at more where it finds
too few."""

STALE_ROWS = 20_000
"""So many rows that are not in the index, or a tenth of all, are added to it."""
MANY_FRAGMENTS = 64
"""So many files of rows are brought together."""
RETRAIN = 4
"""The index is trained anew once there are so many times the partitions it should have had."""

KEEP = timedelta(hours=1)
"""Older versions are removed: a search that still reads one has ended."""

RETRIES = 4
"""How often a commit that another writer came before is tried again."""

_S3 = {"connect_timeout": "5s", "timeout": "30s", "client_max_retries": "3", "client_retry_timeout": "10"}
"""A server that is gone is given up after seconds, and not after minutes."""

T = TypeVar("T")


class LanceNearest:
    """One table. It is opened anew for each call, so that what a call reads is of one version."""

    def __init__(self, database: Any, name: str, dimension: int, mode: str) -> None:
        import pyarrow

        self._db = database
        self._name = name
        self._dimension = dimension
        self._mode = mode
        self._arrow: Any = pyarrow
        self._schema = pyarrow.schema(
            [
                ("id", pyarrow.int64()),
                ("facet", pyarrow.int64()),
                ("vector", pyarrow.list_(pyarrow.float32(), dimension)),
                ("feed", pyarrow.string()),
                ("fed", pyarrow.int64()),
                ("dropping", pyarrow.int64()),
                ("dropped", pyarrow.int64()),
            ]
        )

    def watermark(self) -> Watermark | None:
        table = self._table()
        return None if table is None else _watermark(table)

    def put(self, points: Points, watermark: Watermark) -> None:
        table = self._table()
        if table is None:
            table = self._db.create_table(self._name, schema=self._schema, exist_ok=True)
        self._check(table)
        # LanceDB itself tries again where another writer was first.
        merging = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merging.execute(self._rows(points, watermark))

    def drop(self, ids: Sequence[int]) -> None:
        def delete() -> None:
            if ids and (table := self._table()) is not None:
                table.delete(f"id IN ({', '.join(map(str, ids))})")

        _retried(delete)

    def search(self, vector: Vector, facets: Sequence[int], limit: int) -> Candidates | None:
        table = self._table()
        mark = _watermark(table) if table is not None else None
        if table is None or mark is None:
            return None
        if not facets:
            return Candidates(np.zeros(0, dtype=np.int64), mark)
        query = (
            table.search(vector, vector_column_name="vector")
            .distance_type("l2")
            .where(f"facet IN ({', '.join(map(str, facets))})", prefilter=True)
            .limit(limit)
            .select(["id", "_distance"])
        )
        if partitions := _partitions(table):
            query = query.minimum_nprobes(math.ceil(PROBED * partitions)).maximum_nprobes(partitions)
        found = query.to_arrow()["id"].to_numpy()
        return Candidates(np.asarray(found, dtype=np.int64), mark)

    def clear(self) -> None:
        self._db.drop_table(self._name, ignore_missing=True)

    def optimize(self, *, purge: bool = False) -> None:
        """Build the index from a size on, add new rows to it, and remove old versions (E16).

        With `purge` all rows are written anew: what was deleted stays in the files otherwise.
        """
        if purge:
            _retried(self._rewrite)
        table = self._table()
        if table is None:
            return
        rows, partitions = table.count_rows(), _partitions(table)
        wanted = max(1, rows // ROWS_PER_PARTITION)
        if rows >= INDEX_FROM and (not partitions or wanted >= RETRAIN * partitions):
            _retried(lambda: self._index(wanted, partitions))
        elif purge or self._is_stale(table, rows, partitions):
            _retried(lambda: self._compact(timedelta(0) if purge else KEEP))

    def describe(self) -> Mapping[str, Any]:
        status = {"engine": "lancedb", "mode": self._mode, "table": self._name}
        if (table := self._table()) is None:
            return status | {"points": 0, "index": "none"}
        rows, partitions = table.count_rows(), _partitions(table)
        if not partitions:
            return status | {"points": rows - 1, "index": f"none (from {INDEX_FROM:,} on)"}
        stats = table.index_stats(_index_name(partitions))
        return status | {"points": rows - 1, "index": f"{stats.index_type}, {partitions} partitions",
                       "unindexed": stats.num_unindexed_rows}  # fmt: skip

    def close(self) -> None:
        """Nothing is held open."""

    def _table(self) -> Any | None:
        try:
            return self._db.open_table(self._name)
        except (FileNotFoundError, ValueError) as error:
            if "not found" in str(error).lower():
                return None
            raise

    def _check(self, table: Any) -> None:
        size = table.schema.field("vector").type.list_size
        if size != self._dimension:
            raise NearestUnavailable(
                f"the table {self._name} holds vectors of {size} dimensions, not {self._dimension}",
                hint="delete the table; it is fed again",
            )

    def _rows(self, points: Points, mark: Watermark) -> Any:
        """The points, and the row of the watermark."""
        pa, empty = self._arrow, [None] * len(points.ids)
        first = np.zeros((1, self._dimension), dtype=np.float32)
        vectors = np.concatenate((first, points.matrix)).ravel()
        return pa.table(
            {
                "id": pa.array([_WATERMARK, *points.ids.tolist()], pa.int64()),
                "facet": pa.array([_NO_FACET, *points.facets.tolist()], pa.int64()),
                "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors, pa.float32()), self._dimension),
                "feed": pa.array([mark.feed, *empty], pa.string()),
                "fed": pa.array([mark.fed, *empty], pa.int64()),
                "dropping": pa.array([mark.dropping, *empty], pa.int64()),
                "dropped": pa.array([mark.dropped, *empty], pa.int64()),
            },
            schema=self._schema,
        )

    def _is_stale(self, table: Any, rows: int, partitions: int) -> bool:
        if partitions:
            missing = table.index_stats(_index_name(partitions)).num_unindexed_rows
            if missing > min(STALE_ROWS, rows // 10):
                return True
        return int(table.stats()["fragment_stats"]["num_fragments"]) > MANY_FRAGMENTS

    def _index(self, wanted: int, partitions: int) -> None:
        from lancedb.index import Bitmap, BTree, IvfRq

        table = self._table()
        if table is None:
            return
        table.create_index("id", config=BTree(), replace=True)
        table.create_index("facet", config=Bitmap(), replace=True)
        # A name that says how many partitions there are, for every process that searches.
        table.create_index("vector", config=IvfRq(num_partitions=wanted), name=_index_name(wanted), replace=True)
        if partitions:
            table.drop_index(_index_name(partitions))
        table.optimize(cleanup_older_than=KEEP)

    def _compact(self, keep: timedelta) -> None:
        import warnings

        if (table := self._table()) is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # old versions are to go: a search falls back meanwhile
                table.optimize(cleanup_older_than=keep)

    def _rewrite(self) -> None:
        if (table := self._table()) is None:
            return
        version = table.version
        reader = self._arrow.RecordBatchReader.from_batches(self._schema, _batches(table))
        if self._db.open_table(self._name).version != version:
            raise RuntimeError("commit conflict: the table has changed meanwhile")
        self._db.create_table(self._name, data=reader, schema=self._schema, mode="overwrite")


def _batches(table: Any) -> Iterator[Any]:
    yield from table.search().to_batches()


def _watermark(table: Any) -> Watermark | None:
    names = ["feed", "fed", "dropping", "dropped"]
    found = table.search().where(f"id = {_WATERMARK}").select(names).limit(1).to_list()
    return Watermark(**{name: found[0][name] for name in names}) if found else None


_INDEX = "vector_"


def _index_name(partitions: int) -> str:
    return f"{_INDEX}{partitions}"


def _partitions(table: Any) -> int:
    """How many partitions the index of the vectors has; 0 where there is none."""
    names = [index.name.removeprefix(_INDEX) for index in table.list_indices() if index.name.startswith(_INDEX)]
    return max((int(name) for name in names if name.isdigit()), default=0)


def _retried(attempt: Callable[[], T]) -> T:
    """What `attempt` returns; where another writer was first, it is done again."""
    for _ in range(RETRIES - 1):
        try:
            return attempt()
        except (RuntimeError, OSError, ValueError) as error:
            if "conflict" not in str(error).lower():
                raise
    return attempt()


def create(url: str, options: Mapping[str, Any]) -> OpenNearest:
    """What the registry calls. Options are LanceDB's storage options, such as `endpoint` or `region`."""
    place, mode = _place(url)
    lock = threading.Lock()
    opened: list[Any] = []

    def open_(name: str, dimension: int) -> LanceNearest:
        with lock:
            if not opened:
                opened.append(_connect(place, mode, options))
        return LanceNearest(opened[0], name, dimension, mode)

    return open_


def _place(url: str) -> tuple[str, str]:
    """Where LanceDB finds its tables, and what that is."""
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise InvalidRequest(
            "has a password in it", field="nearest.url",
            hint='set options.aws_secret_access_key = "${AWS_SECRET_ACCESS_KEY}" under [nearest]',
        )  # fmt: skip
    if parts.scheme == "s3" and parts.netloc:
        return url, "S3"
    if parts.scheme == "lancedb" and not parts.netloc and parts.path.strip("/"):
        return parts.path, "folder"
    raise InvalidRequest("is not lancedb:///folder or s3://bucket/prefix", field="nearest.url", hint=_SEE)


_SEE = "see docs/nearest.md"


def _connect(place: str, mode: str, options: Mapping[str, Any]) -> Any:
    try:
        import lancedb
    except ImportError as error:
        raise ProviderMissing(
            "the package lancedb is not installed", hint=f"run `{install_command('lancedb')}`"
        ) from error
    storage = {**(_S3 if mode == "S3" else {}), **{name: str(value) for name, value in options.items()}}
    return lancedb.connect(place, storage_options=storage)
