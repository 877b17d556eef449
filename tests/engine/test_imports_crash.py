"""An import that is killed goes on when it is begun again: nothing is lost or stored twice, and one undo ends it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import import_process
import pytest
from capture_process import opened

import forking
import import_samples as samples
from cortex.domain.lanes import ANY_STATE
from cortex.memory import Cortex
from cortex.ports.store import Filter
from sweeps import sweep

CONVERSATIONS = 6


def export(folder: Path) -> Path:
    """Several conversations that change what was said before, and saved memories."""
    said = [
        f"I live in {city}, and my locker is number {number}"
        for number, city in enumerate(("Bergen", "Oslo", "Lisbon", "Porto", "Turin", "Graz"))
    ]
    conversations = [
        samples.chatgpt_conversation(
            f"c{number}",
            [samples.chatgpt_message("user", text, 1_710_000_000.0 + 86_400 * number),
             samples.chatgpt_message("assistant", f"Noted, number {number}.", 1_710_000_001.0 + 86_400 * number)],
        )
        for number, text in enumerate(said)
    ]  # fmt: skip
    return samples.zipped(folder / "export.zip", {**samples.chatgpt(), "conversations.json": conversations})


def killed(home: Path, source: str, minutes: int, place: str, number: int) -> None:
    script = Path(import_process.__file__)
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = forking.run([script, home, source, str(minutes), place, str(number)], env=variables)
    assert done.returncode == -signal.SIGKILL, f"it was not killed: {done.returncode}\n{done.stderr}"


def everything(engine: Cortex) -> list[dict[str, Any]]:
    """All that is stored, but for ids, which differ from run to run."""
    links = ("id", "cause", "source_turns", "supersedes", "superseded_by", "outdated_by", "source_ref", "contradicts")
    found = engine.export(Filter(states=ANY_STATE), redact=False)
    plain = [{name: value for name, value in each.items() if name not in links} for each in found]
    return sorted(plain, key=lambda each: (each["type"], each.get("session", ""), each.get("seq", 0), each["text"]))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    with opened(folder / "home") as engine:
        done = engine.import_from(export(folder))
        assert done.receipt.facts["turns"] == 2 * CONVERSATIONS
        return everything(engine)


WRITES = range(1, 23, 3)
CRASHES = [(place, number) for place in ("before", "after", "within") for number in WRITES]


@pytest.mark.parametrize(("place", "number"), sweep(CRASHES, [("before", 4), ("after", 7), ("within", 10)]))
def test_an_import_that_was_killed_goes_on_and_is_undone_as_one(
    tmp_path: Path, undisturbed: list[dict[str, Any]], place: str, number: int
) -> None:
    """C1, C2, E14"""
    home, source = tmp_path / "home", export(tmp_path)
    killed(home, str(source), 1, place, number)
    with opened(home, 5) as engine:
        engine.import_from(source)
        assert everything(engine) == undisturbed
        assert all(run.ended for run in engine.imports())
        assert engine.verify() == []
        for run in engine.imports():
            engine.undo_import(run.id)
        assert everything(engine) == []


def test_an_import_that_was_killed_has_one_name(tmp_path: Path) -> None:
    home, source = tmp_path / "home", export(tmp_path)
    killed(home, str(source), 1, "after", 5)
    with opened(home, 5) as engine:
        (stopped,) = engine.imports()
        assert stopped.ended is None
        done = engine.import_from(source)
        assert done.run == stopped.id
        assert done.receipt.facts["known"] > 0
        assert engine.undo_import(done.run).turns == 2 * CONVERSATIONS
        assert everything(engine) == []


@pytest.mark.parametrize("number", sweep(range(1, 9, 2), [3]))
def test_an_undo_that_was_killed_is_finished_by_the_next(tmp_path: Path, number: int) -> None:
    home, source = tmp_path / "home", export(tmp_path)
    with opened(home) as engine:
        engine.import_from(source)
    killed(home, "--undo", 1, "after", number)
    with opened(home, 5) as engine:
        engine.undo_import("latest")
        assert everything(engine) == []
        assert engine.verify() == []
