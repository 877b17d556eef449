"""That the suite runs over all there is: who offers what, and that nothing new is left out of it."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from behaving import CANNOT, STDIO, STREAMED, SURFACES, TOOLS, VERBS, Engines, Tools
from worlds import World

from cortex.client.remote import LOCAL_ONLY, RemoteCortex
from cortex.memory import Cortex

ADAPTERS = {name: Tools if name in {STDIO, STREAMED} else Engines for name in SURFACES}


@pytest.mark.parametrize("name", SURFACES)
def test_every_verb_is_offered_or_said_to_be_missing_with_a_reason(name: str) -> None:
    offered = {verb for verb in VERBS if hasattr(ADAPTERS[name], verb)}
    assert VERBS - offered == CANNOT[name].keys()
    assert all(len(reason) > 20 for reason in CANNOT[name].values())


@pytest.mark.parametrize("name", [STDIO, STREAMED])
def test_every_tool_a_host_is_offered_is_tried_by_the_suite(name: str, world: World, scope: str) -> None:
    """A tool that is new here has to stand for a verb: then what the surface cannot do is out of date."""
    memory = world.surface(name, scope)
    assert isinstance(memory, Tools)
    told = memory.host.tools
    tried = [told[tool].model_copy(update={"name": ""}) for tool in set(TOOLS.values())]
    for tool in told.values():
        assert tool.name in TOOLS.values() or tool.model_copy(update={"name": ""}) in tried, tool.name
    assert TOOLS.keys() == VERBS - CANNOT[name].keys() - {"flush_prompt"}
    assert [prompt.name for prompt in memory.host.run("list_prompts").prompts] == ["flush"]


def test_the_client_has_the_methods_of_the_engine_with_the_same_arguments() -> None:
    """A program need not know where its memory is; what a server does not offer is listed with the reason."""
    methods = {name for name, each in vars(Cortex).items() if not name.startswith("_") and callable(each)} - {"connect"}
    offered = {name for name in methods if hasattr(RemoteCortex, name)}
    assert methods - offered == {name for name in LOCAL_ONLY if name in methods}
    for name in sorted(offered):
        assert _arguments(Cortex, name) == _arguments(RemoteCortex, name), name
    assert all(LOCAL_ONLY.values())


def _arguments(kind: type, name: str) -> list[tuple[str, Any]]:
    found = inspect.signature(getattr(kind, name)).parameters.values()
    return [(each.name, each.kind) for each in found]
