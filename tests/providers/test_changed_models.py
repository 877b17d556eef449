"""A model that is not the pinned one gives vectors that compare with nothing: it is noticed before it is used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_model_store import Registry

from cortex import Cortex
from cortex.clock import SystemClock
from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable, ModelChanged, RerankerUnavailable
from cortex.providers import digests
from cortex.providers.digests import Digests
from cortex.providers.embedders import auto, local
from cortex.providers.embedders.guard import GuardedEmbedder
from cortex.providers.models import EMBEDDER, RERANKER, ModelStore, PinnedModel
from cortex.providers.rerankers import local as rerankers
from cortex.services.health import report as health

FACT = "The deploy key rotates on Mondays."


@pytest.fixture
def copied(models: Path, tmp_path: Path) -> Callable[..., Path]:
    """Makes a directory with copies of models, which a test may change."""

    def made(*wanted: PinnedModel) -> Path:
        for model in wanted or (EMBEDDER,):
            target = tmp_path / "models" / model.name
            target.mkdir(parents=True)
            for file in model.files:
                shutil.copy2(models / model.name / file.name, target)
        return tmp_path / "models"

    return made


@pytest.fixture(scope="module")
def expected(models: Path) -> Vector:
    return local.create({}, models).embed_query(FACT)


def flip(path: Path, at: int) -> None:
    """Change one byte in place; size and modification time stay."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap_words(vocabulary: Path) -> None:
    """Another vocabulary of the same size: two words of equal length change places."""
    text = vocabulary.read_text("utf-8")
    assert "\nkey\n" in text
    assert "\ndog\n" in text
    vocabulary.write_text(text.replace("\nkey\n", "\n…\n").replace("\ndog\n", "\nkey\n").replace("\n…\n", "\ndog\n"))


def other_weights(model: Path) -> None:
    flip(model, model.stat().st_size // 2)


CHANGES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "weights": ("model.onnx", other_weights),
    "graph": ("model.onnx", lambda path: flip(path, 100)),
    "vocabulary": ("vocab.txt", swap_words),
}


# --- the pinned files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_model_of_the_same_size_embeds_nothing(copied: Callable[..., Path], what: str) -> None:
    models = copied()
    name, change = CHANGES[what]
    change(models / EMBEDDER.name / name)
    made = local.create({}, models)
    trouble = made.trouble()
    assert isinstance(trouble, ModelChanged)
    with pytest.raises(ModelChanged, match=f"has changed: {name} is not the pinned file") as caught:
        made.embed_documents([FACT])
    assert caught.value.code == trouble.code == "model_changed"
    assert "`cortex models fetch`" in caught.value.hint


def test_a_model_that_changed_since_it_was_used_is_noticed_by_the_next_start(
    copied: Callable[..., Path], expected: Vector
) -> None:
    """With the optimised copy of the right one still beside it."""
    models = copied()
    assert np.array_equal(local.create({}, models).embed_query(FACT), expected)
    assert list((models / EMBEDDER.name).glob("optimised-*/weights.bin"))
    other_weights(models / EMBEDDER.name / "model.onnx")
    with pytest.raises(ModelChanged):
        local.create({}, models).embed_query(FACT)


def test_fetching_replaces_a_changed_model(tmp_path: Path) -> None:
    """The fix that is told is one."""
    registry, home = Registry(tmp_path), tmp_path / "models"
    registry.store(home).fetch("one")
    flip(home / "one" / "model.onnx", 7)
    with pytest.raises(ModelChanged, match="`cortex models fetch`, which replaces it"):
        registry.store(home).checked("one")
    registry.store(home).fetch("one")
    assert registry.downloads == 2
    assert registry.store(home).checked("one") == home / "one"


def test_a_changed_local_model_is_no_reason_to_ask_somebody_else(copied: Callable[..., Path]) -> None:
    """B16: `auto` would else send every text to whoever there is a key of"""
    models = copied()
    swap_words(models / EMBEDDER.name / "vocab.txt")
    made = auto.create({}, models, variable={"OPENAI_API_KEY": "k"}.get)
    assert made.chosen.provider == "local"
    assert isinstance(made.trouble(), ModelChanged)


