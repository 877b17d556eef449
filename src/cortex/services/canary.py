"""Canaries: other settings, compared on the golden set, tried by some sessions, then kept or taken back (E20)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from cortex import settings as configuration
from cortex import settings_file
from cortex.context import Context
from cortex.dependencies import log
from cortex.domain.canary import Canary, CanaryState
from cortex.domain.golden import LEAST
from cortex.domain.query import Mode, Query
from cortex.domain.receipt import Receipt
from cortex.errors import Conflict, DeadlineExceeded, EmbedderUnavailable, InvalidRequest
from cortex.options import changed
from cortex.ports.documents import CANARY, Bodies
from cortex.ports.store import View
from cortex.progress import Progress, silent
from cortex.recall import comparison, receipts, recipes
from cortex.recall.comparison import ArmAnswer, ArmComparison
from cortex.runtime.deadline import Deadline
from cortex.services.alerts import AlertService
from cortex.services.golden import GoldenService, ReadQuestion
from cortex.services.query_vectors import QueryVectors
from cortex.services.recall import RecallService, TurnFacts
from cortex.services.turn_hooks import is_failure, turn_query
from cortex.settings import FILE_NAME, Settings

TRIABLE = frozenset({
    "recall.recipe",
    "hooks.max_facts",
    "hooks.max_tokens",
    "hooks.synthesis",
    "hooks.synthesis_ttl_ms",
    "receipts.enabled",
    "receipts.verbosity",
    "receipts.max_items",
    "receipts.keep_queries",
})  # fmt: skip
"""The settings that hold for one recall. Others change what is stored, or how the process works."""

SHARE = 0.1
LASTS = timedelta(hours=24)
LEAST_SHARE, MOST_SHARE = 0.01, 0.5
SHORTEST = timedelta(minutes=1)
LONGEST = timedelta(days=30)

ROUNDS = 3
"""A candidate that seems too slow is timed so often; the fastest of each question counts, since machines get busy."""

MOST_DEGRADED = 0.05
"""If more of the answers are degraded, a comparison says nothing."""

CAUSE = "canary"
NIGHTLY_CAUSE = "canary:golden"


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """A canary as it is now, and the receipt of what was done."""

    canary: Canary | None
    receipt: Receipt | None = None
    hint: str = ""
    """What is left to do."""


@dataclass(frozen=True, slots=True)
class NightlyCheck:
    """What the nightly run found."""

    ran: bool
    why: str = ""
    """Why it did not run, or what is worse than it was."""
    is_worse: bool = False


class CanaryService:
    """Starts, judges, keeps and takes back canaries. There is one at a time for all that share the store."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def status(self) -> CanaryResult:
        return CanaryResult(self._read())

    def start(
        self,
        settings: Mapping[str, Any],
        *,
        share: float = SHARE,
        seconds: float = LASTS.total_seconds(),
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> CanaryResult:
        """Compare both sides on one snapshot; unless that speaks against it, begin. A refusal is a result, no error."""
        given, candidate = self._candidate(settings)
        _within("share", share, LEAST_SHARE, MOST_SHARE)
        _within("seconds", seconds, SHORTEST.total_seconds(), LONGEST.total_seconds())
        self._refuse_running(self._read())
        with self._context.recording("canary") as record:
            compared, position = self._compare(candidate, progress)
            now = self._context.clock.now()
            canary = Canary(
                id=self._context.ids(now), settings=given, share=share, started_at=now,
                ends_at=now + timedelta(seconds=seconds), agent=self._context.tenant.agent,
                user=self._context.tenant.user, comparison=compared.to_json(),
            )  # fmt: skip
            if compared.refused:
                canary = canary.closed(CanaryState.REFUSED, now, "; ".join(compared.reasons))
            elif dry_run:
                canary = canary.closed(CanaryState.PASSED, now)
            record.close(position, canary=canary.id, state=canary.state.value, settings=sorted(given), dry_run=dry_run,
                         share=share, comparison=compared.to_json())  # fmt: skip
        if not dry_run:
            self._put(canary)
        return CanaryResult(canary, record.receipt)

    def stop(self) -> CanaryResult:
        """Take the canary back: every session has the settings in force again."""
        with self._context.recording("canary_stop") as record:
            canary = self._close(CanaryState.RETURNED, "stopped by the operator")
            record.close(self._context.position(), canary=canary.id, state=canary.state.value)
        return CanaryResult(canary, record.receipt)

    def promote(self) -> CanaryResult:
        """Make the settings of the canary everybody's: they are written into the settings file of this host."""
        home = self._context.dependencies.home

        def keep(found: Canary | None) -> Canary:
            if found is None or found.state not in {CanaryState.RUNNING, CanaryState.ENDED}:
                was = "there is no canary" if found is None else f"the last canary was {found.state.value}"
                raise Conflict(
                    f"{was}: there is nothing to keep", hint="start one with `cortex admin canary --set KEY=VALUE`"
                )
            _write(home / FILE_NAME, found.settings)
            return found.closed(CanaryState.PROMOTED, self._context.clock.now())

        with self._context.recording("canary_promote") as record:
            canary = self._change(keep)
            record.close(self._context.position(), canary=canary.id, settings=sorted(canary.settings))
        in_force = configuration.load(home)
        hints = []
        if changed(in_force, canary.settings) != in_force:
            hints.append("an environment variable overrides the settings file: change it too")
        if self._context.dependencies.documents.is_shared:
            hints.append("other hosts keep the settings until they restart: set them there too")
        return CanaryResult(canary, record.receipt, "; ".join(hints))

    def take_back(self, why: str) -> None:
        """Take the canary back because of what was seen; nothing is done where it is over already."""
        try:
            canary = self._close(CanaryState.RETURNED, why)
        except Conflict:
            return
        self._owner_alerts(canary).raise_alert(
            CAUSE, f"the canary of {', '.join(sorted(canary.settings))} was taken back: {why}",
            hint="see `cortex admin canary`; every session has the settings in force again",
        )  # fmt: skip

    def nightly(self) -> NightlyCheck:
        """Ask the golden set again: both sides while a canary runs, else the settings in force against last time."""
        canary = self._read()
        with self._context.view() as view:
            questions = GoldenService(self._context).questions(view)
            if len(questions) < LEAST:
                return NightlyCheck(False, f"the golden set has {len(questions)} of {LEAST} questions")
            if canary is not None and canary.state is CanaryState.RUNNING and self._is_of(canary):
                compared = self._compared(view, questions, self._candidate(canary.settings)[1], silent)
                if not compared.refused:
                    return NightlyCheck(True)
                why = "; ".join(compared.reasons)
                self.take_back(why)
                return NightlyCheck(True, why, is_worse=True)
            return self._against_last_time(view, questions)

    def _against_last_time(self, view: View, questions: Sequence[ReadQuestion]) -> NightlyCheck:
        golden, alerts = GoldenService(self._context), AlertService(self._context)
        now = {each.id: outcome.hit for each, outcome in zip(questions, self._side(view, questions), strict=True)}
        before = golden.results()
        both = [id for id in now if id in before]
        golden.keep_results(now)
        if len(both) < LEAST:
            return NightlyCheck(True)
        differences = [float(now[id]) - float(before[id]) for id in both]
        lost, interval = -sum(differences) / len(both), comparison.paired_interval(differences)
        if lost <= comparison.MOST_LOST + 1e-9 and interval[1] >= 0:
            alerts.clear(NIGHTLY_CAUSE)
            return NightlyCheck(True)
        why = f"hit@5 on the golden set fell by {lost:.3f} since the last check"
        alerts.raise_alert(
            NIGHTLY_CAUSE, why, hint="see `cortex admin canary`; find what changed with `cortex admin receipts`"
        )
        return NightlyCheck(True, why, is_worse=True)

    # --- both sides on one snapshot -----------------------------------------------------------------------------------

    def _compare(self, candidate: Settings, progress: Progress) -> tuple[ArmComparison, int]:
        with self._context.view() as view:
            questions = GoldenService(self._context).questions(view)
            if len(questions) < LEAST:
                raise InvalidRequest(
                    f"has {len(questions)} questions that can be asked; {LEAST} are needed", field="golden set",
                    hint="run `cortex admin golden build`, which says what is missing",
                )  # fmt: skip
            return self._compared(view, questions, candidate, progress), view.position

    def _compared(
        self, view: View, questions: Sequence[ReadQuestion], candidate: Settings, progress: Progress
    ) -> ArmComparison:
        sides = (self._context.settings, candidate)
        control, candidate_side = self._both_sides(view, questions, sides, 0, progress)
        for number in range(1, ROUNDS):
            compared = comparison.compare(control, candidate_side)
            if compared.candidate_p95 <= comparison.SLOWER * compared.control_p95:
                break
            again = self._both_sides(view, questions, sides, number, progress)
            control, candidate_side = _faster(control, again[0]), _faster(candidate_side, again[1])
        return comparison.compare(control, candidate_side)

    def _both_sides(
        self,
        view: View,
        questions: Sequence[ReadQuestion],
        sides: tuple[Settings, Settings],
        number: int,
        progress: Progress,
    ) -> list[list[ArmAnswer]]:
        found: list[list[ArmAnswer]] = [[], []]
        degraded = 0
        for at, question in enumerate(questions):
            self._warm(view, question.query.text)
            # Each goes first as often as the other: the second finds warm caches.
            order = (0, 1) if (at + number) % 2 == 0 else (1, 0)
            for side in order:
                outcome, is_degraded = self.ask(view, question, sides[side])
                found[side].append(outcome)
                degraded += is_degraded
            progress(at + 1, len(questions), "compared")
        if degraded > MOST_DEGRADED * 2 * len(questions):
            raise EmbedderUnavailable(
                f"{degraded} of {2 * len(questions)} answers were degraded: nothing can be compared now",
                hint="run `cortex doctor`, then try again",
            )
        return found

    def _side(self, view: View, questions: Sequence[ReadQuestion]) -> list[ArmAnswer]:
        """What the settings in force answer."""
        return [self.ask(view, question, self._context.settings)[0] for question in questions]

    def _warm(self, view: View, text: str) -> None:
        """Have the query's vector at hand, so that neither side waits for it."""
        question = QueryVectors(self._context.dependencies, self._context.indexes, self._context.space(view)).ask(text)
        if question is not None:
            try:
                question.vector(Deadline.after(self._context.clock, self._context.settings.recall.deadline_ms / 1000))
            except (DeadlineExceeded, EmbedderUnavailable) as error:  # the answers are degraded then
                log.debug("a query of the golden set has no vector: %s", error.code)

    def ask(self, view: View, question: ReadQuestion, settings: Settings) -> tuple[ArmAnswer, bool]:
        """What one side answers to a question, and whether anything was missing from that. No receipt is kept of it."""
        context = replace(self._context, own_settings=settings)
        recipe = recipes.named(settings.recall.recipe)
        query = turn_of(question.query, settings, recipe)
        vectors = QueryVectors(context.dependencies, context.indexes, context.space(view))
        deadline = Deadline.after(context.clock, settings.recall.deadline_ms / 1000)
        started = context.clock.monotonic()
        answer = RecallService(context).answer(query, recipe, view, vectors, deadline=deadline)
        took = (context.clock.monotonic() - started) * 1000
        kept = settings.receipts
        facts = receipts.facts(answer, query, recipe, context.space(view), max_items=kept.max_items, verbose=False)
        lacking = comparison.lacking(facts | TurnFacts().facts()) if kept.enabled else comparison.REQUIRED
        outcome = ArmAnswer(
            comparison.is_hit(answer.hits, question.expected), comparison.strays(query, answer.hits), took, lacking
        )
        return outcome, any(map(is_failure, answer.degraded))

    # --- the state that all processes share ---------------------------------------------------------------------------

    def _candidate(self, given: Mapping[str, Any]) -> tuple[dict[str, Any], Settings]:
        return changed_settings(self._context, given, TRIABLE, "cannot be tried by some sessions alone")

    def _is_of(self, canary: Canary) -> bool:
        return (canary.agent, canary.user) == (self._context.tenant.agent, self._context.tenant.user)

    def _read(self) -> Canary | None:
        found = self._context.dependencies.documents.read(CANARY)
        return self._parsed(found.body if found else None)

    def _parsed(self, body: bytes | None) -> Canary | None:
        try:
            return None if body is None else Canary.from_body(body).at(self._context.clock.now())
        except ValueError:
            # Nothing depends on it but what is tried: it begins anew.
            log.warning("the state of the canary is damaged and begins anew")
            return None

    def _refuse_running(self, found: Canary | None) -> None:
        if found is not None and found.state is CanaryState.RUNNING:
            raise Conflict(
                f"a canary of {', '.join(sorted(found.settings))} is running until {found.ends_at:%Y-%m-%d %H:%M} UTC",
                hint="wait, keep it with `cortex admin canary --promote`, or end it with --stop",
            )

    def _put(self, canary: Canary) -> None:
        def change(found: Canary | None) -> Canary:
            self._refuse_running(found)
            return canary

        self._change(change)

    def _close(self, state: CanaryState, why: str) -> Canary:
        def change(found: Canary | None) -> Canary:
            if found is None or found.state is not CanaryState.RUNNING:
                raise Conflict("no canary is running", hint="see `cortex admin canary`")
            return found.closed(state, self._context.clock.now(), why)

        return self._change(change)

    def _change(self, edit: Callable[[Canary | None], Canary]) -> Canary:
        def change(bodies: Bodies) -> Canary:
            after = edit(self._parsed(bodies[CANARY]))
            bodies[CANARY] = after.to_body()
            return after

        changed_to: Canary = self._context.dependencies.documents.change((CANARY,), change)
        self._context.dependencies.arms.look(now=True)
        return changed_to

    def _owner_alerts(self, canary: Canary) -> AlertService:
        return AlertService(self._context.bind(agent=canary.agent, user=canary.user))


def changed_settings(
    context: Context,
    given: Mapping[str, Any],
    allowed: Collection[str],
    refusal: str,
    *,
    suggested: Collection[str] = (),
) -> tuple[dict[str, Any], Settings]:
    """The given settings as they are checked, and all settings with them. A refusal suggests the ones worth a try."""
    if not given:
        raise InvalidRequest("is empty", field="settings", hint="give KEY=VALUE, such as recall.recipe=deep.v1")
    in_force = context.settings
    candidate = changed(in_force, given)
    for name in given:
        if name not in allowed:
            raise InvalidRequest(refusal, field=name, hint=f"possible: {', '.join(sorted(suggested or allowed))}")
    recipes.named(candidate.recall.recipe)
    if candidate == in_force:
        raise InvalidRequest("are in force already", field="settings", hint="give another value")
    return {name: _value_of(candidate, name) for name in given}, candidate


def turn_of(recorded: Query, settings: Settings, recipe: recipes.Recipe) -> Query:
    """A recorded query as a turn would ask it with these settings."""
    return turn_query(
        recorded.text, settings, recipe, scope=recorded.scope, project=recorded.project,
        share_personal=recorded.share_personal, lanes=recorded.lanes, kinds=recorded.kinds, mode=Mode.AUTO,
        since=recorded.since, until=recorded.until,
    )  # fmt: skip


def _value_of(settings: Settings, name: str) -> Any:
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _faster(one: Sequence[ArmAnswer], other: Sequence[ArmAnswer]) -> list[ArmAnswer]:
    return [
        replace(each, milliseconds=min(each.milliseconds, again.milliseconds))
        for each, again in zip(one, other, strict=True)
    ]


def _write(path: Path, values: Mapping[str, Any]) -> None:
    text = path.read_bytes().decode("utf-8") if path.exists() else settings_file.template()
    for name, value in values.items():
        if (after := settings_file.put(text, name, value)) is None:
            raise Conflict(
                f"{path} cannot be changed safely", hint=f"set {name} = {settings_file.toml(value)} there by hand"
            )
        text = after
    settings_file.write(path, text)


def _within(field: str, value: float, low: float, high: float) -> None:
    hint = f"give {low:.10g} to {high:.10g}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidRequest("is not a number", field=field, hint=hint)
    if not low <= value <= high:
        raise InvalidRequest(f"{value:.10g} is outside {low:.10g} to {high:.10g}", field=field, hint=hint)
