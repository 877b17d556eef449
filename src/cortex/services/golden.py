"""The golden set of a user: built from recorded recalls, and read for a comparison (E20)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from cortex.context import Context
from cortex.domain.echoes import is_correction, is_echoed
from cortex.domain.golden import (
    LEAST,
    SILENT_OF,
    AnswerEvidence,
    GoldenQuestion,
    GoldenSet,
    balanced,
    document_of,
)
from cortex.domain.identity import ReceiptId, TraceId, checked_id
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Memory
from cortex.domain.query import Mode, Query
from cortex.domain.receipt import Receipt
from cortex.domain.turn import Role, Turn
from cortex.errors import InvalidRequest, NotFound, StoreCorrupt
from cortex.ports.documents import Bodies
from cortex.ports.store import Filter, View
from cortex.recall import replay
from cortex.recall.receipts import digest_of

TURNS_AFTER = 3
"""For so many turns of the user nobody may have corrected the reply."""

QUIET = timedelta(days=1)
"""A session that was quiet for so long is over: nobody will correct it there."""

NEAR = timedelta(hours=1)
"""How far the time of a message may be from that of its recall."""

MOST_RECEIPTS = 10_000
MOST_TURNS = 50_000
_PAGE = 1_000
_LEAST_ANSWERED = LEAST - LEAST // SILENT_OF


@dataclass(frozen=True, slots=True)
class GoldenStatus:
    """What the golden set of a user is made of."""

    questions: int
    answered: int
    silent: int
    approved: int
    built_at: datetime | None
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class GoldenMark:
    """What the operator said about a recorded recall."""

    receipt_id: str
    expected: tuple[str, ...]
    """What it should find; nothing where it should be silent, or is no question."""
    is_question: bool


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question ready to be asked: with its text, and what may stand for each expected memory."""

    id: ReceiptId
    query: Query
    expected: Mapping[TraceId, frozenset[TraceId]]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A message of the user, the reply to it, and what the user said next."""

    asked_at: datetime
    reply: str
    later: tuple[Turn, ...]
    is_settled: bool

    @property
    def holds(self) -> bool:
        """Whether the reply was not corrected for three turns, or as long as the session went on."""
        return self.is_settled and not any(is_correction(turn.text) for turn in self.later)


class GoldenService:
    """Builds and reads the golden set of one user."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._name = document_of(context.tenant)

    def build(self) -> GoldenStatus:
        self._context.flush()
        marks = self.read().marks
        with self._context.recording("golden_build") as record, self._context.store_view() as view:
            conversations = _Conversations(view, self._context.clock.now())
            answered, silent = self._found(view, marks, conversations)
            questions = balanced(answered, silent)
            if len(questions) < LEAST:
                raise _too_few(answered, silent)
            built = GoldenSet(questions, self._context.clock.now(), marks)
            counts = {"questions": len(questions), "answered_found": len(answered), "silent_found": len(silent)}
            record.close(view.position, **counts, ids=[each.receipt for each in questions])
        self._change(lambda kept: replace(built, marks=kept.marks))
        return _status(built, record.receipt)

    def status(self) -> GoldenStatus:
        return _status(self.read())

    def mark(
        self, receipt_id: str, *, expected: Sequence[str] | None = None, silent: bool = False, reject: bool = False
    ) -> GoldenMark:
        """Approve what a recorded recall found, or should have found; or say that it is no question for the set."""
        if silent + reject + bool(expected) > 1:
            raise InvalidRequest("excludes the others", field="silent", hint="give one of expected, silent and reject")
        self._context.flush()
        with self._context.store_view() as view:
            receipt = self._recall_of(view, receipt_id)
            named = [checked_id(id, field="expected") for id in expected] if expected else _returned(receipt)
            if not silent and not reject:
                there = {trace.id for trace in view.load(named)}
                if lost := [id for id in named if id not in there]:
                    raise NotFound(f"there is no memory or turn {lost[0]}", hint="see `cortex admin receipts ID`")
                if not named:
                    raise InvalidRequest(
                        "found nothing", field="receipt_id", hint="name what it should find, or silent"
                    )
        approved: tuple[TraceId, ...] | None = None if reject else () if silent else tuple(named)
        self._change(lambda kept: replace(kept, marks={**kept.marks, receipt.id: approved}))
        return GoldenMark(receipt.id, approved or (), not reject)

    def questions(self, view: View) -> list[ReadQuestion]:
        """The questions that can still be asked: their text is kept, and what they should find is there."""
        found = (self._read_question(view, each) for each in self.read().questions)
        return [each for each in found if each is not None]

    def results(self) -> Mapping[ReceiptId, bool]:
        """Which questions found what they should, when that was last checked."""
        return self.read().results

    def keep_results(self, results: Mapping[ReceiptId, bool]) -> None:
        now = self._context.clock.now()
        self._change(lambda kept: replace(kept, results=dict(results), checked_at=now))

    def read(self) -> GoldenSet:
        found = self._context.dependencies.documents.read(self._name)
        return self._parsed(found.body if found else None)

    def _recall_of(self, view: View, id: str) -> Receipt:
        found = view.receipt(ReceiptId(id.strip().lower()))
        if found is None or found[0].op != "recall" or "request" not in found[0].facts:
            raise NotFound(f"no recall receipt {id[:64]}", hint="see `cortex admin receipts --op recall`")
        if found[1] is None:
            raise InvalidRequest("was recorded without its query", field="receipt_id", hint="set receipts.keep_queries")
        return found[0]

    def _found(
        self, view: View, marks: Mapping[ReceiptId, Sequence[TraceId] | None], conversations: _Conversations
    ) -> tuple[list[GoldenQuestion], list[GoldenQuestion]]:
        """The questions with an answer and those without: approved ones first, then the newest."""
        found: dict[str, tuple[int, GoldenQuestion]] = {}
        for receipt in _recalls(view):
            judged = self._judged(view, receipt, marks, conversations)
            key = str(receipt.facts["query_hash"])
            if judged is not None and (key not in found or judged[0] < found[key][0]):
                found[key] = judged
        ordered = [question for _, question in sorted(found.values(), key=itemgetter(0))]
        return [each for each in ordered if each.expected], [each for each in ordered if each.is_silent]

    def _judged(
        self,
        view: View,
        receipt: Receipt,
        marks: Mapping[ReceiptId, Sequence[TraceId] | None],
        conversations: _Conversations,
    ) -> tuple[int, GoldenQuestion] | None:
        """What a recall should find, if that is known, and how well: 0 is best."""
        exchange = conversations.after(receipt)
        asked_at = min(receipt.at, exchange.asked_at) if exchange else receipt.at
        if receipt.id in marks:
            ids = marks[receipt.id]
            is_question = ids is not None and _query_of(view, receipt) is not None
            approved = GoldenQuestion(receipt.id, tuple(ids or ()), AnswerEvidence.APPROVED, asked_at)
            return (0, approved) if is_question else None
        if exchange is None or not exchange.holds or (query := _query_of(view, receipt)) is None:
            return None
        returned = _returned(receipt)
        if not returned:
            # What was not even searched for says little about a recipe.
            silent = GoldenQuestion(receipt.id, (), AnswerEvidence.SILENT, asked_at)
            return 2 if receipt.facts.get("skipped") else 1, silent
        # Memory that was replaced or forgotten since was corrected as well.
        traces = [trace for trace in view.load(returned) if trace.state is State.ACTIVE]
        used = tuple(trace.id for trace in traces if is_echoed(trace.text, query, exchange.reply))
        return (1, GoldenQuestion(receipt.id, used, AnswerEvidence.ECHOED, asked_at)) if used else None

    def _read_question(self, view: View, question: GoldenQuestion) -> ReadQuestion | None:
        found = view.receipt(question.receipt)
        if found is None or found[1] is None or "request" not in found[0].facts:
            return None
        traces = [trace for trace in view.load(question.expected) if trace.state is State.ACTIVE]
        if question.expected and not traces:
            return None
        expected = {each.id: frozenset(each.source_turns if isinstance(each, Memory) else ()) for each in traces}
        query = replace(replay.query_of(found[0], found[1]), asked_at=None, until=question.asked_at)
        return ReadQuestion(question.receipt, query, expected)

    def _change(self, edit: Callable[[GoldenSet], GoldenSet]) -> None:
        def change(bodies: Bodies) -> None:
            bodies[self._name] = edit(self._parsed(bodies[self._name])).to_json()

        self._context.dependencies.documents.change((self._name,), change)

    def _parsed(self, body: bytes | None) -> GoldenSet:
        try:
            return GoldenSet() if body is None else GoldenSet.from_json(body)
        except ValueError as error:
            where = self._context.dependencies.documents.where(self._name)
            raise StoreCorrupt(f"{where} is damaged", hint="remove it, then run `cortex admin golden build`") from error


