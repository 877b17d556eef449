"""What stands before a line of the block: when it was said, by whom, and what a reader has to know of it."""

from __future__ import annotations

from cortex.domain.chunk import Chunk
from cortex.domain.hits import Hit
from cortex.domain.memory import STANDING_KINDS, Memory
from cortex.domain.outcome import Outcome
from cortex.domain.ownership import Owner, owners
from cortex.domain.text import escaped
from cortex.domain.trace import Trace
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Role, Turn

OWNERS = {
    Owner.QUOTED: "quoted",
    Owner.PASTED: "pasted",
    Owner.OTHER_SPEAKER: "other speaker",
    Owner.FICTION: "fiction",
}
"""What a label calls words that are not the speaker's own."""

_NO_LABEL = str.maketrans("[],", "() ")


def label(hit: Hit, *, scoped: bool = False, cite: bool = True) -> str:
    """The label of a line, without its brackets; with its scope where lines of other scopes stand beside it.

    With `cite` a line of a file says where it stands (B11).
    """
    trace, around = hit.trace, hit.around
    dated = trace.dated if isinstance(trace, Chunk) else None
    parts = [(dated or trace.created_at).date().isoformat(), *_whose(hit, cite), _name(trace.scope) if scoped else ""]
    if isinstance(trace, Memory) and trace.valid_from and trace.valid_from.date() != trace.created_at.date():
        parts.append(f"about {trace.valid_from:%Y-%m-%d}")
    if around.replaced_at is not None:
        parts.append(f"replaced on {around.replaced_at:%Y-%m-%d}")
    if around.contradicted_at is not None:
        is_later = around.contradicted_at >= trace.created_at
        parts.append(f"{'contradicted on' if is_later else 'contradicts'} {around.contradicted_at:%Y-%m-%d}")
    if trace.trust is not TrustTier.TRUSTED:
        parts.append(trace.trust.value)
    return ", ".join(part for part in parts if part)


def _whose(hit: Hit, cite: bool) -> list[str]:
    trace = hit.trace
    if isinstance(trace, Turn):
        if trace.role is not Role.USER:
            return [speaker_of(trace)]
        # What is not trusted gives no rules.
        stands = trace.kind in STANDING_KINDS and trace.trust is TrustTier.TRUSTED
        return [speaker_of(trace), trace.kind.value if stands else "", *_others(hit)]
    if isinstance(trace, Chunk):
        return [_name(trace.citation) if cite else trace.lane.value, *_others(hit)]
    if isinstance(trace, Outcome):
        return [_name(trace.tool), trace.outcome.value]
    if hit.around.speaker and trace.kind not in STANDING_KINDS:
        return [_name(hit.around.speaker)]
    # What was not said in a turn has a source as well, unless the host stated it.
    source = "" if trace.source_kind is SourceKind.OPERATOR else trace.source_kind.value
    return [_name(hit.around.speaker) or source, trace.kind.value]


def _others(hit: Hit) -> list[str]:
    """Whose words a line shows beside those of its speaker."""
    trace = hit.trace
    speaker = trace.speaker if isinstance(trace, Turn) else ""
    found = owners(trace.text, speaker, hit.excerpt or None, is_note=isinstance(trace, Chunk))
    return [OWNERS[each] for each in found]


def speaker_of(turn: Turn) -> str:
    """Who said it, as it may stand in a label."""
    return _name(turn.speaker) or turn.role.value


def said(trace: Trace) -> str:
    """What a trace says, without the name of its speaker, which stands in the label."""
    if isinstance(trace, Turn) and trace.speaker:
        return trace.text.removeprefix(f"{trace.speaker}: ").strip() or trace.text
    return trace.text


def _name(given: str) -> str:
    """A name as it may stand in the label of a line: it can neither close the label nor add to it."""
    return " ".join(escaped(given).translate(_NO_LABEL).split())
