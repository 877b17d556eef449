"""Who is let in: tokens and their rights, tenants, names, origins."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from served import Served, serving
from starlette.datastructures import Headers

from cortex.access.tokens import Right, Tokens
from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest
from cortex.ports.documents import TOKENS
from cortex.stores.file_documents import FileDocuments
from cortex.surfaces.http.access import Authenticator
from cortex.surfaces.http.errors import RequestRefused
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.server import check_exposure
from cortex.testing import FakeClock

READS = [
    ("GET", "/v1/memories", None),
    ("GET", "/v1/status", None),
    ("GET", "/v1/stats", None),
    ("GET", "/v1/files?query=x", None),
    ("POST", "/v1/search", {"query": "x"}),
    ("POST", "/v1/recall", {"query": "x"}),
    ("POST", "/v1/export", {}),
    ("POST", "/v1/flush-plan", {}),
    ("POST", "/v1/turns/before", {"session": "s1", "message": "x"}),
    ("POST", "/hybrid-search", {"query": "x"}),
    ("POST", "/recall", {"query": "x"}),
]
WRITES = [
    ("POST", "/v1/memories", {"text": "x"}),
    ("PATCH", "/v1/memories/0198c1a2-7b3c-7def-8a01-23456789abcd", {"text": "x"}),
    ("DELETE", "/v1/memories/0198c1a2-7b3c-7def-8a01-23456789abcd", None),
    ("POST", "/v1/turns/after", {"session": "s1", "messages": []}),
    ("POST", "/v1/import", {"lines": []}),
    ("POST", "/ingest", {"session_id": "s1", "messages": []}),
]
ADMINISTERS = [("POST", "/v1/consolidate", {"dry_run": True}), ("POST", "/v1/import", {"lines": [], "trusted": True})]
OTHERS = [("GET", "/metrics", None), ("GET", "/openapi.json", None), ("GET", "/nowhere", None)]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that has tokens."""
    with serving(tmp_path_factory.mktemp("guarded") / "home") as served:
        served.token(Right.READ)
        yield served


@pytest.mark.parametrize(("method", "path", "body"), [*READS, *WRITES, *ADMINISTERS, *OTHERS])
def test_once_there_is_a_token_nobody_comes_in_without(
    guarded: Served, method: str, path: str, body: dict[str, object] | None
) -> None:
    answer = guarded.client.request(method, path, json=body)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_whoever_watches_over_processes_needs_no_token(guarded: Served, path: str) -> None:
    assert guarded.client.get(path).status_code == 200


@pytest.mark.parametrize(("method", "path", "body"), READS)
def test_a_token_to_read_reads(guarded: Served, method: str, path: str, body: dict[str, object] | None) -> None:
    answer = guarded.client.request(method, path, json=body, headers=guarded.token(Right.READ))
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(("method", "path", "body"), [*WRITES, *ADMINISTERS])
def test_a_token_to_read_changes_nothing(
    guarded: Served, method: str, path: str, body: dict[str, object] | None
) -> None:
    answer = guarded.client.request(method, path, json=body, headers=guarded.token(Right.READ))
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize(("method", "path", "body"), ADMINISTERS)
def test_a_token_to_write_does_not_administer(guarded: Served, method: str, path: str, body: dict[str, object]) -> None:
    assert guarded.client.request(method, path, json=body, headers=guarded.token(Right.WRITE)).status_code == 403
    assert guarded.client.request(method, path, json=body, headers=guarded.token(Right.ADMIN)).status_code == 200


@pytest.mark.parametrize(
    "given",
    [
        "", "Bearer", "Basic YTpi", "Bearer ctx_0123456789ab_" + "A" * 43, "Bearer " + "A" * 5_000,
        "Bearer ctx_é_" + "A" * 43, "bearer\tx", "ctx_0123456789ab_" + "A" * 43,
    ],
)  # fmt: skip
def test_what_is_no_token_is_refused(guarded: Served, given: str) -> None:
    answer = guarded.client.get("/v1/status", headers=[(b"Authorization", given.encode())])
    assert answer.status_code == 401
    assert answer.json()["code"] == "unauthorized"