class _Conversations:
    """The sessions of a user, by the messages that recalls were made for."""

    def __init__(self, view: View, now: datetime) -> None:
        self._view = view
        self._now = now
        self._by_message: dict[str, list[Turn]] = defaultdict(list)
        self._sessions: dict[str, list[Turn]] = {}
        for turn in _turns(view):
            if turn.role is Role.USER:
                self._by_message[digest_of(turn.text)].append(turn)

    def after(self, receipt: Receipt) -> _Exchange | None:
        """What followed the message that a recall was made for; None where it is not known."""
        session = receipt.facts.get("session_hash")
        near = [
            turn
            for turn in self._by_message.get(str(receipt.facts["query_hash"]), ())
            if abs(turn.created_at - receipt.at) <= NEAR and (session is None or digest_of(turn.session) == session)
        ]
        if not near:
            return None
        message = min(near, key=lambda turn: abs(turn.created_at - receipt.at))
        turns = self._session(message.session)
        following = [turn for turn in turns if turn.seq > message.seq]
        asked = [at for at, turn in enumerate(following) if turn.role is Role.USER]
        replies = following[: asked[0]] if asked else following
        reply = "\n".join(turn.text for turn in replies if turn.role is Role.ASSISTANT)
        if not reply:
            return None
        later = tuple(following[at] for at in asked[:TURNS_AFTER])
        is_over = self._now - turns[-1].created_at >= QUIET
        return _Exchange(message.created_at, reply, later, len(later) == TURNS_AFTER or is_over)

    def _session(self, name: str) -> list[Turn]:
        if name not in self._sessions:
            found: list[Turn] = []
            while len(found) < MOST_TURNS and (page := self._view.turns(name, found[-1].seq if found else -1, _PAGE)):
                found += page
            self._sessions[name] = found
        return self._sessions[name]


