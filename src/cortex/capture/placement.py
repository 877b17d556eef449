"""Where a statement of a project's session is remembered: for the project, or for the person in every project.

A fact of one project that shows in another does more harm than a fact about the person that stays in one: what is
doubtful stays with the project.
"""

from __future__ import annotations

from cortex.capture.candidate import Candidate
from cortex.domain import limits
from cortex.domain.instructions import split
from cortex.domain.memory import Kind, Retention
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.languages.lists import finder
from cortex.languages.pack import USER

_OF_PERSON = ("health", "person.", "rule.call_me", "fact.name", "fact.live", "fact.from", "fact.job", "fact.role",
              "fact.language")  # fmt: skip
"""The rules that find who the person is, and who is theirs."""
_PROJECT = finder("this project")


def scope_of(candidate: Candidate, scope: str) -> str:
    """The scope to remember a statement in that was made in `scope`."""
    return DEFAULT_SCOPE if is_personal(candidate) else scope


def is_personal(candidate: Candidate) -> bool:
    """Whether a statement is about the person, and not about what they work on."""
    if candidate.retention is Retention.PROJECT or _PROJECT.search(candidate.text):
        return False
    if (opening := limits.front(candidate.text)) and opening.of_project:
        return False
    if candidate.kind is Kind.RULE:
        return candidate.found_by.endswith("rule.call_me") or split(candidate.text).of_manner
    if candidate.kind is Kind.PREFERENCE:
        return True
    if candidate.found_by.partition("/")[2].startswith(_OF_PERSON):
        return True
    subject = candidate.subject.casefold()
    return subject == USER and bool(candidate.attribute) and candidate.kind in {Kind.FACT, Kind.ENTITY}