def test_the_guard_goes_on_naming_it_while_it_rests(copied: Callable[..., Path]) -> None:
    models = copied()
    swap_words(models / EMBEDDER.name / "vocab.txt")
    guarded = GuardedEmbedder(local.create({}, models), SystemClock())
    for _ in range(4):
        with pytest.raises(EmbedderUnavailable) as caught:
            guarded.embed_query(FACT)
        assert caught.value.code == "model_changed"


def test_a_changed_reranker_marks_nothing(copied: Callable[..., Path]) -> None:
    models = copied(RERANKER)
    swap_words(models / RERANKER.name / "vocab.txt")
    with pytest.raises(RerankerUnavailable, match="has changed") as caught:
        rerankers.create({}, models).scores("which key?", [FACT])
    assert caught.value.code == "model_changed"


# --- what is derived from them ----------------------------------------------------------------------------------------


def derived(models: Path) -> Path:
    (found,) = (models / EMBEDDER.name).glob("optimised-*")
    return found


@pytest.mark.parametrize(
    "what",
    [
        "weights.bin",
        "of another source",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("model.onnx", "SHA256SUMS", "of before")),
    ],
)
def test_a_derived_copy_that_is_not_as_it_was_made_is_made_anew(
    copied: Callable[..., Path], expected: Vector, what: str
) -> None:
    models = copied()
    local.create({}, models).embed_query(FACT)
    copy = derived(models)
    sums = (copy / "SHA256SUMS").read_text()
    if what == "of another source":
        (copy / "SHA256SUMS").write_text(sums.replace(EMBEDDER.files[0].sha256, RERANKER.files[0].sha256))
    elif what == "of before":
        (copy / "SHA256SUMS").write_text("".join(sums.splitlines(keepends=True)[:2]))
    elif what == "SHA256SUMS":
        flip(copy / what, 0)
    else:
        flip(copy / what, (copy / what).stat().st_size // 2)
    assert np.array_equal(local.create({}, models).embed_query(FACT), expected)
    assert (derived(models) / "SHA256SUMS").read_text() == sums
    ModelStore(models).verify(EMBEDDER.name)


def test_weights_that_change_under_a_running_process_are_not_used(
    copied: Callable[..., Path], expected: Vector
) -> None:
    """They are mapped rather than held: what another process writes there is what the next text would be read with."""
    models = copied()
    local.create({}, models).embed_query(FACT)
    made = local.create({}, models)
    assert np.array_equal(made.embed_query(FACT), expected)
    weights = derived(models) / "weights.bin"
    size = weights.stat().st_size
    with weights.open("r+b") as file:
        file.seek(size // 2)
        file.write(bytes(size // 4))
    assert np.array_equal(made.embed_query(FACT), expected)


# --- digests that were found before -----------------------------------------------------------------------------------


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file had been there for a while."""
    monkeypatch.setattr(digests, "_SETTLED_NS", -1)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read to the end."""
    found: list[str] = []
    plain = digests.sha256_of
    monkeypatch.setattr(digests, "sha256_of", lambda path: found.append(path.name) or plain(path))
    return found


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    made = Registry(tmp_path)
    made.store(tmp_path / "models").fetch("one")
    return made


@pytest.mark.usefixtures("settled")
def test_a_file_is_read_once_and_again_when_it_has_changed(registry: Registry, tmp_path: Path, read: list[str]) -> None:
    home = tmp_path / "models"
    model = home / "one" / "model.onnx"
    for _ in range(3):
        registry.store(home).checked("one")
    assert read == ["model.onnx"]
    os.replace(shutil.copy2(model, home / "copy"), model)
    registry.store(home).checked("one")
    assert read == ["model.onnx"] * 2
    flip(model, 7)
    for number in (3, 4):
        with pytest.raises(ModelChanged):
            registry.store(home).checked("one")
        assert len(read) == number, "that a file is another one is never told by what was found before"


def test_a_file_that_changed_just_now_is_read_again(registry: Registry, tmp_path: Path, read: list[str]) -> None:
    """A second change within one tick of the file system's clock leaves no trace in its times."""
    home = tmp_path / "models"
    for _ in range(2):
        registry.store(home).checked("one")
    assert read == ["model.onnx"] * 2
    assert not (home / digests.NAME).exists()


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(
    "damage",
    [
        lambda known: {name: [*record[:-1], "0" * 64] for name, record in known.items()},
        lambda known: {name: [0, *record[1:]] for name, record in known.items()},
        dict.fromkeys,
        lambda known: list(known),
        lambda _: "no object",
    ],
)
def test_what_was_found_before_is_taken_only_where_it_fits(
    registry: Registry, tmp_path: Path, read: list[str], damage: Callable[[dict[str, Any]], object]
) -> None:
    home = tmp_path / "models"
    registry.store(home).checked("one")
    kept = home / digests.NAME
    good = kept.read_bytes()
    for content in (json.dumps(damage(json.loads(good))).encode(), good[: len(good) // 2], b"\xff\x00"):
        kept.write_bytes(content)
        read.clear()
        registry.store(home).checked("one")
        registry.store(home).checked("one")
        assert read == ["model.onnx"]
        assert json.loads(kept.read_bytes()) == json.loads(good)


@pytest.mark.usefixtures("settled")
def test_where_nothing_can_be_written_down_the_file_is_read_each_time(
    registry: Registry, tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("read only")

    monkeypatch.setattr(Path, "write_text", refuse)  # root in a container may write anywhere
    for _ in range(2):
        registry.store(tmp_path / "models").checked("one")
    assert read == ["model.onnx"] * 2


def test_a_file_that_is_not_there_has_no_digest(tmp_path: Path) -> None:
    assert not Digests(tmp_path).match(tmp_path / "absent", "0" * 64)


def test_a_start_reads_no_model_to_the_end_when_another_has(models: Path) -> None:
    """C6: checking costs a start nothing but a look at the times of the files"""
    code = (
        "import sys; from pathlib import Path; opened = [];"
        "sys.addaudithook(lambda event, told: event == 'open' and opened.append(str(told[0])));"
        "from cortex.providers.embedders import local;"
        "local.create({}, Path(sys.argv[1])).embed_query('x');"
        "print(sum(name.endswith(('.onnx', '.bin')) for name in opened))"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    said = [
        subprocess.run([sys.executable, "-c", code, str(models)], capture_output=True, text=True, check=True, env=env)
        for _ in range(2)
    ]
    assert said[1].stdout == "0\n"


# --- what an engine makes of it ---------------------------------------------------------------------------------------


def test_memory_goes_on_by_keywords_and_names_the_changed_model(
    copied: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C6: nothing is stored under the pinned model's space that it did not make; once it is back, backfill does"""
    models = copied(EMBEDDER, RERANKER)
    monkeypatch.setenv("CORTEX_MODELS", str(models))
    places = [models / each.name / "vocab.txt" for each in (EMBEDDER, RERANKER)]
    originals = [place.read_bytes() for place in places]
    for place in places:
        swap_words(place)
    with Cortex(tmp_path / "home") as memory:
        kept = memory.remember(FACT)
        assert kept.receipt.degraded == ("model_changed",)
        found = memory.recall("when does the deploy key rotate?", recipe="deep.v1")
        assert [hit.trace.text for hit in found.hits] == [FACT]
        assert found.receipt.degraded == ("rerank:model_changed", "vector:model_changed")
        status = memory.status()
        assert status["vectors"]["embedded"] == 0
        troubles = {each["what"]: each for each in status["degraded"]}
        assert set(troubles) == {"vectors", "reranker"}
        assert all("has changed: vocab.txt" in each["why"] for each in troubles.values())
        assert all("`cortex models fetch`" in each["fix"] for each in troubles.values())
        checks = {each.name: each for each in health.checks(memory.context, dict, offline=True)}
        assert (checks["embedder"].ok, checks["reranker"].ok) == (False, None)
        assert all("`cortex models fetch`" in checks[name].fix for name in ("embedder", "reranker"))
    for place, original in zip(places, originals, strict=True):
        place.write_bytes(original)
    with Cortex(tmp_path / "home") as memory:
        memory.backfill()
        assert memory.status()["vectors"]["embedded"] == 1
        assert memory.status()["degraded"] == []
        assert "vector" in memory.recall("when does the deploy key rotate?").hits[0].legs
