"""What a command does not need is not imported by it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("arguments", [["recall", "trams"], ["eval", "--help"], ["hook", "--help"]])
def test_evaluation_and_capture_are_imported_only_by_what_uses_them(tmp_path: Path, arguments: list[str]) -> None:
    code = (
        "import sys\nfrom cortex.surfaces.cli.app import run\n"
        f"run({arguments!r} + ['--home', {str(tmp_path)!r}])\n"
        "print(sorted(name for name in sys.modules if name.startswith(('cortex.evaluation', 'cortex.capture'))),"
        " file=sys.stderr)"
    )
    variables = {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none"}
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=os.environ | variables
    )
    assert (said.returncode, said.stderr) == (0, "[]\n")
