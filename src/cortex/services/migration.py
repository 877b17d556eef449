"""Carrying everything of a tenant from one store to another: history, receipts, vectors and all.

Nothing is embedded or decided anew. An interrupted run goes on where it stopped; what was carried
already is compared, and left as it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cortex.domain.dump import DumpRecord, RecordDigest, RecordDigests, RecordKind, differing
from cortex.domain.scope import Tenant
from cortex.errors import Conflict, InvalidRequest, StoreCorrupt
from cortex.ports.store import Store
from cortex.progress import Progress, silent

DigestsByKind = Mapping[RecordKind, RecordDigest]
_OFTEN = 1_000
"""After how many records progress is reported."""


@dataclass(frozen=True, slots=True)
class MigratedTenant:
    """A tenant whose records are the same in both stores."""

    tenant: Tenant
    digests: DigestsByKind
    was_there: bool
    """Whether an earlier run had carried it already."""

    @property
    def records(self) -> int:
        return sum(each.records for each in self.digests.values())


def migrate_tenant(source: Store, target: Store, tenant: Tenant, progress: Progress = silent) -> MigratedTenant:
    """Carry a tenant to `target`, and compare both sides. The source is only read."""
    read = digests_of(source, tenant, progress, "reading")
    if tenant.user in target.users():
        there = digests_of(target, tenant, progress, "comparing", _count(read))
        if different := differing(read, there):
            raise InvalidRequest(
                f"user {tenant.user!r} has other memories there already: {', '.join(different)}",
                field="to",
                hint="choose an empty target; what is there was not touched",
            )
        return MigratedTenant(tenant, read, was_there=True)
    target.load(tenant, _as_read(source, tenant, read, progress), source=_fingerprint(read))
    written = digests_of(target, tenant, progress, "comparing", _count(read))
    if different := differing(read, written):
        raise StoreCorrupt(
            f"what was written of user {tenant.user!r} differs from what was read: {', '.join(different)}",
            hint="keep using the source; its memories are as they were",
        )
    return MigratedTenant(tenant, read, was_there=False)


def planned(source: Store, tenant: Tenant, progress: Progress = silent) -> MigratedTenant:
    """What there is to carry of a tenant."""
    return MigratedTenant(tenant, digests_of(source, tenant, progress), was_there=False)


def digests_of(
    store: Store, tenant: Tenant, progress: Progress = silent, label: str = "reading", total: int = 0
) -> DigestsByKind:
    """The digests of everything a store keeps of a tenant."""
    digests = RecordDigests()
    for _ in digests.counted(store.dump(tenant)):
        if digests.records % _OFTEN == 0:
            progress(digests.records, total, label)
    progress(digests.records, digests.records, label)
    return digests.all()


def _as_read(source: Store, tenant: Tenant, read: DigestsByKind, progress: Progress) -> Iterator[DumpRecord]:
    """The records of the source, which must still be those that were read; else the last one never comes."""
    digests, total = RecordDigests(), _count(read)
    for record in digests.counted(source.dump(tenant)):
        yield record
        if digests.records % _OFTEN == 0:
            progress(digests.records, total, "writing")
    if different := differing(read, digests.all()):
        raise Conflict(
            f"user {tenant.user!r} was written to meanwhile: {', '.join(different)}",
            hint="stop the servers and hosts that use the source, and run it again",
        )
    progress(total, total, "writing")


def _count(digests: DigestsByKind) -> int:
    return sum(each.records for each in digests.values())


def _fingerprint(digests: DigestsByKind) -> str:
    """Stands for exactly these records: an interrupted load goes on only with the same."""
    said = "\n".join(f"{kind} {each.records} {each.sha256}" for kind, each in sorted(digests.items()))
    return hashlib.sha256(said.encode()).hexdigest()
