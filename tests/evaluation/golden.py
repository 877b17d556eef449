"""A small golden set of our own: two households of facts, questions in other words, and sets on disk for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

# The same subjects live in both scopes, so that an answer from the wrong one is easy to give.
FACTS = {
    "studio": {
        "deploy": "Deployments of the booking service happen on Tuesdays after the stand-up.",
        "key": "The signing key of the booking service is rotated every ninety days by Ines.",
        "incident": "Incident INC-4471: the payment queue stalled because the broker disk was full.",
        "fix": "Commit 9f3ac27e1b moved the payment queue to its own volume, see src/queue/volume.py.",
        "office": "The studio moved from Lisbon to Porto in March.",
        "intern": "Tomas is the intern; he writes the release notes.",
        "invoice": "Invoices are sent by the accountant on the last working day of the month.",
        "colour": "The brand colour is #1f6f78, a dark teal.",
        "backup": "Nightly backups go to the bucket vault-eu and are kept for thirty days.",
        "cat": "Somebody feeds the office cat Biscuit at noon.",
        "vpn": "To reach the staging database one needs the VPN profile named heron.",
        "tests": "The test suite takes eleven minutes; the slow part is test_calendar_sync.",
        "review": "Every change needs one review, and two if it touches billing.",
        "printer": "The printer on the second floor jams with recycled paper.",
        "lunch": "On Thursdays the studio orders from the Goan restaurant.",
        "budget": "The travel budget for the year is eight thousand euros.",
    },
    "home": {
        "deploy": "Recycling is collected on Tuesdays, paper on Fridays.",
        "key": "The spare key of the house is with Mrs. Albers next door.",
        "doctor": "The dentist is Dr. Okafor; the next visit is on the 4th of June.",
        "allergy": "Mara is allergic to walnuts and to penicillin.",
        "car": "The car needs winter tyres of size 205/55 R16.",
        "wifi": "The guest network is called Marmalade and its password is on the fridge.",
        "cat": "The cat Biscuit gets half a tin in the morning and half in the evening.",
        "school": "School starts at a quarter to eight, and swimming is on Wednesdays.",
        "recipe": "Grandmother's plum cake needs a kilo of plums and no cinnamon.",
        "boiler": "The boiler shows error E119 when the pressure is below one bar.",
        "garden": "The apple tree was planted in 2019 and pruned every February.",
        "budget": "The holiday budget was spent on the new roof.",
        "music": "Jonas practises the cello; his teacher is Frau Lindqvist.",
        "insurance": "The house insurance is policy HX-20881 with Nordstern.",
        "phone": "The landline was cancelled in autumn.",
        "bike": "The blue bicycle has a flat rear tyre.",
    },
}

QUESTIONS = (
    ("studio", "when do we deploy the booking service?", ["deploy"]),
    ("studio", "who rotates the keys that sign bookings", ["key"]),
    ("studio", "INC-4471", ["incident"]),
    ("studio", "what did commit 9f3ac27e change?", ["fix"]),
    ("studio", "which file is volume.py in the queue", ["fix"]),
    ("studio", "where did the studio move to", ["office"]),
    ("studio", "who is the one that writes the notes of a release", ["intern"]),
    ("studio", "when is it that the invoices are sent", ["invoice"]),
    ("studio", "what is #1f6f78", ["colour"]),
    ("studio", "how long are the backups kept", ["backup"]),
    ("studio", "who feeds Biscuit", ["cat"]),
    ("studio", "what is the name of the VPN for the staging database", ["vpn"]),
    ("studio", "why is test_calendar_sync slow", ["tests"]),
    ("studio", "how many reviews does a billing change need", ["review"]),
    ("studio", "what do I do when the printer on the floor jams", ["printer"]),
    ("studio", "payment queue", ["incident", "fix"]),
    ("home", "on which day is the paper collected", ["deploy"]),
    ("home", "who has the spare key", ["key"]),
    ("home", "when is the next visit to the dentist", ["doctor"]),
    ("home", "what is Mara allergic to", ["allergy"]),
    ("home", "205/55 R16", ["car"]),
    ("home", "what is the network for the guests called", ["wifi"]),
    ("home", "how is the cat fed in the evening", ["cat"]),
    ("home", "at what time does the school start in the morning", ["school"]),
    ("home", "is there cinnamon in the cake of plums", ["recipe"]),
    ("home", "what does E119 mean", ["boiler"]),
    ("home", "when are the apple trees pruned", ["garden"]),
    ("home", "who is the teacher of the cello", ["music"]),
    ("home", "HX-20881", ["insurance"]),
    ("home", "which tyres are needed, and which tyre is flat", ["car", "bike"]),
)


def write_golden(directory: Path) -> Path:
    """The golden set, as documents."""
    records = [
        {"id": f"{scope}:{name}", "scope": scope, "text": text}
        for scope, facts in FACTS.items()
        for name, text in facts.items()
    ]
    queries = [
        {"qid": f"q{number}", "scope": scope, "query": query, "relevant": [f"{scope}:{name}" for name in names]}
        for number, (scope, query, names) in enumerate(QUESTIONS)
    ]
    return write_set(directory, records, queries)


def write_set(
    directory: Path, records: Iterable[Row], queries: Iterable[Row], settings: Mapping[str, Any] | None = None
) -> Path:
    """A set on disk."""
    directory.mkdir(parents=True, exist_ok=True)
    _write_lines(directory / "records.jsonl", records)
    _write_lines(directory / "queries.jsonl", queries)
    if settings is not None:
        (directory / "set.json").write_text(json.dumps(settings))
    return directory


def _write_lines(path: Path, rows: Iterable[Row]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
