"""The page about embedders says what the providers are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cortex import registry
from cortex.providers.embedders import batch_embedder, gemini, ollama, openai, remote, voyage
from cortex.providers.embedders.batches import gemini as gemini_batches
from cortex.providers.embedders.batches import openai as openai_batches
from cortex.providers.embedders.batches import voyage as voyage_batches

PAGE = (Path(__file__).parents[2] / "docs" / "embedders.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in PAGE.splitlines() if line[:1] == "|"]
VENDORS = [each.VENDOR for each in (openai, gemini, voyage, ollama)]


def rows(name: str) -> list[list[str]]:
    return [row for row in ROWS if f"`{name}`" in row[0]]


@pytest.mark.parametrize("provider", sorted(registry._BUILTIN["cortex.embedders"]))
def test_every_provider_has_its_row(provider: str) -> None:
    assert rows(provider)


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_what_is_said_of_a_vendor_is_so(vendor: remote.EmbeddingVendor) -> None:
    what, models = rows(vendor.name)
    assert vendor.address in what[3]
    assert (models[1], models[3]) == (f"`{vendor.model}`", str(vendor.texts_at_once))
    assert models[4] == (", ".join(f"`{name}`" for name in vendor.variables) or "none needed")


@pytest.mark.parametrize("provider", [openai, gemini, voyage], ids=lambda provider: provider.VENDOR.name)
def test_every_model_of_a_vendor_is_named_with_its_length(provider: object) -> None:
    cell = rows(provider.VENDOR.name)[1][2]
    # A length stands behind the last of the models that have it.
    lengths = {
        name: int(re.search(r" (\d+)(?:,|$)", cell[cell.index(f"`{name}`") :]).group(1)) for name in provider.MODELS
    }
    assert lengths == {name: model.dimension for name, model in provider.MODELS.items()}


def test_every_open_model_is_named_with_its_prefixes() -> None:
    for name, model in remote.OPEN_MODELS.items():
        if name in ("nomic-embed-text-v2", "multilingual-e5-base", "multilingual-e5-large"):
            continue  # told with the others of its family
        (row,) = [row for row in ROWS if f"`{name}`" in row[0] and len(row) == 4 and row[1][:1].isdigit()]
        assert str(model.dimension) in row[1]
        for prefix, cell in ((model.query_prefix, row[2]), (model.document_prefix, row[3])):
            assert all(part in cell.replace("\\|", "|") for part in prefix.splitlines())
            assert bool(cell) == bool(prefix)


def test_every_option_has_its_row_and_says_whose_it_is() -> None:
    for name in remote.SHARED_OPTIONS:
        assert rows(name)[0][1] == "all remote"
    for name in ("base_url", "host", "headers", "keep_alive", batch_embedder.OPTION):
        owners = [vendor.name for vendor in VENDORS if name in vendor.options or (name == vendor.address_option)]
        assert rows(name)[0][1] == ", ".join(f"`{owner}`" for owner in owners), name


def test_the_batches_are_as_they_are_told() -> None:
    defaults = {"enabled": "`false`", "at_least": "200", "timeout_s": "3600", "poll_seconds": "`[2, 60]`"}
    assert (batch_embedder.AT_LEAST, batch_embedder.TIMEOUT_SECONDS, batch_embedder.POLL_SECONDS) == (
        200,
        3_600.0,
        (2.0, 60.0),
    )
    for name in batch_embedder.BATCH_OPTIONS:
        assert rows(name)[-1][1] == defaults.get(name, "`false`")
    for service in (openai_batches, voyage_batches):
        assert (service.MAX_TEXTS, service.MAX_BYTES) == (50_000, 200_000_000)
    assert (gemini_batches.MAX_TEXTS, gemini_batches.MAX_BYTES) == (5_000, 2_000_000_000)
    assert "50,000 texts and 200 MB (OpenAI, Voyage) or 5000 texts and 2 GB (Gemini)" in PAGE
