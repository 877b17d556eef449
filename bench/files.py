"""Following files beside the bare model, and beside a bare walk over the same folders."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.corpus import Corpus
from bench.plain import BareModel
from bench.results import NotMeasured, Result, Row
from bench.timing import side_by_side
from cortex.domain.passages import passages_of
from cortex.domain.text import PASSAGE_TOKENS
from cortex.errors import ModelUnavailable, ProviderMissing
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.providers.embedders.local import PASSAGE_PREFIX, create
from cortex.providers.models import EMBEDDER, ModelStore

_OFF = {"embedding": {"provider": "none"}}
_NO_CACHE = {"embedding": {"cache_entries": 0}}
_SECTIONS, _LINES = 4, 6
_SEEN_WITHIN = 30.0


def following(folder: Path, models: Path, corpus: Corpus, *, quick: bool) -> Iterator[Row]:
    """A first index, a look that finds nothing new, and how long an edit takes to be found."""
    yield from _first(folder / "first", models, corpus, 3 if quick else 7, 24)
    yield _again(folder / "again", corpus, 2_000 if quick else 10_000, 5 if quick else 15)
    yield _edited(folder / "edited", corpus, 3 if quick else 5)


def _first(folder: Path, models: Path, corpus: Corpus, rounds: int, files: int) -> Iterator[Row]:
    """Each round indexes a folder of its own; the bare model embeds the very texts of its chunks."""
    name = "first index of files"
    try:
        bare = BareModel(ModelStore(models).path(EMBEDDER.name), len(os.sched_getaffinity(0)))
    except (ModelUnavailable, ProviderMissing, ImportError) as error:
        yield NotMeasured(name, str(error))
        return
    folders = [folder / f"notes-{number}" for number in range(rounds + 1)]
    for number, each in enumerate(folders):
        _write(each, corpus, files, first=number * files)
    texts = [_embedded(folder / f"cut-{number}", each) for number, each in enumerate(folders)]
    with Cortex(folder / "home", settings=_NO_CACHE, embedder=create({}, models)) as engine:
        engine.index(folders[0])

        def ours(number: int) -> object:
            return engine.index(folders[number + 1])

        def plain(number: int) -> object:
            return bare.embed_all([PASSAGE_PREFIX + text for text in texts[number + 1]])

        timings = side_by_side(ours, plain, rounds, warm_up=0, after=lambda _: engine.flush())
    mine, theirs = timings
    yield Result(
        name, theirs.median / mine.median, limit=0.8, at_least=True,
        detail={
            "files /s": round(files / mine.median, 1),
            "texts a round": len(texts[1]),
            "ours /s": round(len(texts[1]) / mine.median),
            "plain /s": round(len(texts[1]) / theirs.median),
            "cpu": round(theirs.cpu_median / mine.cpu_median, 3),
        },
    )  # fmt: skip


def _embedded(home: Path, notes: Path) -> list[str]:
    """The texts that are embedded of a folder."""
    with Cortex(home, settings=_OFF) as engine:
        engine.index(notes)
        chunks = engine.list(Filter(), limit=100_000)
        return [text for chunk in chunks for text in passages_of(chunk, PASSAGE_TOKENS)]


def _again(folder: Path, corpus: Corpus, files: int, rounds: int) -> Row:
    notes = folder / "notes"
    _write(notes, corpus, files, sections=1, lines=1)
    with Cortex(folder / "home", settings=_OFF) as engine:
        engine.index(notes)
        time.sleep(2.1)  # a file written a moment ago is read again
        engine.index()
        ours, plain = side_by_side(
            lambda _: engine.index(), lambda _: _walk(str(notes)), rounds, after=lambda _: engine.flush()
        )
    return Result(
        f"a look at {files:,} files, none changed", ours.median / plain.median, limit=5.0,
        detail={"ours ms": round(ours.median * 1e3, 1), "plain ms": round(plain.median * 1e3, 1)},
    )  # fmt: skip


def _walk(folder: str) -> int:
    """A bare `os.scandir` walk with a stat of each file."""
    seen = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                seen += _walk(entry.path)
            else:
                entry.stat(follow_symlinks=False)
                seen += 1
    return seen


def _edited(folder: Path, corpus: Corpus, rounds: int) -> Row:
    """From the end of a write until a search finds it, with the default quiet of 1.5 s."""
    notes = folder / "notes"
    _write(notes, corpus, 100)
    taken: list[float] = []
    with Cortex(folder / "home", settings=_OFF) as engine:
        engine.index(notes)
        with engine.files.watching():
            for number in range(rounds):
                word = f"quokka{number:04}"
                (notes / "0" / f"{number}.md").write_text(
                    f"# Edited\n\nThe password of the day is {word}.\n", encoding="utf-8"
                )
                started = time.perf_counter()
                while not engine.search(word, lanes=["notes"], min_score=0.0).hits:
                    if time.perf_counter() - started > _SEEN_WITHIN:
                        return NotMeasured("an edit is found", f"not within {_SEEN_WITHIN:g} s")
                    time.sleep(0.02)
                taken.append(time.perf_counter() - started)
    return Result(
        "an edit is found, at the latest", max(taken), unit="s", limit=2.5,
        detail={"median s": round(sorted(taken)[len(taken) // 2], 2), "rounds": rounds, "quiet waited for s": 1.5},
    )  # fmt: skip


def _write(
    folder: Path, corpus: Corpus, files: int, *, sections: int = _SECTIONS, lines: int = _LINES, first: int = 0
) -> None:
    """Markdown files of real texts, a hundred to a folder."""
    each = sections * lines
    texts = [text.text for text in corpus.texts((first + files) * each)][first * each :]
    for number in range(files):
        place = folder / str(number // 100)
        place.mkdir(parents=True, exist_ok=True)
        mine = texts[number * each : (number + 1) * each]
        (place / f"{number}.md").write_text(_note(first + number, mine, lines), encoding="utf-8")


def _note(number: int, texts: Sequence[str], lines: int) -> str:
    parts = [f"# Note {number}"]
    for at in range(0, len(texts), lines):
        parts += [f"## Part {at // lines + 1}", *(f"- {' '.join(text.split())}" for text in texts[at : at + lines])]
    return "\n\n".join(parts) + "\n"
