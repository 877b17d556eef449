"""Questions about many turns at once: in which order something came up, and summaries.

The best few turns of one session are not what they ask for. Talk comes in runs: an exchange counts for more where the
one before or after it is about the question too, and for less the more of its session stands above it. A summary needs
what was asked together with what was answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from cortex.domain.identity import TraceId
from cortex.domain.turn import Role, Turn
from cortex.recall.plan import Overview
from cortex.recall.ranking import Scored
from cortex.recall.recipes import ConversationWeights

Reply = Callable[[Turn], Turn | None]
"""What was said in reply to a turn, where it may be shown."""

_Place = tuple[str, int]
"""A session, and where in it an exchange begins."""

_EXCHANGE = 2
"""How many turns an exchange has."""
_COMPLETED = 20
"""For how many of the first exchanges an answer is looked for that was not found by itself."""


def arranged(ranked: Sequence[Scored], wanted: Overview, reply: Reply, weights: ConversationWeights) -> list[Scored]:
    """All of `ranked`, in the order in which they serve such a question best."""
    if wanted is Overview.ORDER:
        return _by_session(ranked, weights)
    return list(_with_replies(ranked, reply, weights))


def _by_session(ranked: Sequence[Scored], weights: ConversationWeights) -> list[Scored]:
    """What the user said, spread over the sessions; then the rest."""
    own = {
        (each.trace.session, each.trace.seq): each
        for each in ranked
        if isinstance(each.trace, Turn) and each.trace.role is Role.USER
    }
    spread = _spread({place: each.score for place, each in own.items()}, weights)
    shown = {each.trace.id for each in own.values()}
    return [own[place] for place in spread] + [each for each in ranked if each.trace.id not in shown]


def _with_replies(ranked: Sequence[Scored], reply: Reply, weights: ConversationWeights) -> Iterator[Scored]:
    """Each question with its reply right after it, spread over the sessions."""
    exchanges: dict[_Place, list[Scored]] = {}
    for each in ranked:
        exchanges.setdefault(_place(each), []).append(each)
    worth = {place: sum(max(0.0, each.score) for each in exchange) for place, exchange in exchanges.items()}
    places = {(each.trace.session, each.trace.seq): each for each in ranked if isinstance(each.trace, Turn)}
    shown: set[TraceId] = set()
    for at, place in enumerate(_spread(worth, weights)):
        exchange = sorted(exchanges[place], key=_is_answer)
        turn = exchange[0].trace
        if len(exchange) == 1 and isinstance(turn, Turn) and turn.role is Role.USER:
            known = places.get((turn.session, turn.seq + 1))
            exchange += _reply(exchange[0], turn, known, reply) if known or at < _COMPLETED else []
        for one in exchange:
            if one.trace.id not in shown:
                shown.add(one.trace.id)
                yield one


def _place(each: Scored) -> _Place:
    """Where the exchange of a candidate begins; what is no turn stands alone."""
    turn = each.trace
    if not isinstance(turn, Turn):
        return turn.id, 0
    return turn.session, turn.seq - _is_answer(each)


def _is_answer(each: Scored) -> bool:
    return isinstance(each.trace, Turn) and each.trace.role is not Role.USER


def _spread(worth: Mapping[_Place, float], weights: ConversationWeights) -> list[_Place]:
    """Best first: with what stands beside each, less what its session has given already."""
    in_runs = {
        (session, seq): own
        + weights.run * max(0.0, *(worth.get((session, seq + step), 0.0) for step in (-_EXCHANGE, _EXCHANGE)))
        for (session, seq), own in worth.items()
    }
    given: Counter[str] = Counter()
    left: dict[_Place, float] = {}
    for place in sorted(in_runs, key=lambda place: (-in_runs[place], place)):
        left[place] = in_runs[place] - weights.again * given[place[0]]
        given[place[0]] += 1
    return sorted(left, key=lambda place: (-left[place], place))


def _reply(question: Scored, turn: Turn, known: Scored | None, reply: Reply) -> list[Scored]:
    if known is not None:
        return [known]
    found = reply(turn)
    reasons = [*question.reasons, f"answers {turn.id}"]
    return [] if found is None else [replace(question, trace=found, reasons=reasons)]
