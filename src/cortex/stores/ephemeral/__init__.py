"""A store in memory: nothing outlives the process."""

from cortex.stores.ephemeral.store import ABILITIES, OPTIONS, EphemeralStore, agents, check_url, checks, create

__all__ = ["ABILITIES", "OPTIONS", "EphemeralStore", "agents", "check_url", "checks", "create"]
