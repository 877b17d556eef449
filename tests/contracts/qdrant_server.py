"""Qdrant's protocol on loopback: the real client by gRPC, and behind the wire the local mode of the same client.

It is no Qdrant server: it has no index, and it keeps points as the client does. What it shows is that everything that
is sent can be sent, and that what comes back is understood.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from typing import Any

import grpc
from qdrant_client import QdrantClient
from qdrant_client import grpc as protocol
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc

Call = Callable[[QdrantClient, Any], Any]


class _Served:
    """The calls of one service; each is one look at the points. `calls` keeps their names."""

    def __init__(self, points: QdrantClient, lock: threading.Lock, calls: list[str]) -> None:
        self._points = points
        self._lock = lock
        self._calls = calls

    def _answer(self, name: str, work: Call, request: Any) -> Any:
        self._calls.append(name)
        with self._lock:
            return work(self._points, request)


def _exists(points: QdrantClient, request: Any) -> Any:
    exists = points.collection_exists(request.collection_name)
    return protocol.CollectionExistsResponse(result=protocol.CollectionExists(exists=exists))


def _create(points: QdrantClient, request: Any) -> Any:
    points.create_collection(request.collection_name, GrpcToRest.convert_vectors_config(request.vectors_config))
    return protocol.CollectionOperationResponse(result=True)


def _drop(points: QdrantClient, request: Any) -> Any:
    return protocol.CollectionOperationResponse(result=points.delete_collection(request.collection_name))


def _info(points: QdrantClient, request: Any) -> Any:
    info = points.get_collection(request.collection_name)
    return protocol.GetCollectionInfoResponse(result=RestToGrpc.convert_collection_info(info))


def _upsert(points: QdrantClient, request: Any) -> Any:
    points.upsert(request.collection_name, [GrpcToRest.convert_point_struct(each) for each in request.points])
    return _updated()


def _delete(points: QdrantClient, request: Any) -> Any:
    points.delete(request.collection_name, GrpcToRest.convert_points_selector(request.points))
    return _updated()


def _indexed(points: QdrantClient, request: Any) -> Any:
    assert request.field_type == protocol.FieldType.FieldTypeInteger
    return _updated()


def _get(points: QdrantClient, request: Any) -> Any:
    ids = [GrpcToRest.convert_point_id(each) for each in request.ids]
    found = points.retrieve(request.collection_name, ids, with_payload=True)
    return protocol.GetResponse(result=[RestToGrpc.convert_record(each) for each in found])


def _query(points: QdrantClient, request: Any) -> Any:
    found = points.query_points(
        request.collection_name,
        query=GrpcToRest.convert_query(request.query),
        query_filter=GrpcToRest.convert_filter(request.filter),
        limit=request.limit,
        with_payload=False,
    )
    return protocol.QueryResponse(result=[RestToGrpc.convert_scored_point(each) for each in found.points])


def _count(points: QdrantClient, request: Any) -> Any:
    count = points.count(request.collection_name, exact=True).count
    return protocol.CountResponse(result=protocol.CountResult(count=count))


def _updated() -> Any:
    done = protocol.UpdateResult(operation_id=1, status=protocol.UpdateStatus.Completed)
    return protocol.PointsOperationResponse(result=done)


def _service(servicer: type[Any], works: dict[str, Call]) -> type[Any]:
    """A service with these calls; any other is refused as not implemented."""

    def bound(name: str, work: Call) -> Any:
        return lambda self, request, context: self._answer(name, work, request)

    return type(servicer.__name__, (_Served, servicer), {name: bound(name, work) for name, work in works.items()})


_COLLECTIONS = {"CollectionExists": _exists, "Create": _create, "Delete": _drop, "Get": _info}
_POINTS = {
    "Upsert": _upsert, "Delete": _delete, "Get": _get, "Query": _query, "Count": _count, "CreateFieldIndex": _indexed,
}  # fmt: skip


class QdrantServer:
    """The server: `port` is that of gRPC, and `calls` are the names of what was asked of it."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        lock, points = threading.Lock(), QdrantClient(":memory:", force_disable_check_same_thread=True)
        self._grpc = grpc.server(futures.ThreadPoolExecutor(4))
        collections = _service(protocol.CollectionsServicer, _COLLECTIONS)(points, lock, self.calls)
        protocol.add_CollectionsServicer_to_server(collections, self._grpc)
        served = _service(protocol.PointsServicer, _POINTS)(points, lock, self.calls)
        protocol.add_PointsServicer_to_server(served, self._grpc)
        self.port = self._grpc.add_insecure_port("127.0.0.1:0")
        self._grpc.start()

    @property
    def options(self) -> dict[str, Any]:
        return {"grpc_port": self.port}

    def close(self) -> None:
        self._grpc.stop(None).wait()


@contextmanager
def qdrant_server() -> Iterator[QdrantServer]:
    server = QdrantServer()
    try:
        yield server
    finally:
        server.close()
