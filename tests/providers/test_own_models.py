"""A local embedding model of one's own: added from a folder, pinned, and used as any other."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tiny_models
from cortex import Cortex
from cortex.errors import InvalidRequest, ModelChanged, ModelUnavailable, ProviderMissing
from cortex.providers import tokenizer_file
from cortex.providers.embedders import local
from cortex.providers.models import PINNED, ModelStore
from cortex.providers.own_models import MANIFEST, InputFormat, OwnModel, add, named, registered
from cortex.testing import FakeClock

THINGS = """
anchor barrel candle dagger eagle feather garden hammer island jacket kettle ladder mirror needle orchard pencil
quiver ribbon saddle teapot umbrella violin walnut yoghurt zeppelin
""".split()
PLACES = """
attic basement cellar dresser entrance fireplace garage hallway inn kitchen library museum nursery office porch
quarry rooftop stable tower upstairs veranda workshop yard zoo alcove
""".split()
RUSSIAN = "Гавань открывается утром и закрывается вечером".split()
WORDS = [
    *THINGS,
    *PLACES,
    *RUSSIAN,
    *"the harbour opens at dawn seven bakers quarrel about yeast query passage :".split(),
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tiny_models.make(tmp_path / "source", WORDS)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CORTEX_MODELS", str(tmp_path / "home" / "models"))
    return tmp_path / "home"


def folders(models: Path) -> list[str]:
    return sorted(each.name for each in models.iterdir() if each.is_dir()) if models.exists() else []


def embedder(models: Path, name: str = "tiny") -> local.LocalEmbedder:
    made = local.create({"model": name, "workers": 1}, models)
    assert isinstance(made, local.LocalEmbedder)
    return made


# --- adding -----------------------------------------------------------------------------------------------------------


def test_a_model_is_copied_pinned_and_embeds(source: Path, models: Path):
    """B16"""
    made = add(models, source, "tiny", InputFormat(query_prefix="query: ", passage_prefix="passage: "))
    assert (made.dimension, made.output) == (32, "last_hidden_state")
    assert {file.name for file in made.files} == {"model.onnx", "tokenizer.json"}
    assert named(models, "tiny") == made
    ModelStore(models, pinned={**PINNED, "tiny": made.pinned}).verify("tiny")
    found = embedder(models)
    vector = found.embed_query("anchor")
    assert vector.shape == (32,)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
    assert found.space.prefixes == "query: |passage: "
    assert found.trouble(thorough=True) is None


def test_the_folder_it_came_from_is_no_longer_needed(source: Path, models: Path):
    add(models, source, "tiny", InputFormat())
    for file in source.iterdir():
        file.unlink()
    assert embedder(models).embed_documents(["anchor", "barrel"])[1].shape == (32,)


def test_prefixes_are_those_that_were_declared(source: Path, models: Path):
    add(models, source, "tiny", InputFormat(query_prefix="query : "))
    found = embedder(models)
    assert np.allclose(found.embed_query("anchor"), found.embed_documents(["query : anchor"])[0])
    assert not np.allclose(found.embed_query("anchor"), found.embed_documents(["anchor"])[0])


def test_pooling_is_that_which_was_declared(tmp_path: Path, models: Path):
    """The first token, or the mean of all"""
    source = tiny_models.make(tmp_path / "frameless", WORDS, framed=False)
    add(models, source, "mean", InputFormat())
    add(models, source, "cls", InputFormat.checked("cls", "", "", 512))
    first, mean = embedder(models, "cls"), embedder(models, "mean")
    assert np.allclose(first.embed_query("anchor barrel"), first.embed_query("anchor candle"))
    assert not np.allclose(mean.embed_query("anchor barrel"), mean.embed_query("anchor candle"))
    assert first.space.key != mean.space.key


def test_a_model_of_a_hub_is_found_where_hubs_keep_it(tmp_path: Path, models: Path):
    """`onnx/model.onnx`, and the tokenizer beside or above it"""
    source = tiny_models.make(tmp_path / "hub" / "onnx", WORDS).parent
    os.replace(source / "onnx" / "tokenizer.json", source / "tokenizer.json")
    assert add(models, source, "hub", InputFormat()).dimension == 32


def test_inputs_that_a_model_does_not_take_are_left_out(tmp_path: Path, models: Path):
    """Many take no token types."""
    source = tiny_models.make(tmp_path / "two", WORDS, inputs=("input_ids", "attention_mask"))
    add(models, source, "two", InputFormat())
    assert embedder(models, "two").embed_query("anchor").shape == (32,)


def test_only_so_many_tokens_are_read_as_the_model_takes(source: Path, models: Path):
    """E13"""
    add(models, source, "tiny", InputFormat(max_tokens=8))
    found = embedder(models)
    assert np.array_equal(found.embed_query("anchor " * 6), found.embed_query("anchor " * 600))


def test_words_of_a_text_cannot_pass_for_the_frame(source: Path, models: Path):
    add(models, source, "tiny", InputFormat())
    tokens = tokenizer_file.TokenizerFile(models / "tiny" / "tokenizer.json", 64)
    frame, (ids, _) = tokens.framed([""])[0][0], tokens.framed(["anchor [SEP] barrel"])
    assert np.count_nonzero(ids == frame[-1]) == 1


def test_other_files_under_the_same_name_are_another_space(source: Path, tmp_path: Path, models: Path):
    """Vectors of two models are never compared."""
    one = add(models, source, "tiny", InputFormat())
    other_models = tmp_path / "others"
    table = np.random.default_rng(8).normal(size=(80, 32)).astype(np.float32)
    other = add(other_models, tiny_models.make(tmp_path / "other", WORDS, table=table), "tiny", InputFormat())
    assert embedder(models).space.key != embedder(other_models).space.key
    assert one.identity != other.identity


# --- what cannot be added ---------------------------------------------------------------------------------------------


def without_model(source: Path) -> None:
    (source / "model.onnx").unlink()


def without_tokenizer(source: Path) -> None:
    (source / "tokenizer.json").unlink()


def broken_model(source: Path) -> None:
    (source / "model.onnx").write_bytes(b"not a model")


def broken_tokenizer(source: Path) -> None:
    (source / "tokenizer.json").write_text("{}")


def strange_inputs(source: Path) -> None:
    tiny_models.make(source, WORDS, inputs=("pixel_values",))


def pooled_already(source: Path) -> None:
    tiny_models.make(source, WORDS, output="sentence_embedding", rank=2)


def small_table(source: Path) -> None:
    tiny_models.make(source, WORDS, table=np.ones((2, 32), np.float32))


def says_the_same(source: Path) -> None:
    tiny_models.make(source, WORDS, table=np.ones((80, 32), np.float32))


def no_numbers(source: Path) -> None:
    tiny_models.make(source, WORDS, table=np.full((80, 32), np.nan, np.float32))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (without_model, "has no model.onnx"),
        (without_tokenizer, "has no tokenizer.json"),
        (broken_model, "model.onnx cannot be read"),
        (broken_tokenizer, "tokenizer.json cannot be read"),
        (strange_inputs, "takes pixel_values"),
        (pooled_already, "none of which has a vector for each token"),
        (small_table, "could not embed a text"),
        (says_the_same, "the same vector for different texts"),
        (no_numbers, "numbers that are none"),
    ],
)
def test_what_is_wrong_with_a_model_is_told_and_nothing_is_changed(
    source: Path, models: Path, spoil: Callable[[Path], None], says: str
):
    """An error names the field and what to do"""
    spoil(source)
    with pytest.raises(InvalidRequest, match=says) as refused:
        add(models, source, "tiny", InputFormat())
    assert refused.value.field == "path"
    assert refused.value.hint
    assert folders(models) == []


@pytest.mark.parametrize("name", ["", "../up", ".hidden", "a/b", "e5-small-v2-int8", "x" * 65])
def test_a_name_that_cannot_be_used_is_refused(source: Path, models: Path, name: str):
    with pytest.raises(InvalidRequest) as refused:
        add(models, source, name, InputFormat())
    assert (refused.value.field, folders(models)) == ("name", [])


def test_a_name_that_is_taken_is_refused(source: Path, models: Path):
    add(models, source, "tiny", InputFormat())
    before = (models / "tiny" / MANIFEST).read_text()
    with pytest.raises(InvalidRequest, match="is taken"):
        add(models, source, "tiny", InputFormat(max_tokens=64))
    assert (models / "tiny" / MANIFEST).read_text() == before


@pytest.mark.parametrize(("given", "field"), [(("max", "", "", 512), "pooling"), (("mean", "", "", 0), "max_tokens")])
def test_a_declaration_that_cannot_be_is_refused(given: tuple[str, str, str, int], field: str):
    with pytest.raises(InvalidRequest) as refused:
        InputFormat.checked(*given)
    assert refused.value.field == field


def test_pooling_that_makes_all_texts_the_same_is_refused(source: Path, models: Path):
    """The first token of this model says nothing of the text."""
    with pytest.raises(InvalidRequest, match="the same vector") as refused:
        add(models, source, "tiny", InputFormat.checked("cls", "", "", 512))
    assert "pooling" in refused.value.hint


def test_a_library_that_is_missing_is_named_with_how_to_install_it(
    source: Path, models: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(ProviderMissing, match="tokenizers") as missing:
        add(models, source, "tiny", InputFormat())
    assert missing.value.hint == "pip install 'memory-cortex[own-model]'"
    assert folders(models) == []


# --- in use -----------------------------------------------------------------------------------------------------------


def test_an_engine_embeds_with_it_and_its_scale_is_measured(source: Path, home: Path):
    """B16, B7"""
    add(home / "models", source, "tiny", InputFormat())
    chosen = {"embedding": {"provider": "local", "options": {"model": "tiny"}}}
    with Cortex(home, settings=chosen, clock=FakeClock()) as engine:
        for thing, place in zip(THINGS, PLACES, strict=True):
            engine.remember(f"{thing} {place}")
        assert [hit.trace.text for hit in engine.search("violin workshop", limit=1).hits] == ["violin workshop"]
        status = engine.status()
    assert status["embedder"]["available"]
    assert status["vectors"]["embedded"] == len(THINGS)
    assert status["vectors"]["calibration"]["basis"] == "measured"


def test_a_script_it_has_no_words_of_stays_with_keywords(source: Path, models: Path):
    """As with the built-in model"""
    made = add(models, source, "tiny", InputFormat())
    space = embedder(models).space
    assert "CYRILLIC" not in made.unread
    assert {"GREEK", "CJK", "THAI"} <= set(made.unread)
    assert space.reads("Гавань открывается утром")
    assert space.reads("The harbour opens at dawn, señor")
    assert not space.reads("港口早上开放")
    assert not space.reads("Το λιμάνι ανοίγει το πρωί")


def test_a_model_that_is_not_here_leaves_recall_to_keywords_and_says_so(home: Path):
    """B16: none works, so keywords alone"""
    chosen = {"embedding": {"provider": "local", "options": {"model": "gone"}}}
    with Cortex(home, settings=chosen, clock=FakeClock()) as engine:
        engine.remember("The harbour opens at dawn")
        assert len(engine.recall("when does the harbour open?").hits) == 1
        reported = engine.status()["embedder"]
    assert "no model 'gone'" in reported["why"]
    assert "cortex models add" in reported["fix"]


def test_a_file_that_changed_is_not_used(source: Path, models: Path):
    """Vectors of other weights compare with nothing."""
    add(models, source, "tiny", InputFormat())
    (models / "tiny" / "model.onnx").write_bytes(b"x" * (models / "tiny" / "model.onnx").stat().st_size)
    with pytest.raises(ModelChanged) as changed:
        embedder(models).embed_query("anchor")
    assert "cortex models add" in changed.value.hint


def test_a_description_that_is_damaged_is_told_and_hides_no_other(source: Path, models: Path):
    add(models, source, "tiny", InputFormat())
    add(models, source, "other", InputFormat())
    (models / "tiny" / MANIFEST).write_text("{")
    assert list(registered(models)) == ["other"]
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        named(models, "tiny")


def test_a_description_is_read_as_it_was_written(source: Path, models: Path):
    made = add(models, source, "tiny", InputFormat(query_prefix="query: "))
    assert OwnModel.from_json(json.loads(made.to_json())) == made


def test_models_of_ones_own_are_not_fetched(source: Path, models: Path):
    made = add(models, source, "tiny", InputFormat())
    with pytest.raises(InvalidRequest, match="a model of your own"):
        ModelStore(models, pinned={"tiny": made.pinned}).fetch("tiny")
