"""The scale of the embedding space: measured as memory grows, and never while somebody waits for a recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cortex.context import Context
from cortex.dependencies import log
from cortex.domain import calibration
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector
from cortex.errors import EngineError, StoreError
from cortex.ports.store import Calibrate, Sampled


class Calibrator:
    """Measures the scale of the model in use on a tenant's texts, for that tenant, where the model declares none."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tried: dict[str, int] = {}
        """How many texts there were when a space could not be measured."""
        self._estimated: set[str] = set()
        """The spaces whose scale was estimated, or could not be."""

    def refresh(self, *, again: bool = False) -> None:
        """Measure where texts have doubled since the last time; `again` where vectors were made of older texts."""
        space = self._context.dependencies.embedder.space
        if not space.is_measured:
            return
        try:
            self._refresh(space, 0 if again else 2 * self._tried.get(space.key, 0))
        except EngineError as error:  # the request itself succeeded; the scale stays as it is
            log.warning("the scale of similarities was not measured: %s", error.code)

    def close(self) -> None:
        """There is nothing to close: it holds no file."""

    def _refresh(self, space: EmbeddingSpace, least: int) -> None:
        context = self._context
        with context.view() as view:
            texts, known = view.pulse().total, view.calibration(space)
        measured: Calibration | None = None
        if calibration.is_estimated(texts, known) and space.key not in self._estimated:
            self._estimated.add(space.key)
            measured = self._estimate(space)
        elif texts >= least and calibration.is_due(texts, known):
            self._tried[space.key] = texts
            measured = self._measured(space, texts)
        if measured is not None:
            context.store.apply(context.tenant, [Calibrate(space, measured)], at=context.clock.now())

    def _estimate(self, space: EmbeddingSpace) -> Calibration | None:
        """The scale by sentences of our own: of a handful of texts, each question would get all."""
        embedder = self._context.dependencies.embedder
        vectors = embedder.embed_documents(calibration.SENTENCES)
        if not space.prefixes:
            return calibration.estimate(vectors, dict(enumerate(vectors)))
        probes = calibration.SENTENCES[: calibration.PROBES]
        return calibration.estimate(vectors, {at: embedder.embed_query(each) for at, each in enumerate(probes)})

    def _measured(self, space: EmbeddingSpace, texts: int) -> Calibration | None:
        found = self._sample(space)
        if len(found) < calibration.LEAST_TEXTS:
            return None
        origins = [calibration.origin(each.trace) for each in found]
        return calibration.measure(origins, [each.vector for each in found], self._queries(space, found), texts)

    def _sample(self, space: EmbeddingSpace) -> list[Sampled]:
        """Some of what was said and remembered, and of the files."""
        context, most = self._context, calibration.MOST_TEXTS
        found = context.store.sample(context.tenant, space, most)
        index = context.index
        if index is not None and not isinstance(index, StoreError):
            found += index.sample(context.tenant, space, most)
        return sorted(found, key=lambda each: calibration.sample_key(each.trace.id))[:most]

    def _queries(self, space: EmbeddingSpace, found: Sequence[Sampled]) -> Mapping[int, Vector]:
        """The texts as queries; a few of them are enough where they have to be embedded for that."""
        if not space.prefixes:
            return {place: each.vector for place, each in enumerate(found)}
        embed = self._context.dependencies.embedder.embed_query
        return {place: embed(each.trace.text) for place, each in enumerate(found[: calibration.PROBES])}


def calibrator_of(context: Context) -> Calibrator:
    """The one calibrator of a tenant."""
    return context.dependencies.one("calibrator", context.tenant, lambda: Calibrator(context))
