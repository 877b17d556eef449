"""LibreHardwareMonitor: its tree of sensors as JSON, read over HTTP, and what it means for background work."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from cortex.errors import InvalidRequest
from cortex.ports.clock import Clock
from cortex.ports.hardware import HardwareVerdict
from cortex.runtime.deadline import Deadline

TIMEOUT_SECONDS = 1.0
MAX_BYTES = 4 << 20
_BLOCK = 64 << 10

# "45.0 °C", "45,0 °C", "113.0 °F", "12.3 %"
_READING = re.compile(r"\s*(-?\d+(?:[.,]\d+)?)\s*(%|°\s?C|°\s?F)\s*")
_CARD_ID = re.compile(r"/(?:gpu|nvidiagpu|atigpu|intelgpu)[-/]", re.IGNORECASE)
_CARD_NAME = re.compile(r"nvidia|geforce|quadro|tesla|radeon|\barc\b|\bgpu\b|graphics", re.IGNORECASE)
_LOAD, _TEMPERATURE = "load", "temperature"


@dataclass(frozen=True, slots=True)
class SensorReading:
    """One number a card reports: a load in percent, or a temperature in °C."""

    quantity: str
    name: str
    value: float


class HardwareMonitor:
    """Asks a LibreHardwareMonitor whether the card is too busy or too hot. Unreachable, it holds nothing up."""

    def __init__(
        self, url: str, clock: Clock, *, max_load: float, max_temperature: float, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        if urlsplit(url).scheme not in ("http", "https"):
            raise InvalidRequest("is not a web address", field="hardware.url", hint="give http://host:port/data.json")
        self._url = url
        self._clock = clock
        self._max_load = max_load
        self._max_temperature = max_temperature
        self._timeout = timeout

    def verdict(self) -> HardwareVerdict:
        try:
            tree = json.loads(_fetched(self._url, Deadline.after(self._clock, self._timeout), self._timeout))
        except (OSError, HTTPException) as error:
            return HardwareVerdict(ok=True, why=f"the hardware monitor cannot be read: {_told(error)}")
        except (ValueError, RecursionError):
            return HardwareVerdict(ok=True, why="the hardware monitor answered no JSON")
        return judged(card_readings(tree), max_load=self._max_load, max_temperature=self._max_temperature)


def judged(readings: Iterable[SensorReading], *, max_load: float, max_temperature: float) -> HardwareVerdict:
    """What the readings of the cards mean: background work waits for the busiest and the hottest of them."""
    found = list(readings)
    load, temperature = _highest(found, _LOAD), _highest(found, _TEMPERATURE)
    reasons = []
    if load is not None and load > max_load:
        reasons.append(f"the card is busy ({load:.0f} % of at most {max_load:.0f} %)")
    if temperature is not None and temperature > max_temperature:
        reasons.append(f"the card is hot ({temperature:.0f} °C of at most {max_temperature:.0f} °C)")
    if load is None and temperature is None:
        return HardwareVerdict(ok=True, why="the hardware monitor names no graphics card")
    return HardwareVerdict(not reasons, load, temperature, " and ".join(reasons))


def card_readings(tree: Any) -> Iterator[SensorReading]:
    """The loads and temperatures of every graphics card in a tree of sensors, whatever else it holds."""
    pending: list[tuple[Any, bool]] = [(tree, False)]
    while pending:
        node, within_card = pending.pop()
        if not isinstance(node, Mapping):
            continue
        within_card = within_card or _is_card(node)
        if within_card and (reading := _reading(node)):
            yield reading
        children = node.get("Children")
        if isinstance(children, list):
            pending.extend((child, within_card) for child in children)


def _is_card(node: Mapping[str, Any]) -> bool:
    """A card, by the id newer monitors give it, or else by its icon and name."""
    for key in ("HardwareId", "SensorId"):
        if isinstance(id := node.get(key), str) and id:
            return bool(_CARD_ID.match(id))
    # A group of sensors, or the board, may also carry a card's name; a card has groups below it.
    groups = node.get("Children")
    holds_groups = isinstance(groups, list) and any(
        isinstance(each, Mapping) and each.get("Text") in ("Load", "Temperatures") for each in groups
    )
    return holds_groups and bool(_CARD_NAME.search(str(node.get("Text", ""))))


def _reading(node: Mapping[str, Any]) -> SensorReading | None:
    matched = _READING.fullmatch(str(node.get("Value") or ""))
    if matched is None:
        return None
    value, unit = float(matched.group(1).replace(",", ".")), matched.group(2)[-1]
    if not math.isfinite(value):
        return None
    name = str(node.get("Text", ""))
    if unit == "%":
        # Fans and battery-like levels are percentages too; newer monitors say what a percentage is of.
        return SensorReading(_LOAD, name, value) if node.get("Type", "Load") == "Load" else None
    return SensorReading(_TEMPERATURE, name, value if unit == "C" else (value - 32) * 5 / 9)


def _highest(readings: Iterable[SensorReading], quantity: str) -> float | None:
    """The highest of the cores' readings; of all, where no core is named.

    A model that waits in the card's memory fills it without keeping it busy, so the memory's load never counts.
    """
    some = [each for each in readings if each.quantity == quantity and "memory" not in each.name.lower()]
    cores = [each.value for each in some if each.name.strip().lower() == "gpu core"]
    return max(cores or [each.value for each in some], default=None)


def _fetched(url: str, deadline: Deadline, timeout: float) -> bytes:
    from urllib.request import ProxyHandler, build_opener

    # The monitor stands beside the model: a proxy on the way to it would only report its own machine.
    opener = build_opener(ProxyHandler({}))
    body = bytearray()
    with opener.open(url, timeout=timeout) as response:
        while block := response.read1(_BLOCK):
            body += block
            if len(body) > MAX_BYTES:
                raise OSError("it answers without end")
            if deadline.passed:
                raise TimeoutError
    return bytes(body)


def _told(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    return str(getattr(reason, "strerror", None) or reason) or type(error).__name__