def _turns(view: View) -> Iterator[Turn]:
    """The latest turns, newest first."""
    every, before, left = Filter(lanes=frozenset({Lane.SESSIONS}), states=frozenset(State)), None, MOST_TURNS
    while left > 0 and (page := view.latest(every, before, min(left, _PAGE))):
        yield from (trace for trace in page if isinstance(trace, Turn))
        before, left = page[-1].id, left - len(page)


def _recalls(view: View) -> Iterator[Receipt]:
    """The latest automatic recalls of turns, newest first, without those that something was missing from."""
    before, left = None, MOST_RECEIPTS
    while left > 0 and (page := view.receipts(min(left, _PAGE), "recall", before)):
        for receipt in page:
            request = receipt.facts.get("request")
            if request and request["mode"] == Mode.AUTO.value and not receipt.degraded:
                yield receipt
        before, left = page[-1].id, left - len(page)


def _returned(receipt: Receipt) -> list[TraceId]:
    return [TraceId(each["id"]) for each in receipt.facts.get("returned", ())]


def _query_of(view: View, receipt: Receipt) -> str | None:
    found = view.receipt(receipt.id)
    return found[1] if found else None


def _status(golden: GoldenSet, receipt: Receipt | None = None) -> GoldenStatus:
    silent = sum(each.is_silent for each in golden.questions)
    approved = sum(each.evidence is AnswerEvidence.APPROVED for each in golden.questions)
    total = len(golden.questions)
    return GoldenStatus(total, total - silent, silent, approved, golden.built_at, receipt)


def _too_few(answered: Sequence[Any], silent: Sequence[Any]) -> InvalidRequest:
    needs = []
    if len(answered) < _LEAST_ANSWERED:
        needs.append(f"{len(answered)} of {_LEAST_ANSWERED} questions with an answer")
    if len(silent) < LEAST // SILENT_OF:
        needs.append(f"{len(silent)} of {LEAST // SILENT_OF} that are rightly silent")
    return InvalidRequest(
        f"needs at least {LEAST} questions; the history has {' and '.join(needs)}", field="golden",
        hint="let the agent answer more turns with memory (receipts.keep_queries must be on), or approve recalls:"
        " `cortex admin receipts --op recall`, then `cortex admin golden approve RECEIPT`",
    )  # fmt: skip
