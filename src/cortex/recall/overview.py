"""Questions about many turns at once: in which order something came up, and summaries.

The best few turns of one session are not what they ask for. An order goes over all sessions, so each session has its
turn; a summary needs what was asked together with what was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from cortex.domain.identity import TraceId
from cortex.domain.turn import Role, Turn
from cortex.recall.plan import Overview
from cortex.recall.ranking import Scored

Reply = Callable[[Turn], Turn | None]
"""What was said in reply to a turn, where it may be shown."""


def arranged(ranked: Sequence[Scored], asked: Overview, reply: Reply) -> list[Scored]:
    """All of `ranked`, in the order in which they serve such a question best."""
    return _by_session(ranked) if asked is Overview.ORDER else list(_with_replies(ranked, reply))


def _by_session(ranked: Sequence[Scored]) -> list[Scored]:
    """What the user said, the best of each session before the second best of any; then the rest."""
    sessions: dict[str, list[Scored]] = {}
    rest: list[Scored] = []
    for each in ranked:
        if isinstance(each.trace, Turn) and each.trace.role is Role.USER:
            sessions.setdefault(each.trace.session, []).append(each)
        else:
            rest.append(each)
    rounds = chain.from_iterable(zip_longest(*sessions.values()))
    return [each for each in rounds if each is not None] + rest


def _with_replies(ranked: Sequence[Scored], reply: Reply) -> Iterator[Scored]:
    """Each question with its reply right after it, at the place of the better of the two."""
    places = {(each.trace.session, each.trace.seq): each for each in ranked if isinstance(each.trace, Turn)}
    shown: set[TraceId] = set()
    for each in ranked:
        turn = each.trace
        exchange = [each]
        if isinstance(turn, Turn) and turn.role is Role.USER:
            exchange += _reply(each, turn, places.get((turn.session, turn.seq + 1)), reply)
        elif isinstance(turn, Turn) and (question := places.get((turn.session, turn.seq - 1))) is not None:
            exchange = [question, each]
        for one in exchange:
            if one.trace.id not in shown:
                shown.add(one.trace.id)
                yield one


def _reply(question: Scored, turn: Turn, known: Scored | None, reply: Reply) -> list[Scored]:
    if known is not None:
        return [known]
    found = reply(turn)
    reasons = [*question.reasons, f"answers {turn.id}"]
    return [] if found is None else [replace(question, trace=found, parts=dict(question.parts), reasons=reasons)]
