"""Whole processes: starting, opening a large store, memory and disk."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bench.results import NotMeasured, Result, Row
from cortex.providers.models import EMBEDDER

_CLI = "import sys; from cortex.__main__ import main; sys.exit(main())"
_PASS = ("-c", "pass")

_BARE_MODEL = """
import sys, numpy as np, onnxruntime
from tokenizers.implementations import BertWordPieceTokenizer
folder = sys.argv[1]
options = onnxruntime.SessionOptions(); options.log_severity_level = 4; options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(folder + "/model.onnx", options, providers=["CPUExecutionProvider"])
ids = np.array([BertWordPieceTokenizer(folder + "/vocab.txt", lowercase=True).encode("query: " + sys.argv[2]).ids])
session.run(["last_hidden_state"], {"input_ids": ids, "attention_mask": np.ones_like(ids),
                                    "token_type_ids": np.zeros_like(ids)})[0][0].mean(axis=0)
"""

_RSS = """
def rss():
    with open("/proc/self/status") as status:
        return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in status if line[:5] in ("VmRSS", "VmHWM")}
"""

# Opens a large store as a fresh process would, asks it, loads the real model, and says what that took.
_COLD = (
    _RSS
    + """
import json, sys, time
started = time.perf_counter()
from bench.corpus import SyntheticEmbedder
from bench.recall_speed import SETTINGS
from cortex.memory import Cortex
home, models, questions = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
embedder = SyntheticEmbedder()
for text, _ in questions:
    embedder.embed_query(text)
imported = time.perf_counter()
engine = Cortex(home, settings=SETTINGS, embedder=embedder)
engine.recall(questions[0][0])
answered = time.perf_counter()
for text, scope in questions:
    engine.recall(text)
    engine.recall(text, scope=scope)
engine.flush()
without = rss()
try:
    from pathlib import Path
    from cortex.providers.embedders.local import create
    create({}, Path(models)).embed_query("which model is this")
    model = True
except Exception:
    model = False
print(json.dumps({"import_ms": (imported - started) * 1e3, "first_answer_ms": (answered - imported) * 1e3,
                  "rss_mb": without["VmRSS"], "rss_with_model_mb": rss()["VmRSS"], "peak_mb": rss()["VmHWM"],
                  "model": model}))
