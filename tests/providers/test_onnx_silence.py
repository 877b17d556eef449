"""onnxruntime tells its maker nothing: official builds since 1.29 report on Linux too, unless told not to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_onnxruntime_leaves_no_mark_of_its_own_and_reports_nothing(tmp_path: Path) -> None:
    """Its reports begin with an id of the machine and a queue of events under the home of whoever runs it"""
    pytest.importorskip("onnxruntime")
    ours = {name: value for name, value in os.environ.items() if name not in ("ORT_DISABLE_TELEMETRY", "CI")}
    wanted = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    code = "from cortex.providers.onnx import _onnxruntime as load; load().get_available_providers()"
    subprocess.run([sys.executable, "-c", code], env=ours | wanted, check=True)
    assert list(tmp_path.rglob("*")) == []
