"""The learned thresholds of one user: shown, moved by decisions on inbox items, and revoked."""

from __future__ import annotations

from collections.abc import Sequence

from cortex.capture import policies
from cortex.context import Context
from cortex.domain.injection_detection import INSTRUCTIVE
from cortex.domain.thresholds import (
    MOST_VERSIONS,
    QUARANTINE,
    THRESHOLDS,
    JudgedExtraction,
    ThresholdVersion,
    learned,
    moved,
    versions_in,
)
from cortex.errors import NotFound
from cortex.ports.store import ExpectState, PatchSession, View, retry_on_conflict


class ThresholdService:
    """How sure extractors have to be, for one user."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def versions(self) -> Sequence[ThresholdVersion]:
        """Every move of every threshold, by extractor, oldest first."""
        with self._context.store_view() as view:
            state = view.state(THRESHOLDS)
        return [each for name in sorted(state or {}) for each in versions_in(state, name)]

    def revoke(self, extractor: str) -> ThresholdVersion:
        """Revoke the version that holds; the one before it holds again."""

        def attempt() -> ThresholdVersion:
            with self._context.store_view() as view:
                known = versions_in(view.state(THRESHOLDS), extractor)
                part = (view.state(THRESHOLDS) or {}).get(extractor)
            last = next((each for each in reversed(known) if each.revoked_at is None), None)
            if last is None:
                raise NotFound(f"no learned threshold of {extractor[:64]!r}", hint="see `cortex admin thresholds`")
            now = self._context.clock.now()
            revoked = [each.revoked(now) if each is last else each for each in known]
            self._write(extractor, part, revoked)
            return last.revoked(now)

        with self._context.recording("revoke_threshold") as record:
            done = retry_on_conflict(attempt)
            facts = {"extractor": done.extractor, "version": done.version, "threshold": done.before}
            record.close(self._context.position(), **facts)
        return done

    def learn(self, judged: Sequence[JudgedExtraction]) -> list[ThresholdVersion]:
        """Move the thresholds that these decisions, oldest first, give reason to move."""
        names = sorted({each.extractor for each in judged})
        found = (retry_on_conflict(lambda name=name: self._learn(name, judged)) for name in names)  # type: ignore[misc]
        return [each for each in found if each is not None]

    def _learn(self, extractor: str, judged: Sequence[JudgedExtraction]) -> ThresholdVersion | None:
        with self._context.store_view() as view:
            known = versions_in(view.state(THRESHOLDS), extractor)
            part = (view.state(THRESHOLDS) or {}).get(extractor)
        default = INSTRUCTIVE if extractor == QUARANTINE else self._default
        new = moved(extractor, known, judged, default=default, now=self._context.clock.now())
        if new is not None:
            self._write(extractor, part, [*known, new])
        return new

    @property
    def _default(self) -> float:
        return policies.named(self._context.settings.capture.policy).min_confidence

    def _write(self, extractor: str, before: object, versions: Sequence[ThresholdVersion]) -> None:
        kept = [each.to_state() for each in versions[-MOST_VERSIONS:]]
        self._context.apply([ExpectState(THRESHOLDS, {extractor: before}), PatchSession(THRESHOLDS, {extractor: kept})])


def thresholds_in(view: View) -> dict[str, float]:
    """The learned thresholds that hold, by extractor."""
    return learned(view.state(THRESHOLDS))
