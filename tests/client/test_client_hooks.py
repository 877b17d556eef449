"""The hooks of a turn over a server: nothing reaches the host's turn but what is remembered."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from served import Served, serving

from cortex import Cortex, TurnHooks
from cortex.client import RemoteCortex, hooks
from cortex.client.hooks import RemoteHooks
from cortex.services.turn_hooks import Injection

QUESTION = "When does the deploy key rotate?"


@pytest.fixture
def turns(remote: RemoteCortex) -> RemoteHooks:
    """Hooks that know how long the server takes: far longer than a test."""
    made = remote.hooks()
    made.warm()
    assert made.flush()
    return made


@pytest.fixture
def nobody() -> Iterator[RemoteCortex]:
    """A client of a server that is not there."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Cortex.connect(f"http://127.0.0.1:{port}") as remote:
        yield remote


def test_what_is_remembered_comes_before_the_turn(remote: RemoteCortex, turns: RemoteHooks) -> None:
    id = remote.remember("The deploy key rotates on Mondays").memory.id
    found = turns.before(QUESTION, session="s1")
    assert found
    assert "Mondays" in found.block
    assert (found.ids, found.degraded, found.facts) == ((id,), (), 1)
    assert found.milliseconds > 0
    assert turns.before("hello", session="s1").skipped
    assert turns.failures == {}


def test_a_turn_prefers_what_is_kept_for_its_project(remote: RemoteCortex, turns: RemoteHooks) -> None:
    """X6"""
    everywhere = remote.remember("The gateway uses port 8000").memory.id
    here = remote.remember("The gateway uses port 8300", scope="billing", retention="project").memory.id
    assert turns.before("which port does the gateway use?", session="s1", project="billing").ids == (here, everywhere)


def test_what_was_said_is_stored_after_the_turn(served: Served, turns: RemoteHooks) -> None:
    turns.after([{"role": "user", "content": QUESTION}], session="s1", scope="infra")
    assert turns.flush()
    assert [(turn.text, turn.scope) for turn in served.engine.list()] == [(QUESTION, "infra")]
    assert turns.failures == {}


def test_some_messages_of_a_session_take_nothing_back(served: Served, turns: RemoteHooks) -> None:
    greeting = {"role": "user", "content": "Good morning to you"}
    turns.after([greeting, {"role": "user", "content": QUESTION}], session="s1", partial_history=True)
    turns.after([greeting, {"role": "assistant", "content": "Welcome back!"}], session="s1", partial_history=True)
    assert turns.flush()
    assert [turn.text for turn in served.engine.list()] == ["Good morning to you", QUESTION, "Welcome back!"]


def test_the_hooks_of_any_memory_are_made_alike(remote: RemoteCortex, nobody: RemoteCortex) -> None:
    """`TurnHooks(memory)`, whether the memory is in this process or on a server"""
    hooks = TurnHooks(remote)
    hooks.warm()
    assert hooks.flush()
    remote.remember("The deploy key rotates on Mondays")
    assert "Mondays" in hooks.before(QUESTION, session="s1").block
    assert TurnHooks(nobody).bind(user="anna").before(QUESTION, session="s1").degraded == ("store_unavailable",)


def test_the_hooks_of_another_user_are_theirs(served: Served, turns: RemoteHooks) -> None:
    turns.bind(user="anna").after([{"role": "user", "content": QUESTION}], session="s1")
    assert turns.flush()  # what runs in the background is shared
    assert served.engine.stats().total == 0
    assert served.engine.bind(user="anna").stats().total == 1


def test_a_server_that_is_not_there_leaves_the_turn_alone(nobody: RemoteCortex) -> None:
    turns = nobody.hooks()
    found = turns.before(QUESTION, session="s1")
    assert (bool(found), found.block, found.degraded) == (False, "", ("store_unavailable",))
    turns.after([{"role": "user", "content": QUESTION}], session="s1")
    turns.warm()
    assert turns.flush()
    assert turns.failures == {"before:store_unavailable": 1, "after:store_unavailable": 1, "warm:store_unavailable": 1}


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[RemoteCortex]:
    """A client of a server that takes connections and says nothing; what it waits for is short here."""
    monkeypatch.setattr(hooks, "NETWORK_SECONDS", 0.01)
    monkeypatch.setattr(hooks, "DEADLINE_SECONDS", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with Cortex.connect(url, timeout=2) as remote:
            yield remote


def test_a_server_that_says_nothing_is_not_waited_for(silent: RemoteCortex) -> None:
    turns = silent.hooks()
    found = turns.before(QUESTION, session="s1")
    assert replace(found, milliseconds=0.0) == Injection(degraded=("deadline",))
    assert turns.failures == {"before:deadline": 1}


@pytest.mark.parametrize("messages", ["hello", {"role": "user"}, None, 3, [object()]])
def test_a_history_that_is_none_is_counted_and_raises_nothing(
    served: Served, turns: RemoteHooks, messages: object
) -> None:
    turns.after(messages, session="s1")  # type: ignore[arg-type]
    assert turns.flush()
    assert turns.failures == {"after:invalid_request": 1}
    assert served.engine.stats().total == 0


@pytest.mark.parametrize("session", ["", "a\nb", None])
def test_a_session_that_is_none_leaves_the_turn_alone(turns: RemoteHooks, session: object) -> None:
    found = turns.before(QUESTION, session=session)  # type: ignore[arg-type]
    assert (bool(found), found.degraded) == (False, ("invalid_request",))


def test_the_server_says_how_long_a_turn_may_take(tmp_path: Path) -> None:
    patient = {"hooks": {"deadline_ms": 7_000}}
    with serving(tmp_path / "home", settings=patient) as served, Cortex.connect(served.url) as remote:
        turns = remote.hooks()
        assert turns._shared.seconds == hooks.DEADLINE_SECONDS
        turns.warm()
        assert turns.flush()
        assert turns._shared.seconds == 7.0


def test_beyond_so_many_at_once_a_turn_goes_on_without(monkeypatch: pytest.MonkeyPatch, silent: RemoteCortex) -> None:
    monkeypatch.setattr(hooks, "MOST_AT_ONCE", 1)
    turns = silent.hooks()
    assert [turns.before(QUESTION, session="s1").degraded for _ in range(2)] == [("deadline",), ("busy",)]
