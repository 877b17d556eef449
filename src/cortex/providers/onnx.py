"""BERT-like models on onnxruntime: loaded on first use, one text per run, many texts side by side.

One text per run, because these models quantize activations over the whole input: in a batch of 32 a text's
vector had a cosine of only 0.997 (0.994 at worst) with its vector alone, so it depended on its neighbors. Alone it
is always the same, and with one thread per text it costs less CPU as well (60 texts a CPU second against 35-51).
"""

from __future__ import annotations

import importlib.util
import os
import stat
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from cortex.errors import (
    EngineError,
    InvalidRequest,
    ModelChanged,
    ModelUnavailable,
    ProviderError,
    ProviderMissing,
    install_command,
)
from cortex.providers.digests import Stamp, sha256_of
from cortex.providers.models import GRAPH, REPLACE_HINT, SOURCE, SUMS_NAME, WEIGHTS, ModelStore, PinnedModel
from cortex.providers.wordpiece import END, START, WordPiece
from cortex.runtime.pool import begin

MAX_TOKENS = 512
# Above this many tokens a run gives its working memory back; below, keeping it costs little and saves time.
_KEEP_MEMORY_TOKENS = 160
_MOST_WORKERS = 8
_SCRATCH = ".optimising-"
_MOST_LOADS = 3
"""How often a model is loaded anew within one run, where its files change under it."""

In = TypeVar("In")
Out = TypeVar("Out")


class OnnxModel:
    """A pinned model, its tokens and its session. Making one is instant; the first run loads it."""

    def __init__(
        self,
        model: PinnedModel,
        models: Path,
        output: str,
        workers: int | None = None,
        tokens: Callable[[Path], ModelTokenizer] | None = None,
    ) -> None:
        self._model = model
        self._models = models
        self._tokens = tokens or BertTokens
        self._output = output
        self._workers = workers or min(_cores(), _MOST_WORKERS)
        self._loaded: _Loaded | None = None

    def run(self, *texts: str) -> NDArray[np.float32]:
        """The model's output for one text, or for a pair; the last is cut where they do not fit."""
        for _ in range(_MOST_LOADS):
            loaded = self._loaded or self._load()
            if loaded.is_as_loaded():
                answer = self._answer(loaded, texts)
                if loaded.is_as_loaded():  # checked again, since a file may change while it is read
                    return answer
            self._unload(loaded)
        raise ModelChanged(f"model {self._model.name} changes while it is used", hint=REPLACE_HINT)

    def each(self, job: Callable[[In], Out], inputs: Sequence[In]) -> list[Out]:
        """`job` on every input, in order, on as many threads as there are cores."""
        workers = min(self._workers, len(inputs))
        if workers < 2:
            return [job(given) for given in inputs]
        from concurrent.futures import ThreadPoolExecutor

        self._load()  # once, before the threads would all wait for it
        with ThreadPoolExecutor(workers, thread_name_prefix="cortex-onnx") as pool:
            try:
                return list(pool.map(job, inputs))
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        """Why the first run would fail, by what is installed and by the files; `thorough` reads every byte."""
        models = self._store()
        try:
            if importlib.util.find_spec("onnxruntime") is None:
                _onnxruntime()
            (models.verify if thorough else models.checked)(self._model.name)
        except ProviderError as error:
            return error
        return None

    def begin_loading(self) -> None:
        """Load it beside whatever is done next, so that the first run finds it there."""
        # Importing holds Python up and making a session does not: only the latter is worth a thread.
        _onnxruntime()
        begin(self._load_if_possible, "cortex-loading", daemon=False)

    def _answer(self, loaded: _Loaded, texts: Sequence[str]) -> NDArray[np.float32]:
        ids, kinds = loaded.tokens.framed(texts)
        options = loaded.frugal if ids.size > _KEEP_MEMORY_TOKENS else None
        try:
            inputs = feed(loaded.session, ids, kinds)
            answer: NDArray[np.float32] = loaded.session.run([self._output], inputs, options)[0]
        except Exception as error:
            raise ProviderError(f"onnxruntime could not run {self._model.name}: {type(error).__name__}") from error
        return answer

    def _load_if_possible(self) -> None:
        with suppress(ProviderError):  # the first run will say it
            self._load()

    def _load(self) -> _Loaded:
        with _loading:
            if self._loaded is None:
                ort, models = _onnxruntime(), self._store()
                folder = models.path(self._model.name)
                self._loaded = _in_use.get(folder) or _Loaded(ort, self._model, models, self._tokens)
                _in_use[folder] = self._loaded
            return self._loaded

    def _store(self) -> ModelStore:
        return ModelStore(self._models, pinned={self._model.name: self._model})

    def _unload(self, loaded: _Loaded) -> None:
        """Use it no more, here and by engines to come."""
        with _loading:
            for folder in [folder for folder, each in _in_use.items() if each is loaded]:
                del _in_use[folder]
            if self._loaded is loaded:
                self._loaded = None


