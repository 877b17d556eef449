"""Processes that start with everything imported end, read, write and fail as any other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import forking
from forking import PIPE, Forked


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.py"


def ran(script: Path, text: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    script.write_text(text, encoding="utf-8")
    return forking.run([script, *arguments], **options)  # type: ignore[arg-type]


def test_a_script_has_arguments_variables_folder_and_streams_of_its_own(script: Path, tmp_path: Path) -> None:
    text = (
        "import os, sys; assert __name__ == '__main__'; print(sys.argv[1:], os.environ['OWN'], 'HOME' in os.environ,"
        " os.getcwd(), sys.stdin.read()); print('aside', file=sys.stderr)"
    )
    said = ran(script, text, "a", "b", env={"OWN": "ü"}, cwd=tmp_path, input="given ü")
    assert (said.returncode, said.stdout) == (0, f"['a', 'b'] ü False {tmp_path} given ü\n")
    assert said.stderr == "aside\n"


def test_a_module_is_the_same_as_in_a_process_of_python(tmp_path: Path) -> None:
    arguments = ["-m", "cortex", "--home", str(tmp_path / "home"), "remember", " "]
    real = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    said = forking.run(arguments)
    assert (said.returncode, said.stdout, said.stderr) == (real.returncode, real.stdout, real.stderr)
    assert said.returncode == 2


@pytest.mark.parametrize(
    ("text", "code", "complaint"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no')", 1, "no\n"),
        ("raise ValueError('broken')", 1, "ValueError: broken\n"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ""),
        ("raise KeyboardInterrupt", -signal.SIGINT, "KeyboardInterrupt\n"),
        ("import os; os._exit(7)", 7, ""),
    ],
)
def test_the_exit_code_says_how_it_ended(script: Path, text: str, code: int, complaint: str) -> None:
    said = ran(script, text)
    assert said.returncode == code
    assert said.stderr.endswith(complaint)
    assert bool(said.stderr) == bool(complaint)


def test_threads_and_exit_functions_come_to_their_end(script: Path) -> None:
    text = (
        "import atexit, sys, threading, time\n"
        "atexit.register(print, 'at exit')\n"
        "threading.Thread(target=lambda: (time.sleep(0.05), print('of a thread'))).start()\n"
        "sys.exit(0)"
    )
    assert ran(script, text).stdout == "of a thread\nat exit\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_signal_ends_it_and_it_is_gone(script: Path, number: signal.Signals) -> None:
    script.write_text("print('there', flush=True)\nimport time\ntime.sleep(600)", encoding="utf-8")
    with Forked([script], stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.send_signal(number)
        assert process.wait(forking.PATIENCE) == -number
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)


def test_one_that_takes_too_long_is_ended(script: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        ran(script, "import time; time.sleep(600)", timeout=0.01)


def test_nothing_of_one_is_left_for_the_next(script: Path) -> None:
    text = "import cortex, os, sys; print(hasattr(cortex, 'left'), 'LEFT' in os.environ, 'left' in sys.path)\n"
    text += "cortex.left = 1; os.environ['LEFT'] = '1'; sys.path.append('left')"
    assert [ran(script, text).stdout for _ in range(2)] == ["False False False\n"] * 2


def commanded(script: Path, text: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    script.write_text(text, encoding="utf-8")
    command = forking.command([script, *arguments])
    return subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, **options)


def test_a_command_has_arguments_variables_folder_and_streams_of_its_own(script: Path, tmp_path: Path) -> None:
    text = (
        "import cortex, os, sys; print(sys.argv[1:], os.environ['OWN'], os.getcwd(), sys.stdin.read());"
        " print('aside', file=sys.stderr); sys.exit(3)"
    )
    with commanded(script, text, "a", "b", env={"OWN": "ü", "LANG": "C.UTF-8"}, cwd=tmp_path) as process:
        assert process.communicate("given ü", timeout=forking.PATIENCE) == (
            f"['a', 'b'] ü {tmp_path} given ü\n",
            "aside\n",
        )
    assert process.returncode == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_passes_signals_on_and_ends_as_its_process_does(script: Path, number: signal.Signals) -> None:
    # Short, as a signal that comes right before a sleep does not end it.
    naps = "import os, time; print(os.getpid(), flush=True)\nwhile True: time.sleep(0.05)"
    with commanded(script, naps) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.send_signal(number)
        assert process.wait(forking.PATIENCE) == -number
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_the_end_of_what_a_command_reads_is_seen_by_its_process(script: Path) -> None:
    with commanded(script, "import sys; print(len(sys.stdin.read()))") as process:
        assert process.communicate("x" * 100_000, timeout=forking.PATIENCE)[0] == "100000\n"