def test_a_token_with_one_letter_changed_is_refused(guarded: Served) -> None:
    good = guarded.token(Right.READ)["Authorization"]
    changed = good[:-1] + ("A" if good[-1] != "A" else "B")
    assert guarded.client.get("/v1/status", headers={"Authorization": good}).status_code == 200
    assert guarded.client.get("/v1/status", headers={"Authorization": changed}).status_code == 401


def test_a_revoked_token_is_refused_at_once(guarded: Served) -> None:
    headers = guarded.token(Right.ADMIN, label="old")
    token = next(each for each in guarded.tokens.all() if each.label == "old")
    assert guarded.client.get("/v1/status", headers=headers).status_code == 200
    home = guarded.engine.context.dependencies.home
    Tokens(FileDocuments(home), FakeClock()).revoke(token.id)  # as another process would
    assert guarded.client.get("/v1/status", headers=headers).status_code == 401


def test_an_expired_token_is_refused(tmp_path: Path) -> None:
    clock = FakeClock()
    with serving(tmp_path / "home", clock=clock) as served:
        headers = served.token(Right.READ, expires_in=timedelta(hours=1))
        assert served.client.get("/v1/status", headers=headers).status_code == 200
        clock.advance(timedelta(hours=1))
        assert served.client.get("/v1/status", headers=headers).status_code == 401


