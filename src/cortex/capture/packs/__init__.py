"""The languages in which extraction without a model works. `pack` says how to add one."""

from __future__ import annotations

from cortex.capture.packs import de, en, es, ja, zh
from cortex.capture.packs.pack import Pack

DEFAULT_PACKS: tuple[Pack, ...] = (ja.PACK, zh.PACK, en.PACK, es.PACK, de.PACK)
"""Letters are looked at in this order: Japanese is told by its kana, and what is left is Chinese."""