class _Loaded:
    def __init__(
        self, ort: Any, model: PinnedModel, models: ModelStore, tokens: Callable[[Path], ModelTokenizer]
    ) -> None:
        folder = models.checked(model.name)
        try:
            self.session, self._mapped = _open(ort, models, folder)
            self.tokens = tokens(folder)
        except ProviderMissing:
            raise
        except Exception as error:
            raise ModelUnavailable(
                f"model {model.name} cannot be loaded: {type(error).__name__}",
                hint="run `cortex models verify`, then `cortex models fetch`",
            ) from error
        models.checked(model.name)  # once more: what was read lies between two looks at the same files
        self.frugal = ort.RunOptions()
        self.frugal.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")

    def is_as_loaded(self) -> bool:
        """Whether the files that are read as they are needed, rather than held, are still those that were checked."""
        try:
            return all(Stamp.of(path) == stamp for path, stamp in self._mapped.items())
        except OSError:
            return False


class ModelTokenizer(Protocol):
    """Turns texts into what a model reads."""

    def framed(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Token ids, with the frame the model expects, and their kinds; one row of each."""


class BertTokens:
    """The tokens of the pinned models, by the `vocab.txt` in their folder."""

    def __init__(self, folder: Path) -> None:
        self._tokens = WordPiece(folder / "vocab.txt")

    def framed(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Token ids as the model reads them, `[CLS] text [SEP]` or `[CLS] text [SEP] text [SEP]`."""
        ids, kinds = [START], [0]
        for kind, text in enumerate(texts):
            # Of a pair, the first may take half at most, so that something of the second is always read.
            room = MAX_TOKENS // (len(texts) - kind) - len(ids) - 1
            part = self._tokens.ids(text, room)
            ids += [*part, END]
            kinds += [kind] * (len(part) + 1)
        return np.array([ids], np.int64), np.array([kinds], np.int64)


# A process needs a model once, however many engines it has.
_in_use: WeakValueDictionary[Path, _Loaded] = WeakValueDictionary()
_loading = threading.Lock()


def feed(session: Any, ids: NDArray[np.int64], kinds: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """The inputs of a run, of those that the model takes."""
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds}
    return {each.name: inputs[each.name] for each in session.get_inputs()}


def plain_session(path: Path) -> Any:
    """A session from a file that nobody knows yet."""
    ort = _onnxruntime()
    return _session(ort, path, ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED)


def optimize(models: ModelStore, folder: Path) -> None:
    """Make the optimized copy of the model in `folder`, if it is not there and can be made."""
    import shutil

    ort = _onnxruntime()
    copy = _optimized(ort, folder)
    if copy.exists() and not models.is_derived(copy):
        shutil.rmtree(copy, ignore_errors=True)
    for other in {*folder.glob("optimised-*"), *folder.glob(f"{_SCRATCH}*")} - {copy}:
        shutil.rmtree(other, ignore_errors=True)  # of another version, or of a process that died
    if not copy.exists():
        _open_and_save(ort, folder)


def worker_option(options: Mapping[str, Any], provider: str, also: Sequence[str] = ()) -> int | None:
    """The option `workers`, the only one local models have but for those in `also`."""
    if unknown := sorted(set(options) - {"workers", *also}):
        known = ", ".join((*also, "workers"))
        raise InvalidRequest(f"is not an option of {provider}", field=unknown[0], hint=f"known: {known}")
    workers = options.get("workers")
    if workers is not None and (not isinstance(workers, int) or isinstance(workers, bool) or workers < 1):
        raise InvalidRequest("is not a positive number", field="workers", hint="leave it out to use every core")
    return workers


def _open(ort: Any, models: ModelStore, folder: Path) -> tuple[Any, dict[Path, Stamp]]:
    """A session from the optimized copy: it loads in a third of the time and maps its weights instead of copying.

    With it come the files it has mapped, as they were when they were checked.
    """
    copy = _optimized(ort, folder)
    if copy.exists():
        import shutil

        try:
            return _derived_session(ort, models, copy)
        except Exception:
            # The copy is only a saving. Whatever is wrong with it, the pinned file decides.
            shutil.rmtree(copy, ignore_errors=True)
    plain = _open_and_save(ort, folder) or _session(
        ort, folder / "model.onnx", ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    )
    return plain, {}


def _derived_session(ort: Any, models: ModelStore, copy: Path) -> tuple[Any, dict[Path, Stamp]]:
    mapped = {copy / WEIGHTS: Stamp.of(copy / WEIGHTS)}
    if not models.is_derived(copy):
        raise ModelChanged(f"{copy.name} is not as it was made")
    session = _session(ort, copy / GRAPH, ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    if not models.is_derived(copy):
        raise ModelChanged(f"{copy.name} changed while it was loaded")
    return session, mapped


def _open_and_save(ort: Any, folder: Path) -> Any | None:
    """A session from the pinned file that leaves an optimized copy behind; None where none can be left."""
    import shutil
    import tempfile

    try:
        scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=folder))
    except OSError:  # a directory we may only read
        return None
    try:
        source = sha256_of(folder / "model.onnx")
        session = _session(
            ort,
            folder / "model.onnx",
            # One level below the highest, which would tie the copy to this very processor.
            ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
            save_to=scratch / GRAPH,
        )
        made = {file.name: sha256_of(file) for file in sorted(scratch.iterdir())}
        sums = [f"{digest}  {name}\n" for name, digest in {**made, SOURCE: source}.items()]
        (scratch / SUMS_NAME).write_text("".join(sums), encoding="utf-8")
        # For all who may read the model itself.
        for file in scratch.iterdir():
            file.chmod(stat.S_IMODE((folder / "model.onnx").stat().st_mode))
        scratch.chmod(stat.S_IMODE(folder.stat().st_mode))
        os.replace(scratch, _optimized(ort, folder))
    except Exception:
        # No room, or another process was first. If it is the model that is wrong, opening it plainly will show it.
        return None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return session


def _session(ort: Any, path: Path, level: Any, save_to: Path | None = None) -> Any:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1  # parallel over texts instead; on two busy cores a second one gained nothing
    options.inter_op_num_threads = 1
    if save_to is not None:
        options.optimized_model_filepath = str(save_to)
        entry = "session.optimized_model_external_initializers"
        options.add_session_config_entry(f"{entry}_file_name", WEIGHTS)
        options.add_session_config_entry(f"{entry}_min_size_in_bytes", "1024")
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _optimized(ort: Any, folder: Path) -> Path:
    return folder / f"optimised-{ort.__version__}-{os.uname().machine}"


def _onnxruntime() -> Any:
    # From 1.29 on it reports its use to its makers unless it is switched off. What runs here is nobody else's business.
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ImportError as error:
        raise ProviderMissing(
            "onnxruntime, which runs the local models, is not installed", hint=install_command("local")
        ) from error
    return onnxruntime


def _cores() -> int:
    """The cores this process may use, which in a container are fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