def test_revoking_the_last_token_does_not_open_the_door(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served:
        served.token(Right.ADMIN)
        served.tokens.revoke(served.tokens.all()[0].id)
        assert served.client.get("/v1/status").status_code == 401


def test_a_token_is_asked_for_as_soon_as_there_is_one(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served:
        assert served.client.get("/v1/status").status_code == 200
        headers = served.token(Right.READ)
        assert served.client.get("/v1/status").status_code == 401
        assert served.client.get("/v1/status", headers=headers).status_code == 200


def test_a_damaged_file_of_tokens_lets_nobody_in(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served:
        (tmp_path / "home" / TOKENS).write_text("{", "utf-8")
        answer = served.client.get("/v1/status")
        assert (answer.status_code, answer.json()["code"]) == (503, "store_corrupt")


def test_the_door_stays_closed_where_the_file_of_tokens_is_missing(tmp_path: Path) -> None:
    """While it runs, after a restart, and for holders of tokens; until `clear` opens it."""
    home = tmp_path / "home"
    for running_already in (True, False):
        with serving(home) as served:
            if running_already:
                headers = served.token(Right.READ)
                assert served.client.get("/v1/status", headers=headers).status_code == 200
                (home / TOKENS).unlink()
            for given in ({}, headers):
                answer = served.client.get("/v1/status", headers=given)
                assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
                assert "is missing although tokens were created" in answer.json()["detail"]
                assert "cortex admin tokens create" in answer.json()["hint"]
            assert served.client.get("/health").status_code == 200
    with serving(home) as served:
        served.tokens.clear()
        assert served.client.get("/v1/status").status_code == 200


def test_an_expired_token_stays_expired_when_the_clock_steps_back(tmp_path: Path) -> None:
    """Also for a server that is started afterwards."""
    clock = FakeClock()
    with serving(tmp_path / "home", clock=clock) as served:
        headers = served.token(Right.READ, expires_in=timedelta(hours=1))
        clock.advance(timedelta(hours=1))
        assert served.client.get("/v1/status", headers=headers).status_code == 401
        clock._now -= timedelta(hours=1)
        assert served.client.get("/v1/status", headers=headers).status_code == 401
    with serving(tmp_path / "home", clock=clock) as served:
        assert served.client.get("/v1/status", headers=headers).status_code == 401


# --- tenants ----------------------------------------------------------------------------------------------------------


def test_a_token_sees_the_memory_of_its_own_tenant_alone(guarded: Served) -> None:
    ann, bob = guarded.token(user="ann"), guarded.token(user="bob")
    made = guarded.client.post("/v1/memories", json={"text": "Ann keeps bees in the garden"}, headers=ann).json()
    id = made["memory"]["id"]
    request = {"query": "who keeps bees in the garden?"}
    assert len(guarded.client.post("/v1/search", json=request, headers=ann).json()["hits"]) == 1
    assert guarded.client.post("/v1/search", json=request, headers=bob).json()["hits"] == []
    assert guarded.client.post("/hybrid-search", json=request, headers=bob).json()["count"] == 0
    assert guarded.client.get(f"/v1/memories/{id}", headers=bob).status_code == 404
    assert guarded.client.patch(f"/v1/memories/{id}", json={"text": "x"}, headers=bob).status_code == 404
    assert guarded.client.delete(f"/v1/memories/{id}", headers=bob).status_code == 404
    assert guarded.client.get(f"/v1/receipts/{made['receipt']['id']}", headers=bob).status_code == 404
    assert guarded.client.post("/v1/export", json={"with_text": True}, headers=bob).text == ""
    assert guarded.client.get(f"/v1/memories/{id}", headers=ann).json()["state"] == "active"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/search", {"query": "x", "user": "bob"}),
        ("POST", "/v1/search", {"query": "x", "agent": "other"}),
        ("POST", "/v1/turns/before", {"session": "s1", "message": "x", "user": "bob"}),
        ("POST", "/v1/turns/after", {"session": "s1", "messages": [], "agent": "other"}),
        ("POST", "/hybrid-search", {"query": "x", "user_id": "bob"}),
        ("POST", "/ingest", {"session_id": "s1", "messages": [], "user_id": "bob"}),
        ("POST", "/recall", {"query": "x", "user_id": "bob"}),
        ("GET", "/v1/memories?user=bob", None),
        ("GET", "/v1/status?agent=other", None),
        ("DELETE", "/v1/memories/0198c1a2-7b3c-7def-8a01-23456789abcd?user=bob", None),
    ],
)
def test_a_token_cannot_name_another_tenant(
    guarded: Served, method: str, path: str, body: dict[str, object] | None
) -> None:
    answer = guarded.client.request(method, path, json=body, headers=guarded.token(user="ann"))
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


def test_a_token_may_name_its_own_tenant(guarded: Served) -> None:
    headers = guarded.token(Right.READ, user="ann")
    body = {"query": "bees", "user_id": "ann"}
    assert guarded.client.post("/hybrid-search", json=body, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/memories", {"text": "x", "user": ""}),
        ("POST", "/v1/turns/before", {"session": "s1", "message": "x", "user": ""}),
        ("POST", "/v1/turns/after", {"session": "s1", "messages": [], "user": ""}),
        ("GET", "/v1/memories?user=", None),
    ],
)
def test_an_empty_user_is_not_the_default_one(
    served: Served, method: str, path: str, body: dict[str, object] | None
) -> None:
    answer = served.client.request(method, path, json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, "user")


def test_an_administrator_acts_for_others(guarded: Served) -> None:
    admin = guarded.token(Right.ADMIN)
    body = {"text": "Carl climbs mountains", "agent": "other", "user": "carl"}
    assert guarded.client.post("/v1/memories", json=body, headers=admin).status_code == 201
    carl = guarded.token(Right.READ, agent="other", user="carl")
    assert guarded.client.get("/v1/stats", headers=carl).json()["total"] == 1