engine.close()
"""
)


def starting(folder: Path, models: Path, rounds: int) -> Iterator[Row]:
    """`cortex --version`, hooks and `cortex recall` beside the least a process can do."""
    names = ("cortex --version", "cortex recall, small store")
    if find_spec("cortex.__main__") is None:
        yield from (NotMeasured(name, "there is no command line yet") for name in names)
        return
    home = folder / "small"
    yield _against(names[0], ("-c", _CLI, "--version"), _PASS, rounds, {}, limit=3.0)
    model = models / EMBEDDER.name
    has_model = (model / "model.onnx").exists()
    provider = "local" if has_model else "none"
    environment = {"CORTEX_MODELS": str(models), "CORTEX_HOME": str(home), "CORTEX_EMBEDDING__PROVIDER": provider}
    for text in ("The deploy key rotates on Mondays", "Mara is allergic to walnuts", "The studio is in Porto"):
        subprocess.run([sys.executable, "-c", _CLI, "remember", text], check=True, capture_output=True,
                       env=_environment(environment))  # fmt: skip
    yield from beside_server(environment, rounds)
    if not has_model:
        yield NotMeasured(names[1], "the model is not here: cortex models fetch")
        return
    # A new question each time: the cache would otherwise answer for the model.
    yield _against(
        names[1],
        ("-c", _CLI, "recall", "when does the deploy key rotate {round}"),
        ("-c", _BARE_MODEL, str(model), "when does the deploy key rotate {round}"),
        max(3, rounds // 2),
        environment,
        limit=1.3,
    )


def beside_server(environment: Mapping[str, str], rounds: int) -> Iterator[Row]:
    """The hooks of a turn beside a running server, as a coding agent calls them."""
    asked = {"session_id": "bench", "prompt": "when does the deploy key rotate {round}"}
    said = [{"role": "user", "content": "I moved to Lisbon {round}"}, {"role": "assistant", "content": "Noted."}]
    with _server(environment):
        for name, given in (("before", json.dumps(asked)), ("after", json.dumps(said))):
            ours = ("-c", _CLI, "hook", name, "--session", "bench")
            beside = f"cortex hook {name}, beside a server"
            yield _against(beside, ours, ("-c", _CLI, "--version"), rounds, environment, limit=3.0, given=given)


@contextmanager
def _server(environment: Mapping[str, str]) -> Iterator[None]:
    """`cortex serve` as it is unless configured otherwise."""
    process = subprocess.Popen([sys.executable, "-c", _CLI, "serve", "--port", "0"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, env=_environment(environment))  # fmt: skip
    try:
        assert process.stdout is not None
        process.stdout.readline()  # it listens
        yield
    finally:
        process.terminate()
        process.communicate(timeout=60)


def at_scale(home: Path, models: Path, questions: Sequence[tuple[str, str]], size: int, plain: Path) -> Iterator[Row]:
    """Opening the large store, its memory, and its disk."""
    texts = json.dumps(list(questions[:20]))
    payload = json.loads(_run(("-c", _COLD, str(home), str(models), texts), {}))
    interpreter = float(_run(("-c", _RSS + "print(rss()['VmRSS'])"), {}))
    yield Result(f"cold open and first answer, {size:,}", payload["first_answer_ms"], "ms", detail={
        "import ms": round(payload["import_ms"], 1)})  # fmt: skip
    beyond = payload["rss_with_model_mb"] - interpreter
    yield Result(
        f"memory beyond the interpreter, {size:,}", beyond, "MB", limit=150.0 if size >= 100_000 else None,
        detail={
            "with model": payload["model"], "without model MB": round(payload["rss_mb"] - interpreter, 1),
            "peak MB": round(payload["peak_mb"], 1),
        },
    )  # fmt: skip
    ours, theirs = _bytes(home / "agents"), _bytes(plain.parent, plain.name)
    raw = theirs + size * 4 * 384
    yield Result(f"disk, {size:,}", ours / raw, detail={
        "ours bytes each": round(ours / size), "plain with vectors bytes each": round(raw / size)})  # fmt: skip


def answering(home: Path, question: str, size: int, rounds: int) -> Iterator[Row]:
    """`cortex recall` on a large store by keywords alone: the process, the opening and the search."""
    name = f"cortex recall by keywords, {size:,}"
    if find_spec("cortex.__main__") is None:
        yield NotMeasured(name, "there is no command line yet")
        return
    environment = {"CORTEX_HOME": str(home), "CORTEX_EMBEDDING__PROVIDER": "none"}
    yield _against(name, ("-c", _CLI, "recall", question), _PASS, rounds, environment)


def _against(
    name: str, ours: Sequence[str], plain: Sequence[str], rounds: int, environment: Mapping[str, str],
    limit: float | None = None, given: str = "",
) -> Row:  # fmt: skip
    taken: dict[str, list[float]] = {"ours": [], "plain": [], "ours cpu": [], "plain cpu": []}
    for number in range(rounds + 1):
        for which, arguments in (("ours", ours), ("plain", plain)):
            items = [argument.replace("{round}", str(number)) for argument in arguments]
            started, cpu = time.perf_counter(), _children_cpu()
            _run(items, environment, given.replace("{round}", str(number)))
            if number:  # the first of each only warms the disk
                taken[which].append(time.perf_counter() - started)
                taken[f"{which} cpu"].append(_children_cpu() - cpu)
    medians = {which: float(np.median(times)) for which, times in taken.items()}
    detail: dict[str, Any] = {f"{which} ms": round(median * 1e3, 1) for which, median in medians.items()}
    return Result(name, medians["ours"] / medians["plain"], limit=limit, detail=detail)


def _children_cpu() -> float:
    """Processor seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(arguments: Sequence[str], environment: Mapping[str, str], given: str = "") -> str:
    done = subprocess.run([sys.executable, *arguments], input=given, capture_output=True, text=True,
                          env=_environment(environment))  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{arguments[-1]}: {done.stderr[-800:]}")
    return done.stdout


def _environment(more: Mapping[str, str]) -> dict[str, Any]:
    root = Path(__file__).parents[1]
    paths = [str(root / "src"), str(root), os.environ.get("PYTHONPATH", "")]
    # Bytecode is kept, as pip keeps that of everything installed; else each start would compile our source anew.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, paths))} | dict(more)


def _bytes(folder: Path, prefix: str = "") -> int:
    return sum(file.stat().st_size for file in folder.rglob(f"{prefix}*") if file.is_file())
