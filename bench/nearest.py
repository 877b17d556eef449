"""How many of the ten nearest an engine for the vectors of large tenants finds, and what a search costs in CPU time.

`python -m bench.nearest --vectors 100000 codes lancedb`. Candidates are compared exactly, as a store does it. Cost is
the CPU time of all threads of this process. Qdrant's local mode compares every vector in Python, so its cost says
nothing about a server, and it is measured on few vectors.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cortex import registry
from cortex.ports.nearest import Nearest, Points, Watermark
from cortex.stores.relational.accelerator import BATCH
from cortex.stores.relational.code_index import enough

DIMENSION = 384
CLUSTERS = 2_000
SPREAD = 48
"""In so many directions the vectors of a cluster differ."""
FACETS = 100
QUERIES = 50
MOST_IN_QDRANT = 2_000


def vectors(number: int, seed: int = 1) -> NDArray[np.float32]:
    """Unit vectors in clusters of very different sizes, as those of texts are."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(CLUSTERS, DIMENSION)).astype(np.float32)
    directions = random.normal(size=(SPREAD, DIMENSION)).astype(np.float32) / np.sqrt(SPREAD)
    shares = 1 / np.arange(1, CLUSTERS + 1)
    of = random.choice(CLUSTERS, size=number, p=shares / shares.sum())
    found = centres[of] + random.normal(size=(number, SPREAD)).astype(np.float32) @ directions
    unit: NDArray[np.float32] = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return unit


def measure(name: str, number: int, folder: Path) -> str:
    """One line of the table."""
    number = min(number, MOST_IN_QDRANT) if name == "qdrant" else number
    queries, matrix = np.split(vectors(number + QUERIES), [QUERIES])
    facets = np.random.default_rng(2).integers(0, FACETS, number)
    engine: Nearest = registry.find("cortex.nearest", name)(f"{name}://{folder / name}", {})("bench", DIMENSION)
    started = time.process_time()
    for first in range(0, number, BATCH):
        some = slice(first, first + BATCH)
        ids = np.arange(first + 1, first + 1 + len(matrix[some]))
        engine.put(Points(ids, facets[some], matrix[some]), Watermark("bench", int(ids[-1])))
    fed = time.process_time() - started
    engine.optimize()
    built = time.process_time() - started - fed
    columns = [f"{name:8} {number:>9,} {fed:7.1f} {built:7.1f}"]
    for wanted in (list(range(FACETS)), [7]):
        recall, milliseconds = searched(engine, matrix, facets, queries, wanted)
        columns.append(f"{recall:7.3f} {milliseconds:8.2f}")
    engine.close()
    return " ".join(columns)


def searched(
    engine: Nearest,
    matrix: NDArray[np.float32],
    facets: NDArray[np.int64],
    queries: NDArray[np.float32],
    wanted: list[int],
) -> tuple[float, float]:
    """Recall@10 after the exact comparison, and the CPU milliseconds of a search without it."""
    own = np.flatnonzero(np.isin(facets, wanted))
    hits, cost = 0, 0.0
    engine.search(queries[0], wanted, 10)  # what is loaded once is not the cost of a search
    for query in queries:
        exact = own[np.argsort(-(matrix[own] @ query), kind="stable")[:10]]
        started = time.process_time()
        found = engine.search(query, wanted, enough(10))
        cost += time.process_time() - started
        assert found is not None
        places = found.ids - 1
        best = places[np.argsort(-(matrix[places] @ query), kind="stable")[:10]]
        hits += len({*exact.tolist()} & {*best.tolist()})
    return hits / sum(min(10, len(own)) for _ in queries), cost / len(queries) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", default=["codes", "qdrant", "lancedb"])
    parser.add_argument("--vectors", type=int, default=100_000)
    given = parser.parse_args()
    print("                     CPU seconds       everything         in 1 facet of 100")
    print("engine    vectors    put     index   recall@10  CPU ms   recall@10  CPU ms")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.engines:
            print(measure(name, given.vectors, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
