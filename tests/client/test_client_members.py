"""The client has what the engine has, and neither can drift from the other unseen."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from cortex.client.hooks import RemoteHooks
from cortex.client.remote import LOCAL_ONLY, RemoteCortex
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks
from sweeps import for_each

AT_SERVERS = {"files", "prepare", "given", "missed", "count_failures", "state", "begin_turn", "end_turn"}
"""What a server does with hooks, and what it knows of a session."""


def public(cls: type) -> dict[str, Any]:
    return {name: member for name, member in inspect.getmembers(cls) if not name.startswith("_")}


def parameters_of(member: Any) -> list[tuple[str, Any, Any, Any]]:
    parameters = inspect.signature(member).parameters.values()
    return [(each.name, each.kind, each.default, each.annotation) for each in parameters]


def test_every_method_of_the_engine_is_the_clients_or_is_named_as_absent():
    assert public(Cortex).keys() - public(RemoteCortex).keys() == LOCAL_ONLY.keys() | {"connect", "over"}
    assert all(LOCAL_ONLY.values())


def test_the_client_has_nothing_the_engine_has_not():
    assert public(RemoteCortex).keys() - public(Cortex).keys() == {"me", "request"}  # what its hooks use


@for_each("name", sorted(public(Cortex).keys() & public(RemoteCortex).keys() - {"bind", "tenant"}))
def test_a_method_takes_and_gives_the_same_on_both_sides(name: str):
    ours, theirs = getattr(RemoteCortex, name), getattr(Cortex, name)
    assert parameters_of(ours) == parameters_of(theirs)
    gives = [inspect.signature(each).return_annotation for each in (ours, theirs)]
    assert gives[0] == gives[1] or name == "hooks"


@pytest.mark.parametrize("name", ["before", "after", "warm", "flush", "bind"])
def test_the_hooks_take_the_same_on_both_sides(name: str):
    assert parameters_of(getattr(RemoteHooks, name)) == parameters_of(getattr(TurnHooks, name))


def test_the_hooks_of_both_sides_have_the_same_names():
    assert public(TurnHooks).keys() - AT_SERVERS == public(RemoteHooks).keys()