def test_without_tokens_the_seed_chooses_the_user_and_nobody_chooses_the_agent(tmp_path: Path) -> None:
    with serving(tmp_path / "home", agent="desk") as served:
        body = {"session_id": "s1", "messages": [{"role": "user", "content": "I live in Rome."}], "user_id": "oogley"}
        assert served.client.post("/ingest", json=body).json()["stored"] == 1
        assert served.client.get("/v1/stats?user=oogley").json()["total"] == 1
        assert served.client.get("/v1/stats").json()["total"] == 0
        assert served.client.get("/v1/stats?agent=desk").status_code == 200
        assert served.client.get("/v1/stats?agent=other").status_code == 403
        assert not (tmp_path / "home" / "agents" / "other.sqlite").exists()


# --- names and origins ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:8300", "[::1]:8300", "127.0.0.1:1"])
def test_the_names_of_this_machine_are_known(unchanged: Served, host: str) -> None:
    assert unchanged.client.get("/v1/status", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8300", "10.0.0.1", "[", ""]
)
@pytest.mark.parametrize("path", ["/v1/status", "/health", "/metrics"])
def test_a_name_that_was_made_to_point_here_is_refused(unchanged: Served, host: str, path: str) -> None:
    """DNS rebinding"""
    answer = unchanged.client.get(path, headers={"Host": host})
    assert (answer.status_code, answer.json()["code"]) == (421, "host_not_allowed")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1:1", "file://"]
)
def test_a_page_of_another_origin_changes_nothing(unchanged: Served, origin: str) -> None:
    for method, path, body in (*WRITES, *ADMINISTERS):
        answer = unchanged.client.request(method, path, json=body, headers={"Origin": origin})
        assert (answer.status_code, answer.json()["code"]) == (403, "origin_not_allowed")


def test_a_page_of_our_own_may_ask(unchanged: Served) -> None:
    answer = unchanged.client.post("/v1/search", json={"query": "x"}, headers={"Origin": unchanged.url})
    assert answer.status_code == 200


def test_no_header_opens_the_server_to_pages_of_others(unchanged: Served) -> None:
    request = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    for answer in (
        unchanged.client.options("/v1/search", headers=request),
        unchanged.client.get("/v1/status", headers=request),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert unchanged.client.options("/v1/search", headers=request).status_code == 405


def test_a_form_of_another_page_is_no_json(unchanged: Served) -> None:
    """A page may post a form without asking first"""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = unchanged.client.post("/v1/memories", content=b'{"text": "x"}', headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["code"]) == (415, "media_type")


def test_further_names_and_origins_can_be_set(tmp_path: Path) -> None:
    options = {"allowed_hosts": ("memory.example",), "allowed_origins": ("https://desk.example",)}
    with serving(tmp_path / "home", options=options) as served:
        headers = {"Host": "memory.example", "Origin": "https://desk.example"}
        assert served.client.post("/v1/search", json={"query": "x"}, headers=headers).status_code == 200


# --- where to listen --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "memory.example", ""])
def test_a_server_that_others_can_reach_needs_a_token(tmp_path: Path, host: str) -> None:
    clock = FakeClock()
    tokens = Tokens(FileDocuments(tmp_path), clock)
    options = ServeOptions(host=host)
    with pytest.raises(InvalidRequest, match="no token"):
        check_exposure(tokens, options, clock.now())
    tokens.create(Tenant(), [Right.READ], expires_in=timedelta(hours=1))
    check_exposure(tokens, options, clock.now())
    clock.advance(timedelta(hours=1))
    with pytest.raises(InvalidRequest, match="no token"):
        check_exposure(tokens, options, clock.now())


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_a_server_of_this_machine_alone_needs_none(tmp_path: Path, host: str) -> None:
    clock = FakeClock()
    check_exposure(Tokens(FileDocuments(tmp_path), clock), ServeOptions(host=host), clock.now())


def test_a_server_that_others_can_reach_is_never_open(tmp_path: Path) -> None:
    """Not even where its tokens were taken away while it runs."""
    access = Authenticator(Tokens(FileDocuments(tmp_path), FakeClock()), ServeOptions(host="0.0.0.0"), Tenant())
    with pytest.raises(RequestRefused):
        access.caller(Headers())
