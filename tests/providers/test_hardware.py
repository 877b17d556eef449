"""The hardware monitor: LibreHardwareMonitor's JSON over real HTTP, sound and unsound."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.clock import SystemClock
from cortex.errors import InvalidRequest
from cortex.ports.clock import Clock
from cortex.providers.hardware import HardwareMonitor, card_readings, judged
from cortex.testing import FakeClock


def sensor(text: str, value: str, **more: str) -> dict[str, Any]:
    return {"id": 9, "Text": text, "Min": "0", "Value": value, "Max": value, "Children": [], **more}


def node(text: str, *children: Any, **more: str) -> dict[str, Any]:
    return {"id": 1, "Text": text, "Min": "", "Value": "", "Max": "", "Children": list(children), **more}


def machine(*parts: Any) -> dict[str, Any]:
    cpu = node(
        "AMD Ryzen 9", node("Load", sensor("CPU Total", "99.0 %")), node("Temperatures", sensor("Core", "94.0 °C"))
    )
    return node("Sensor", node("DESKTOP", cpu, *parts))


def card(load: str = "12.3 %", temperature: str = "45.0 °C", name: str = "NVIDIA GeForce RTX 3080") -> dict[str, Any]:
    return node(
        name,
        node("Temperatures", sensor("GPU Core", temperature), sensor("GPU Hot Spot", "99.0 °C")),
        node("Load", sensor("GPU Core", load), sensor("GPU Memory", "97.0 %"), sensor("GPU Bus", "0.0 %")),
        node("Fans", sensor("GPU Fan", "1200 RPM")),
        node("Controls", sensor("GPU Fan", "100.0 %", Type="Control")),
    )


Handle = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def monitor(handle: Handle) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            handle(self)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/data.json"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answering(body: bytes, status: int = 200) -> Handle:
    def handle(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return handle


def look(url: str, clock: Clock | None = None, timeout: float = 5.0) -> Any:
    made = HardwareMonitor(url, clock or FakeClock(), max_load=80, max_temperature=85, timeout=timeout)
    return made.verdict()


def verdict_of(tree: Any) -> Any:
    with monitor(answering(json.dumps(tree).encode())) as url:
        return look(url)


def test_a_cool_and_idle_card_has_room() -> None:
    """C15: load and temperature of the card, not of the processor, its memory or its fans"""
    verdict = verdict_of(machine(card()))
    assert (verdict.ok, verdict.load, verdict.temperature, verdict.why) == (True, 12.3, 45.0, "")


@pytest.mark.parametrize(
    ("load", "temperature", "why"),
    [
        ("80.1 %", "45.0 °C", "the card is busy (80 % of at most 80 %)"),
        ("12.0 %", "91.0 °C", "the card is hot (91 °C of at most 85 °C)"),
        ("100.0 %", "86 °C", "the card is busy (100 % of at most 80 %) and the card is hot (86 °C of at most 85 °C)"),
    ],
)
def test_a_hot_or_busy_card_makes_background_work_wait(load: str, temperature: str, why: str) -> None:
    """C15"""
    verdict = verdict_of(machine(card(load, temperature)))
    assert (verdict.ok, verdict.why) == (False, why)


def test_decimal_commas_and_fahrenheit_are_read() -> None:
    """C15: the monitor writes as its Windows does"""
    verdict = verdict_of(machine(card("12,3 %", "113,0 °F")))
    assert (verdict.load, round(verdict.temperature, 1)) == (12.3, 45.0)


def test_the_busiest_of_several_cards_counts() -> None:
    """C15"""
    verdict = verdict_of(machine(card("1.0 %", name="Intel UHD Graphics"), card("95.0 %", name="AMD Radeon RX 7900")))
    assert (verdict.ok, verdict.load) == (False, 95.0)


def test_newer_monitors_name_hardware_by_an_id() -> None:
    """C15"""
    tree = machine(
        node(
            "Some New Thing",
            node("Load", sensor("GPU Core", "90.0 %", SensorId="/gpu-nvidia/0/load/0", Type="Load")),
            HardwareId="/gpu-nvidia/0",
        ),
        node("GPU Tweak", node("Load", sensor("GPU Core", "10.0 %")), HardwareId="/lpc/nct6798d"),
    )
    assert verdict_of(tree).load == 90.0


def test_a_card_without_a_named_core_is_judged_by_its_highest_reading() -> None:
    """C15"""
    load = node("Load", sensor("D3D 3D", "40.0 %"), sensor("D3D Copy", "3.0 %"), sensor("GPU Memory", "97.0 %"))
    assert verdict_of(machine(node("Intel Arc A770", load))).load == 40.0, "a loaded model fills the memory"


def test_no_card_holds_nothing_up() -> None:
    """C15"""
    verdict = verdict_of(machine())
    assert (verdict.ok, verdict.load, verdict.why) == (True, None, "the hardware monitor names no graphics card")


@pytest.mark.parametrize("value", ["-", "", "NaN %", "∞ °C", "12 %%", "hot", "1e5 %"])
def test_a_reading_that_is_no_number_is_no_reading(value: str) -> None:
    """C15"""
    assert verdict_of(machine(node("NVIDIA X", node("Load", sensor("GPU Core", value))))).load is None


@pytest.mark.parametrize(
    ("handle", "why"),
    [
        (answering(b"{broken"), "answered no JSON"),
        (answering(b"\xff\xfe\x00"), "answered no JSON"),
        (answering(b""), "answered no JSON"),
        (answering(b"[" * 100_000), "answered no JSON"),
        (answering(b"[1, 2]"), "names no graphics card"),
        (answering(b"null"), "names no graphics card"),
        (answering(b"oops", 500), "cannot be read"),
        (answering(b"gone", 404), "cannot be read"),
        (answering(b" " * (5 << 20)), "it answers without end"),
        (lambda request: request.wfile.write(b"not HTTP at all\r\n\r\n"), "cannot be read"),
    ],
    ids=["broken", "bytes", "empty", "deep", "list", "null", "500", "404", "endless", "not HTTP"],
)
def test_a_monitor_out_of_order_never_blocks(handle: Handle, why: str) -> None:
    """C15: a note in the status, and work goes on"""
    with monitor(handle) as url:
        verdict = look(url)
    assert verdict.ok
    assert why in verdict.why


def test_a_monitor_that_is_not_there_never_blocks() -> None:
    """C15"""
    with monitor(answering(b"{}")) as url:
        pass
    verdict = look(url)
    assert verdict.ok
    assert "cannot be read" in verdict.why


def test_a_monitor_that_hangs_is_not_waited_for() -> None:
    """C15: a socket that accepts and says nothing"""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        verdict = look(f"http://127.0.0.1:{listening.getsockname()[1]}/data.json", timeout=0.1)
    assert (verdict.ok, verdict.why) == (True, "the hardware monitor cannot be read: no answer in time")


def test_a_monitor_that_drips_is_not_waited_for() -> None:
    """C15: every byte in time, and the answer never"""
    over = threading.Event()

    def drip(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while not over.wait(0.01):
            try:
                request.wfile.write(b" ")
            except OSError:
                return

    with monitor(drip) as url:
        verdict = look(url, SystemClock(), timeout=0.2)
        over.set()
    assert (verdict.ok, verdict.why) == (True, "the hardware monitor cannot be read: no answer in time")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "localhost:8085", "ftp://host/data.json", ""])
def test_only_a_web_address_is_asked(url: str) -> None:
    """C15"""
    with pytest.raises(InvalidRequest, match=r"hardware\.url"):
        HardwareMonitor(url, FakeClock(), max_load=80, max_temperature=85)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("45.0 °C"),
        lambda inner: (
            st.lists(inner, max_size=3) | st.fixed_dictionaries({"Text": inner, "Children": inner, "Value": inner})
        ),
        max_leaves=20,
    )
)
def test_no_tree_is_an_exception(tree: Any) -> None:
    """C15"""
    judged(card_readings(tree), max_load=80, max_temperature=85)
