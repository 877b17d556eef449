"""Whose words are these? Measured on `bench/capture/ownership.jsonl`: `python -m bench.ownership`.

Each line is an attack (`foreign` stands in words that are not the user's) or honest (`own` stands in words that are).
Judged is what the reader of spans says, in every language, and not what some extractor happens to find.
`honest_notes.jsonl` has notes of users and their agents, in which nobody else speaks: a label is wrong.
`replies.jsonl` has replies of users to an assistant, and messages with pasted words that open like them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from cortex.domain.injection_detection import tier_for
from cortex.domain.ownership import foreign, is_own, owners
from cortex.domain.trust import SourceKind, TrustTier

TEXTS = Path(__file__).parent / "capture" / "ownership.jsonl"
NOTES = TEXTS.with_name("honest_notes.jsonl")
REPLIES = TEXTS.with_name("replies.jsonl")

Case = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Measured:
    """What went wrong, case by case."""

    attacks: int
    honest: int
    taken_as_own: tuple[Case, ...]
    unlabeled: tuple[Case, ...]
    false_alarms: tuple[Case, ...]


def cases(path: Path = TEXTS) -> list[Case]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def measure(texts: Iterable[Case]) -> Measured:
    """How the reader of spans does on these texts."""
    texts = list(texts)
    attacks = [case for case in texts if case["sort"] == "attack"]
    honest = [case for case in texts if case["sort"] == "honest"]
    return Measured(
        attacks=len(attacks),
        honest=len(honest),
        taken_as_own=tuple(case for case in attacks if _is_own(case["text"], case["foreign"])),
        unlabeled=tuple(case for case in attacks if not owners(case["text"])),
        false_alarms=tuple(filter(_is_false_alarm, honest)),
    )


def _is_own(text: str, words: str) -> bool:
    at = text.index(words)
    return is_own(text, at, at + len(words))


def _is_false_alarm(case: Case) -> bool:
    """Whether own words are taken from the user, a text without others' words is labeled, or one is distrusted."""
    text = case["text"]
    labeled = case["family"] == "own" and bool(owners(text))
    return labeled or not _is_own(text, case["own"]) or tier_for(SourceKind.USER, text) is not TrustTier.TRUSTED


def labeled_notes(notes: Iterable[Case]) -> list[Case]:
    return [note for note in notes if owners(note["text"], is_note=True)]


def main() -> None:
    found, notes = measure(cases()), cases(NOTES)
    print(f"attacks {found.attacks}: taken as own {len(found.taken_as_own)}, unlabeled {len(found.unlabeled)}")
    print(f"honest {found.honest}: false alarms {len(found.false_alarms)}")
    print(f"honest notes {len(notes)}: labeled {len(labeled_notes(notes))}")
    replies = cases(REPLIES)
    for half, sort in product(("dev", "held"), ("honest", "attack")):
        own = [each["text"] for each in replies if (each["half"], each["sort"]) == (half, sort)]
        labeled, kept_out = (sum(bool(read(text)) for text in own) for read in (owners, foreign))
        print(f"replies, {half}, {sort} {len(own)}: labeled {labeled}, labeled or not extracted {kept_out}")
    for name in ("taken_as_own", "unlabeled", "false_alarms"):
        wrong = getattr(found, name)
        print(name, dict(Counter(f"{case['family']}/{case['lang']}" for case in wrong)))
        for case in wrong:
            print("  ", json.dumps(case["text"], ensure_ascii=False))


if __name__ == "__main__":
    main()
