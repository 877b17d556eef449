"""How capture does on the sets that judge it. Prints figures, never texts, so that authors of rules may run it.

python -m bench.capture.judged                      attacks, honest texts, imperatives and languages
python -m bench.capture.judged attacks              one of the sets
python -m bench.capture.judged --development 2      sets that authors of rules may read, the first, second or third
python -m bench.capture.judged --json               the figures as one JSON object, by language and family too
python -m bench.capture.judged --errors             the ids of the cases that went wrong as well
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from cortex.evaluation import figures, judge_sets, judged

JUDGE = Path(__file__).with_name("judge")
"""Authors of rules do not read these."""
DEVELOPMENT = {number: Path(__file__).with_name(f"development-{number}") for number in (1, 2, 3)}
"""Authors of rules may read these."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.capture.judged", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("set", nargs="?", choices=(*judge_sets.SETS, "all"), default="all")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--errors", action="store_true", help="also print the ids of the cases that went wrong")
    parser.add_argument("--development", type=int, choices=DEVELOPMENT, help="measure on sets that may be read")
    given = parser.parse_args(arguments)
    folder = DEVELOPMENT.get(given.development, JUDGE)
    report = judged.run(folder, only=judge_sets.SETS if given.set == "all" else [given.set])
    if given.json:
        print(json.dumps(report.to_json(errors=given.errors), indent=2, ensure_ascii=False))
        return 0
    print(figures.lines(report.figures()))
    for name, errors in report.errors().items() if given.errors else ():
        print("\n".join(f"{name}, {fault}: {' '.join(ids)}" for fault, ids in errors.items() if ids))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
