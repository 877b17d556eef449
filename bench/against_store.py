"""The store that two trees are compared over, made by whichever sources are on PYTHONPATH.

python -m bench.against_store FOLDER DATA SIZE
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.corpus import SyntheticEmbedder, load
from bench.recall_speed import GrowingStore
from cortex import Cortex


def main() -> None:
    folder, data, size = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    store = GrowingStore(folder, load(data))
    store.grow(size, lambda *_: None)
    store.close()
    with Cortex(store.home, embedder=SyntheticEmbedder()) as engine:
        run_due = getattr(engine, "run_due", None) or engine.attend  # type: ignore[attr-defined]  # in older revisions
        run_due()  # the lifecycle of the day has run: it is not what is measured


if __name__ == "__main__":
    main()
