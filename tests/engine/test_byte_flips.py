"""Bit flips in every class of bytes: what is shown is what was written, and what is damaged is noticed and named."""

from __future__ import annotations

import shutil
from pathlib import Path

import flipping
import pytest
from flipping import CACHE, CLASSES, LOGGED, NOTICED, STORE, Place, cells, damaged, looks, opened, span

from cortex.errors import StoreError
from cortex.testing import FakeEmbedder
from sweeps import sweep


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A memory of everything, closed; and one whose last writes are in the log alone."""
    home = tmp_path_factory.mktemp("flips") / "home"
    return home, flipping.make(home)


@pytest.fixture(scope="module")
def written(homes: tuple[Path, Path]) -> set[str]:
    return flipping.texts_of(homes[0])


def _flipped(homes: tuple[Path, Path], written: set[str], name: str, seed: str, tmp_path: Path) -> None:
    where, place = CLASSES[name]
    home = damaged(homes[0], where, place, f"{name} {seed}", tmp_path / seed)
    is_as_it_was = flipping.content_of(home / STORE) == flipping.content_of(homes[0] / STORE)
    shown, findings, errors = looks(home)
    assert shown <= written  # never a wrong text
    assert "no hint" not in errors
    if not findings and not errors:
        assert name not in NOTICED
        assert is_as_it_was  # it hit bytes that nobody reads
    shutil.rmtree(home)


@pytest.mark.parametrize("name", sweep(CLASSES, ["bodies", "vectors"]))
def test_a_flipped_bit_is_noticed_or_changes_nothing(
    homes: tuple[Path, Path], written: set[str], name: str, tmp_path: Path
):
    """A damaged byte is told by name, never shown as somebody's words, and never a mistake in Cortex."""
    _flipped(homes, written, name, "1", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_many_flipped_bits_are_noticed_or_change_nothing(
    homes: tuple[Path, Path], written: set[str], name: str, tmp_path: Path
):
    for seed in range(2, 27):
        _flipped(homes, written, name, str(seed), tmp_path)


# --- the log -------------------------------------------------------------------------------------

LOG = Path(f"{STORE}-wal")


def _log_flipped(homes: tuple[Path, Path], written: set[str], place: Place, seed: str, tmp_path: Path) -> None:
    home = damaged(homes[1], LOG, place, f"log {seed}", tmp_path / seed)
    shown, findings, errors = looks(home)
    # SQLite has a checksum of its own for each frame: from the first that is wrong, the log is not read on.
    kept = tuple(text for text in LOGGED if text in shown)
    assert kept == LOGGED[: len(kept)]
    assert (findings, errors) == ([], [])
    assert shown - set(LOGGED) == written - set(LOGGED)
    shutil.rmtree(home)


@pytest.mark.parametrize("place", [span(0, 32), span(32)], ids=["header", "frames"])
def test_a_flipped_bit_in_the_log_leaves_a_whole_earlier_state(
    homes: tuple[Path, Path], written: set[str], place: Place, tmp_path: Path
):
    _log_flipped(homes, written, place, "1", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("place", [span(0, 32), span(32)], ids=["header", "frames"])
def test_many_flipped_bits_in_the_log_leave_a_whole_earlier_state(
    homes: tuple[Path, Path], written: set[str], place: Place, tmp_path: Path
):
    for seed in range(2, 32):
        _log_flipped(homes, written, place, str(seed), tmp_path)


# --- the embedding cache -------------------------------------------------------------------------


def _cache_flipped(homes: tuple[Path, Path], column: str, seed: str, tmp_path: Path) -> None:
    home = damaged(homes[0], CACHE, cells("vectors", column), f"cache {seed}", tmp_path / seed)
    with opened(home) as engine:
        assert [each.code for each in engine.verify() if not each.repaired] == ["cache"]
        assert all(each.repaired for each in engine.verify(repair=True))
        assert engine.verify() == []
    shutil.rmtree(home)


@pytest.mark.parametrize("column", sweep(["vector", "text", "space"], ["vector"]))
def test_a_flipped_bit_in_the_embedding_cache_is_noticed(homes: tuple[Path, Path], column: str, tmp_path: Path):
    _cache_flipped(homes, column, "1", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("column", ["vector", "text", "space"])
def test_many_flipped_bits_in_the_embedding_cache_are_noticed(homes: tuple[Path, Path], column: str, tmp_path: Path):
    for seed in range(2, 32):
        _cache_flipped(homes, column, str(seed), tmp_path)


@pytest.mark.slow
def test_a_flipped_bit_anywhere_in_the_cache_never_breaks_embedding(homes: tuple[Path, Path], tmp_path: Path):
    text = "The person number7 lives in town7"
    for seed in range(60):
        home = damaged(homes[0], CACHE, span(0), f"cache file {seed}", tmp_path / str(seed))
        with opened(home) as engine:
            (vector,) = engine.context.dependencies.embedder.embed_documents([text])
            assert vector.tolist() == FakeEmbedder(16).embed_documents([text])[0].tolist()
            engine.status()
            engine.verify()
        shutil.rmtree(home)


# --- backups -------------------------------------------------------------------------------------

IN_A_BACKUP = ("bodies", "earlier bodies", "salts", "vectors", "centre", "events", "seals", "receipts", "sessions",
               "jobs", "users")  # fmt: skip


def _backup_flipped(homes: tuple[Path, Path], name: str, seed: str, tmp_path: Path) -> None:
    (backup,) = (homes[0] / "backups").glob("*.backup")
    where = Path("backups") / backup.name
    home = damaged(homes[0], where, CLASSES[name][1], f"backup {name} {seed}", tmp_path / seed)
    before = (home / STORE).read_bytes()
    with opened(home) as engine, pytest.raises(StoreError):
        engine.restore_backup("latest")
    assert (home / STORE).read_bytes() == before
    shutil.rmtree(home)


@pytest.mark.parametrize("name", sweep(IN_A_BACKUP, ["bodies"]))
def test_a_flipped_bit_in_a_backup_is_noticed_before_it_is_restored(
    homes: tuple[Path, Path], name: str, tmp_path: Path
):
    _backup_flipped(homes, name, "1", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_A_BACKUP)
def test_many_flipped_bits_in_a_backup_are_noticed_before_it_is_restored(
    homes: tuple[Path, Path], name: str, tmp_path: Path
):
    for seed in range(2, 22):
        _backup_flipped(homes, name, str(seed), tmp_path)
